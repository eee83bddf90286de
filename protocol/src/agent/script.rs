//! Requests that only a script has the agent make: elicitations, dialogs, and
//! whatever else a host has to have an answer to. And messages that it sends
//! because the script wants it.

use super::{Agent, Event};
use crate::codec::encode;
use crate::control;
use crate::json::Json;
use serde_json::{Map, Value};

impl Agent {
    /// Sends a request as it is, an object with a `subtype`. Its answer comes
    /// as [`Event::HostAnswered`], unless it is taken back before, as an
    /// interrupt does.
    pub fn ask_host(&mut self, request: Json) {
        if self.input_ended {
            let gone = Err("the host closed the session".to_owned());
            return self.events.push_back(Event::HostAnswered { answer: gone });
        }
        let request_id = (self.ids)();
        let line = control::request(&request_id, &request);
        let sent = (line.as_ref().ok()).and_then(|line| serde_json::from_slice(line).ok());
        self.send(line);
        self.scripted
            .insert(request_id, sent.unwrap_or_else(Json::null));
    }

    /// Sends a message as it is, with an id of its own and the session's where
    /// it has none.
    pub fn send_message(&mut self, mut message: Map<String, Value>) {
        for (member, id) in [
            ("uuid", (self.ids)()),
            ("session_id", self.session_id.clone()),
        ] {
            message.entry(member).or_insert(id.into());
        }
        self.send(encode(&message));
    }

    pub(super) fn host_answered(&mut self, answer: Result<Option<Json>, String>) {
        let answer = answer.map(|answer| answer.unwrap_or_else(Json::null));
        self.events.push_back(Event::HostAnswered { answer });
    }

    /// The host is gone: nobody will answer.
    pub(super) fn host_is_gone(&mut self) {
        for _ in std::mem::take(&mut self.scripted) {
            self.host_answered(Err("the host closed the session".to_owned()));
        }
    }

    pub(super) fn take_scripted_back(&mut self) {
        for request_id in std::mem::take(&mut self.scripted).into_keys() {
            self.out.push_back(control::cancel(&request_id));
        }
    }

    /// Requests of this subtype that are open.
    pub(super) fn open_requests(&self, subtype: &str) -> Option<Vec<Json>> {
        let is_one = |request: &&Json| {
            let inner = request
                .member("request")
                .and_then(|it| it.member("subtype"));
            inner.and_then(|it| it.read::<String>().ok()).as_deref() == Some(subtype)
        };
        let open: Vec<_> = self.scripted.values().filter(is_one).cloned().collect();
        (!open.is_empty()).then_some(open)
    }
}
