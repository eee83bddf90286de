//! Sends six messages of all priorities during a reply. Those with `a` have priority
//! `later`, those with `b` have `next` or none, which is the same, and those with `c`
//! have `now`.

use super::{says, wait_for};
use agentwire::protocol::message::Priority;
use agentwire::{Client, Event, SubmissionState, TurnEvent, UserMessage};
use agentwire_testkit::{Scenario, Step};
use std::time::Duration;

pub(crate) fn scenario() -> Scenario {
    Scenario::default()
        .reply([
            Step::chunks(["Once ", "upon "], Duration::from_millis(10)),
            Step::WaitMs(600_000),
        ])
        .reply([Step::text("Now.")])
        .reply([Step::text("Next.")])
        .reply([Step::text("Later.")])
}

/// The messages of each turn, and the delivery status of each message.
pub(crate) struct Outcome {
    pub(crate) turns: Vec<Vec<String>>,
    pub(crate) ends: Vec<(String, SubmissionState)>,
}

/// Runs the messages. `arrive` is the state in which a message is certainly in the queue
/// of the host or of the agent.
pub(crate) async fn run(client: &mut Client, arrive: SubmissionState) -> Outcome {
    let first = client.send(message("00", None));
    wait_for(client, says("upon")).await;
    let mut all = vec![first];
    for (name, priority) in [
        ("a1", Some(Priority::Later)),
        ("b1", Some(Priority::Next)),
        ("b2", None),
        ("a2", Some(Priority::Later)),
        ("b3", Some(Priority::Next)),
    ] {
        all.push(client.send(message(name, priority)));
    }
    for submission in &mut all {
        while submission.state() < arrive {
            submission.changed().await;
        }
    }
    all.push(client.send(message("c1", Some(Priority::Now))));
    let mut turns = vec![];
    while turns.len() < 4 {
        let end = wait_for(client, |event| match event {
            Event::Turn(TurnEvent::Ended(end)) => Some(end.clone()),
            _ => None,
        })
        .await;
        turns.push(end.messages.iter().map(|uuid| short(uuid)).collect());
    }
    let mut ends = vec![];
    for submission in &mut all {
        let end = submission.final_state().await;
        ends.push((short(submission.uuid()), end));
    }
    Outcome { turns, ends }
}

fn message(name: &str, priority: Option<Priority>) -> UserMessage {
    let uuid = format!("00000000-0000-4000-8000-0000000000{name}");
    let mut message = UserMessage::text(name).uuid(uuid);
    message.priority = priority;
    message
}

/// Asserts the measured order: the messages with priority `now` interrupt the first
/// message, and the messages of each priority share a turn.
pub(crate) fn assert_order(told: &Outcome) {
    let turns: Vec<Vec<&str>> = (told.turns.iter())
        .map(|turn| turn.iter().map(String::as_str).collect())
        .collect();
    assert_eq!(
        turns,
        [
            vec!["00"],
            vec!["c1"],
            vec!["b1", "b2", "b3"],
            vec!["a1", "a2"]
        ]
    );
    for (name, end) in &told.ends {
        let expected = match name.as_str() {
            "00" => SubmissionState::Interrupted,
            _ => SubmissionState::Completed,
        };
        assert_eq!(*end, expected, "{name}");
    }
}

fn short(uuid: &str) -> String {
    uuid[uuid.len() - 2..].to_owned()
}
