//! Requests of the agent.

use crate::host::session::{MINUTE, Session, allow, ask, assert_events, cancel, state, success};
use agentwire_protocol::control::{Initialize, SetModel};
use agentwire_protocol::outbox::Limits;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn an_incoming_request_is_answered_once() {
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
fn incoming_requests_may_be_answered_in_any_order() {
    let mut session = Session::connected();
    session.plays("ask a1, ask a2, ask a3");
    for id in ["a3", "a1", "a2"] {
        assert!(session.host.respond(id, allow(id)));
    }
    assert_eq!(session.lines(), ["success a3", "success a1", "success a2"]);
}

#[test]
fn a_cancelled_request_gets_no_late_response() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.events();
    session.hears(cancel("a1"));
    assert_eq!(session.events(), ["ask cancelled a1", "Idle"]);
    assert!(!session.host.respond("a1", allow("a1")));
    assert_eq!(session.lines(), Vec::<String>::new());

    // A cancellation of a request that is not pending is ignored.
    session.plays("cancel a1, cancel nobody");
    session.hears(json!({"type": "control_cancel_request"}));
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn a_queued_response_is_withdrawn_when_its_request_is_cancelled() {
    let mut session = Session::connected();
    session.submit("A");
    session.takes_line();
    session.plays("ask a1, ask a2");
    session.host.respond("a1", allow("a1"));
    session.host.respond("a2", allow("a2"));
    session.events();
    session.plays("cancel nobody, cancel a2");
    assert_eq!(session.events(), ["ask cancelled a2"]);
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), ["success a1"]);
}

#[test]
fn a_response_in_flight_is_not_withdrawn() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.host.respond("a1", allow("a1"));
    session.takes_line();
    session.events();
    session.hears(cancel("a1"));
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), Vec::<String>::new());
    assert_eq!(session.events(), Vec::<String>::new());
}

#[test]
fn a_repeated_request_is_delivered_once() {
    let mut session = Session::connected();
    session.plays("ask a1, ask a1, ask a2");
    assert_eq!(session.events(), ["ask a1", "RequiresAction", "ask a2"]);
}

#[test]
fn a_request_without_an_id_is_a_notice() {
    let mut session = Session::connected();
    session.hears(json!({"type": "control_request", "request": {"subtype": "can_use_tool"}}));
    assert_eq!(session.events(), ["ask without id"]);
}

#[test]
fn an_unanswered_request_does_not_block_the_session() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.host.finish(session.now, MINUTE);
    assert!(!session.closes());
    session.host.leave_unanswered("a1");
    assert!(session.closes());
}

/// An `initialize` response with pending requests.
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
    session.hears(ask("a1"));
    let mut answer = success_with("init", json!([ask("a1"), ask("a2")]));
    answer["response"]["pending_user_dialog_requests"] = json!([ask("d1")]);
    answer["response"]["pending_elicitation_requests"] = json!([ask("e1"), ask("a2")]);
    session.hears(answer);
    assert_events(
        session.news(),
        "ask a1; RequiresAction; answered init; ask a2; ask d1; ask e1",
    );
    for id in ["a1", "a2", "d1", "e1"] {
        assert!(session.host.respond(id, allow(id)), "{id}");
    }
}

#[test]
fn a_request_answered_while_initialize_is_pending_is_not_delivered_again() {
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

    // A separate request is delivered, whatever its ID.
    session.hears(ask("a1"));
    assert_eq!(session.news(), ["ask a1"]);
}

#[test]
fn a_request_listed_in_the_initialize_response_is_delivered_unless_answered() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.host.respond("a1", allow("a1"));
    session.request("init2", &Initialize::default());
    session.hears(ask("a2"));
    session.host.respond("a2", allow("a2"));
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.hears(success("r1", json!({})));
    session.events();
    session.hears(success_with("init2", json!([ask("a1"), ask("a2")])));
    assert_events(session.news(), "answered init2; ask a1; RequiresAction");

    // The next one lists what is new.
    session.request("init3", &Initialize::default());
    session.lines();
    session.hears(success_with("init3", json!([ask("a2")])));
    assert_eq!(session.news(), ["answered init3", "ask a2"]);
}

#[test]
fn of_asks_that_are_answered_while_initialize_is_under_way_4096_are_remembered() {
    let mut session = Session::connected();
    session.request("init2", &Initialize::default());
    for number in 1..=4097 {
        let id = format!("ask {number}");
        session.hears(ask(&id));
        session.host.respond(&id, allow(&id));
        session.lines();
    }
    session.events();
    session.hears(success_with(
        "init2",
        json!([ask("ask 4096"), ask("ask 4097")]),
    ));
    assert_events(
        session.news(),
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
        session.hears(ask(&format!("ask {number}")));
    }
    session.events();
    // It receives errors while it reads.
    session.hears(ask("one more"));
    assert_eq!(session.events(), ["too many asks, 0 before"]);
    assert_eq!(session.lines(), ["error one more"]);
    for number in 0..1000 {
        session.hears(ask(&format!("more {number}")));
    }
    // Once a second.
    assert_eq!(session.events(), [""; 0]);
    assert!((1..10).contains(&session.lines().len()));
    session.passes(Duration::from_secs(1));
    session.hears(ask("a second later"));
    assert_eq!(session.events(), ["too many asks, 1000 before"]);
    session.lines();

    // Delivered requests can still be answered, which makes room.
    for number in 0..4096 {
        let id = format!("ask {number}");
        assert!(session.host.respond(&id, allow(&id)));
    }
    session.passes(Duration::from_secs(1));
    session.hears(ask("the agent does not read responses"));
    assert_eq!(session.events().last().unwrap(), "too many asks, 0 before");
    assert_eq!(session.lines().len(), 4096);
    session.hears(ask("again"));
    assert_eq!(session.events(), ["ask again", "RequiresAction"]);
}

#[test]
fn an_abandoned_hook_call_does_not_block_finishing() {
    let mut session = Session::connected();
    let hook = |id: &str| {
        let request = json!({"subtype": "hook_callback", "callback_id": "h", "input": {}});
        json!({"type": "control_request", "request_id": id, "request": request})
    };
    session.hear_all(&[state("running"), hook("h1"), state("idle")]);
    let events = session.events();
    // No response is awaited, neither in the turn nor when the agent is idle.
    assert!(!events.contains(&"RequiresAction".to_owned()), "{events:?}");
    assert_eq!(events.last().map(String::as_str), Some("Idle"));
    assert!(session.host.is_open("h1"));
    session.host.finish(session.now, MINUTE);
    assert!(session.closes());
    // A running agent is awaited.
    let mut session = Session::connected();
    session.hear_all(&[state("running"), hook("h1")]);
    session.host.finish(session.now, MINUTE);
    assert!(!session.closes());
    assert!(session.host.respond("h1", allow("h1")));
    assert_eq!(session.lines(), ["success h1"]);
    session.hears(state("idle"));
    assert!(session.closes());
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
    session.hear_all(&[
        state("running"),
        state("requires_action"),
        about("a1", "can_use_tool", "t1"),
        about("h1", "hook_callback", "t1"),
        about("a2", "can_use_tool", "t2"),
    ]);
    session.events();
    session.hears(result("t1"));
    assert_events(
        session.events(),
        "frame user; ask cancelled a1; ask cancelled h1",
    );
    assert!(!session.host.respond("a1", allow("a1")));
    assert!(session.host.is_open("a2"));
    // The agent keeps reporting `requires_action` in error.
    session.hears(result("t2"));
    session.hears(crate::host::session::result());
    assert_eq!(session.events().last().map(String::as_str), Some("Idle"));
    session.host.finish(session.now, MINUTE);
    assert!(session.closes());
}

fn long_ask(id: &str, subtype: &str, bytes: usize) -> Value {
    json!({"type": "control_request", "request_id": id, "request": {
        "subtype": subtype, "tool_name": "Write", "callback_id": "h", "tool_use_id": id,
        "input": {"content": "x".repeat(bytes)},
    }})
}

#[test]
fn what_is_asked_has_64_mib_and_ids_of_4_kib() {
    const MIB: usize = 1024 * 1024;
    let mut session = Session::connected();
    // A longer one does not use the room of others.
    for number in 0..3 {
        session.hears(long_ask(&format!("a{number}"), "can_use_tool", 20 * MIB));
    }
    session.events();
    session.hears(long_ask("a3", "can_use_tool", 20 * MIB));
    assert_eq!(session.events(), ["too many asks, 0 before"]);
    assert_eq!(session.lines(), ["error a3"]);
    // An error would let the call pass: the host must deny it.
    session.hears(long_ask("hook", "hook_callback", 20 * MIB));
    assert_eq!(session.events(), ["ask hook"]);
    // Answered, cancelled and resolved requests make room.
    session.host.respond("a0", allow("a0"));
    session.hears(cancel("a1"));
    session.hears(
        json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a2", "content": "x"}]}}),
    );
    session.events();
    session.lines();
    session.hears(long_ask("a4", "can_use_tool", 20 * MIB));
    assert_eq!(session.events()[0], "ask a4");

    session.hears(ask(&"i".repeat(4096)));
    assert!(session.events()[0].starts_with("ask iii"));
    session.passes(Duration::from_secs(1));
    session.hears(ask(&"i".repeat(4097)));
    assert_eq!(session.events(), ["too many asks, 0 before"]);
    assert!(session.lines()[0].starts_with("error iii"));
}
