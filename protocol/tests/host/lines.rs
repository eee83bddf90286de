//! Tests of lines that are no frames, or that are too long.

use crate::host::session::{MINUTE, Session, assert_events, narrow, success};
use agentwire_protocol::control::{Initialize, SetModel};
use agentwire_protocol::host::{Host, HostEvent, WireNotice};
use serde_json::json;
use std::time::Instant;

#[test]
fn an_invalid_line_is_a_notice_and_the_session_continues() {
    let mut session = Session::connected();
    session.host.handle_input(
        session.now,
        b"warning: old node\n[1,2]\n{\"uuid\":\"u\"}\n{\"type\":\"user\"\n\xff\xfe\n{}{}\n\r\n\n{\"type\":\"weather\"}\r\n",
    );
    assert_events(
        session.events(),
        "not a frame; not a frame; not a frame; not a frame; not a frame; not a frame; \
        frame weather",
    );
}

#[test]
fn a_frame_with_an_invalid_message_is_delivered() {
    let mut session = Session::connected();
    session.receive(json!({"type": "assistant", "message": 7}));
    session.receive(json!({"type": "system", "subtype": "session_state_changed"}));
    session.receive(json!({"type": "command_lifecycle"}));
    session.receive(json!({"type": "result", "user_message_uuids": "none"}));
    assert_events(
        session.events(),
        "frame assistant; Running; frame system/session_state_changed; \
        frame command_lifecycle; frame result; Idle",
    );
}

#[test]
fn a_request_in_an_oversized_line_is_answered_with_an_error() {
    let mut session = narrow();
    let line = format!(
        r#"{{"type":"control_request","request_id":"a1","request":{{"subtype":"can_use_tool","input":{{"x":"{}"}}}}}}"#,
        "x".repeat(500)
    );
    session.host.handle_input(session.now, line.as_bytes());
    session
        .host
        .handle_input(session.now, b"\n{\"type\":\"weather\"}\n");
    let Some(HostEvent::Notice(WireNotice::LineTooLong {
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
fn a_response_in_an_oversized_line_ends_its_request() {
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

    // If the ID is after the cut, the request ends at its deadline.
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
    session.advance(MINUTE);
    assert_eq!(session.events(), ["timed out r2"]);
}

#[test]
fn an_oversized_response_to_initialize_connects_the_session() {
    let mut session = Session {
        host: Host::new(200),
        now: Instant::now(),
    };
    session.request("init", &Initialize::default());
    session.lines();
    session.submit("A");
    session.receive(success("init", json!({"x": "x".repeat(500)})));
    assert_events(
        session.events_without_frames(),
        "Running; too long init; line too long",
    );
    assert!(session.host.is_connected());
    assert_eq!(session.lines(), ["A"]);
}

#[test]
fn a_notice_has_the_size_of_its_line() {
    let mut session = narrow();
    let lines = [
        "warning: old node".to_owned(),
        success("nobody", json!({})).to_string(),
        json!({"type": "control_request", "request": {}}).to_string(),
        // This text is not retained.
        "x".repeat(500),
        "{\"type\":".to_owned(),
    ];
    session
        .host
        .handle_input(session.now, lines.join("\n").as_bytes());
    session.host.handle_input_end(session.now);
    let mut held: Vec<usize> = lines.iter().map(String::len).collect();
    held[3] = 0;
    let sizes = std::iter::from_fn(|| session.host.poll_event()).map(|event| match event {
        HostEvent::Notice(notice) => notice.size(),
        other => panic!("{other:?}"),
    });
    assert_eq!(sizes.collect::<Vec<_>>(), held);
}

#[test]
fn an_unterminated_last_line_is_read_if_it_is_a_frame() {
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
fn an_unterminated_last_line_is_reported_if_it_is_not_a_frame() {
    let mut session = Session::connected();
    session
        .host
        .handle_input(session.now, b"{\"type\":\"result\",\"subty");
    session.host.handle_input_end(session.now);
    let Some(HostEvent::Notice(notice @ WireNotice::UnfinishedLine { .. })) =
        session.host.poll_event()
    else {
        panic!()
    };
    assert!(notice.to_string().contains("subty"), "{notice}");
    session.host.handle_input_end(session.now);
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn a_dialog_in_an_oversized_line_is_not_answered() {
    let mut session = narrow();
    let line = format!(
        "{{\"type\":\"control_request\",\"request_id\":\"d1\",\"request\":{{\"subtype\":\"request_user_dialog\",\"x\":\"{}\"}}}}\n",
        "x".repeat(500)
    );
    session.host.handle_input(session.now, line.as_bytes());
    assert_eq!(session.events(), ["line too long"]);
    assert_eq!(session.lines(), Vec::<String>::new());
}
