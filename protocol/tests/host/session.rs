//! A host for tests, with a way to give it input and read its events.

use agentwire_protocol::control::{self, HostRequest, Initialize};
use agentwire_protocol::host::{
    Host, HostEvent, Prompt, Request, RequestFailure, SubmissionState, Transmit, TurnEvent,
    WireNotice,
};
use agentwire_protocol::message::UserMessage;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) const MINUTE: Duration = Duration::from_secs(60);

/// A host, and the time that its driver reports.
pub(crate) struct Session {
    pub(crate) host: Host,
    pub(crate) now: Instant,
}

impl Session {
    pub(crate) fn new() -> Self {
        Self {
            host: Host::default(),
            now: Instant::now(),
        }
    }

    /// Returns a session that has a response to `initialize`, and no pending
    /// events.
    pub(crate) fn connected() -> Self {
        Self::connected_to(json!({"pid": 7}))
    }

    /// Returns a connected session in which the agent responded to `initialize`
    /// with `answer`.
    pub(crate) fn connected_to(answer: Value) -> Self {
        let mut session = Self::new();
        session.request("init", &Initialize::default());
        session.lines();
        session.receive(success("init", answer));
        session.events();
        session
    }

    /// Returns a session that sent and received the lines of a recording.
    pub(crate) fn recorded(name: &str) -> Self {
        let mut session = Self::connected();
        for line in crate::recorded::sessions().remove(name).unwrap() {
            let message: Value = serde_json::from_str(&line.line).unwrap_or_default();
            match (&*line.dir, message["uuid"].as_str()) {
                ("send", Some(uuid)) if message["type"] == "user" => {
                    let message = serde_json::from_str(&line.line).unwrap();
                    let prompt = Prompt::new(uuid, message).unwrap();
                    session.host.submit(session.now, prompt).unwrap();
                    session.lines();
                }
                ("recv", _) => session.receive(message),
                _ => {}
            }
        }
        session
    }

    pub(crate) fn request<R: HostRequest>(&mut self, id: &str, request: &R) {
        let request = Request::new(id, request).unwrap();
        self.host.request(self.now, request, MINUTE).unwrap();
    }

    pub(crate) fn submit(&mut self, uuid: &str) {
        self.host.submit(self.now, prompt(uuid)).unwrap();
    }

    /// Receives lines in one chunk.
    pub(crate) fn receive_all(&mut self, lines: &[Value]) {
        let chunk: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.host.handle_input(self.now, chunk.as_bytes());
    }

    pub(crate) fn receive(&mut self, line: Value) {
        self.receive_all(&[line]);
    }

    /// Receives lines in one chunk. `running`, `idle` and `requires_action` are
    /// states of the session. `started a` is a state of message `a`. `result a
    /// b` names messages.
    pub(crate) fn receive_script(&mut self, lines: &str) {
        let line = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
            ["init"] => init(),
            ["assistant"] => assistant(),
            ["result"] => result(),
            ["result", ref uuids @ ..] => result_of(uuids),
            ["ask", id] => ask(id),
            ["cancel", id] => cancel(id),
            [name] => state(name),
            [name, uuid] => lifecycle(uuid, name),
            _ => panic!("{line}"),
        };
        let lines: Vec<Value> = lines.split(", ").map(line).collect();
        self.receive_all(&lines);
    }

    /// Polls a line without reporting that it was written.
    #[track_caller]
    pub(crate) fn poll_line(&mut self) {
        let line = self.host.poll_transmit();
        assert!(matches!(line, Some(Transmit::Line(_))), "{line:?}");
    }

    pub(crate) fn advance(&mut self, time: Duration) {
        self.now += time;
        self.host.handle_timeout(self.now);
    }

    /// Returns all lines that the host sends. Each line is written at once.
    pub(crate) fn lines(&mut self) -> Vec<String> {
        let mut lines = vec![];
        while let Some(Transmit::Line(line)) = self.host.poll_transmit() {
            lines.push(brief_line(&line));
            self.host.handle_written(self.now);
        }
        lines
    }

    /// Returns whether the host closes the pipe next. Panics if it sends a
    /// line.
    pub(crate) fn polls_end(&mut self) -> bool {
        match self.host.poll_transmit() {
            Some(Transmit::End) => true,
            Some(Transmit::Line(line)) => panic!("{line:?}"),
            None => false,
        }
    }

    /// Returns all events except those of [`Session::states`] and
    /// [`Session::turns`]. Includes messages that were written, withdrawn or
    /// lost.
    pub(crate) fn events(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.host.poll_event())
            .filter(|event| match event {
                HostEvent::Submission { state, .. } => matches!(
                    state,
                    SubmissionState::Written | SubmissionState::Withdrawn | SubmissionState::Lost
                ),
                HostEvent::Turn(_) | HostEvent::Session(_) | HostEvent::Background(_) => false,
                _ => true,
            })
            .map(|event| brief(&event))
            .collect()
    }

    /// Returns the states of user messages, and discards other events.
    pub(crate) fn states(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.host.poll_event())
            .filter(|event| matches!(event, HostEvent::Submission { .. }))
            .map(|event| brief(&event))
            .collect()
    }

    /// Returns the turn events, and discards others.
    pub(crate) fn turns(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.host.poll_event())
            .filter(|event| matches!(event, HostEvent::Turn(_)))
            .map(|event| brief(&event))
            .collect()
    }

    /// Returns the events except frames.
    pub(crate) fn events_without_frames(&mut self) -> Vec<String> {
        let mut events = self.events();
        events.retain(|event| !event.starts_with("frame"));
        events
    }
}

/// Asserts that these are the events. `expected` separates them by `; `.
#[track_caller]
pub(crate) fn assert_events(events: Vec<String>, expected: &str) {
    assert_eq!(events, expected.split("; ").collect::<Vec<_>>());
}

pub(crate) fn prompt(uuid: &str) -> Prompt {
    Prompt::new(uuid, UserMessage::new("x")).unwrap()
}

pub(crate) fn brief_line(line: &[u8]) -> String {
    assert_eq!(line.last(), Some(&b'\n'));
    let line: Value = serde_json::from_slice(line).unwrap();
    let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    match line["type"].as_str().unwrap() {
        "user" => word(&line["uuid"]),
        "control_request" => word(&line["request"]["subtype"]),
        "control_cancel_request" => format!("cancel {}", word(&line["request_id"])),
        "control_response" => {
            let response = &line["response"];
            let (how, id) = (word(&response["subtype"]), word(&response["request_id"]));
            format!("{how} {id}")
        }
        other => other.to_owned(),
    }
}

pub(crate) fn brief(event: &HostEvent) -> String {
    match event {
        HostEvent::Frame(frame) => format!("frame {}", frame.head().label()),
        HostEvent::IncomingRequest(ask) => format!("ask {}", ask.request_id),
        HostEvent::IncomingRequestCancelled { request_id } => format!("ask cancelled {request_id}"),
        HostEvent::RequestEnded {
            request_id,
            outcome,
        } => match outcome {
            Ok(_) => format!("answered {request_id}"),
            Err(RequestFailure::Refused { .. }) => format!("refused {request_id}"),
            Err(RequestFailure::Cancelled { .. }) => format!("cancelled {request_id}"),
            Err(RequestFailure::TimedOut { .. }) => format!("timed out {request_id}"),
            Err(RequestFailure::SessionEnded { .. }) => format!("ended {request_id}"),
            Err(RequestFailure::Unreadable { .. }) => format!("unreadable {request_id}"),
            Err(RequestFailure::Restarted { .. }) => format!("moved {request_id}"),
            Err(RequestFailure::ResponseTooLong { .. }) => format!("too long {request_id}"),
            Err(other) => panic!("{other:?}"),
        },
        HostEvent::Submission { uuid, state } => format!("{state} {uuid}"),
        HostEvent::Turn(TurnEvent::Started { turn }) => format!("turn {turn}"),
        HostEvent::Turn(TurnEvent::PickedUp { turn, uuid }) => {
            format!("turn {turn} answers {uuid}")
        }
        HostEvent::Turn(TurnEvent::Ended(end)) => {
            let mut text = format!("turn {} {}", end.turn, end.outcome);
            if !end.messages.is_empty() {
                text += &format!(": {}", end.messages.join(" "));
            }
            text
        }
        HostEvent::Activity(activity) => format!("{activity:?}"),
        HostEvent::Hung => "hung".to_owned(),
        HostEvent::Background(tasks) => format!("{} background tasks", tasks.len()),
        HostEvent::Notice(WireNotice::NotAFrame { .. }) => "not a frame".to_owned(),
        HostEvent::Notice(WireNotice::UnfinishedLine { .. }) => "unfinished line".to_owned(),
        HostEvent::Notice(WireNotice::LineTooLong { .. }) => "line too long".to_owned(),
        HostEvent::Notice(WireNotice::StrayResponse { .. }) => "stray answer".to_owned(),
        HostEvent::Notice(WireNotice::RequestWithoutId { .. }) => "ask without id".to_owned(),
        HostEvent::Notice(WireNotice::TooManyRequests { suppressed, .. }) => {
            format!("too many asks, {suppressed} before")
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) fn success(id: &str, response: Value) -> Value {
    json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": id, "response": response}})
}

pub(crate) fn refusal(id: &str, error: Value) -> Value {
    json!({"type": "control_response",
        "response": {"subtype": "error", "request_id": id, "error": error}})
}

pub(crate) fn ask(id: &str) -> Value {
    json!({"type": "control_request", "request_id": id,
        "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}}})
}

pub(crate) fn cancel(id: &str) -> Value {
    json!({"type": "control_cancel_request", "request_id": id})
}

pub(crate) fn state(state: &str) -> Value {
    json!({"type": "system", "subtype": "session_state_changed", "state": state})
}

pub(crate) fn lifecycle(uuid: &str, state: &str) -> Value {
    json!({"type": "command_lifecycle", "command_uuid": uuid, "state": state})
}

pub(crate) fn init() -> Value {
    json!({"type": "system", "subtype": "init"})
}

pub(crate) fn assistant() -> Value {
    json!({"type": "assistant", "message": {"content": []}})
}

/// Returns a result that names no messages.
pub(crate) fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false})
}

pub(crate) fn result_of(uuids: &[&str]) -> Value {
    let mut result = result();
    result["user_message_uuids"] = json!(uuids);
    result
}

pub(crate) fn allow(id: &str) -> bytes::Bytes {
    control::success(id, Some(&json!({"behavior": "allow"}))).unwrap()
}

/// Returns a host with a line limit of 200 bytes.
pub(crate) fn narrow() -> Session {
    let mut session = Session {
        host: Host::new(200),
        now: Instant::now(),
    };
    session.request("init", &Initialize::default());
    session.lines();
    session.receive(success("init", json!({})));
    session.events();
    session
}
