//! Tests of the stream of one turn, in parallel with that of the session.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::protocol::message::Priority;
use agentwire::{
    Client, Event, Notice, SubmissionState, Turn, TurnEvent, TurnOutcome, UserMessage,
};
use agentwire_testkit::{Fault, Scenario, Step};
use serde_json::json;
use support::{describe, fake, hasty, says, wait_for};

async fn connect(scenario: &Scenario) -> Client {
    Client::connect(fake(scenario)).await.unwrap()
}

/// Connects a session that ends in the middle of a turn.
async fn connect_to_cut_off(scenario: &Scenario) -> Client {
    let options = fake(scenario).close_policy(hasty());
    Client::connect(options).await.unwrap()
}

/// Returns a scenario of two turns, the first with a tool.
fn two() -> Scenario {
    Scenario::default()
        .reply([Step::text("One."), Step::tool("Bash", json!({}), "1")])
        .reply([Step::text("One and a half.")])
        .reply([Step::text("Two.")])
}

/// Returns a scenario whose model is busy until it is interrupted.
fn busy() -> Scenario {
    Scenario::default().reply([Step::text("Hm "), Step::WaitMs(600_000)])
}

/// Reads a turn to its end. Returns its events and its outcome.
async fn read(turn: &mut Turn) -> (Vec<String>, Option<TurnOutcome>) {
    let (mut log, mut outcome) = (vec![], None);
    while let Some(event) = turn.next().await {
        let event = match event {
            Ok(event) => event,
            // The session ended before the turn. The error has its end.
            Err(error) => {
                assert_eq!(outcome, Some(TurnOutcome::Lost), "{error}");
                log.push(error.to_string());
                break;
            }
        };
        assert_eq!(outcome, None, "{event:?} behind the end");
        log.extend(describe(&event).filter(|it| !it.starts_with("call")));
        if let Event::Turn(TurnEvent::Ended(end)) = event {
            outcome = Some(end.outcome);
        }
    }
    (log, outcome)
}

#[tokio::test]
async fn the_stream_of_each_turn_has_its_messages_and_ends() {
    let mut client = connect(&two()).await;
    let mut first = client.send("One").turn();
    let mut second = client
        .send(UserMessage::text("Two").priority(Priority::Later))
        .turn();
    let (log, outcome) = read(&mut second).await;
    assert_eq!(log, ["text: Two.", "result: success fine"]);
    assert_eq!(outcome, Some(TurnOutcome::Completed));
    // A stream that is read later has all events of its turn.
    let (log, _) = read(&mut first).await;
    let texts: Vec<&String> = log.iter().filter(|it| it.starts_with("text")).collect();
    assert_eq!(texts, ["text: One.", "text: One and a half."]);
    assert_eq!(log.last().unwrap(), "result: success fine");
    assert_eq!(first.turn_ended().await.unwrap().turn, 1);
    client.close().await;
}

#[tokio::test]
async fn messages_of_one_turn_have_the_same_stream() {
    let scenario = busy().reply([Step::text("Both.")]);
    for (scenario, arrived) in [
        (scenario.clone(), SubmissionState::Queued),
        (scenario.without_queue(), SubmissionState::Waiting),
    ] {
        let mut client = connect(&scenario).await;
        client.send("Work");
        wait_for(&mut client, says("Hm")).await;
        let mut turns = vec![];
        for mut submission in [client.send("a"), client.send("b")] {
            turns.push(submission.turn());
            while submission.state() < arrived {
                submission.changed().await;
            }
        }
        client.interrupt().await.unwrap();
        for turn in &mut turns {
            let (log, outcome) = read(turn).await;
            assert_eq!(log, ["text: Both.", "result: success fine"]);
            assert_eq!(outcome, Some(TurnOutcome::Completed));
        }
        client.close().await;
    }
}

#[tokio::test]
async fn a_message_without_a_turn_has_an_empty_stream() {
    let mut client = connect_to_cut_off(&busy()).await;
    client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    let queued = client.send(UserMessage::text("Never").priority(Priority::Later));
    let mut turn = queued.turn();
    assert!(queued.cancel().await.unwrap().cancelled);
    assert!(turn.next().await.is_none());
    assert!(queued.turn().next().await.is_none());
    client.abort().await;
    assert!(client.send("late").turn().next().await.is_none());
}

#[tokio::test]
async fn a_stream_opened_after_its_turn_has_the_turn() {
    let client = connect(&two()).await;
    let mut submission = client.send("First");
    let (in_time, outcome) = read(&mut submission.turn()).await;
    assert_eq!(outcome, Some(TurnOutcome::Completed));
    assert_eq!(submission.final_state().await, SubmissionState::Completed);
    client.prompt("Second").await.unwrap();
    // A later turn changes nothing.
    assert_eq!(read(&mut submission.turn()).await, (in_time, outcome));

    let many = (0..50).map(|number| Step::text(format!("number {number}")));
    let client = connect(&Scenario::default().reply(many)).await;
    let mut submission = client.send("Count");
    submission.turn_ended().await.unwrap();
    let mut late = submission.turn();
    let lagged = late.next().await.unwrap().unwrap();
    assert!(matches!(
        lagged,
        Event::Notice(Notice::Lagged { events: 64.., .. })
    ));
    assert!(late.next().await.is_none());
}

#[tokio::test]
async fn a_late_stream_has_the_start_of_its_turn() {
    let mut client = connect(&busy()).await;
    let submission = client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    assert_eq!(submission.state(), SubmissionState::Started);
    let mut late = submission.turn();
    client.interrupt().await.unwrap();
    let (log, outcome) = read(&mut late).await;
    assert_eq!(outcome, Some(TurnOutcome::Interrupted));
    assert!(log.contains(&"text: Hm ".to_owned()), "{log:?}");
    client.close().await;
}

#[tokio::test]
async fn a_late_stream_has_the_number_of_missed_events() {
    let many = (0..40).map(|number| Step::text(format!("{number} ")));
    let many = many.chain([Step::text("Hm "), Step::WaitMs(600_000)]);
    let mut client = connect(&Scenario::default().reply(many)).await;
    let submission = client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    let mut late = submission.turn();
    assert!(matches!(
        late.next().await.unwrap().unwrap(),
        Event::Notice(Notice::Lagged {
            events: 40..,
            bytes: 1..
        })
    ));
    client.interrupt().await.unwrap();
    let (_, outcome) = read(&mut late).await;
    assert_eq!(outcome, Some(TurnOutcome::Interrupted));
    client.close().await;
}

#[tokio::test]
async fn a_turn_that_the_end_of_the_session_interrupts_is_lost() {
    let scenario = Scenario::default().reply([Step::text("Hm "), Step::Fault(Fault::Exit(3))]);
    let client = connect(&scenario).await;
    let mut turn = client.send("Work").turn();
    let (log, outcome) = tokio::time::timeout(support::LONG, read(&mut turn))
        .await
        .unwrap();
    assert_eq!(outcome, Some(TurnOutcome::Lost));
    let last = log.last().unwrap();
    assert!(last.contains("exit status: 3"), "{last}");
}
