//! Whose ids are whose: the recorded host's, and those of the host that lives.

use super::meaning::{Kind, Meaning};
use crate::recording::Said;
use crate::strings::{self, Place};
use std::collections::{HashMap, HashSet};

/// The ids of the recorded host, and what they are now.
#[derive(Debug, Default)]
pub(super) struct Ids {
    requests: Names,
    messages: Names,
    hooks: Names,
}

/// Ids of one kind.
#[derive(Debug, Default)]
struct Names {
    /// Those that the recorded host gave, and this one has not yet.
    awaited: HashSet<String>,
    /// What is now in the place of what was recorded.
    now: HashMap<String, String>,
    /// What was recorded in the place of what is now.
    then: HashMap<String, String>,
}

impl Names {
    fn learn(&mut self, recorded: &str, now: &str) {
        self.awaited.remove(recorded);
        // The first one counts: what it is called in the recording is known
        // when it is said again.
        let now = (self.now.entry(recorded.to_owned())).or_insert_with(|| now.to_owned());
        let now = now.clone();
        self.then.entry(now).or_insert_with(|| recorded.to_owned());
    }
}

impl Ids {
    /// The recorded host gives an id here.
    pub(super) fn expect(&mut self, recorded: &Meaning) {
        if recorded.kind == Kind::Request {
            self.requests.awaited.extend(recorded.request_id.clone());
        }
        self.messages.awaited.extend(recorded.uuid.clone());
        let hooks = recorded.hook_ids.iter();
        self.hooks.awaited.extend(hooks.map(|(_, id)| id.clone()));
    }

    /// The two are the same line.
    pub(super) fn learn(&mut self, recorded: &Meaning, heard: &Meaning) {
        if let (Kind::Request, Some(then), Some(now)) =
            (recorded.kind, &recorded.request_id, &heard.request_id)
        {
            self.requests.learn(then, now);
        }
        if let Some(then) = &recorded.uuid {
            // A host that gives none hears of the one that was recorded.
            self.messages
                .learn(then, heard.uuid.as_ref().unwrap_or(then));
        }
        let mut hooks = heard.hook_ids.clone();
        for (what, then) in &recorded.hook_ids {
            if let Some(at) = hooks.iter().position(|(it, _)| it == what) {
                self.hooks.learn(then, &hooks.remove(at).1);
            }
        }
    }

    /// What the id of a message of the host's was in the recording.
    pub(super) fn recorded_message(&self, now: &str) -> Option<&str> {
        self.messages.then.get(now).map(String::as_str)
    }

    /// Whether a line has an id in it that this host has not given yet.
    pub(super) fn wants(&self, line: &[u8]) -> bool {
        let mut wants = false;
        if let Ok(text) = std::str::from_utf8(line)
            && self.has_awaited()
            && text.starts_with('{')
        {
            strings::replace(text, |place, string| {
                let names = self.names(place);
                wants |= names.is_some_and(|it| it.awaited.contains(string));
                None
            });
        }
        wants
    }

    fn has_awaited(&self) -> bool {
        [&self.requests, &self.messages, &self.hooks]
            .iter()
            .any(|names| !names.awaited.is_empty())
    }

    /// A line with this host's ids in it. `None` for the answer to a request
    /// that it has not made.
    pub(super) fn put_into(&self, said: &Said) -> Option<Vec<u8>> {
        let Said::Json(json) = said else {
            return Some(said.to_bytes());
        };
        let mut is_for_nobody = false;
        let line = strings::replace(json.get(), |place, string| {
            let names = self.names(place)?;
            is_for_nobody |= names.awaited.contains(string) && is_answered(place);
            names.now.get(string).cloned()
        });
        (!is_for_nobody).then(|| (line + "\n").into_bytes())
    }

    /// Which ids stand in a place.
    fn names(&self, place: &Place) -> Option<&Names> {
        match place.key() {
            // No id is a number.
            _ if place.is_number => None,
            Some("request_id") => Some(&self.requests),
            Some("callback_id") => Some(&self.hooks),
            _ => Some(&self.messages),
        }
    }
}

/// Whether it is here that an answer says to what.
fn is_answered(place: &Place) -> bool {
    place.keys == ["response", "request_id"]
}
