//! Tests of the requests of the agent.

use crate::host::session::{MINUTE, Session, allow, ask, assert_events, cancel, state, success};
use agentwire_protocol::control::{Initialize, SetModel};
use agentwire_protocol::outbox::Limits;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn an_incoming_request_is_answered_once() {
    let mut session = Session::connected();
    session.receive(ask("a1"));
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
fn incoming_requests_may_be_answered_in_any_order() {
    let mut session = Session::connected();
    session.receive_script("ask a1, ask a2, ask a3");
    for id in ["a3", "a1", "a2"] {
        assert!(session.host.respond(id, allow(id)));
    }
    assert_eq!(session.lines(), ["success a3", "success a1", "success a2"]);
}

#[test]
fn a_cancelled_request_gets_no_late_response() {
    let mut session = Session::connected();
    session.receive(ask("a1"));
    session.events();
    session.receive(cancel("a1"));
    assert_eq!(session.events(), ["ask cancelled a1", "Idle"]);
    assert!(!session.host.respond("a1", allow("a1")));
    assert_eq!(session.lines(), Vec::<String>::new());

    // A cancellation of a request that is not pending is ignored.
    session.receive_script("cancel a1, cancel nobody");
    session.receive(json!({"type": "control_cancel_request"}));
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn a_queued_response_is_withdrawn_when_its_request_is_cancelled() {
    let mut session = Session::connected();
    session.submit("A");
    session.poll_line();
    session.receive_script("ask a1, ask a2");
    session.host.respond("a1", allow("a1"));
    session.host.respond("a2", allow("a2"));
    session.events();
    session.receive_script("cancel nobody, cancel a2");
    assert_eq!(session.events(), ["ask cancelled a2"]);
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), ["success a1"]);
}

#[test]
fn a_response_in_flight_is_not_withdrawn() {
    let mut session = Session::connected();
    session.receive(ask("a1"));
    session.host.respond("a1", allow("a1"));
    session.poll_line();
    session.events();
    session.receive(cancel("a1"));
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), Vec::<String>::new());
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn a_repeated_request_is_delivered_once() {
    let mut session = Session::connected();
    session.receive_script("ask a1, ask a1, ask a2");
    assert_eq!(session.events(), ["ask a1", "RequiresAction", "ask a2"]);
}

#[test]
fn a_request_without_an_id_is_a_notice() {
    let mut session = Session::connected();
    session.receive(json!({"type": "control_request", "request": {"subtype": "can_use_tool"}}));
    assert_eq!(session.events(), ["ask without id"]);
}

#[test]
fn an_unanswered_request_does_not_block_the_session() {
    let mut session = Session::connected();
    session.receive(ask("a1"));
    session.host.finish(session.now, MINUTE);
    assert!(!session.polls_end());
    session.host.leave_unanswered("a1");
    assert!(session.polls_end());
}

/// Returns an `initialize` response with these pending requests.
fn success_with(id: &str, asks: Value) -> Value {
    let mut answer = success(id, json!({}));
    answer["response"]["pending_permission_requests"] = asks;
    answer
}

#[test]
fn requests_listed_in_the_initialize_response_are_delivered_once() {
    let mut session = Session::new();
    session.request("init", &Initialize::default());
    session.lines();
    session.receive(ask("a1"));
    let mut answer = success_with("init", json!([ask("a1"), ask("a2")]));
    answer["response"]["pending_user_dialog_requests"] = json!([ask("d1")]);
    answer["response"]["pending_elicitation_requests"] = json!([ask("e1"), ask("a2")]);
    session.receive(answer);
    assert_events(
        session.events_without_frames(),
        "ask a1; RequiresAction; answered init; ask a2; ask d1; ask e1",
    );
    for id in ["a1", "a2", "d1", "e1"] {
        assert!(session.host.respond(id, allow(id)), "{id}");
    }
}

#[test]
fn a_request_answered_while_initialize_is_pending_is_not_delivered_again() {
    // The host answers the request while the second `initialize` is pending.
    // The agent lists the request, and reads the answer afterwards.
    let mut session = Session::connected();
    session.receive(ask("a1"));
    session.receive(ask("a2"));
    session.request("init2", &Initialize::default());
    assert_eq!(session.lines(), ["initialize"]);
    session.host.respond("a1", allow("a1"));
    assert_eq!(session.lines(), ["success a1"]);
    session.events();
    session.receive(success_with(
        "init2",
        json!([ask("a1"), ask("a2"), ask("a3")]),
    ));
    assert_eq!(
        session.events_without_frames(),
        ["answered init2", "ask a3"]
    );

    // A separate request with the ID of an answered request is delivered.
    session.receive(ask("a1"));
    assert_eq!(session.events_without_frames(), ["ask a1"]);
}

#[test]
fn a_request_listed_in_the_initialize_response_is_delivered_unless_answered() {
    let mut session = Session::connected();
    session.receive(ask("a1"));
    session.host.respond("a1", allow("a1"));
    session.request("init2", &Initialize::default());
    session.receive(ask("a2"));
    session.host.respond("a2", allow("a2"));
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.receive(success("r1", json!({})));
    session.events();
    session.receive(success_with("init2", json!([ask("a1"), ask("a2")])));
    assert_events(
        session.events_without_frames(),
        "answered init2; ask a1; RequiresAction",
    );

    // The next response lists a new request.
    session.request("init3", &Initialize::default());
    session.lines();
    session.receive(success_with("init3", json!([ask("a2")])));
    assert_eq!(
        session.events_without_frames(),
        ["answered init3", "ask a2"]
    );
}

#[test]
fn at_most_4096_requests_answered_while_initialize_is_pending_are_remembered() {
    let mut session = Session::connected();
    session.request("init2", &Initialize::default());
    for number in 1..=4097 {
        let id = format!("ask {number}");
        session.receive(ask(&id));
        session.host.respond(&id, allow(&id));
        session.lines();
    }
    session.events();
    session.receive(success_with(
        "init2",
        json!([ask("ask 4096"), ask("ask 4097")]),
    ));
    assert_events(
        session.events_without_frames(),
        "answered init2; ask ask 4097; RequiresAction",
    );
}

#[test]
fn excess_requests_are_refused_and_then_ignored() {
    let mut session = Session::connected();
    session.host.set_limits(Limits {
        answers: 1000,
        ..Limits::default()
    });
    for number in 0..4096 {
        session.receive(ask(&format!("ask {number}")));
    }
    session.events();
    // The agent receives an error for each request while it reads.
    session.receive(ask("one more"));
    assert_eq!(session.events(), ["too many asks, 0 before"]);
    assert_eq!(session.lines(), ["error one more"]);
    for number in 0..1000 {
        session.receive(ask(&format!("more {number}")));
    }
    // The notice is repeated at most once a second.
    assert_eq!(session.events(), [""; 0]);
    assert!((1..10).contains(&session.lines().len()));
    session.advance(Duration::from_secs(1));
    session.receive(ask("a second later"));
    assert_eq!(session.events(), ["too many asks, 1000 before"]);
    session.lines();

    // Delivered requests can still be answered. An answer makes room for a
    // request.
    for number in 0..4096 {
        let id = format!("ask {number}");
        assert!(session.host.respond(&id, allow(&id)));
    }
    session.advance(Duration::from_secs(1));
    session.receive(ask("the agent does not read responses"));
    assert_eq!(session.events().last().unwrap(), "too many asks, 0 before");
    assert_eq!(session.lines().len(), 4096);
    session.receive(ask("again"));
    assert_eq!(session.events(), ["ask again", "RequiresAction"]);
}

#[test]
fn an_abandoned_hook_call_does_not_block_finishing() {
    let mut session = Session::connected();
    let hook = |id: &str| {
        let request = json!({"subtype": "hook_callback", "callback_id": "h", "input": {}});
        json!({"type": "control_request", "request_id": id, "request": request})
    };
    session.receive_all(&[state("running"), hook("h1"), state("idle")]);
    let events = session.events();
    // No response is pending, neither in the turn nor when the agent is idle.
    assert!(!events.contains(&"RequiresAction".to_owned()), "{events:?}");
    assert_eq!(events.last().map(String::as_str), Some("Idle"));
    assert!(session.host.is_open("h1"));
    session.host.finish(session.now, MINUTE);
    assert!(session.polls_end());
    // The session waits for a running agent.
    let mut session = Session::connected();
    session.receive_all(&[state("running"), hook("h1")]);
    session.host.finish(session.now, MINUTE);
    assert!(!session.polls_end());
    assert!(session.host.respond("h1", allow("h1")));
    assert_eq!(session.lines(), ["success h1"]);
    session.receive(state("idle"));
    assert!(session.polls_end());
}

#[test]
fn a_tool_result_cancels_requests_about_its_call() {
    let mut session = Session::connected();
    let about = |id: &str, subtype: &str, tool_use_id: &str| {
        let request = json!({"subtype": subtype, "tool_name": "Bash", "input": {},
            "callback_id": "h", "tool_use_id": tool_use_id});
        json!({"type": "control_request", "request_id": id, "request": request})
    };
    let result = |tool_use_id: &str| {
        let block = json!({"type": "tool_result", "tool_use_id": tool_use_id, "content": ""});
        json!({"type": "user", "message": {"role": "user", "content": [block]}})
    };
    session.receive_all(&[
        state("running"),
        state("requires_action"),
        about("a1", "can_use_tool", "t1"),
        about("h1", "hook_callback", "t1"),
        about("a2", "can_use_tool", "t2"),
    ]);
    session.events();
    session.receive(result("t1"));
    assert_events(
        session.events(),
        "frame user; ask cancelled a1; ask cancelled h1",
    );
    assert!(!session.host.respond("a1", allow("a1")));
    assert!(session.host.is_open("a2"));
    // The agent wrongly keeps reporting `requires_action`.
    session.receive(result("t2"));
    session.receive(crate::host::session::result());
    assert_eq!(session.events().last().map(String::as_str), Some("Idle"));
    session.host.finish(session.now, MINUTE);
    assert!(session.polls_end());
}

fn long_ask(id: &str, subtype: &str, bytes: usize) -> Value {
    json!({"type": "control_request", "request_id": id, "request": {
        "subtype": subtype, "tool_name": "Write", "callback_id": "h", "tool_use_id": id,
        "input": {"content": "x".repeat(bytes)},
    }})
}

#[test]
fn pending_requests_have_at_most_64_mib_and_ids_of_4_kib() {
    const MIB: usize = 1024 * 1024;
    let mut session = Session::connected();
    // Three requests fit into the limit. The fourth is refused.
    for number in 0..3 {
        session.receive(long_ask(&format!("a{number}"), "can_use_tool", 20 * MIB));
    }
    session.events();
    session.receive(long_ask("a3", "can_use_tool", 20 * MIB));
    assert_eq!(session.events(), ["too many asks, 0 before"]);
    assert_eq!(session.lines(), ["error a3"]);
    // An error would let the tool call proceed. The hook call is delivered, so
    // that the host can deny it.
    session.receive(long_ask("hook", "hook_callback", 20 * MIB));
    assert_eq!(session.events(), ["ask hook"]);
    // Answered, cancelled and resolved requests make room.
    session.host.respond("a0", allow("a0"));
    session.receive(cancel("a1"));
    session.receive(
        json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a2", "content": "x"}]}}),
    );
    session.events();
    session.lines();
    session.receive(long_ask("a4", "can_use_tool", 20 * MIB));
    assert_eq!(session.events()[0], "ask a4");

    session.receive(ask(&"i".repeat(4096)));
    assert!(session.events()[0].starts_with("ask iii"));
    session.advance(Duration::from_secs(1));
    session.receive(ask(&"i".repeat(4097)));
    assert_eq!(session.events(), ["too many asks, 0 before"]);
    assert!(session.lines()[0].starts_with("error iii"));
}
