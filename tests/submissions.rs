//! Tests of the delivery status of messages, and of their withdrawal.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::protocol::message::Priority;
use agentwire::protocol::outbox::Limits;
use agentwire::{Client, EndReason, Error, Submission, SubmissionState, TurnOutcome, UserMessage};
use agentwire_testkit::{Fault, Scenario, Step};
use std::future::Future;
use std::sync::Arc;
use support::{ended, fake, hasty, priorities, says, wait_for};

/// Returns a scenario whose model is busy until it is interrupted.
fn busy() -> Scenario {
    Scenario::default()
        .reply([Step::text("Hm "), Step::WaitMs(600_000)])
        .reply([Step::text("Done.")])
}

async fn connect(scenario: &Scenario) -> Client {
    Client::connect(fake(scenario)).await.unwrap()
}

/// Connects a session that ends in the middle of a turn.
async fn connect_to_cut_off(scenario: &Scenario) -> Client {
    let options = fake(scenario).close_policy(hasty());
    Client::connect(options).await.unwrap()
}

/// Waits until a message has at least this state.
async fn until(submission: &mut Submission, state: SubmissionState) {
    while submission.state() < state {
        submission.changed().await;
    }
}

#[tokio::test]
async fn the_states_of_a_message_are_reported_to_its_end() {
    let mut client = connect(&Scenario::default().reply([Step::text("Hello.")])).await;
    let mut submission = client.send("Hello?");
    assert_eq!(submission.state(), SubmissionState::Waiting);
    let mut states = vec![submission.state()];
    while !submission.state().is_end() {
        states.push(submission.changed().await);
    }
    assert!(states.is_sorted(), "{states:?}");
    assert_eq!(submission.final_state().await, SubmissionState::Completed);
    // The state can be queried again, also by other tasks.
    assert_eq!(
        submission.clone().changed().await,
        SubmissionState::Completed
    );
    submission.await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn a_message_in_the_agents_queue_can_be_withdrawn() {
    let mut client = connect(&busy()).await;
    let mut first = client.send("Work");
    until(&mut first, SubmissionState::Started).await;
    let mut second = client.send(UserMessage::text("And then?").priority(Priority::Later));
    until(&mut second, SubmissionState::Queued).await;

    assert!(second.cancel().await.unwrap().cancelled);
    assert_eq!(second.final_state().await, SubmissionState::Cancelled);
    // A message that a turn has picked up cannot be withdrawn.
    assert!(!first.cancel().await.unwrap().cancelled);
    assert_eq!(first.state(), SubmissionState::Started);

    client.interrupt().await.unwrap();
    assert_eq!(first.final_state().await, SubmissionState::Interrupted);
    client.close().await;
}

#[tokio::test]
async fn a_message_in_the_host_is_withdrawn_by_the_host() {
    // The agent reads no further input, and the pipe is full.
    let scenario = Scenario::default().reply([Step::text("Hm "), Step::Fault(Fault::Hang)]);
    let mut client = connect_to_cut_off(&scenario).await;
    let mut first = client.send("Work");
    until(&mut first, SubmissionState::Started).await;
    let mut huge = client.send("x".repeat(1 << 20));
    until(&mut huge, SubmissionState::Handed).await;
    let mut waiting = client.send(UserMessage::text("And then?").priority(Priority::Later));
    let unwritten = client.outbound_queue().await.unwrap();
    assert!(unwritten.oldest_later.is_some(), "{unwritten:?}");

    let answer = waiting.cancel().await.unwrap();
    assert!(answer.cancelled);
    assert_eq!(answer.message_uuid.as_deref(), Some(waiting.uuid()));
    assert_eq!(waiting.final_state().await, SubmissionState::Withdrawn);
    assert!(matches!(
        waiting.written().await,
        Err(Error::Withdrawn { .. })
    ));

    client.abort().await;
    assert_eq!(huge.final_state().await, SubmissionState::Lost);
    assert!(matches!(huge.written().await, Err(Error::Ended(_))));
    // The first message was written, but its outcome is unknown.
    assert_eq!(first.final_state().await, SubmissionState::Lost);
    first.written().await.unwrap();
}

#[tokio::test]
async fn a_message_after_the_end_of_the_session_is_lost() {
    let mut client = connect(&Scenario::default()).await;
    let handle = client.handle();
    client.close().await;
    let mut late = handle.send("Hello?");
    assert!(matches!(late.written().await, Err(Error::Ended(_))));
    assert!(matches!(
        handle.outbound_queue().await,
        Err(Error::Ended(_))
    ));
    assert_eq!(late.final_state().await, SubmissionState::Lost);
    assert_eq!(late.changed().await, SubmissionState::Lost);
}

#[tokio::test]
async fn a_watch_outlives_its_client() {
    let client = connect_to_cut_off(&busy()).await;
    let mut submission = client.send("Work");
    until(&mut submission, SubmissionState::Started).await;
    drop(client);
    let ended = tokio::time::timeout(support::LONG, submission.final_state());
    assert_eq!(ended.await.unwrap(), SubmissionState::Lost);
}

#[tokio::test]
async fn messages_of_all_priorities_run_in_order_and_have_their_own_states() {
    let mut client = connect(&priorities::scenario()).await;
    priorities::assert_order(&priorities::run(&mut client, SubmissionState::Queued).await);
    client.close().await;
}

#[tokio::test]
async fn messages_of_all_priorities_run_in_the_same_order_without_a_queue_of_the_agent() {
    let mut client = connect(&priorities::scenario().without_queue()).await;
    priorities::assert_order(&priorities::run(&mut client, SubmissionState::Waiting).await);
    client.close().await;
}

#[tokio::test]
async fn messages_of_one_turn_have_the_same_end() {
    for scenario in [busy(), busy().without_queue()] {
        let mut client = connect(&scenario).await;
        let mut first = client.send("Work");
        wait_for(&mut client, says("Hm")).await;
        let mut second = client.send("And then?");
        let mut third = client.send("And then?");
        let mut taken_back = client.send(UserMessage::text("Never").priority(Priority::Later));
        assert!(taken_back.cancel().await.unwrap().cancelled);

        let stopped = client.interrupt().outcome().await.unwrap().turn.unwrap();
        assert_eq!(stopped.outcome, TurnOutcome::Interrupted);
        assert_eq!(first.turn_ended().await.unwrap(), stopped);

        let end = second.turn_ended().await.unwrap();
        assert_eq!(
            end.messages,
            [Box::from(second.uuid()), third.uuid().into()]
        );
        assert_eq!(end.result().unwrap().result.unwrap(), "Done.");
        assert!(Arc::ptr_eq(&end, &third.turn_ended().await.unwrap()));
        let none = taken_back.turn_ended().await;
        assert!(matches!(none, Err(Error::NoTurn { .. })), "{none:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn an_interrupt_reports_its_turn_however_late_it_is_queried() {
    let mut client = connect(&busy()).await;
    let mut first = client.send("Work");
    until(&mut first, SubmissionState::Started).await;
    let interruption = client.interrupt();
    let end = first.turn_ended().await.unwrap();
    assert_eq!(interruption.outcome().await.unwrap().turn, Some(end));

    let interruption = client.interrupt();
    let second = client.send("And then?").turn_ended().await.unwrap();
    assert_eq!(second.outcome, TurnOutcome::Completed);
    assert_eq!(interruption.outcome().await.unwrap().turn, None);
    client.close().await;
}

#[tokio::test]
async fn waiting_for_a_turn_ends_with_its_session() {
    let client = connect_to_cut_off(&busy()).await;
    let mut submission = client.send("Work");
    until(&mut submission, SubmissionState::Started).await;
    let interruption = client.handle();
    drop(client);
    let end = ended(submission.turn_ended().await.unwrap_err());
    assert_eq!(end.reason, EndReason::Dropped);
    assert!(matches!(
        interruption.interrupt().outcome().await,
        Err(Error::Ended(_))
    ));
}

/// Returns a session whose pipe is full, and the message that fills it.
async fn full(limits: Limits) -> (Client, Submission) {
    let scenario = Scenario::default().reply([Step::text("Hm "), Step::Fault(Fault::Hang)]);
    let options = fake(&scenario)
        .outbound_queue_limits(limits)
        .close_policy(hasty());
    let client = Client::connect(options).await.unwrap();
    let mut first = client.send("Work");
    until(&mut first, SubmissionState::Started).await;
    let mut huge = client.send("x".repeat(1 << 20));
    until(&mut huge, SubmissionState::Handed).await;
    (client, huge)
}

#[tokio::test]
async fn with_a_full_queue_sending_fails_or_waits_as_the_caller_chooses() {
    let limits = Limits {
        users: 1000,
        reserved_for_now: 1000,
        control: 1000,
        ..Limits::default()
    };
    let (mut client, _huge) = full(limits).await;
    let waiting = client.send("y".repeat(600));
    let mut refused = client.send("z".repeat(600));
    assert!(matches!(refused.written().await, Err(Error::Full)));
    assert_eq!(waiting.state(), SubmissionState::Waiting);
    let unwritten = client.outbound_queue().await.unwrap();
    assert_eq!((unwritten.messages, unwritten.oldest_later), (1, None));
    assert!(
        (600..1000).contains(&unwritten.message_bytes),
        "{unwritten:?}"
    );
    // Some room is reserved for messages with priority `now`, and for interrupts.
    let now = client.send(UserMessage::text("Stop!").priority(Priority::Now));
    let stop = client.interrupt();
    assert_eq!(now.state(), SubmissionState::Waiting);

    // Two callers wait for room. One of them gives up.
    let mut patient = Box::pin(client.send_when_room("p".repeat(600)));
    let mut dropped = Box::pin(client.send_when_room("q".repeat(600)));
    for blocked in [&mut patient, &mut dropped] {
        assert!(
            std::future::poll_fn(|context| {
                std::task::Poll::Ready(blocked.as_mut().poll(context).is_pending())
            })
            .await
        );
    }
    drop(dropped);
    assert!(waiting.cancel().await.unwrap().cancelled);
    let patient = patient.await.unwrap();
    assert_eq!(patient.state(), SubmissionState::Waiting);

    drop(stop);
    client.abort().await;
    assert!(matches!(
        client.send_when_room("late").await,
        Err(Error::Ended(_))
    ));
}

#[tokio::test]
async fn waiting_for_room_fails_when_the_session_ends() {
    let limits = Limits {
        users: 100,
        ..Limits::default()
    };
    let (mut client, _huge) = full(limits).await;
    let _waiting = client.send("y".repeat(600));
    let handle = client.handle();
    let blocked = tokio::spawn(async move { handle.send_when_room("z".repeat(600)).await });
    tokio::task::yield_now().await;
    client.abort().await;
    assert!(matches!(blocked.await.unwrap(), Err(Error::Ended(_))));
}

#[tokio::test]
async fn a_repeated_unobserved_message_has_the_state_of_the_first_one() {
    let mut client = connect(&busy()).await;
    let message = || agentwire::UserMessage::new("Go").uuid("same");
    drop(client.send(message()));
    wait_for(&mut client, says("Hm")).await;
    let mut again = client.send(message());
    again.written().await.unwrap();
    client.interrupt().outcome().await.unwrap();
    let end = again.turn_ended().await.unwrap();
    assert_eq!(end.outcome, TurnOutcome::Interrupted);
    client.close().await;
}
