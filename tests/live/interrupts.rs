//! Tests of interrupts of the real CLI in all its states.

use crate::support::{Live, line_of, priorities, says, until_idle, wait_for};
use agentwire::control::{Interrupted, StopPolicy, Stopped};
use agentwire::protocol::message::TerminalReason;
use agentwire::{
    Client, Event, Notice, PermissionResult, Submission, SubmissionState, TurnOutcome,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc;

fn bash(command: &str) -> Step {
    Step::tool("Bash", json!({ "command": command }), "")
}

/// Asserts that the turn of this message was interrupted for this reason.
async fn assert_interrupted(
    interrupted: Interrupted,
    submission: &mut Submission,
    reason: TerminalReason,
) {
    assert_eq!(interrupted.receipt.still_queued, Some(vec![]));
    let turn = interrupted.turn.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Interrupted);
    assert_eq!(turn.messages, [Box::from(submission.uuid())]);
    let result = turn.result().unwrap();
    assert_eq!(result.terminal_reason, Some(reason));
    assert_eq!(submission.final_state().await, SubmissionState::Interrupted);
    assert!(Arc::ptr_eq(&submission.turn_ended().await.unwrap(), &turn));
}

#[tokio::test]
async fn an_interrupt_ends_a_turn_in_which_the_model_streams() {
    let live = Live::start(priorities::scenario()).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let mut submission = client.send("Tell a story");
    wait_for(&mut client, says("upon")).await;
    let interrupted = client.interrupt().outcome().await.unwrap();
    assert_interrupted(
        interrupted,
        &mut submission,
        TerminalReason::AbortedStreaming,
    )
    .await;
    client.close().await;
}

#[tokio::test]
async fn stopping_a_streaming_turn_takes_only_an_interrupt() {
    let live = Live::start(priorities::scenario()).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let mut submission = client.send("Tell a story");
    wait_for(&mut client, says("upon")).await;
    let Stopped::Turn(interrupted) = client.stop(StopPolicy::default()).await.unwrap() else {
        panic!("the session was closed");
    };
    assert_interrupted(
        interrupted,
        &mut submission,
        TerminalReason::AbortedStreaming,
    )
    .await;
    assert_eq!(
        client.send("And?").final_state().await,
        SubmissionState::Completed
    );
    client.close().await;
}

#[tokio::test]
async fn an_interrupt_ends_a_turn_in_which_a_tool_runs() {
    let scenario = Scenario::default()
        .reply([bash("echo here > here; sleep 60")])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let options = live
        .options()
        .on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.unwrap();
    let mut submission = client.send("Work");
    line_of(&live.project().join("here")).await;
    let interrupted = client.interrupt().outcome().await.unwrap();
    assert_interrupted(interrupted, &mut submission, TerminalReason::AbortedTools).await;
    assert_eq!(
        client.send("And?").final_state().await,
        SubmissionState::Completed
    );
    client.close().await;
}

#[tokio::test]
async fn an_interrupt_ends_a_turn_that_waits_for_a_permission_and_the_late_answer_is_dropped() {
    let scenario = Scenario::default()
        .reply([bash("touch first")])
        .reply([bash("touch second")])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let (told, mut asks) = mpsc::unbounded_channel();
    // With this flag, the CLI echoes every response that it receives.
    let options = live
        .options()
        .flag("--replay-user-messages")
        .on_permission(move |ask| {
            let told = told.clone();
            async move {
                told.send("asked").unwrap();
                if ask.request.input.to_value().unwrap()["command"] == "touch first" {
                    ask.cancelled.cancelled().await;
                    told.send("cancelled").unwrap();
                }
                PermissionResult::allow()
            }
        });
    let mut client = Client::connect(options).await.unwrap();
    let mut log = client.subscribe();
    let mut submission = client.send("Touch it");
    assert_eq!(asks.recv().await, Some("asked"));
    let interrupted = client.interrupt().outcome().await.unwrap();
    assert_interrupted(interrupted, &mut submission, TerminalReason::AbortedTools).await;
    assert_eq!(asks.recv().await, Some("cancelled"));

    assert_eq!(
        client.send("Try again").final_state().await,
        SubmissionState::Completed
    );
    assert_eq!(asks.recv().await, Some("asked"));
    client.close().await;
    assert!(!live.project().join("first").exists());
    assert!(live.project().join("second").exists());
    let mut answers = 0;
    while let Some(Ok(event)) = log.next().await {
        if let Event::Notice(notice) = event {
            assert!(
                notice.to_string().contains("no pending request with id"),
                "{notice}"
            );
            assert!(matches!(notice, Notice::Wire(_)), "{notice:?}");
            answers += 1;
        }
    }
    assert_eq!(answers, 1, "the answer to the second ask, and no other");
}

#[tokio::test]
async fn an_interrupt_of_an_idle_session_finds_no_turn() {
    let live = Live::start(Scenario::default().reply([Step::text("Hello.")])).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let interrupted = client.interrupt().outcome().await.unwrap();
    assert_eq!(interrupted.receipt.still_queued, Some(vec![]));
    assert_eq!(interrupted.turn, None);

    let mut submission = client.send("Hello?");
    until_idle(&mut client).await;
    let interrupted = client.interrupt().outcome().await.unwrap();
    assert_eq!(interrupted.receipt.still_queued, Some(vec![]));
    assert_eq!(interrupted.turn, None);
    assert_eq!(submission.final_state().await, SubmissionState::Completed);
    let turn = submission.turn_ended().await.unwrap();
    assert_eq!((turn.turn, turn.outcome), (1, TurnOutcome::Completed));
    client.close().await;
}
