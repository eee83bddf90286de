//! Tests of interrupted turns, and of agents that ignore interrupts.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::control::{StopPolicy, Stopped};
use agentwire::{Client, EndReason, Options, SubmissionState, TurnOutcome};
use agentwire_testkit::{Fault, Scenario, Step};
use std::time::Duration;
use support::{ended, fake, says, wait_for};

fn busy() -> Scenario {
    Scenario::default().reply([Step::text("Hm "), Step::WaitMs(600_000)])
}

#[tokio::test]
async fn an_interrupt_returns_its_receipt_and_then_the_end_of_the_turn() {
    let mut client = Client::connect(fake(&busy())).await.unwrap();
    client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    let interrupted = client.interrupt().outcome().await.unwrap();
    assert_eq!(interrupted.receipt.still_queued.unwrap(), [""; 0]);
    let turn = interrupted.turn.unwrap();
    assert_eq!((turn.turn, turn.outcome), (1, TurnOutcome::Interrupted));
    // No turn is running now.
    let interrupted = client.interrupt().outcome().await.unwrap();
    assert_eq!(interrupted.turn, None);
    client.close().await;
}

#[tokio::test]
async fn interrupting_all_withdraws_queued_messages() {
    let mut client = Client::connect(fake(&busy())).await.unwrap();
    client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    let mut queued = client.send("And then?");
    let interrupted = client.handle().interrupt_all().outcome().await.unwrap();
    assert_eq!(interrupted.receipt.cancelled.unwrap(), [queued.uuid()]);
    assert!(matches!(
        queued.final_state().await,
        SubmissionState::Cancelled | SubmissionState::Withdrawn
    ));
    client.close().await;
}

fn short_policy() -> StopPolicy {
    StopPolicy::default().turn(Duration::from_millis(50))
}

#[tokio::test]
async fn stopping_ends_when_the_turn_ends() {
    let mut client = Client::connect(fake(&busy())).await.unwrap();
    client.send("Work");
    wait_for(&mut client, says("Hm")).await;
    let stopped = client.stop(StopPolicy::default()).await.unwrap();
    assert_eq!(stopped.to_string(), "turn 1: interrupted");
    let stopped = client.stop(StopPolicy::default()).await.unwrap();
    assert_eq!(stopped.to_string(), "no turn was running");
    client.close().await;
}

async fn assert_is_closed(options: Options) {
    let mut client = Client::connect(options).await.unwrap();
    let mut submission = client.send("Work");
    submission.written().await.unwrap();
    wait_for(&mut client, says("Hm")).await;
    let stopped = client.stop(short_policy()).await.unwrap();
    assert!(matches!(stopped, Stopped::Session), "{stopped}");
    let error = loop {
        if let Err(error) = client.next().await.unwrap() {
            break error;
        }
    };
    assert_eq!(ended(error).reason, EndReason::Unresponsive);
    assert_eq!(submission.final_state().await, SubmissionState::Lost);
    assert!(client.stop(short_policy()).await.is_err());
    let report = client.close().await;
    assert!(report.remaining.is_empty(), "{report:?}");
}

#[tokio::test]
async fn an_agent_that_does_not_react_is_closed() {
    let scenario = Scenario::default().reply([Step::text("Hm "), Step::Fault(Fault::Hang)]);
    assert_is_closed(fake(&scenario).close_policy(support::hasty())).await;
}
