//! Interrupts.

use crate::agent::session::{Session, asking};
use agentwire_protocol::control::Interrupt;
use agentwire_protocol::host::{self, Activity};
use agentwire_protocol::message::Priority;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::Event;
use serde_json::json;

#[test]
fn an_interrupt_while_the_model_speaks() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.begins_to_say("once upon");
    session.said();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
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

    // What the model still says is said to nobody.
    session.agent.say("a time");
    session.agent.stop_block();
    session.agent.stop_message();
    session.ends_turn();
    assert_eq!(session.said(), Vec::<String>::new());
}

#[test]
fn an_interrupt_while_an_ask_is_open_takes_it_back_first() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.heard.clear();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
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
    let first = session.heard.front().unwrap();
    assert!(
        matches!(first, host::HostEvent::IncomingRequestCancelled { .. }),
        "{first:?}"
    );
    assert!(!session.respond(&id, &PermissionResult::allow()));
    assert_eq!(session.event(), Some(Event::TurnAborted));
    assert_eq!(session.event(), None);
}

#[test]
fn an_interrupt_while_a_tool_runs() {
    let mut session = asking(&["t1"]);
    let id = session.ask_id();
    session.respond(&id, &PermissionResult::allow());
    session.decision("t1");
    session.said();
    session.request("stop", &Interrupt::default());
    assert_eq!(
        session.said(),
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
fn an_interrupt_when_idle_is_answered_and_does_nothing() {
    let mut session = Session::new();
    session.request("stop", &Interrupt::default());
    assert_eq!(session.said(), ["success stop"]);
    assert_eq!(session.answer("stop"), json!({"still_queued": []}));
    assert_eq!(session.event(), None);
}

#[test]
fn an_interrupt_leaves_messages_that_wait_or_withdraws_them() {
    for cancel_queued in [false, true] {
        let mut session = Session::new();
        session.submit("m1");
        session.begins(&["m1"]);
        session.begins_to_say("once");
        session.submit_at("L", Some(Priority::Later));
        session.submit("N");
        session.said();
        let interrupt = if cancel_queued {
            Interrupt::and_cancel_queued()
        } else {
            Interrupt::default()
        };
        session.request("stop", &interrupt);
        let said = session.said_in_whole();
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
            session.begins(&["N"]);
            assert_eq!(session.host.activity(), Activity::Running);
        }
    }
}

#[test]
fn an_interrupt_stops_what_was_sent_before_it_and_not_what_comes_after() {
    let mut session = Session::new();
    session.submit("m1");
    session.begins(&["m1"]);
    session.request("stop", &Interrupt::default());
    session.pump();
    session.submit("m2");
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.begins(&["m2"]);
}
