//! A driver that stops reading for a while.

use crate::session::{MINUTE, Session, allow, ask, lifecycle, prompt, result_of, state, success};
use agentwire_protocol::control::{CancelAsyncMessage, Initialize, SetModel};
use agentwire_protocol::host::{NotTaken, Request, Transmit};
use serde_json::json;

#[test]
fn requests_end_when_nobody_reads_their_answers_and_late_ones_are_notices() {
    let mut session = Session::connected();
    session.request("left", &SetModel::to("m"));
    assert_eq!(session.lines(), ["set_model"]);
    session.request("in flight", &SetModel::to("m"));
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.request("waits", &SetModel::to("m"));
    session.host.handle_reading_stopped();
    assert_eq!(
        session.events(),
        ["not read in flight", "not read left", "not read waits"]
    );
    // Nothing is said of it to the agent, and what waited does not leave.
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), [""; 0]);
    assert_eq!(session.host.poll_timeout(), None);

    session.host.handle_reading_resumed();
    session.hears(success("left", json!({})));
    session.request("new", &SetModel::to("m"));
    assert_eq!(session.lines(), ["set_model"]);
    session.hears(success("new", json!({})));
    assert_eq!(session.events(), ["stray answer", "answered new"]);
}

#[test]
fn a_cancel_that_waits_still_leaves_when_nobody_reads() {
    let mut session = Session::connected();
    for id in ["r1", "r2"] {
        session.request(id, &SetModel::to("m"));
    }
    session.lines();
    session.host.cancel("r1");
    session.host.handle_reading_stopped();
    assert_eq!(session.events(), ["cancelled r1", "not read r2"]);
    assert_eq!(session.lines(), ["cancel r1"]);
}

#[test]
fn while_nobody_reads_no_request_is_taken_and_everything_else_goes_out() {
    let mut session = Session::connected();
    session.hears(ask("a1"));
    session.events();
    session.host.handle_reading_stopped();
    let request = Request::new("r1", &SetModel::to("m")).unwrap();
    let taken = session.host.request(session.now, request, MINUTE);
    assert_eq!(taken, Err(NotTaken::NotRead));
    session.submit("A");
    assert!(session.host.respond("a1", allow("a1")));
    assert_eq!(session.lines(), ["success a1", "A"]);
    assert!(!session.events().iter().any(|it| it.contains("r1")));
}

#[test]
fn a_message_that_waits_here_is_taken_back_although_nobody_reads() {
    let mut session = Session::connected();
    session.submit("A");
    let Some(Transmit::Line(_)) = session.host.poll_transmit() else {
        panic!()
    };
    session.host.submit(session.now, prompt("B")).unwrap();
    session.host.handle_reading_stopped();
    session.request("r1", &CancelAsyncMessage::new("B"));
    let events = session.events();
    assert!(events.contains(&"answered r1".to_owned()), "{events:?}");
}

#[test]
fn a_session_is_connected_when_its_first_request_is_answered() {
    let mut session = Session::new();
    session.request("init", &Initialize::default());
    session.lines();
    assert!(!session.host.is_connected());
    session.hears(success("init", json!({})));
    assert!(session.host.is_connected());
}

#[test]
fn nothing_is_taken_to_be_over_while_nobody_reads() {
    let mut session = Session::connected();
    session.submit("a");
    session.lines();
    session.hears(state("idle"));
    session.host.handle_reading_stopped();
    session.host.finish(session.now, MINUTE);
    session.passes(10 * MINUTE);
    assert!(!session.closes());
    session.host.handle_reading_resumed();
    session.hear_all(&[lifecycle("a", "started"), result_of(&["a"])]);
    session.hears(lifecycle("a", "completed"));
    assert!(session.closes());
}
