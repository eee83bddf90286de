//! The host's state machine, without any I/O: what it lets out and when, what
//! it waits for, and how everything that waits ends.
#![allow(clippy::unwrap_used)]

use agentwire_protocol::control::{
    self, HostRequest, Initialize, Interrupt, Refusal, SetModel, SetModelAnswer,
};
use agentwire_protocol::host::{
    Activity, Closing, Event, Host, Notice, Prompt, Request, RequestFailure, Transmit,
};
use agentwire_protocol::message::{Priority, UserMessage};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// A host, and the time that its driver tells it.
struct Session {
    host: Host,
    now: Instant,
}

impl Session {
    fn new() -> Self {
        Self {
            host: Host::default(),
            now: Instant::now(),
        }
    }

    /// A session whose `initialize` is answered, with nothing left to poll.
    fn connected() -> Self {
        let mut session = Self::new();
        session.request("init", &Initialize::default());
        session.lines();
        session.hears(success("init", json!({})));
        session.events();
        session
    }

    fn request<R: HostRequest>(&mut self, id: &str, request: &R) {
        let request = Request::new(id, request).unwrap();
        self.host.request(self.now, request, MINUTE).unwrap();
    }

    fn submit(&mut self, uuid: &str) {
        self.host.submit(prompt(uuid)).unwrap();
    }

    /// Lines arrive, all in one chunk.
    fn hear_all(&mut self, lines: &[Value]) {
        let chunk: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.host.handle_input(self.now, chunk.as_bytes());
    }

    fn hears(&mut self, line: Value) {
        self.hear_all(&[line]);
    }

    fn passes(&mut self, time: Duration) {
        self.now += time;
        self.host.handle_timeout(self.now);
    }

    /// All lines that the host lets out, each written at once.
    fn lines(&mut self) -> Vec<String> {
        let mut lines = vec![];
        while let Some(Transmit::Line(line)) = self.host.poll_transmit() {
            lines.push(brief_line(&line));
            self.host.handle_written();
        }
        lines
    }

    /// Whether the pipe is to be closed, with no line before that.
    fn closes(&mut self) -> bool {
        match self.host.poll_transmit() {
            Some(Transmit::End) => true,
            Some(Transmit::Line(line)) => panic!("{line:?}"),
            None => false,
        }
    }

    fn events(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.host.poll_event())
            .map(|event| brief(&event))
            .collect()
    }

    /// The events without those of the data plane.
    fn news(&mut self) -> Vec<String> {
        let mut events = self.events();
        events.retain(|event| !event.starts_with("frame"));
        events
    }
}

fn prompt(uuid: &str) -> Prompt {
    Prompt::new(uuid, UserMessage::new("x")).unwrap()
}

fn brief_line(line: &[u8]) -> String {
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

fn brief(event: &Event) -> String {
    match event {
        Event::Frame(frame) => format!("frame {}", frame.head().label()),
        Event::Ask(ask) => format!("ask {}", ask.request_id),
        Event::AskCancelled { request_id } => format!("ask cancelled {request_id}"),
        Event::Answered {
            request_id,
            outcome,
        } => match outcome {
            Ok(_) => format!("answered {request_id}"),
            Err(RequestFailure::Refused { .. }) => format!("refused {request_id}"),
            Err(RequestFailure::TimedOut { .. }) => format!("timed out {request_id}"),
            Err(RequestFailure::SessionEnded { .. }) => format!("ended {request_id}"),
            Err(RequestFailure::Unreadable { .. }) => format!("unreadable {request_id}"),
            Err(RequestFailure::AnswerTooLong { .. }) => format!("too long {request_id}"),
            Err(other) => panic!("{other:?}"),
        },
        Event::Written { uuid } => format!("written {uuid}"),
        Event::Lost { uuid } => format!("lost {uuid}"),
        Event::Withdrawn { uuid } => format!("withdrawn {uuid}"),
        Event::Activity(activity) => format!("{activity:?}"),
        Event::Notice(Notice::NotAFrame { .. }) => "not a frame".to_owned(),
        Event::Notice(Notice::UnfinishedLine { .. }) => "unfinished line".to_owned(),
        Event::Notice(Notice::LineTooLong { .. }) => "line too long".to_owned(),
        Event::Notice(Notice::StrayAnswer { .. }) => "stray answer".to_owned(),
        Event::Notice(Notice::AskWithoutId { .. }) => "ask without id".to_owned(),
        other => panic!("{other:?}"),
    }
}

fn success(id: &str, response: Value) -> Value {
    json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": id, "response": response}})
}

fn refusal(id: &str, error: Value) -> Value {
    json!({"type": "control_response",
        "response": {"subtype": "error", "request_id": id, "error": error}})
}

fn ask(id: &str) -> Value {
    json!({"type": "control_request", "request_id": id,
        "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}}})
}

fn cancel(id: &str) -> Value {
    json!({"type": "control_cancel_request", "request_id": id})
}

fn state(state: &str) -> Value {
    json!({"type": "system", "subtype": "session_state_changed", "state": state})
}

fn lifecycle(uuid: &str, state: &str) -> Value {
    json!({"type": "command_lifecycle", "command_uuid": uuid, "state": state})
}

fn init() -> Value {
    json!({"type": "system", "subtype": "init"})
}

fn assistant() -> Value {
    json!({"type": "assistant", "message": {"content": []}})
}

/// A result of an agent that names no messages.
fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false})
}

fn result_of(uuids: &[&str]) -> Value {
    let mut result = result();
    result["user_message_uuids"] = json!(uuids);
    result
}

fn allow(id: &str) -> bytes::Bytes {
    control::success(id, Some(&json!({"behavior": "allow"}))).unwrap()
}

// What leaves, and when.

#[test]
fn before_initialize_is_answered_nothing_leaves_but_initialize_and_answers() {
    let mut session = Session::new();
    session.submit("A");
    session.request("model", &SetModel::to("m"));
    session.request("stop", &Interrupt::default());
    assert_eq!(session.lines(), Vec::<String>::new());
    session.request("init", &Initialize::default());
    assert_eq!(session.lines(), ["initialize"]);

    // The agent asks while it is being greeted.
    session.hears(ask("a1"));
    assert!(session.host.respond("a1", allow("a1")));
    session.submit("B");
    assert_eq!(session.lines(), ["success a1"]);

    // Another answer than that of `initialize` changes nothing.
    session.hears(success("model", json!({})));
    assert_eq!(session.lines(), Vec::<String>::new());

    session.hears(success("init", json!({})));
    assert_eq!(session.lines(), ["A", "set_model", "interrupt", "B"]);
}

#[test]
fn a_refused_initialize_lets_nothing_out() {
    let mut session = Session::new();
    session.submit("A");
    session.request("init", &Initialize::default());
    session.lines();
    session.hears(refusal("init", json!("no")));
    assert_eq!(session.lines(), Vec::<String>::new());
    assert!(session.news().contains(&"refused init".to_owned()));

    // Until another one is answered.
    session.request("init2", &Initialize::default());
    assert_eq!(session.lines(), ["initialize"]);
    session.hears(success("init2", json!({})));
    assert_eq!(session.lines(), ["A"]);
}

#[test]
fn one_line_is_in_flight_at_a_time() {
    let mut session = Session::connected();
    session.submit("A");
    session.submit("B");
    assert!(matches!(
        session.host.poll_transmit(),
        Some(Transmit::Line(_))
    ));
    assert_eq!(session.host.poll_transmit(), None);
    session.hears(ask("a1"));
    session.host.respond("a1", allow("a1"));
    assert_eq!(session.host.poll_transmit(), None);

    assert!(!session.news().contains(&"written A".to_owned()));
    session.host.handle_written();
    assert_eq!(session.news(), ["written A"]);
    assert_eq!(session.lines(), ["success a1", "B"]);
    assert_eq!(session.news(), ["written B"]);
}

#[test]
fn a_message_that_arrives_more_urgent_passes_those_that_wait() {
    let mut session = Session::connected();
    let with =
        |uuid: &str, priority| Prompt::new(uuid, UserMessage::new("x").priority(priority)).unwrap();
    session.host.submit(with("L", Priority::Later)).unwrap();
    session.submit("N");
    session.request("model", &SetModel::to("m"));
    session.host.submit(with("W", Priority::Now)).unwrap();
    assert_eq!(session.lines(), ["N", "L", "set_model", "W"]);
}

#[test]
fn a_write_that_fails_loses_the_messages_that_did_not_leave() {
    let mut session = Session::connected();
    for uuid in ["A", "B", "C"] {
        session.submit(uuid);
    }
    session.request("model", &SetModel::to("m"));
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.host.handle_written();
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.events();
    session.host.handle_write_failed();
    assert_eq!(session.news(), ["lost B", "lost C"]);
    assert_eq!(session.host.poll_transmit(), None);
    assert!(session.host.submit(prompt("D")).is_err());

    // The first is in the agent's hands, and the request ends once.
    session.host.handle_end();
    assert_eq!(session.news(), ["ended model", "lost A"]);
}

// Requests.

#[test]
fn a_request_is_answered_once() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.hears(success("r1", json!({"model": "m", "speed": 1e3})));
    let Some(Event::Answered {
        request_id,
        outcome: Ok(answer),
    }) = session.host.poll_event()
    else {
        panic!()
    };
    assert_eq!(&*request_id, "r1");
    let answer: SetModelAnswer = answer.read().unwrap();
    assert_eq!(answer.model.as_deref(), Some("m"));
    assert_eq!(session.host.poll_timeout(), None);

    session.hears(success("r1", json!({"model": "m"})));
    session.passes(2 * MINUTE);
    session.host.handle_end();
    assert_eq!(session.events(), ["stray answer"]);
}

#[test]
fn an_answer_without_payload_and_one_of_another_shape_are_answers() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.request("r2", &SetModel::to("m"));
    session.hears(
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1"}}),
    );
    session.hears(success("r2", json!({"model": ["no", "string"]})));
    for shape_is_right in [true, false] {
        let Some(Event::Answered {
            outcome: Ok(answer),
            ..
        }) = session.host.poll_event()
        else {
            panic!()
        };
        assert_eq!(answer.read::<SetModelAnswer>().is_ok(), shape_is_right);
    }
}

#[test]
fn a_refusal_says_why() {
    for (error, message) in [
        (json!("no such model"), "no such model"),
        (
            json!({"message": "no such model", "stack": []}),
            "no such model",
        ),
        (json!({"why": 1}), r#"{"why":1}"#),
        (Value::Null, "no reason was given"),
    ] {
        let mut session = Session::connected();
        session.request("r1", &SetModel::to("m"));
        let mut line = refusal("r1", error);
        line["response"]["error_code"] = json!("invalid_request");
        session.hears(line);
        let Some(Event::Answered {
            outcome: Err(RequestFailure::Refused { subtype, refusal }),
            ..
        }) = session.host.poll_event()
        else {
            panic!()
        };
        assert_eq!(&*subtype, "set_model");
        assert_eq!(refusal, Refusal::new(message).code("invalid_request"));
    }
}

#[test]
fn an_answer_whose_envelope_cannot_be_read_ends_its_request() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session
        .hears(json!({"type": "control_response", "response": {"subtype": 5, "request_id": "r1"}}));
    assert_eq!(session.events(), ["unreadable r1"]);
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn a_request_times_out_at_its_deadline_and_is_cancelled_if_it_had_left() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    assert_eq!(session.lines(), ["set_model"]);
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE));

    session.passes(MINUTE - Duration::from_millis(1));
    assert_eq!(session.events(), Vec::<String>::new());
    session.passes(Duration::from_millis(1));
    let Some(Event::Answered {
        outcome: Err(RequestFailure::TimedOut { subtype, after }),
        ..
    }) = session.host.poll_event()
    else {
        panic!()
    };
    assert_eq!((&*subtype, after), ("set_model", MINUTE));
    assert_eq!(session.lines(), ["cancel r1"]);

    // What comes too late is a stray answer.
    session.hears(success("r1", json!({})));
    session.passes(MINUTE);
    assert_eq!(session.events(), ["stray answer"]);
}

#[test]
fn a_request_that_times_out_while_it_waits_is_taken_back() {
    let mut session = Session::connected();
    session.submit("A");
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.request("r1", &SetModel::to("m"));
    session.passes(MINUTE);
    assert!(session.news().contains(&"timed out r1".to_owned()));
    session.host.handle_written();
    assert_eq!(session.lines(), Vec::<String>::new());
}

#[test]
fn a_request_in_flight_has_left() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.passes(MINUTE);
    session.host.handle_written();
    assert_eq!(session.lines(), ["cancel r1"]);
}

#[test]
fn progress_extends_the_deadline_of_its_request_alone() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.request("r2", &SetModel::to("m"));
    session.lines();
    session.now += MINUTE / 2;
    session.hears(
        json!({"type": "system", "subtype": "control_request_progress",
        "request_id": "r1", "status": "started"}),
    );
    assert_eq!(session.events(), ["frame system/control_request_progress"]);
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE / 2));
    session.passes(MINUTE / 2);
    assert_eq!(session.events(), ["timed out r2"]);
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE / 2));
    session.passes(MINUTE / 2);
    assert_eq!(session.events(), ["timed out r1"]);
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn answers_that_nobody_waits_for_are_notices() {
    let mut session = Session::connected();
    session.hears(success("nobody", json!({"behavior": "allow"})));
    session.hears(refusal("nobody", json!("no")));
    session.hears(json!({"type": "control_response", "response": {"subtype": "success"}}));
    session.hears(json!({"type": "control_response"}));
    assert_eq!(session.events(), ["stray answer"; 4]);
}

// Interrupts.

/// What the agent's receipt is to the user.
fn receipt(session: &mut Session) -> Value {
    loop {
        if let Event::Answered { outcome, .. } = session.host.poll_event().unwrap() {
            return outcome.unwrap().read().unwrap();
        }
    }
}

#[test]
fn what_an_interrupt_passed_is_listed_as_still_queued() {
    let mut session = Session::connected();
    session.submit("A");
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.submit("B");
    session.request("model", &SetModel::to("m"));
    session.submit("C");
    session.request("stop", &Interrupt::default());
    session.host.handle_written();
    // It does not pass the request, nor what is before that.
    assert_eq!(session.lines(), ["B", "set_model", "interrupt", "C"]);
    session.hears(success("model", json!({})));
    session.events();
    session.hears(success("stop", json!({"still_queued": ["Q"], "x": 1})));
    assert_eq!(
        receipt(&mut session),
        json!({"still_queued": ["Q", "C"], "x": 1})
    );
}

#[test]
fn an_interrupt_of_an_old_agent_has_a_receipt_for_what_it_passed() {
    let mut session = Session::connected();
    session.submit("A");
    session.request("stop", &Interrupt::default());
    assert_eq!(session.lines(), ["interrupt", "A"]);
    session.hears(json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": "stop"}}));
    assert_eq!(receipt(&mut session), json!({"still_queued": ["A"]}));
}

#[test]
fn an_interrupt_may_withdraw_what_waits() {
    let mut session = Session::connected();
    session.submit("A");
    session.submit("B");
    assert_eq!(session.events(), ["Running"]);
    session.request("stop", &Interrupt::and_cancel_queued());
    assert_eq!(session.events(), ["withdrawn A", "withdrawn B", "Idle"]);
    assert_eq!(session.lines(), ["interrupt"]);
    session.hears(success(
        "stop",
        json!({"still_queued": [], "cancelled": ["Q"]}),
    ));
    assert_eq!(
        receipt(&mut session),
        json!({"still_queued": [], "cancelled": ["Q", "A", "B"]})
    );
    session.host.handle_end();
    assert_eq!(session.events(), Vec::<String>::new());
}

// Asks.

#[test]
fn an_ask_is_answered_once() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    assert_eq!(session.events(), ["ask a1", "RequiresAction"]);
    assert!(session.host.is_open("a1"));
    assert!(session.host.respond("a1", allow("a1")));
    assert!(!session.host.is_open("a1"));
    assert!(!session.host.respond("a1", allow("a1")));
    assert_eq!(session.lines(), ["success a1"]);
    assert_eq!(session.events(), ["Idle"]);
    assert!(!session.host.respond("unknown", allow("unknown")));
    assert_eq!(session.lines(), Vec::<String>::new());
}

#[test]
fn asks_may_be_answered_in_any_order() {
    let mut session = Session::connected();
    session.hear_all(&[ask("a1"), ask("a2"), ask("a3")]);
    for id in ["a3", "a1", "a2"] {
        assert!(session.host.respond(id, allow(id)));
    }
    assert_eq!(session.lines(), ["success a3", "success a1", "success a2"]);
}

#[test]
fn a_cancelled_ask_gets_no_late_answer() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.events();
    session.hears(cancel("a1"));
    assert_eq!(session.events(), ["ask cancelled a1", "Idle"]);
    assert!(!session.host.respond("a1", allow("a1")));
    assert_eq!(session.lines(), Vec::<String>::new());

    // A cancel of what is not open is nothing.
    session.hear_all(&[cancel("a1"), cancel("nobody")]);
    session.hears(json!({"type": "control_cancel_request"}));
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn an_answer_that_still_waits_is_taken_back_when_its_ask_is_cancelled() {
    let mut session = Session::connected();
    session.submit("A");
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.hear_all(&[ask("a1"), ask("a2")]);
    session.host.respond("a1", allow("a1"));
    session.host.respond("a2", allow("a2"));
    session.events();
    session.hears(cancel("a1"));
    assert_eq!(session.events(), ["ask cancelled a1"]);
    session.host.handle_written();
    assert_eq!(session.lines(), ["success a2"]);
}

#[test]
fn an_answer_in_flight_is_out_of_reach() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.host.respond("a1", allow("a1"));
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.events();
    session.hears(cancel("a1"));
    session.host.handle_written();
    assert_eq!(session.lines(), Vec::<String>::new());
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn an_ask_that_comes_twice_is_put_once() {
    let mut session = Session::connected();
    session.hear_all(&[ask("a1"), ask("a1"), ask("a2")]);
    assert_eq!(session.events(), ["ask a1", "RequiresAction", "ask a2"]);
}

#[test]
fn an_ask_without_an_id_is_a_notice() {
    let mut session = Session::connected();
    session.hears(json!({"type": "control_request", "request": {"subtype": "can_use_tool"}}));
    assert_eq!(session.events(), ["ask without id"]);
}

#[test]
fn an_ask_that_is_left_unanswered_holds_nothing_up() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.host.finish();
    assert!(!session.closes());
    session.host.leave_unanswered("a1");
    assert!(session.closes());
}

/// An `initialize` answer that brings asks along.
fn success_with(id: &str, asks: Value) -> Value {
    let mut answer = success(id, json!({}));
    answer["response"]["pending_permission_requests"] = asks;
    answer
}

#[test]
fn asks_that_wait_in_the_initialize_answer_are_put_once() {
    let mut session = Session::new();
    session.request("init", &Initialize::default());
    session.lines();
    session.hears(ask("a1"));
    let mut answer = success_with("init", json!([ask("a1"), ask("a2")]));
    answer["response"]["pending_user_dialog_requests"] = json!([ask("d1")]);
    answer["response"]["pending_elicitation_requests"] = json!([ask("e1"), ask("a2")]);
    session.hears(answer);
    assert_eq!(
        session.news(),
        [
            "ask a1",
            "RequiresAction",
            "answered init",
            "ask a2",
            "ask d1",
            "ask e1"
        ]
    );
    for id in ["a1", "a2", "d1", "e1"] {
        assert!(session.host.respond(id, allow(id)), "{id}");
    }
}

#[test]
fn an_ask_that_was_answered_while_initialize_was_under_way_is_not_put_again() {
    // The second `initialize` is on its way when the ask is answered: the
    // agent lists the ask and then finds its answer.
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.hears(ask("a2"));
    session.request("init2", &Initialize::default());
    assert_eq!(session.lines(), ["initialize"]);
    session.host.respond("a1", allow("a1"));
    assert_eq!(session.lines(), ["success a1"]);
    session.events();
    session.hears(success_with(
        "init2",
        json!([ask("a1"), ask("a2"), ask("a3")]),
    ));
    assert_eq!(session.news(), ["answered init2", "ask a3"]);

    // An ask that comes by itself is put, whatever its id.
    session.hears(ask("a1"));
    assert_eq!(session.news(), ["ask a1"]);
}

// Lines that are no frames.

#[test]
fn a_line_that_is_no_frame_is_a_notice_and_the_session_goes_on() {
    let mut session = Session::connected();
    session.host.handle_input(
        session.now,
        b"warning: old node\n[1,2]\n{\"uuid\":\"u\"}\n{\"type\":\"user\"\n\xff\xfe\n{}{}\n\r\n\n{\"type\":\"weather\"}\r\n",
    );
    assert_eq!(
        session.events(),
        [
            "not a frame",
            "not a frame",
            "not a frame",
            "not a frame",
            "not a frame",
            "not a frame",
            "frame weather"
        ]
    );
}

#[test]
fn a_frame_whose_view_cannot_be_read_is_still_a_frame() {
    let mut session = Session::connected();
    session.hears(json!({"type": "assistant", "message": 7}));
    session.hears(json!({"type": "system", "subtype": "session_state_changed"}));
    session.hears(json!({"type": "command_lifecycle"}));
    session.hears(json!({"type": "result", "user_message_uuids": "none"}));
    assert_eq!(
        session.events(),
        [
            "frame assistant",
            "Running",
            "frame system/session_state_changed",
            "frame command_lifecycle",
            "frame result",
            "Idle"
        ]
    );
}

/// A host that takes lines of 200 bytes.
fn narrow() -> Session {
    let mut session = Session {
        host: Host::new(200),
        now: Instant::now(),
    };
    session.request("init", &Initialize::default());
    session.lines();
    session.hears(success("init", json!({})));
    session.events();
    session
}

#[test]
fn an_ask_in_a_line_that_is_too_long_is_answered_with_an_error() {
    let mut session = narrow();
    let line = format!(
        r#"{{"type":"control_request","request_id":"a1","request":{{"subtype":"can_use_tool","input":{{"x":"{}"}}}}}}"#,
        "x".repeat(500)
    );
    session.host.handle_input(session.now, line.as_bytes());
    session
        .host
        .handle_input(session.now, b"\n{\"type\":\"weather\"}\n");
    let Some(Event::Notice(Notice::LineTooLong {
        head: Some(head),
        length,
    })) = session.host.poll_event()
    else {
        panic!()
    };
    assert_eq!(head.label(), "control_request/can_use_tool");
    assert_eq!(length, line.len() as u64);
    assert_eq!(session.events(), ["frame weather"]);
    assert_eq!(session.lines(), ["error a1"]);
    assert!(!session.host.is_open("a1"));
}

#[test]
fn an_answer_in_a_line_that_is_too_long_ends_its_request() {
    let mut session = narrow();
    session.request("r1", &SetModel::to("m"));
    let long = "x".repeat(500);
    let line = format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"r1","response":{{"x":"{long}"}}}}}}"#,
    );
    session
        .host
        .handle_input(session.now, format!("{line}\n").as_bytes());
    assert_eq!(session.events(), ["too long r1", "line too long"]);

    // Where the id comes behind what is too long, the deadline ends it.
    session.request("r2", &SetModel::to("m"));
    session.lines();
    let line = format!(
        r#"{{"type":"control_response","response":{{"response":{{"x":"{}"}},"request_id":"r2"}}}}"#,
        "x".repeat(5_000)
    );
    session
        .host
        .handle_input(session.now, format!("{line}\n").as_bytes());
    assert_eq!(session.events(), ["line too long"]);
    session.passes(MINUTE);
    assert_eq!(session.events(), ["timed out r2"]);
}

#[test]
fn what_the_input_ends_with_is_read_if_it_is_a_frame() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session
        .host
        .handle_input(session.now, success("r1", json!({})).to_string().as_bytes());
    assert_eq!(session.events(), Vec::<String>::new());
    session.host.handle_input_end(session.now);
    assert_eq!(session.events(), ["answered r1"]);
}

#[test]
fn what_the_input_ends_with_is_reported_if_it_is_no_frame() {
    let mut session = Session::connected();
    session
        .host
        .handle_input(session.now, b"{\"type\":\"result\",\"subty");
    session.host.handle_input_end(session.now);
    let Some(Event::Notice(notice @ Notice::UnfinishedLine { .. })) = session.host.poll_event()
    else {
        panic!()
    };
    assert!(notice.to_string().contains("subty"), "{notice}");
    session.host.handle_input_end(session.now);
    assert_eq!(session.events(), Vec::<String>::new());
}

// What the session is doing, and when it may be closed.

#[test]
fn finishing_waits_for_idle_where_the_agent_reports_its_state() {
    let mut session = Session::connected();
    session.submit("A");
    session.host.finish();
    assert_eq!(session.lines(), ["A"]);
    for line in [
        state("running"),
        lifecycle("A", "queued"),
        lifecycle("A", "started"),
        init(),
        assistant(),
        result_of(&["A"]),
        lifecycle("A", "completed"),
    ] {
        session.hears(line);
        assert!(!session.closes());
    }
    session.hears(state("idle"));
    assert!(session.closes());
    assert!(!session.closes());
}

#[test]
fn finishing_waits_for_a_turn_that_nobody_asked_for() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    session.host.finish();
    session.hear_all(&[
        state("running"),
        init(),
        result_of(&["A"]),
        lifecycle("A", "completed"),
        state("idle"),
        state("running"),
        init(),
    ]);
    assert!(!session.closes());
    session.hear_all(&[result(), state("idle")]);
    assert!(session.closes());
}

#[test]
fn finishing_waits_for_the_lifecycle_of_each_message() {
    // A terminal state may come before or after the result.
    for last in [false, true] {
        let mut session = Session::connected();
        session.submit("A");
        session.submit("B");
        session.lines();
        session.host.finish();
        session.hear_all(&[
            lifecycle("A", "queued"),
            lifecycle("B", "queued"),
            lifecycle("A", "started"),
            init(),
            assistant(),
            result(),
            lifecycle("A", "completed"),
        ]);
        assert!(!session.closes());
        session.hear_all(&[lifecycle("B", "started"), init()]);
        assert!(!session.closes());
        let mut end = [result(), lifecycle("B", "cancelled")];
        if last {
            end.reverse();
        }
        for line in end {
            assert!(!session.closes());
            session.hears(line);
        }
        assert!(session.closes());
    }
}

#[test]
fn finishing_waits_for_the_result_of_an_old_agent() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    session.host.finish();
    for line in [init(), assistant()] {
        assert!(!session.closes());
        session.hears(line);
    }
    assert!(!session.closes());
    session.hears(result());
    assert!(session.closes());
}

#[test]
fn a_result_of_an_old_agent_does_not_end_a_message_that_has_not_left() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    session.submit("B");
    session.host.finish();
    session.hear_all(&[init(), assistant(), result()]);
    assert_eq!(session.host.activity(), Activity::Running);
    assert_eq!(session.lines(), ["B"]);
    assert!(!session.closes());
    session.hear_all(&[init(), assistant(), result()]);
    assert!(session.closes());
}

#[test]
fn a_result_in_a_line_that_is_too_long_ends_its_turn() {
    let mut session = narrow();
    session.submit("A");
    session.lines();
    session.submit("B");
    session.host.finish();
    let mut long = String::from(r#"{"type":"result","subtype":"success","result":""#);
    long.push_str(&"x".repeat(500));
    long.push_str("\"}\n");
    session.hears(init());
    session.host.handle_input(session.now, long.as_bytes());
    assert_eq!(session.host.activity(), Activity::Running);
    assert_eq!(session.lines(), ["B"]);
    session.host.handle_input(session.now, long.as_bytes());
    assert!(session.closes());
}

#[test]
fn a_request_may_wait_for_ever() {
    let mut session = Session::connected();
    let request = Request::new("r1", &SetModel::to("m")).unwrap();
    session
        .host
        .request(session.now, request, Duration::MAX)
        .unwrap();
    session.lines();
    assert_eq!(session.host.poll_timeout(), None);
    session.passes(1_000 * MINUTE);
    session.hears(success("r1", json!({})));
    assert_eq!(session.events(), ["answered r1"]);
}

#[test]
fn a_dialog_in_a_line_that_is_too_long_is_left_alone() {
    let mut session = narrow();
    let line = format!(
        "{{\"type\":\"control_request\",\"request_id\":\"d1\",\"request\":{{\"subtype\":\"request_user_dialog\",\"x\":\"{}\"}}}}\n",
        "x".repeat(500)
    );
    session.host.handle_input(session.now, line.as_bytes());
    assert_eq!(session.events(), ["line too long"]);
    assert_eq!(session.lines(), Vec::<String>::new());
}

#[test]
fn a_result_may_come_before_the_driver_says_that_its_message_is_written() {
    let mut session = Session::connected();
    session.submit("A");
    session.host.finish();
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.hear_all(&[init(), assistant(), result()]);
    session.host.handle_written();
    assert!(session.closes());
}

#[test]
fn a_result_ends_the_messages_that_it_names_and_no_others() {
    let mut session = Session::connected();
    for uuid in ["A", "B", "C"] {
        session.submit(uuid);
    }
    session.lines();
    session.events();
    session.hear_all(&[init(), result_of(&["A", "C"])]);
    assert_eq!(session.host.activity(), Activity::Running);
    let mut last = result();
    last["user_message_uuid"] = json!("B");
    session.hear_all(&[init(), last]);
    assert_eq!(session.host.activity(), Activity::Idle);
}

#[test]
fn finishing_waits_for_requests_and_asks() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.host.finish();
    session.lines();
    assert!(!session.closes());
    session.hears(ask("a1"));
    session.hears(success("r1", json!({})));
    assert!(!session.closes());
    // A callback may still want to make a request.
    session.request("r2", &SetModel::to("m"));
    session.host.respond("a1", allow("a1"));
    assert_eq!(session.lines(), ["set_model", "success a1"]);
    assert!(!session.closes());
    session.hears(success("r2", json!({})));
    assert!(session.closes());
}

#[test]
fn finishing_closes_at_once_when_there_is_nothing_to_wait_for() {
    let mut session = Session::connected();
    session.host.finish();
    assert!(session.closes());
    assert_eq!(session.host.poll_transmit(), None);
}

#[test]
fn a_session_that_is_finishing_takes_no_messages() {
    let mut session = Session::connected();
    session.host.finish();
    assert_eq!(session.host.submit(prompt("A")), Err(Closing));
    assert!(session.closes());
    let request = Request::new("r1", &SetModel::to("m")).unwrap();
    assert_eq!(
        session.host.request(session.now, request, MINUTE),
        Err(Closing)
    );
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn ending_closes_at_once_and_says_what_is_lost() {
    let mut session = Session::connected();
    for uuid in ["A", "B", "C"] {
        session.submit(uuid);
    }
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.submit("D");
    session.submit("E");
    session.events();

    session.host.end();
    assert_eq!(session.news(), ["lost D", "lost E"]);
    assert!(session.closes());
    assert_eq!(session.host.poll_transmit(), None);
    assert_eq!(session.host.submit(prompt("F")), Err(Closing));
    let request = Request::new("r2", &SetModel::to("m")).unwrap();
    assert!(session.host.request(session.now, request, MINUTE).is_err());

    session.host.end();
    session.host.handle_end();
    assert_eq!(session.news(), ["ended r1", "lost A", "lost B", "lost C"]);
}

#[test]
fn ending_waits_for_the_line_in_flight_alone() {
    let mut session = Session::connected();
    session.submit("A");
    session.submit("B");
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.host.end();
    assert!(!session.closes());
    session.host.handle_written();
    assert!(session.closes());
    assert_eq!(session.news(), ["Running", "lost B", "written A"]);
}

#[test]
fn ending_before_anything_ran_leaves_the_session_idle() {
    let mut session = Session::connected();
    session.submit("A");
    assert_eq!(session.events(), ["Running"]);
    session.host.end();
    assert_eq!(session.events(), ["lost A", "Idle"]);
}

#[test]
fn the_end_ends_everything_exactly_once() {
    let mut session = Session::connected();
    session.submit("A");
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.submit("B");
    session.submit("C");
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.request("r2", &SetModel::to("m"));
    session.hear_all(&[state("running"), init(), ask("a1"), ask("a2")]);
    session.events();

    session.host.handle_end();
    assert_eq!(
        session.events(),
        [
            "ended r1",
            "ended r2",
            "ask cancelled a1",
            "ask cancelled a2",
            "lost A",
            "lost B",
            "lost C"
        ]
    );
    assert_eq!(session.host.activity(), Activity::Idle);
    assert_eq!(session.host.poll_timeout(), None);
    assert_eq!(session.host.poll_transmit(), None);
    assert!(!session.host.respond("a1", allow("a1")));
    assert!(session.host.submit(prompt("D")).is_err());

    session.host.handle_end();
    session.host.handle_written();
    session.host.handle_write_failed();
    session.host.finish();
    session.host.end();
    session.passes(2 * MINUTE);
    assert_eq!(session.events(), Vec::<String>::new());
    assert_eq!(session.host.poll_transmit(), None);
}

#[test]
fn activity_comes_line_by_line_even_when_whole_turns_arrive_in_one_chunk() {
    let mut session = Session::connected();
    session.submit("A");
    session.lines();
    assert_eq!(session.news(), ["Running", "written A"]);
    session.hear_all(&[
        state("running"),
        lifecycle("A", "queued"),
        init(),
        ask("a1"),
        cancel("a1"),
        result_of(&["A"]),
        lifecycle("A", "completed"),
        state("idle"),
        state("running"),
        init(),
        state("requires_action"),
        state("idle"),
    ]);
    assert_eq!(
        session.events(),
        [
            "frame system/session_state_changed",
            "frame command_lifecycle",
            "frame system/init",
            "ask a1",
            "RequiresAction",
            "ask cancelled a1",
            "Running",
            "frame result/success",
            "frame command_lifecycle",
            "frame system/session_state_changed",
            "Idle",
            "frame system/session_state_changed",
            "Running",
            "frame system/init",
            "frame system/session_state_changed",
            "frame system/session_state_changed",
            "Idle",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_do_not_depend_on_how_the_bytes_are_cut(
        cuts in prop::collection::vec(1_usize..40, 1..60),
    ) {
        let script = [
            state("running"),
            init(),
            json!({"type": "weather", "say": "zażółć \u{2028} 🦀"}),
            ask("a1"),
            cancel("a1"),
            success("r1", json!({"model": "m"})),
            success("nobody", json!({})),
            result(),
            state("idle"),
        ];
        let text: String = script.iter().map(|line| format!("{line}\r\n")).collect();
        let text = text + "no frame\n" + &state("running").to_string();

        let run = |sizes: &mut dyn Iterator<Item = usize>| {
            let mut session = Session::connected();
            session.request("r1", &SetModel::to("m"));
            session.lines();
            let mut rest = text.as_bytes();
            while !rest.is_empty() {
                let (piece, behind) = rest.split_at(rest.len().min(sizes.next().unwrap()));
                session.host.handle_input(session.now, piece);
                rest = behind;
            }
            session.host.handle_input_end(session.now);
            session.events()
        };
        let whole = run(&mut std::iter::repeat(text.len()));
        prop_assert_eq!(whole.len(), 16);
        prop_assert_eq!(run(&mut cuts.iter().copied().cycle()), whole);
    }
}
