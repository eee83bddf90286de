//! Tests of requests, their responses and their deadlines.

use crate::host::session::{MINUTE, Session, refusal, success};
use agentwire_protocol::control::{Refusal, SetModel, SetModelAnswer};
use agentwire_protocol::host::{HostEvent, Request, RequestFailure};
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn a_request_is_answered_once() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.receive(success("r1", json!({"model": "m", "speed": 1e3})));
    let Some(HostEvent::RequestEnded {
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

    session.receive(success("r1", json!({"model": "m"})));
    session.advance(2 * MINUTE);
    session.host.handle_end();
    assert_eq!(session.events(), ["stray answer"]);
}

#[test]
fn a_response_may_have_any_payload_or_none() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.request("r2", &SetModel::to("m"));
    session.receive(
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1"}}),
    );
    session.receive(success("r2", json!({"model": ["no", "string"]})));
    for shape_is_right in [true, false] {
        let Some(HostEvent::RequestEnded {
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
fn a_refusal_has_a_message_and_a_code() {
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
        session.receive(line);
        let Some(HostEvent::RequestEnded {
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
fn a_response_with_a_malformed_envelope_ends_its_request() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.receive(
        json!({"type": "control_response", "response": {"subtype": 5, "request_id": "r1"}}),
    );
    assert_eq!(session.events(), ["unreadable r1"]);
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn a_request_times_out_at_its_deadline_and_is_cancelled_if_sent() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    assert_eq!(session.lines(), ["set_model"]);
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE));

    session.advance(MINUTE - Duration::from_millis(1));
    assert_eq!(session.events(), Vec::<String>::new());
    session.advance(Duration::from_millis(1));
    let Some(HostEvent::RequestEnded {
        outcome: Err(RequestFailure::TimedOut { subtype, after }),
        ..
    }) = session.host.poll_event()
    else {
        panic!()
    };
    assert_eq!((&*subtype, after), ("set_model", MINUTE));
    assert_eq!(session.lines(), ["cancel r1"]);

    // A late response is reported as stray.
    session.receive(success("r1", json!({})));
    session.advance(MINUTE);
    assert_eq!(session.events(), ["stray answer"]);
}

#[test]
fn a_queued_request_that_times_out_is_withdrawn() {
    let mut session = Session::connected();
    session.submit("A");
    session.poll_line();
    session.request("r1", &SetModel::to("m"));
    session.advance(MINUTE);
    assert!(
        session
            .events_without_frames()
            .contains(&"timed out r1".to_owned())
    );
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), Vec::<String>::new());
}

#[test]
fn a_request_in_flight_counts_as_sent() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.poll_line();
    session.advance(MINUTE);
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), ["cancel r1"]);
}

#[test]
fn progress_extends_only_the_deadline_of_its_request() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.request("r2", &SetModel::to("m"));
    session.lines();
    session.now += MINUTE / 2;
    session.receive(
        json!({"type": "system", "subtype": "control_request_progress",
        "request_id": "r1", "status": "started"}),
    );
    assert_eq!(session.events(), ["frame system/control_request_progress"]);
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE / 2));
    session.advance(MINUTE / 2);
    assert_eq!(session.events(), ["timed out r2"]);
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE / 2));
    session.advance(MINUTE / 2);
    assert_eq!(session.events(), ["timed out r1"]);
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn only_progress_extends_a_deadline() {
    let mut session = Session::connected();
    session.request("r1", &SetModel::to("m"));
    session.lines();
    let deadline = session.host.poll_timeout();
    session.now += MINUTE / 2;
    session.receive_all(&[
        json!({"type": "system", "subtype": "status", "status": null, "request_id": "r1"}),
        json!({"type": "weather", "subtype": "control_request_progress", "request_id": "r1"}),
    ]);
    assert_eq!(session.host.poll_timeout(), deadline);
}

#[test]
fn stray_responses_are_notices() {
    let mut session = Session::connected();
    session.receive(success("nobody", json!({"behavior": "allow"})));
    session.receive(refusal("nobody", json!("no")));
    session.receive(json!({"type": "control_response", "response": {"subtype": "success"}}));
    session.receive(json!({"type": "control_response"}));
    assert_eq!(session.events(), ["stray answer"; 4]);
}

#[test]
fn a_request_may_have_no_deadline() {
    let mut session = Session::connected();
    let request = Request::new("r1", &SetModel::to("m")).unwrap();
    session
        .host
        .request(session.now, request, Duration::MAX)
        .unwrap();
    session.lines();
    assert_eq!(session.host.poll_timeout(), None);
    session.advance(1_000 * MINUTE);
    session.receive(success("r1", json!({})));
    assert_eq!(session.events(), ["answered r1"]);
}

#[test]
fn no_cancellation_is_sent_to_an_agent_that_would_exit() {
    // CLIs up to 2.0.77 report neither a process ID nor capabilities, and would
    // exit.
    for (answer, sent) in [
        (json!({"commands": []}), vec![]),
        (json!({"pid": 7}), vec!["cancel left"]),
        (json!({"capabilities": []}), vec!["cancel left"]),
    ] {
        let mut session = Session::connected_to(answer);
        session.request("left", &SetModel::to("m"));
        session.request("late", &SetModel::to("m"));
        session.lines();
        assert!(session.host.cancel("left"));
        assert_eq!(session.events(), ["cancelled left"]);
        assert_eq!(session.lines(), sent);
        session.advance(MINUTE);
        let late = !sent.is_empty();
        assert_eq!(
            session.lines(),
            if late { vec!["cancel late"] } else { vec![] }
        );
    }
}

#[test]
fn a_cancelled_request_ends_at_once_and_a_sent_one_is_cancelled() {
    let mut session = Session::connected();
    session.request("left", &SetModel::to("m"));
    assert_eq!(session.lines(), ["set_model"]);
    session.request("waits", &SetModel::to("m"));
    assert!(session.host.cancel("left"));
    assert!(session.host.cancel("waits"));
    assert_eq!(session.events(), ["cancelled left", "cancelled waits"]);
    assert_eq!(session.lines(), ["cancel left"]);
    // The request has ended: it cannot be cancelled again, and a late response
    // does not end it.
    assert!(!session.host.cancel("left"));
    assert!(!session.host.cancel("never made"));
    session.receive(success("left", json!({})));
    assert_eq!(session.events(), ["stray answer"]);
}
