//! Helpers of the tests of all systems.
#![allow(clippy::unwrap_used)]

pub(crate) mod answers;
pub(crate) mod bridgic;
pub(crate) mod cua;

pub(crate) mod exact;
pub(crate) mod generate;
pub(crate) mod openhands;
pub(crate) mod ours;
pub(crate) mod properties;

use agentwire_interop::session::Line;
use agentwire_protocol::Json;
use serde::Serialize;
use serde_json::Value;

/// A session of the real CLI.
pub(crate) const REAL: &str = include_str!("../sessions/real.ndjson");

/// Serializes a value for comparison.
pub(crate) fn tree<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Parses the lines of a session.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the lines of each recorded session.
pub(crate) fn recordings() -> Vec<Vec<Line>> {
    let sessions = agentwire_testing::recordings().into_iter().map(|path| {
        let recording = std::fs::read_to_string(path).unwrap();
        let entries = recording.lines();
        let messages =
            entries.filter_map(|it| serde_json::from_str::<Json>(it).unwrap().member("msg"));
        let messages = messages.filter(|message| message.get().starts_with('{'));
        messages.map(Line::from).collect()
    });
    sessions.collect()
}
