//! The sets of options: those of the official SDK as JSON, in which `drive.mjs` replaces
//! `$function`, `$server` and `$store`, and ours.

/// Sets of options, one after the other: the name, what the official SDK is
/// given, and what is done to ours.
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

/// The same options, for both.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) official: Value,
    /// Our setters, in order.
    pub(crate) ours: Vec<fn(Options) -> Options>,
    /// The names of the sets that it is made of: its own, or those of two.
    pub(crate) parts: Vec<&'static str>,
    /// Whether one of the two does not start anything with them.
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

/// All sets, and many pairs of them.
pub(crate) fn all() -> Vec<Set> {
    // One family: a store does without checkpoints, and needs what is kept.
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

/// What goes into no pair: flags by hand stand in the way of methods, and a file
/// of settings in that of others.
const ALONE: [&str; 4] = [
    "nothing",
    "servers by hand",
    "settings by hand",
    "settings in a file",
];

/// One of how many pairs is made.
const ONE_OF: usize = 37;

/// Pairs of sets from different families that have no option in common.
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
