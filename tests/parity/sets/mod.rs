//! The sets of options for both SDKs. Those of the official SDK are JSON, in which
//! `drive.mjs` replaces `$function`, `$server` and `$store`.

/// Declares sets of options. Each has a name, the options of the official SDK, and the
/// calls of our methods.
macro_rules! sets {
    ($($name:literal: $official:tt => $ours:expr;)*) => {
        vec![$(super::Set::new($name, serde_json::json!($official), $ours)),*]
    };
}

mod agents;
mod callbacks;
mod conversation;
mod model;
mod refused;
mod store;
mod surroundings;
mod tools;

use agentwire::Options;
use serde_json::Value;

/// The same options for both SDKs.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) official: Value,
    /// The calls of our methods, in order.
    pub(crate) ours: Vec<fn(Options) -> Options>,
    /// The names of the sets that this set combines. It is one name if the set is not a
    /// pair.
    pub(crate) parts: Vec<&'static str>,
    /// Whether one of the SDKs refuses the options without starting an agent.
    pub(crate) is_refused: bool,
}

impl Set {
    fn new(name: &'static str, official: Value, ours: fn(Options) -> Options) -> Self {
        Self {
            name: name.to_owned(),
            official,
            ours: vec![ours],
            parts: vec![name],
            is_refused: false,
        }
    }
}

/// Returns all sets, and many pairs of sets.
pub(crate) fn all() -> Vec<Set> {
    // These are one family, because a store excludes checkpoints and requires stored
    // sessions.
    let conversation = conversation::sets().into_iter().chain(store::sets());
    let families = [
        model::sets(),
        tools::sets(),
        agents::sets(),
        conversation.collect(),
        callbacks::sets(),
        surroundings::sets(),
    ];
    let pairs = pairs(&families);
    let mut all: Vec<_> = families.into_iter().flatten().collect();
    all.extend(pairs);
    all.extend(refused::sets().into_iter().map(|set| Set {
        is_refused: true,
        ..set
    }));
    all
}

/// Sets that are in no pair. Raw flags conflict with methods, and a settings file
/// conflicts with other settings.
const ALONE: [&str; 4] = [
    "nothing",
    "servers by hand",
    "settings by hand",
    "settings in a file",
];

/// On average, one in this number of possible pairs is included.
const ONE_OF: usize = 37;

/// Returns pairs of sets from different families that have no option in common.
fn pairs(families: &[Vec<Set>]) -> Vec<Set> {
    let all = families.iter().enumerate();
    let all: Vec<_> = all
        .flat_map(|(family, sets)| sets.iter().map(move |set| (family, set)))
        .filter(|(_, set)| !ALONE.contains(&set.parts[0]))
        .collect();
    let mut pairs = Vec::new();
    for (place, (family, one)) in all.iter().enumerate() {
        let others = all[place..].iter().enumerate();
        for (_, (other_family, other)) in others.filter(|(far, _)| (far + place) % ONE_OF == 0) {
            if family != other_family {
                pairs.extend(pair(one, other));
            }
        }
    }
    pairs
}

fn pair(one: &Set, other: &Set) -> Option<Set> {
    let mut official = one.official.as_object()?.clone();
    let more = other.official.as_object()?;
    if more.keys().any(|option| official.contains_key(option)) {
        return None;
    }
    official.extend(more.clone());
    Some(Set {
        name: format!("{} + {}", one.name, other.name),
        official: official.into(),
        ours: [&one.ours[..], &other.ours[..]].concat(),
        parts: [&one.parts[..], &other.parts[..]].concat(),
        is_refused: false,
    })
}
