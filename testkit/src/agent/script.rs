//! Requests and messages that the agent sends for a script,
//! such as elicitations and dialogs.

use super::{Agent, Event};
use agentwire_protocol::codec::encode;
use agentwire_protocol::control;
use agentwire_protocol::json::Json;
use serde_json::{Map, Value};

impl Agent {
    /// Sends a request unchanged. `request` must be an object with a `subtype`.
    /// The response arrives as [`Event::HostAnswered`], unless the request is
    /// cancelled first, for example by an interrupt.
    pub fn ask_host(&mut self, request: Json) {
        if self.input_ended {
            let closed = Err("the host closed the session".to_owned());
            return self
                .events
                .push_back(Event::HostAnswered { answer: closed });
        }
        let request_id = (self.ids)();
        let line = control::request(&request_id, &request);
        let sent = (line.as_ref().ok()).and_then(|line| serde_json::from_slice(line).ok());
        self.send(line);
        self.scripted
            .insert(request_id, sent.unwrap_or_else(Json::null));
    }

    /// Sends a message. A missing `uuid` or `session_id` is added; everything
    /// else is sent unchanged.
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

    /// Ends all scripted requests because the host has closed the session.
    pub(super) fn end_scripted_requests(&mut self) {
        for _ in std::mem::take(&mut self.scripted) {
            self.host_answered(Err("the host closed the session".to_owned()));
        }
    }

    pub(super) fn cancel_scripted_requests(&mut self) {
        for request_id in std::mem::take(&mut self.scripted).into_keys() {
            self.cancel(&request_id);
        }
    }

    /// Returns the pending scripted requests with this subtype.
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
