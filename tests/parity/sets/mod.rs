//! The sets of options: what the official SDK is given, as JSON (with what
//! `drive.mjs` makes of `$function` and `$server`), and what ours are given.

mod agents;
mod callbacks;
mod conversation;
mod model;
mod surroundings;
mod tools;

use agentwire::protocol::control::Initialize;
use agentwire::{Options, UserMessage};
use serde_json::Value;

/// The same options, for both.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) official: Value,
    pub(crate) ours: fn(Options) -> Options,
    pub(crate) prompt: UserMessage,
}

fn set(name: &'static str, official: Value, ours: fn(Options) -> Options) -> Set {
    Set {
        name,
        official,
        ours,
        prompt: "Hello.".into(),
    }
}

/// All sets. `$folder` is a folder of the set's own on either side.
pub(crate) fn all() -> Vec<Set> {
    let mut all = model::sets();
    all.extend(tools::sets());
    all.extend(agents::sets());
    all.extend(conversation::sets());
    all.extend(callbacks::sets());
    all.extend(surroundings::sets());
    all
}

/// Sets members of the `initialize` request that have no option yet.
fn introduce(options: Options, fill: impl FnOnce(&mut Initialize)) -> Options {
    let mut request = Initialize::default();
    fill(&mut request);
    options.initialize(request)
}
