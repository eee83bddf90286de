//! What has to hold, whatever happens.

use crate::dice::Dice;
use agentwire_protocol::host::{Event, SubmissionState};
use agentwire_protocol::outbox::Urgency;
use bytes::Bytes;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the host was asked to send, in the order of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User(Urgency),
    Interrupt,
    Fence,
}

#[derive(Default)]
pub(crate) struct Checks {
    /// What was to be sent, by id, with its number.
    calls: BTreeMap<String, (usize, Kind)>,
    written: Vec<(usize, Kind)>,
    requests: BTreeMap<String, bool>,
    submissions: BTreeMap<String, SubmissionState>,
    /// Asks that wait for the host.
    pub(crate) asks: BTreeSet<Box<str>>,
    /// Asks of which the host has read that they are cancelled.
    cancelled_asks: BTreeSet<String>,
    /// What the agent said on the data plane, and how much of it was heard.
    said: Vec<Bytes>,
    heard: usize,
}

impl Checks {
    pub(crate) fn called(&mut self, id: &str, kind: Kind) {
        let number = self.calls.len();
        self.calls.insert(id.to_owned(), (number, kind));
        match kind {
            Kind::User(_) => {
                self.submissions
                    .insert(id.to_owned(), SubmissionState::Waiting);
            }
            Kind::Interrupt | Kind::Fence => {
                self.requests.insert(id.to_owned(), false);
            }
        }
    }

    /// A request that was made; it may have ended.
    pub(crate) fn some_request(&self, dice: &mut Dice) -> Option<String> {
        // Without the first one nothing would ever leave.
        let made = self.requests.keys().filter(|id| *id != "init");
        let made: Vec<&String> = made.collect();
        (!made.is_empty()).then(|| made[dice.below(made.len())].clone())
    }

    /// The agent wrote a line.
    pub(crate) fn said(&mut self, line: &Bytes) {
        let text = std::str::from_utf8(line).unwrap();
        if !text.contains(r#""type":"control_"#) {
            self.said.push(line.slice(..line.len() - 1));
        }
    }

    /// A line of the host's is in the pipe; `id` is what it asks or says.
    pub(crate) fn written(&mut self, id: &str) -> Result<(), String> {
        let Some(&(number, kind)) = self.calls.get(id) else {
            return Ok(());
        };
        for &(earlier, other) in &self.written {
            if earlier == number {
                return Err(format!("{id} is written twice"));
            }
            if earlier < number {
                continue;
            }
            // What was called later is in the pipe already.
            let may_pass = match (kind, other) {
                (Kind::User(_), Kind::Interrupt) => true,
                (Kind::User(passed), Kind::User(other)) => other < passed,
                _ => false,
            };
            if !may_pass {
                return Err(format!("{id} was passed by what was called later"));
            }
        }
        self.written.push((number, kind));
        Ok(())
    }

    /// The host has read this line.
    pub(crate) fn read(&mut self, line: &[u8]) {
        let line: Value = serde_json::from_slice(line).unwrap();
        if line["type"] == "control_cancel_request" {
            let id = line["request_id"].as_str().unwrap();
            self.cancelled_asks.insert(id.to_owned());
        }
    }

    /// The answer to an ask begins to be written.
    pub(crate) fn answered(&self, ask: &str) -> Result<(), String> {
        if self.cancelled_asks.contains(ask) {
            return Err(format!("{ask} is answered after it was cancelled"));
        }
        Ok(())
    }

    pub(crate) fn heard(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Frame(frame) => {
                let expected = self.said.get(self.heard);
                if expected != Some(frame.raw()) {
                    return Err(format!("heard {frame:?} where {expected:?} was said"));
                }
                self.heard += 1;
            }
            Event::Ask(ask) if !self.asks.insert(ask.request_id.clone()) => {
                return Err(format!("{} is asked twice", ask.request_id));
            }
            Event::AskCancelled { request_id } => {
                self.asks.remove(request_id);
            }
            Event::Answered { request_id, .. } => match self.requests.get_mut(&**request_id) {
                Some(ended @ false) => *ended = true,
                Some(true) => return Err(format!("{request_id} ends twice")),
                None => return Err(format!("{request_id} was never made")),
            },
            Event::Submission { uuid, state } => {
                let Some(known) = self.submissions.get_mut(&**uuid) else {
                    return Err(format!("{uuid} was never sent"));
                };
                if known.is_end() || *state <= *known {
                    return Err(format!("{uuid} is {state} after it was {known}"));
                }
                *known = *state;
            }
            _ => {}
        }
        Ok(())
    }

    /// Everything is over: what was begun has ended. What the agent said was
    /// heard, unless the pipe broke.
    pub(crate) fn over(&self, all_was_heard: bool) -> Result<(), String> {
        self.settled()?;
        if all_was_heard && self.heard != self.said.len() {
            let unheard = &self.said[self.heard];
            return Err(format!("{unheard:?} was never heard"));
        }
        Ok(())
    }

    /// Nothing waits any more.
    pub(crate) fn settled(&self) -> Result<(), String> {
        if let Some((id, _)) = self.requests.iter().find(|(_, ended)| !**ended) {
            return Err(format!("{id} never ends"));
        }
        if let Some((uuid, state)) = self.submissions.iter().find(|(_, it)| !it.is_end()) {
            return Err(format!("{uuid} is {state} for ever"));
        }
        Ok(())
    }
}
