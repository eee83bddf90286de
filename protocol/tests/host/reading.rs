//! Tests of a driver that pauses reading.

use crate::host::session::{MINUTE, Session, allow, ask, lifecycle, prompt, state, success};
use agentwire_protocol::control::{CancelAsyncMessage, Initialize, SetModel};
use serde_json::json;

#[test]
fn a_request_is_pending_until_it_ends() {
    let mut session = Session::connected();
    assert!(!session.host.awaits_response());
    session.request("answered", &SetModel::to("m"));
    assert!(session.host.awaits_response());
    session.lines();
    session.receive(success("answered", json!({})));
    assert!(!session.host.awaits_response());

    session.request("cancelled", &SetModel::to("m"));
    session.lines();
    session.host.cancel("cancelled");
    assert!(!session.host.awaits_response());

    session.request("times out", &SetModel::to("m"));
    session.lines();
    session.advance(2 * MINUTE);
    assert!(!session.host.awaits_response());
}

#[test]
fn lines_are_sent_while_reading_is_paused() {
    let mut session = Session::connected();
    session.receive(ask("a1"));
    session.events();
    session.host.handle_reading_paused();
    session.submit("A");
    assert!(session.host.respond("a1", allow("a1")));
    session.request("r1", &SetModel::to("m"));
    assert_eq!(session.lines(), ["success a1", "A", "set_model"]);
    // The driver resumes reading, because a response is pending.
    assert!(session.host.awaits_response());
    session.host.handle_reading_resumed(session.now);
    session.receive(success("r1", json!({})));
    assert!(session.events().contains(&"answered r1".to_owned()));
}

#[test]
fn a_queued_message_can_be_withdrawn_while_reading_is_paused() {
    let mut session = Session::connected();
    session.submit("A");
    session.poll_line();
    session.host.submit(session.now, prompt("B")).unwrap();
    session.host.handle_reading_paused();
    session.request("r1", &CancelAsyncMessage::new("B"));
    let events = session.events();
    assert!(events.contains(&"answered r1".to_owned()), "{events:?}");
    assert!(!session.host.awaits_response());
}

#[test]
fn a_session_is_connected_once_initialize_has_a_response() {
    let mut session = Session::new();
    session.request("init", &Initialize::default());
    session.lines();
    assert!(!session.host.is_connected());
    session.receive(success("init", json!({})));
    assert!(session.host.is_connected());
}

#[test]
fn a_finished_session_closes_when_reading_resumes() {
    let mut session = Session::connected();
    session.host.handle_reading_paused();
    session.host.finish(session.now, MINUTE);
    assert!(!session.polls_end());
    session.host.handle_reading_resumed(session.now);
    assert!(session.polls_end());
}

#[test]
fn an_idle_agent_is_probed_when_reading_resumes() {
    let mut session = Session::connected();
    session.submit("a");
    session.lines();
    session.receive(state("idle"));
    session.host.handle_reading_paused();
    session.advance(MINUTE);
    session.host.handle_reading_resumed(session.now);
    assert!(session.host.poll_timeout().is_some());
    session.advance(MINUTE);
    assert_eq!(session.lines(), ["mcp_status"]);
}

#[test]
fn a_session_does_not_count_as_idle_while_reading_is_paused() {
    let mut session = Session::connected();
    session.submit("a");
    session.lines();
    session.receive(state("idle"));
    session.host.handle_reading_paused();
    session.host.finish(session.now, MINUTE);
    session.advance(10 * MINUTE);
    assert!(!session.polls_end());
    session.host.handle_reading_resumed(session.now);
    session.receive_script("started a, result a");
    session.receive(lifecycle("a", "completed"));
    assert!(session.polls_end());
}
