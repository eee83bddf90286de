#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn line(class: Class, id: &str) -> Outgoing {
    Outgoing {
        class,
        id: id.into(),
        line: Bytes::new(),
        since: None,
    }
}

fn order(outbox: &mut Outbox) -> Vec<String> {
    std::iter::from_fn(|| outbox.pop())
        .map(|line| line.id.to_string())
        .collect()
}

fn filled(lines: &[(Class, &str)]) -> Outbox {
    let mut outbox = Outbox::default();
    for (class, id) in lines {
        outbox.push(line(*class, id));
    }
    outbox
}

use Class::{Control, Greeting, Interrupt, Mcp, Response, User};
use Urgency::{Later, Next, Now};

#[test]
fn user_messages_go_now_next_later_and_in_order_within_a_class() {
    let mut outbox = filled(&[
        (User(Later), "L1"),
        (User(Next), "N1"),
        (User(Now), "W1"),
        (User(Later), "L2"),
        (User(Next), "N2"),
        (User(Now), "W2"),
    ]);
    assert_eq!(order(&mut outbox), ["W1", "W2", "N1", "N2", "L1", "L2"]);
}

#[test]
fn a_control_request_is_a_fence() {
    let mut outbox = filled(&[
        (User(Later), "A"),
        (Control, "set_model"),
        (User(Now), "B"),
        (Response, "allow"),
        (Interrupt, "stop"),
    ]);
    assert_eq!(order(&mut outbox), ["A", "set_model", "allow", "stop", "B"]);
}

#[test]
fn a_deferred_message_blocks_messages_and_requests_behind_it_but_no_responses() {
    let lines = [
        (User(Now), "A"),
        (User(Next), "B"),
        (Control, "set_model"),
        (Response, "allow"),
        (Interrupt, "stop"),
        (Response, "deny"),
    ];
    let mut outbox = filled(&lines);
    outbox.defer("A");
    assert_eq!(order(&mut outbox), ["allow"]);
    outbox.defer("B");
    outbox.release("A");
    assert_eq!(order(&mut outbox), ["A"]);
    assert_eq!(outbox.waiting().users, 1);
    outbox.release("B");
    assert_eq!(order(&mut outbox), ["B", "set_model", "stop", "deny"]);
    assert!(outbox.is_empty());
}

#[test]
fn a_deferred_message_can_be_withdrawn_and_stays_in_the_backlog() {
    let mut outbox = filled(&[(User(Now), "A"), (User(Now), "B")]);
    outbox.defer("A");
    assert_eq!(order(&mut outbox), [""; 0]);
    assert!(outbox.withdraw("A", |_| true).is_some());
    assert_eq!(order(&mut outbox), ["B"]);

    outbox.start_backlog();
    outbox.defer("C");
    outbox.push(line(User(Now), "C"));
    assert_eq!(outbox.pop_backlog(|_| true), None);
    outbox.release("C");
    assert!(outbox.pop_backlog(|_| true).is_some());
}

#[test]
fn responses_and_interrupts_overtake_user_messages() {
    let mut outbox = filled(&[(User(Now), "A"), (Interrupt, "stop"), (Response, "allow")]);
    assert_eq!(order(&mut outbox), ["stop", "allow", "A"]);
}

#[test]
fn an_mcp_result_never_overtakes_its_progress() {
    let mut outbox = filled(&[
        (User(Now), "A"),
        (Mcp, "half"),
        (Response, "result"),
        (Mcp, "changed"),
    ]);
    assert_eq!(order(&mut outbox), ["half", "result", "changed", "A"]);
}

#[test]
fn a_gated_outbox_returns_only_the_greeting_and_responses() {
    let mut outbox = Outbox::gated();
    for (class, id) in [
        (Interrupt, "stop"),
        (Greeting, "hello"),
        (User(Now), "A"),
        (Control, "set_model"),
        (Response, "allow"),
    ] {
        outbox.push(line(class, id));
    }
    assert_eq!(order(&mut outbox), ["hello", "allow"]);
    outbox.open();
    assert_eq!(order(&mut outbox), ["stop", "A", "set_model"]);
    assert!(outbox.is_empty());
}

fn long(class: Class, id: &str, bytes: usize) -> Outgoing {
    Outgoing {
        line: vec![b'x'; bytes].into(),
        ..line(class, id)
    }
}

#[test]
fn the_queue_is_bounded_and_room_returns_when_lines_leave() {
    let mut outbox = Outbox::default();
    outbox.set_limits(Limits {
        users: 100,
        reserved_for_now: 20,
        control: 50,
        answers: 70,
    });
    // A line over the limit has room when nothing else is queued.
    assert!(outbox.has_room(User(Next), 1000));
    outbox.push(long(User(Next), "A", 60));
    assert!(outbox.has_room(User(Later), 40));
    assert!(!outbox.has_room(User(Later), 41));
    assert!(outbox.has_room(User(Now), 60));
    assert!(!outbox.has_room(User(Now), 61));
    // Requests have a separate limit.
    assert!(outbox.has_room(Control, 1000));
    outbox.push(long(Control, "set_model", 50));
    assert!(!outbox.has_room(Control, 1));
    for class in [Response, Interrupt, Greeting] {
        assert!(outbox.has_room(class, 1000));
    }
    // Responses have a separate limit, too.
    outbox.push(long(Response, "allow", 60));
    assert!(outbox.has_room(Response, 10));
    assert!(!outbox.has_room(Response, 11));
    // Lines that are sent or withdrawn make room.
    outbox.pop();
    assert!(outbox.has_room(User(Next), 1000));
    outbox
        .withdraw("set_model", |class| class == Control)
        .unwrap();
    assert!(outbox.has_room(Control, 1000));
    outbox.push(long(User(Next), "B", 200));
    outbox.drain();
    assert!(outbox.has_room(User(Next), 1000));
}

#[test]
fn messages_behind_a_withdrawn_fence_are_sent_at_once() {
    let mut outbox = filled(&[(Control, "C"), (User(Next), "A"), (Control, "D")]);
    outbox.withdraw("C", |_| true).unwrap();
    outbox.withdraw("A", |_| true).unwrap();
    assert_eq!(outbox.pop().unwrap().id, "D".into());
}

#[test]
fn the_size_of_the_queue_includes_the_age_of_the_oldest_later_message() {
    let start = Instant::now();
    let at = |id, seconds| Outgoing {
        since: Some(start + std::time::Duration::from_secs(seconds)),
        ..long(User(Later), id, 10)
    };
    let mut outbox = Outbox::default();
    assert_eq!(outbox.waiting(), QueueSize::default());
    outbox.push(at("A", 1));
    outbox.push(long(User(Next), "B", 10));
    outbox.push(long(Control, "C", 5));
    outbox.push(at("D", 2));
    let waiting = outbox.waiting();
    assert_eq!(
        (waiting.users, waiting.user_bytes, waiting.control_bytes),
        (3, 30, 5)
    );
    assert_eq!(waiting.oldest_later, at("", 1).since);
    assert_eq!(outbox.pop().unwrap().id, "B".into());
    assert_eq!(outbox.pop().unwrap().id, "A".into());
    assert_eq!(outbox.waiting().oldest_later, at("", 2).since);
}

#[test]
fn the_queue_is_empty_once_the_backlog_has_left_as_well() {
    let mut outbox = Outbox::default();
    for class in [Response, Control, User(Later)] {
        outbox.push(line(class, "A"));
        assert!(!outbox.is_empty());
        outbox.pop();
        assert!(outbox.is_empty());
    }
    outbox.start_backlog();
    outbox.push(line(User(Next), "B"));
    assert_eq!(outbox.pop(), None);
    assert!(!outbox.is_empty());
    outbox.pop_backlog(|_| true);
    assert!(outbox.is_empty());
}

#[test]
fn queued_lines_can_be_withdrawn() {
    let mut outbox = filled(&[(User(Next), "A"), (Control, "C"), (User(Next), "B")]);
    assert_eq!(outbox.withdraw("C", |_| true).unwrap().id, "C".into());
    assert_eq!(outbox.withdraw("C", |_| true), None);
    assert_eq!(order(&mut outbox), ["A", "B"]);
}

proptest! {
    #[test]
    fn no_line_is_lost_or_crosses_a_fence(
        classes in prop::collection::vec(
            prop_oneof![
                Just(Response), Just(Interrupt), Just(Control), Just(Mcp),
                Just(User(Now)), Just(User(Next)), Just(User(Later)),
            ],
            0..40,
        ),
    ) {
        let mut outbox = Outbox::default();
        for (number, class) in classes.iter().enumerate() {
            outbox.push(line(*class, &number.to_string()));
        }
        let written: Vec<usize> =
            order(&mut outbox).iter().map(|id| id.parse().unwrap()).collect();
        let place = |number: usize| written.iter().position(|w| *w == number).unwrap();

        prop_assert_eq!(written.len(), classes.len());
        for first in 0..classes.len() {
            for second in first + 1..classes.len() {
                let passed = place(second) < place(first);
                let may_pass = match (classes[first], classes[second]) {
                    (User(_), Response | Interrupt | Mcp) => true,
                    (User(first), User(second)) => second < first,
                    _ => false,
                };
                prop_assert!(!passed || may_pass, "{second} passed {first}");
                if classes[first] == Control || classes[second] == Control {
                    prop_assert!(!passed);
                }
            }
        }
    }
}

#[test]
fn a_line_is_withdrawn_from_any_position_and_the_first_of_two_with_one_id() {
    for count in 1..6_usize {
        for at in 0..count {
            let mut outbox = Outbox::default();
            for number in 0..count {
                outbox.push(long(Response, &number.to_string(), 10));
            }
            let id = at.to_string();
            assert_eq!(outbox.withdraw(&id, |class| class == Control), None);
            assert_eq!(&*outbox.withdraw(&id, |_| true).unwrap().id, id);
            assert_eq!(outbox.withdraw(&id, |_| true), None);
            let left: Vec<Arc<str>> = std::iter::from_fn(|| outbox.pop())
                .map(|it| it.id)
                .collect();
            let expected: Vec<Arc<str>> = (0..count)
                .filter(|number| *number != at)
                .map(|number| number.to_string().into())
                .collect();
            assert_eq!(left, expected);
        }
    }
    let mut outbox = Outbox::default();
    for bytes in [10, 20, 30] {
        outbox.push(long(User(Next), "same", bytes));
    }
    assert_eq!(outbox.withdraw("same", |_| true).unwrap().line.len(), 10);
    assert_eq!(outbox.pop().unwrap().line.len(), 20);
    assert_eq!(outbox.withdraw("same", |_| true).unwrap().line.len(), 30);
    assert_eq!(outbox.withdraw("same", |_| true), None);
}
