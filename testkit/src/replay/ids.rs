//! Maps the IDs of the recorded host to those of this host.

use super::meaning::{Kind, Meaning};
use crate::recording::RecordedLine;
use crate::strings::{self, Position};
use std::collections::{HashMap, HashSet};

/// The recorded IDs and the IDs of the current host, by kind.
#[derive(Debug, Default)]
pub(super) struct Ids {
    requests: IdMap,
    messages: IdMap,
    hooks: IdMap,
}

/// IDs of one kind.
#[derive(Debug, Default)]
struct IdMap {
    /// Recorded IDs that have no current ID yet.
    unmapped: HashSet<String>,
    /// Current IDs, by recorded ID.
    current: HashMap<String, String>,
    /// Recorded IDs, by current ID.
    recorded: HashMap<String, String>,
}

impl IdMap {
    fn learn(&mut self, recorded: &str, current: &str) {
        self.unmapped.remove(recorded);
        // An ID is mapped only once.
        let current =
            (self.current.entry(recorded.to_owned())).or_insert_with(|| current.to_owned());
        let current = current.clone();
        self.recorded
            .entry(current)
            .or_insert_with(|| recorded.to_owned());
    }
}

impl Ids {
    /// Adds the IDs that the recorded host chose in a line.
    pub(super) fn expect(&mut self, recorded: &Meaning) {
        if recorded.kind == Kind::Request {
            self.requests.unmapped.extend(recorded.request_id.clone());
        }
        self.messages.unmapped.extend(recorded.uuid.clone());
        let hooks = recorded.hook_ids.iter();
        self.hooks.unmapped.extend(hooks.map(|(_, id)| id.clone()));
    }

    /// Maps the IDs of a recorded line to those of the host's matching line.
    pub(super) fn learn(&mut self, recorded: &Meaning, actual: &Meaning) {
        if let (Kind::Request, Some(recorded_id), Some(current_id)) =
            (recorded.kind, &recorded.request_id, &actual.request_id)
        {
            self.requests.learn(recorded_id, current_id);
        }
        if let Some(recorded_id) = &recorded.uuid {
            // A host that sets no UUIDs gets the recorded ones.
            self.messages
                .learn(recorded_id, actual.uuid.as_ref().unwrap_or(recorded_id));
        }
        let mut hooks = actual.hook_ids.clone();
        for (hook, recorded_id) in &recorded.hook_ids {
            if let Some(at) = hooks.iter().position(|(other, _)| other == hook) {
                self.hooks.learn(recorded_id, &hooks.remove(at).1);
            }
        }
    }

    /// Returns the recorded ID of a user message.
    pub(super) fn recorded_message(&self, current: &str) -> Option<&str> {
        self.messages.recorded.get(current).map(String::as_str)
    }

    /// Returns whether a line contains an ID that has no current ID yet.
    pub(super) fn has_unmapped_id(&self, line: &[u8]) -> bool {
        let mut found = false;
        if let Ok(text) = std::str::from_utf8(line)
            && self.has_unmapped()
            && text.starts_with('{')
        {
            strings::replace(text, |position, string| {
                let names = self.names(position);
                found |= names.is_some_and(|it| it.unmapped.contains(string));
                None
            });
        }
        found
    }

    fn has_unmapped(&self) -> bool {
        [&self.requests, &self.messages, &self.hooks]
            .iter()
            .any(|names| !names.unmapped.is_empty())
    }

    /// Replaces the recorded IDs in a line by the current IDs. Returns `None`
    /// for the response to a request that the host has not sent.
    pub(super) fn with_current_ids(&self, line: &RecordedLine) -> Option<Vec<u8>> {
        let RecordedLine::Json(json) = line else {
            return Some(line.to_bytes());
        };
        let mut is_unrequested = false;
        let line = strings::replace(json.get(), |position, string| {
            let names = self.names(position)?;
            is_unrequested |= names.unmapped.contains(string) && is_response_id(position);
            names.current.get(string).cloned()
        });
        (!is_unrequested).then(|| (line + "\n").into_bytes())
    }

    /// Returns the map for the IDs at a position.
    fn names(&self, position: &Position) -> Option<&IdMap> {
        match position.key() {
            // Numbers are not IDs.
            _ if position.is_number => None,
            Some("request_id") => Some(&self.requests),
            Some("callback_id") => Some(&self.hooks),
            _ => Some(&self.messages),
        }
    }
}

/// Returns whether a position is the request ID of a response.
fn is_response_id(position: &Position) -> bool {
    position.keys == ["response", "request_id"]
}
