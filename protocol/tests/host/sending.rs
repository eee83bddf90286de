//! Tests of the order and the time of sending.

use crate::host::session::{MINUTE, Session, allow, ask, assert_events, prompt, refusal, success};
use agentwire_protocol::control::{Initialize, Interrupt, SetModel};
use agentwire_protocol::host::{Prompt, QueueError, Request, Transmit};
use agentwire_protocol::message::{Priority, UserMessage};
use agentwire_protocol::outbox::Limits;
use serde_json::json;

#[test]
fn only_initialize_and_responses_are_sent_before_the_response_to_initialize() {
    let mut session = Session::new();
    session.submit("A");
    session.request("model", &SetModel::to("m"));
    session.request("stop", &Interrupt::default());
    assert_eq!(session.lines(), Vec::<String>::new());
    session.request("init", &Initialize::default());
    assert_eq!(session.lines(), ["initialize"]);

    // The agent sends a request while `initialize` is pending.
    session.receive(ask("a1"));
    assert!(session.host.respond("a1", allow("a1")));
    session.submit("B");
    assert_eq!(session.lines(), ["success a1"]);

    // A response to another request has no effect.
    session.receive(success("model", json!({})));
    assert_eq!(session.lines(), Vec::<String>::new());

    session.receive(success("init", json!({})));
    assert_eq!(session.lines(), ["A", "set_model", "interrupt", "B"]);
}

#[test]
fn no_other_line_is_sent_after_a_refused_initialize() {
    let mut session = Session::new();
    session.submit("A");
    session.request("init", &Initialize::default());
    session.lines();
    session.receive(refusal("init", json!("no")));
    assert_eq!(session.lines(), Vec::<String>::new());
    assert!(
        session
            .events_without_frames()
            .contains(&"refused init".to_owned())
    );

    // Messages are sent after the response to another `initialize`.
    session.request("init2", &Initialize::default());
    assert_eq!(session.lines(), ["initialize"]);
    session.receive(success("init2", json!({})));
    assert_eq!(session.lines(), ["A"]);
}

#[test]
fn one_line_is_in_flight_at_a_time() {
    let mut session = Session::connected();
    session.submit("A");
    session.submit("B");
    assert!(matches!(
        session.host.poll_transmit(),
        Some(Transmit::Line(_))
    ));
    assert_eq!(session.host.poll_transmit(), None);
    session.receive(ask("a1"));
    session.host.respond("a1", allow("a1"));
    assert_eq!(session.host.poll_transmit(), None);

    assert!(
        !session
            .events_without_frames()
            .contains(&"written A".to_owned())
    );
    session.host.handle_written(session.now);
    assert_eq!(session.events_without_frames(), ["written A"]);
    assert_eq!(session.lines(), ["success a1", "B"]);
    assert_eq!(session.events_without_frames(), ["written B"]);
}

/// Writes once. Returns the lengths of the lines that are written together, at
/// most `bytes` in all.
fn in_one_go(session: &mut Session, bytes: usize) -> Vec<usize> {
    let Some(Transmit::Line(first)) = session.host.poll_transmit() else {
        panic!("nothing leaves")
    };
    let more = std::iter::from_fn(|| session.host.poll_transmit_behind(bytes));
    let mut sizes = vec![first.len()];
    sizes.extend(more.map(|line| line.len()));
    sizes
}

fn states(session: &mut Session) -> Vec<String> {
    let mut events = session.events();
    events.retain(|it| it.starts_with("written") || it.starts_with("lost"));
    events
}

#[test]
fn consecutive_user_messages_are_written_together() {
    let mut session = Session::connected();
    session.submit("A");
    session.submit("B");
    session.host.defer("D");
    session.submit("C");
    session.submit("D");
    session.submit("E");
    assert_eq!(in_one_go(&mut session, 1000).len(), 3);
    session.host.handle_written(session.now);
    assert_events(states(&mut session), "written A; written B; written C");
    session.host.release("D");
    // An oversized line, a fence and a response are written alone.
    assert_eq!(in_one_go(&mut session, 10).len(), 1);
    session.host.handle_written(session.now);
    session.request("model", &SetModel::to("m"));
    session.submit("F");
    session.receive(ask("a1"));
    assert_eq!(in_one_go(&mut session, 1000).len(), 1);
    session.host.respond("a1", allow("a1"));
    session.host.handle_written(session.now);
    assert_eq!(session.lines(), ["set_model", "success a1", "F"]);
}

#[test]
fn complete_lines_of_a_partial_write_count_as_written() {
    for (whole, expected) in [
        (0, vec!["lost A", "lost B", "lost C"]),
        (1, vec!["written A", "lost B", "lost C"]),
        (2, vec!["written A", "written B", "lost C"]),
        (3, vec!["written A", "written B", "written C"]),
    ] {
        for cut in [0, 1, 20] {
            let mut session = Session::connected();
            for uuid in ["A", "B", "C"] {
                session.submit(uuid);
            }
            let sizes = in_one_go(&mut session, 1000);
            session.events();
            let bytes = sizes[..whole].iter().sum::<usize>() + if whole < 3 { cut } else { 0 };
            session.host.handle_partly_written(session.now, bytes);
            assert!(session.host.poll_transmit().is_none(), "{whole}");
            session.host.handle_write_failed();
            assert_eq!(states(&mut session), expected);
        }
    }
}

#[test]
fn a_more_urgent_message_overtakes_queued_ones() {
    let mut session = Session::connected();
    let with =
        |uuid: &str, priority| Prompt::new(uuid, UserMessage::new("x").priority(priority)).unwrap();
    session
        .host
        .submit(session.now, with("L", Priority::Later))
        .unwrap();
    session.submit("N");
    session.request("model", &SetModel::to("m"));
    session
        .host
        .submit(session.now, with("W", Priority::Now))
        .unwrap();
    assert_eq!(session.lines(), ["N", "L", "set_model", "W"]);
}

#[test]
fn a_failed_write_loses_unwritten_messages() {
    let mut session = Session::connected();
    for uuid in ["A", "B", "C"] {
        session.submit(uuid);
    }
    session.request("model", &SetModel::to("m"));
    session.poll_line();
    session.host.handle_written(session.now);
    session.poll_line();
    session.events();
    session.host.handle_write_failed();
    assert_eq!(session.events_without_frames(), ["lost B", "lost C"]);
    assert_eq!(session.host.poll_transmit(), None);
    assert!(session.host.submit(session.now, prompt("D")).is_err());

    // The first message was written before the failure. The request ends once.
    session.host.handle_end();
    assert_eq!(session.events_without_frames(), ["ended model", "lost A"]);
}

#[test]
fn encoded_messages_and_requests_have_their_id() {
    assert_eq!(prompt("A").uuid(), "A");
    let request = Request::new("r1", &SetModel::to("m")).unwrap();
    assert_eq!(request.request_id(), "r1");
}

#[test]
fn the_outbound_queue_is_bounded_and_room_returns() {
    let mut session = Session::connected();
    session.host.set_limits(Limits {
        users: 200,
        reserved_for_now: 200,
        control: 100,
        ..Limits::default()
    });
    session.submit("A");
    assert_eq!(session.host.waiting().users, 1);
    let full = Err(QueueError::Full);
    let mut taken = 1;
    while session
        .host
        .submit(session.now, prompt(&format!("B{taken}")))
        .is_ok()
    {
        taken += 1;
        assert!(taken < 100);
    }
    assert_eq!(session.host.submit(session.now, prompt("C")), full);
    let now = UserMessage::text("x").priority(Priority::Now);
    let now = Prompt::new("W", now).unwrap();
    assert!(session.host.has_room(&now));
    session.host.submit(session.now, now).unwrap();

    session.request("r1", &SetModel::to("m"));
    let second = Request::new("r2", &SetModel::to("m")).unwrap();
    assert_eq!(session.host.request(session.now, second, MINUTE), full);
    // Callers wait for the responses to these requests.
    session.request("i", &Interrupt::default());
    session.receive(ask("a"));
    assert!(session.host.respond("a", allow("a")));

    // One line is in flight, so it is no longer queued.
    assert!(session.host.poll_transmit().is_some());
    session.host.handle_written(session.now);
    assert!(session.lines().len() > taken);
    session.submit("C");
    // A refused message has no states, and a refused request has no response.
    let events = session.events();
    assert!(events.contains(&"written C".to_owned()) || session.lines() == ["C"]);
    assert!(
        !events.iter().any(|event| event.contains("r2")),
        "{events:?}"
    );
}
