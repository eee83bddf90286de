//! Tests of interrupts.

use crate::agent::session::{Session, pending_permissions};
use agentwire_protocol::control::Interrupt;
use agentwire_protocol::host::{self, Activity};
use agentwire_protocol::message::Priority;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::{Config, Event};
use serde_json::json;

#[test]
fn an_interrupt_while_the_model_is_streaming() {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.start_text("once upon");
    session.lines();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.lines(),
        [
            "success stop",
            "assistant text aborted",
            "user text",
            "event content_block_stop",
            "event message_delta",
            "event message_stop",
            "result error_during_execution aborted_streaming [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    assert_eq!(session.answer("stop"), json!({"still_queued": []}));
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.host.activity(), Activity::Idle);

    // Further output of the model is dropped.
    session.agent.say("a time");
    session.agent.stop_block();
    session.agent.stop_message();
    session.end_turn();
    assert_eq!(session.lines(), Vec::<String>::new());
}

#[test]
fn an_interrupt_cancels_a_pending_permission_request_first() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    session.host_events.clear();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.lines(),
        [
            "cancel",
            "success stop",
            "running",
            "tool error t1",
            "user text",
            "result error_during_execution aborted_tools [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
    let first = session.host_events.front().unwrap();
    assert!(
        matches!(first, host::HostEvent::IncomingRequestCancelled { .. }),
        "{first:?}"
    );
    assert!(!session.respond(&id, &PermissionResult::allow()));
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.event(), None);
}

#[test]
fn the_response_to_a_cancelled_request_is_not_echoed() {
    let config = Config {
        replays_prompts: true,
        ..Config::default()
    };
    let mut session = Session::connected(config, &[400]);
    session.submit("m1");
    session.lines();
    session.call_tools(&["t1"]);
    session.lines();
    let id = session.permission_request_id();
    session.request("stop", &Interrupt::default());
    session.lines();
    let response = json!({"type": "control_response", "response": {"subtype": "success",
        "request_id": id, "response": PermissionResult::allow()}});
    let line = format!("{response}\n");
    session.agent.handle_input(session.now, line.as_bytes());
    assert_eq!(session.lines(), [""; 0]);
}

#[test]
fn an_interrupt_while_a_tool_runs() {
    let mut session = pending_permissions(&["t1"]);
    let id = session.permission_request_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.lines();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.lines(),
        [
            "success stop",
            "tool error t1",
            "user text",
            "result error_during_execution aborted_tools [m1]",
            "m1 cancelled",
            "idle"
        ]
    );
}

#[test]
fn an_interrupt_when_idle_has_no_effect() {
    let mut session = Session::new();
    session.request("stop", &Interrupt::default());
    assert_eq!(session.lines(), ["success stop"]);
    assert_eq!(session.answer("stop"), json!({"still_queued": []}));
    assert_eq!(session.event(), None);
}

#[test]
fn an_interrupt_keeps_queued_messages_or_cancels_them() {
    for cancel_queued in [false, true] {
        let mut session = Session::new();
        session.submit("m1");
        session.assert_turn_starts(&["m1"]);
        session.start_text("once");
        session.submit_at("L", Some(Priority::Later));
        session.submit("N");
        session.lines();
        let interrupt = if cancel_queued {
            Interrupt::and_cancel_queued()
        } else {
            Interrupt::default()
        };
        session.request("stop", &interrupt);
        let said = session.lines_without_events();
        let receipt = session.answer("stop");
        assert_eq!(session.event(), Some(Event::TurnAborted));
        if cancel_queued {
            assert_eq!(
                receipt,
                json!({"still_queued": [], "cancelled": ["N", "L"]})
            );
            assert_eq!(said[..3], ["N cancelled", "L cancelled", "success stop"]);
            assert_eq!(said.last().unwrap(), "idle");
            assert_eq!(session.event(), None);
            assert_eq!(session.host.activity(), Activity::Idle);
        } else {
            assert_eq!(receipt, json!({"still_queued": ["N", "L"]}));
            session.assert_turn_starts(&["N"]);
            assert_eq!(session.host.activity(), Activity::Running);
        }
    }
}

#[test]
fn an_interrupt_applies_to_earlier_messages_only() {
    let mut session = Session::new();
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.request("stop", &Interrupt::default());
    session.transfer_all();
    session.submit("m2");
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.assert_turn_starts(&["m2"]);
}
