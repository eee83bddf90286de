//! Tests of interrupts, and of the messages that they overtake.

use crate::host::session::{Session, success};
use agentwire_protocol::control::{CancelAsyncMessage, Interrupt, SetModel};
use agentwire_protocol::host::HostEvent;
use serde_json::{Value, json};

/// Returns the agent's receipt for the interrupt.
fn receipt(session: &mut Session) -> Value {
    loop {
        if let HostEvent::RequestEnded { outcome, .. } = session.host.poll_event().unwrap() {
            return outcome.unwrap().read().unwrap();
        }
    }
}

#[test]
fn messages_overtaken_by_an_interrupt_are_listed_as_still_queued() {
    let mut session = Session::connected();
    session.submit("A");
    session.poll_line();
    session.submit("B");
    session.request("model", &SetModel::to("m"));
    session.submit("C");
    session.request("stop", &Interrupt::default());
    session.host.handle_written(session.now);
    // The interrupt does not overtake requests and the messages before them.
    assert_eq!(session.lines(), ["B", "set_model", "interrupt", "C"]);
    session.receive(success("model", json!({})));
    session.events();
    session.receive(success("stop", json!({"still_queued": ["Q"], "x": 1})));
    assert_eq!(
        receipt(&mut session),
        json!({"still_queued": ["Q", "C"], "x": 1})
    );
}

#[test]
fn messages_withdrawn_before_an_interrupt_is_sent_are_not_listed() {
    let mut session = Session::connected();
    session.submit("A");
    session.poll_line();
    session.submit("B");
    session.submit("C");
    session.request("stop", &Interrupt::default());
    session.request("take", &CancelAsyncMessage::new("B"));
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), ["interrupt", "C"]);
    session.events();
    session.receive(success("stop", json!({"still_queued": []})));
    assert_eq!(receipt(&mut session), json!({"still_queued": ["C"]}));
}

#[test]
fn an_interrupt_of_an_old_agent_has_a_receipt_for_overtaken_messages() {
    let mut session = Session::connected();
    session.submit("A");
    session.request("stop", &Interrupt::default());
    assert_eq!(session.lines(), ["interrupt", "A"]);
    session.receive(json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": "stop"}}));
    assert_eq!(receipt(&mut session), json!({"still_queued": ["A"]}));
}

#[test]
fn an_interrupt_can_withdraw_queued_messages() {
    let mut session = Session::connected();
    session.submit("A");
    session.submit("B");
    assert_eq!(session.events(), ["Running"]);
    session.request("stop", &Interrupt::and_cancel_queued());
    assert_eq!(session.events(), ["withdrawn A", "withdrawn B", "Idle"]);
    assert_eq!(session.lines(), ["interrupt"]);
    session.receive(success(
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
