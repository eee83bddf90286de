//! The sets of options: what the official SDK is given, as JSON (with what
//! `drive.mjs` makes of `$function` and `$server`), and what ours are given.

mod agents;
mod callbacks;
mod conversation;
mod model;
mod refused;
mod surroundings;
mod tools;

use agentwire::Options;
use serde_json::Value;

/// The same options, for both.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) official: Value,
    pub(crate) ours: fn(Options) -> Options,
    /// Whether one of the two does not start anything with them.
    pub(crate) is_refused: bool,
}

fn set(name: &'static str, official: Value, ours: fn(Options) -> Options) -> Set {
    Set {
        name,
        official,
        ours,
        is_refused: false,
    }
}

fn refused(name: &'static str, official: Value, ours: fn(Options) -> Options) -> Set {
    Set {
        is_refused: true,
        ..set(name, official, ours)
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
    all.extend(refused::sets());
    all
}
