//! Tests of the end of a session, and of lost messages.

use crate::host::session::{MINUTE, Session, allow, assert_events, prompt};
use agentwire_protocol::control::SetModel;
use agentwire_protocol::host::{Activity, QueueError, Request};

#[test]
fn ending_closes_at_once_and_reports_lost_messages() {
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
    assert_eq!(session.events_without_frames(), ["lost D", "lost E"]);
    assert!(session.polls_end());
    assert_eq!(session.host.poll_transmit(), None);
    assert_eq!(
        session.host.submit(session.now, prompt("F")),
        Err(QueueError::Closing)
    );
    let request = Request::new("r2", &SetModel::to("m")).unwrap();
    assert!(session.host.request(session.now, request, MINUTE).is_err());

    session.host.end();
    session.host.handle_end();
    assert_eq!(
        session.events_without_frames(),
        ["ended r1", "lost A", "lost B", "lost C"]
    );
}

#[test]
fn ending_waits_only_for_the_line_in_flight() {
    let mut session = Session::connected();
    session.submit("A");
    session.submit("B");
    session.poll_line();
    session.host.end();
    assert!(!session.polls_end());
    session.host.handle_written(session.now);
    assert!(session.polls_end());
    assert_eq!(
        session.events_without_frames(),
        ["Running", "lost B", "written A"]
    );
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
fn the_end_of_the_session_ends_everything_exactly_once() {
    let mut session = Session::connected();
    session.submit("A");
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.submit("B");
    session.submit("C");
    session.poll_line();
    session.request("r2", &SetModel::to("m"));
    session.receive_script("running, init, ask a1, ask a2");
    session.events();

    session.host.handle_end();
    assert_events(
        session.events(),
        "ended r1; ended r2; ask cancelled a1; ask cancelled a2; lost A; lost B; lost C",
    );
    assert_eq!(session.host.activity(), Activity::Idle);
    assert_eq!(session.host.poll_timeout(), None);
    assert_eq!(session.host.poll_transmit(), None);
    assert!(!session.host.respond("a1", allow("a1")));
    assert!(session.host.submit(session.now, prompt("D")).is_err());

    session.host.handle_end();
    session.host.handle_written(session.now);
    session.host.handle_write_failed();
    session.host.finish(session.now, MINUTE);
    session.host.end();
    session.advance(2 * MINUTE);
    assert_eq!(session.events(), Vec::<String>::new());
    assert_eq!(session.host.poll_transmit(), None);
}
