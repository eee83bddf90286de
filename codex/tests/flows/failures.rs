//! Failures: of the model's API, and of the process in each phase.

use crate::world::{World, command, never_answers, processes, real, waiting_command};
use agentwire::process::CloseStep;
use agentwire_codex::Codex;
use agentwire_codex::machine::{Event, RequestError, SubmissionError, TurnEnd, TurnOutcome};
use agentwire_codex::wire::{Item, NamedPolicy, Notification};
use agentwire_protocol::Json;
use agentwire_testkit::fake_agent::Gates;
use agentwire_testkit::{Reply, Step, When};

/// Returns the end of a turn whose requests all get this error.
async fn failed_turn(status: u16, kind: &str, after: &str) -> (TurnEnd, World) {
    let error = Reply::new([Step::error(status, kind, "No.")]).times(20);
    let world = World::new([error, Reply::new([Step::text(after)])]).await;
    let end = world.thread().await.send("Go").await.unwrap();
    (end, world)
}

/// Returns the error of a turn as JSON.
fn error(end: &TurnEnd) -> String {
    serde_json::to_string(&end.turn().unwrap().error.unwrap()).unwrap()
}

#[tokio::test]
async fn a_key_that_the_api_rejects_fails_the_turn() {
    let (end, _world) = failed_turn(401, "authentication_error", "").await;
    assert_eq!(end.outcome, TurnOutcome::Failed);
    assert!(error(&end).contains("401"), "{}", error(&end));
}

#[tokio::test]
async fn an_invalid_request_fails_the_turn() {
    let (end, _world) = failed_turn(400, "invalid_request_error", "").await;
    assert_eq!(end.outcome, TurnOutcome::Failed);
}

#[tokio::test]
async fn an_api_that_fails_is_tried_again_and_then_fails_the_turn() {
    let (end, world) = failed_turn(500, "api_error", "").await;
    assert_eq!(end.outcome, TurnOutcome::Failed);
    if let Some(requests) = world.requests() {
        assert!(requests.len() > 1);
    }
}

#[tokio::test]
async fn an_api_that_limits_the_rate_fails_the_turn() {
    let (end, _world) = failed_turn(429, "rate_limit_error", "").await;
    assert_eq!(end.outcome, TurnOutcome::Failed);
}

#[tokio::test]
async fn after_a_failure_the_next_turn_runs() {
    let error = Reply::new([Step::error(400, "invalid_request_error", "No.")]);
    let world = World::new([error, Reply::new([Step::text("Well.")])]).await;
    let thread = world.thread().await;
    assert_eq!(thread.send("1").await.unwrap().outcome, TurnOutcome::Failed);
    assert_eq!(thread.send("2").await.unwrap().text(), "Well.");
}

#[tokio::test]
async fn a_stream_that_is_cut_is_repeated() {
    let world = World::new([
        vec![Step::text("Half"), Step::Cut],
        vec![Step::text("Whole.")],
    ])
    .await;
    let thread = world.thread().await;
    let mut events = world.codex.events();
    assert_eq!(thread.send("1").await.unwrap().text(), "Whole.");
    let mut retries = 0;
    while let Ok(event) = events.try_recv() {
        if let Event::Notification(frame) = event
            && let Notification::Error(it) = frame.notification()
        {
            assert!(it.will_retry);
            retries += 1;
        }
    }
    assert_eq!(retries, 1);
}

#[tokio::test]
async fn an_interrupt_ends_the_retries_of_an_api_that_fails() {
    let error = Reply::new([Step::error(500, "api_error", "No.")]).always();
    let world = World::new([error]).await;
    let options = world.options_with_retries(NamedPolicy::Never, 100);
    let thread = world.codex.start(options).await.unwrap();
    let mut events = world.codex.events();
    let turn = thread.send("1");
    loop {
        if let Event::Notification(frame) = events.recv().await.unwrap()
            && matches!(frame.notification(), Notification::Error(it) if it.will_retry)
        {
            break;
        }
    }
    let stopped = thread.interrupt().await.unwrap().unwrap();
    assert_eq!(stopped.outcome, TurnOutcome::Interrupted);
    assert_eq!(turn.await.unwrap().outcome, TurnOutcome::Interrupted);
}

/// Kills Codex, as the system does when its memory is full.
fn kill(codex: &Codex) {
    let pid = codex.pid().unwrap().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(killed.unwrap().success());
}

/// Asserts that a message ended with the process.
fn assert_ended(outcome: Result<TurnEnd, SubmissionError>) {
    match outcome {
        Err(SubmissionError::Request(RequestError::Ended(why))) => {
            assert!(why.contains("signal: 9"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

/// Asserts that no process of Codex and its commands remains.
async fn assert_gone(world: &World) {
    let report = world.codex.close().await.unwrap();
    assert_eq!(report.remaining, [] as [u32; 0], "{report:?}");
    assert_eq!(processes(world.home.path()), []);
}

#[tokio::test]
async fn a_kill_of_an_idle_process_fails_what_comes() {
    let world = World::new([[Step::text("Never.")]]).await;
    let thread = world.thread().await;
    kill(&world.codex);
    assert_ended(thread.send("1").await);
    let refused = world
        .codex
        .request_raw("model/list", &Json::of_text("{}"))
        .await;
    assert!(refused.is_err());
    assert!(thread.interrupt().await.is_err());
    assert_gone(&world).await;
}

#[tokio::test]
async fn a_kill_while_text_streams_fails_the_turn_and_what_waits() {
    let world = World::new([[Step::text("One."), Step::gate("g")]]).await;
    let thread = world.thread().await;
    let (turn, waits) = (thread.send("1"), thread.send("2"));
    world.reached("g").await;
    kill(&world.codex);
    assert_ended(turn.await);
    assert_ended(waits.await);
    assert_gone(&world).await;
}

#[tokio::test]
async fn a_kill_during_a_command_leaves_no_process() {
    let gates = Gates::new().unwrap();
    let replies = [[waiting_command(&gates, "c")]];
    let world = World::with(gates, replies).await;
    let thread = world.thread().await;
    let mut events = world.codex.events();
    let turn = thread.send("1");
    loop {
        if let Event::Notification(frame) = events.recv().await.unwrap()
            && let Notification::ItemStarted(it) = frame.notification()
            && matches!(it.item, Item::CommandExecution(_))
        {
            break;
        }
    }
    kill(&world.codex);
    assert_ended(turn.await);
    assert_gone(&world).await;
}

#[tokio::test]
async fn a_kill_with_an_open_approval_drops_its_callback() {
    let world = World::new([[command("touch made", "")]]).await;
    let options = world.options(NamedPolicy::Untrusted);
    let (options, mut asked) = never_answers(options);
    let thread = world.codex.start(options).await.unwrap();
    let turn = thread.send("1");
    let is_dropped = asked.recv().await.unwrap();
    kill(&world.codex);
    assert_ended(turn.await);
    is_dropped.await.unwrap_err();
    assert_gone(&world).await;
}

#[tokio::test]
async fn a_turn_that_a_kill_cut_off_is_in_the_history_as_interrupted() {
    let mut world = World::new([
        Reply::new([Step::text("Two.")]).when(When::prompt_contains("2")),
        Reply::new([Step::text("One."), Step::gate("g")]).when(When::prompt_contains("1")),
    ])
    .await;
    let thread = world.thread().await;
    let turn = thread.send("1");
    world.reached("g").await;
    kill(&world.codex);
    assert_ended(turn.await);
    world.restart().await;
    let options = world.options(NamedPolicy::Never);
    let resumed = world.codex.resume(thread.id(), options).await.unwrap();
    let items = resumed.items().await.unwrap();
    assert!(matches!(items[0].item, Item::UserMessage(_)), "{items:?}");
    assert!(resumed.send("2").await.unwrap().is_completed());
}

#[tokio::test]
async fn closing_ends_a_command() {
    let gates = Gates::new().unwrap();
    let replies = [[waiting_command(&gates, "c")]];
    let world = World::with(gates, replies).await;
    let thread = world.thread().await;
    let turn = thread.send("1");
    world.reached("c").await;
    let report = world.codex.close().await.unwrap();
    // Codex ends its commands when its input ends.
    assert!(
        real().is_none() || matches!(report.step, CloseStep::Exited),
        "{report:?}"
    );
    match turn.await {
        Err(SubmissionError::Request(RequestError::Ended(why))) => {
            assert!(why.contains("closed"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_program_that_is_no_codex_is_an_error_with_its_last_words() {
    let options = agentwire_codex::CodexOptions::new().program("false");
    let error = Codex::spawn(options).await.unwrap_err();
    assert!(error.to_string().contains("exit status: 1"), "{error}");
    let options = agentwire_codex::CodexOptions::new().program("no-such-program");
    Codex::spawn(options).await.unwrap_err();
}
