//! Turns: started, steered, interrupted, in every state.

use crate::world::{World, command, outputs, real, user_texts, waiting_command};
use agentwire_codex::machine::{Event, SubmissionError, TurnOutcome};
use agentwire_codex::wire::{Item, Notification};
use agentwire_codex::{Priority, Prompt, Thread};
use agentwire_protocol::host::SubmissionState;
use agentwire_testkit::Step;
use agentwire_testkit::fake_agent::Gates;
use tokio::sync::broadcast::Receiver;

/// Waits for a notification.
async fn until(events: &mut Receiver<Event>, mut wanted: impl FnMut(&Notification) -> bool) {
    loop {
        if let Event::Notification(frame) = events.recv().await.unwrap()
            && wanted(&frame.notification())
        {
            return;
        }
    }
}

async fn until_text(events: &mut Receiver<Event>) {
    until(events, |it| {
        matches!(it, Notification::AgentMessageDelta(_))
    })
    .await;
}

/// Returns the texts of all agent messages of a thread.
async fn texts(thread: &Thread) -> Vec<String> {
    let items = thread.items().await.unwrap();
    let texts = items.into_iter().filter_map(|it| match it.item {
        Item::AgentMessage(it) => Some(it.text),
        _ => None,
    });
    texts.collect()
}

#[tokio::test]
async fn a_turn_streams_its_text_and_ends() {
    let world = World::new([[Step::text("Hello from the model.")]]).await;
    let thread = world.thread().await;
    let mut events = world.codex.events();
    let end = thread.send("Hello").await.unwrap();
    assert_eq!(end.outcome, TurnOutcome::Completed);
    assert_eq!(end.text(), "Hello from the model.");
    let mut streamed = String::new();
    until(&mut events, |it| match it {
        Notification::AgentMessageDelta(it) => {
            streamed += &it.delta;
            false
        }
        it => matches!(it, Notification::TurnCompleted(_)),
    })
    .await;
    assert_eq!(streamed, "Hello from the model.");
    assert!(thread.usage().unwrap().total.total_tokens > 0);
    assert!(
        thread.differences().is_empty(),
        "{:?}",
        thread.differences()
    );
}

#[tokio::test]
async fn reasoning_is_an_item_of_its_own() {
    let world = World::new([[Step::thinking("Let me think."), Step::text("Done.")]]).await;
    let thread = world.thread().await;
    thread.send("Think").await.unwrap();
    let items = thread.items().await.unwrap();
    let summary = items.iter().find_map(|it| match &it.item {
        Item::Reasoning(it) => Some(it.summary.clone()),
        _ => None,
    });
    assert_eq!(summary.unwrap().unwrap(), ["Let me think."]);
}

#[tokio::test]
async fn messages_wait_for_the_turn_that_runs() {
    let steps = [
        vec![Step::gate("g"), Step::text("One.")],
        vec![Step::text("Two.")],
    ];
    let world = World::new(steps).await;
    let thread = world.thread().await;
    let (first, second) = (thread.send("1"), thread.send("2"));
    world.reached("g").await;
    world.open("g");
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    assert_eq!(
        (first.text(), second.text()),
        ("One.".into(), "Two.".into())
    );
    assert_ne!(first.turn_id, second.turn_id);
}

#[tokio::test]
async fn an_interrupt_before_the_turn_has_started_stops_it() {
    let world = World::new([[Step::gate("g"), Step::text("Never.")]]).await;
    let thread = world.thread().await;
    let turn = thread.send("Go");
    let stopped = thread.interrupt().await.unwrap().unwrap();
    assert_eq!(stopped.outcome, TurnOutcome::Interrupted);
    match turn.await {
        Ok(end) => assert_eq!(end.outcome, TurnOutcome::Interrupted),
        Err(error) => assert_eq!(error, SubmissionError::NotRead),
    }
}

#[tokio::test]
async fn an_interrupt_stops_a_text() {
    let steps = [
        vec![
            Step::text("One two."),
            Step::gate("g"),
            Step::text("Never."),
        ],
        vec![Step::text("Next.")],
    ];
    let world = World::new(steps).await;
    let thread = world.thread().await;
    let mut events = world.codex.events();
    let (turn, next) = (thread.send("Go"), thread.send("Then"));
    until_text(&mut events).await;
    let stopped = thread.interrupt().await.unwrap().unwrap();
    assert_eq!(stopped.outcome, TurnOutcome::Interrupted);
    assert_eq!(turn.await.unwrap().outcome, TurnOutcome::Interrupted);
    // What waits is sent then.
    assert_eq!(next.await.unwrap().text(), "Next.");
}

#[tokio::test]
async fn an_interrupt_ends_the_command_that_runs() {
    let gates = Gates::new().unwrap();
    let replies = [
        vec![waiting_command(&gates, "c")],
        vec![Step::text("Next.")],
    ];
    let world = World::with(gates, replies).await;
    let thread = world.thread().await;
    let mut events = world.codex.events();
    let turn = thread.send("Run");
    // Codex itself ends a command that is so new that it has no item.
    until(&mut events, |it| match it {
        Notification::ItemStarted(it) => matches!(it.item, Item::CommandExecution(_)),
        _ => false,
    })
    .await;
    let stopped = thread.interrupt().await.unwrap().unwrap();
    assert_eq!(stopped.outcome, TurnOutcome::Interrupted);
    assert_eq!(turn.await.unwrap().outcome, TurnOutcome::Interrupted);
    // Codex leaves it running; its item completes when it has been terminated.
    until(&mut events, |it| match it {
        Notification::ItemCompleted(it) => matches!(it.item, Item::CommandExecution(_)),
        _ => false,
    })
    .await;
    assert_eq!(thread.send("Next").await.unwrap().text(), "Next.");
}

#[tokio::test]
async fn an_interrupt_of_an_idle_thread_stops_nothing() {
    let world = World::new([[Step::text("Hello.")]]).await;
    let thread = world.thread().await;
    assert!(thread.interrupt().await.unwrap().is_none());
    assert!(thread.send("Hello").await.unwrap().is_completed());
    assert!(thread.interrupt().await.unwrap().is_none());
}

#[tokio::test]
async fn steering_cuts_off_the_text_and_joins_the_turn() {
    let steps = [
        vec![
            Step::text("Cut off."),
            Step::gate("g"),
            Step::text("Never."),
        ],
        vec![Step::text("As you say.")],
    ];
    let world = World::new(steps).await;
    let thread = world.thread().await;
    let mut events = world.codex.events();
    let turn = thread.send("Go");
    until_text(&mut events).await;
    let steered = thread.steer("No, this");
    let (turn, steered) = (turn.await.unwrap(), steered.await.unwrap());
    assert_eq!(turn.turn_id, steered.turn_id);
    assert_eq!(steered.text(), "As you say.");
    if let Some(requests) = world.requests() {
        assert_eq!(user_texts(requests.last().unwrap()), ["Go", "No, this"]);
    }
}

#[tokio::test]
async fn steering_waits_for_a_command() {
    let gates = Gates::new().unwrap();
    let replies = [
        vec![waiting_command(&gates, "c")],
        vec![Step::text("As you say.")],
    ];
    let world = World::with(gates, replies).await;
    let thread = world.thread().await;
    let turn = thread.send("Run");
    world.reached("c").await;
    let mut events = world.codex.events();
    let steered = thread.steer("And this");
    loop {
        let event = events.recv().await.unwrap();
        if let Event::Submission { id, state, .. } = event
            && *id == *steered.id()
            && state == SubmissionState::Queued
        {
            break;
        }
    }
    world.open("c");
    let (turn, steered) = (turn.await.unwrap(), steered.await.unwrap());
    assert_eq!(turn.turn_id, steered.turn_id);
    if let Some(requests) = world.requests() {
        assert_eq!(user_texts(requests.last().unwrap()), ["Run", "And this"]);
    }
}

#[tokio::test]
async fn steering_a_turn_that_begins_joins_it() {
    let world = World::new([vec![Step::text("One.")], vec![Step::text("Two.")]]).await;
    let thread = world.thread().await;
    let (turn, steered) = (thread.send("Go"), thread.steer("And this"));
    let (turn, steered) = (turn.await.unwrap(), steered.await.unwrap());
    assert!(turn.is_completed() && steered.is_completed());
}

#[tokio::test]
async fn steering_an_idle_thread_starts_a_turn() {
    let world = World::new([[Step::text("Hello.")]]).await;
    let thread = world.thread().await;
    assert_eq!(thread.steer("Hello").await.unwrap().text(), "Hello.");
}

#[tokio::test]
async fn a_message_that_an_interrupted_turn_has_not_read_starts_the_next() {
    let gates = Gates::new().unwrap();
    let replies = [
        vec![waiting_command(&gates, "c")],
        vec![Step::text("As you say.")],
    ];
    let world = World::with(gates, replies).await;
    let thread = world.thread().await;
    let turn = thread.send("Run");
    world.reached("c").await;
    let steered = thread.steer("And this");
    thread.interrupt().await.unwrap().unwrap();
    assert_eq!(turn.await.unwrap().outcome, TurnOutcome::Interrupted);
    let steered = steered.await.unwrap();
    assert_eq!(steered.outcome, TurnOutcome::Completed);
    assert_eq!(steered.text(), "As you say.");
    if let Some(requests) = world.requests() {
        assert_eq!(user_texts(requests.last().unwrap()), ["Run", "And this"]);
    }
}

#[tokio::test]
async fn a_message_with_the_priority_now_interrupts_the_turn() {
    let steps = [
        vec![Step::text("One."), Step::gate("g"), Step::text("Never.")],
        vec![Step::text("At once.")],
        vec![Step::text("Later.")],
    ];
    let world = World::new(steps).await;
    let thread = world.thread().await;
    let mut events = world.codex.events();
    let (turn, later) = (thread.send("Go"), thread.send("Later"));
    until_text(&mut events).await;
    let now = thread.send(Prompt::new("Now").priority(Priority::Now));
    assert_eq!(turn.await.unwrap().outcome, TurnOutcome::Interrupted);
    assert_eq!(now.await.unwrap().text(), "At once.");
    assert_eq!(later.await.unwrap().text(), "Later.");
}

#[tokio::test]
async fn a_message_can_be_withdrawn_until_it_is_sent() {
    let world = World::new([[Step::gate("g"), Step::text("One.")]]).await;
    let thread = world.thread().await;
    let (turn, second) = (thread.send("1"), thread.send("2"));
    world.reached("g").await;
    assert!(second.withdraw());
    assert!(!turn.withdraw());
    assert_eq!(second.await.unwrap_err(), SubmissionError::Withdrawn);
    world.open("g");
    assert_eq!(turn.await.unwrap().text(), "One.");
    assert_eq!(texts(&thread).await, ["One."]);
}

#[tokio::test]
async fn steering_with_options_of_a_turn_is_refused() {
    let world = World::new([[Step::text("Hello.")]]).await;
    let thread = world.thread().await;
    let refused = thread.steer(Prompt::new("Go").model("gpt-5.4")).await;
    assert_eq!(refused.unwrap_err(), SubmissionError::OptionsOfSteering);
}

#[tokio::test]
async fn messages_wait_for_a_compaction() {
    let world = World::new([
        [Step::text("One.")],
        [Step::text("Summary.")],
        [Step::text("Two.")],
    ])
    .await;
    let thread = world.thread().await;
    thread.send("1").await.unwrap();
    thread.compact().await.unwrap();
    assert_eq!(thread.send("2").await.unwrap().text(), "Two.");
    let items = thread.items().await.unwrap();
    assert!(
        items
            .iter()
            .any(|it| matches!(it.item, Item::ContextCompaction(_)))
    );
}

#[tokio::test]
async fn a_command_has_its_output() {
    let world = World::new([vec![command("echo hi", "hi\n")], vec![Step::text("Done.")]]).await;
    let thread = world.thread().await;
    thread.send("Run").await.unwrap();
    let items = thread.items().await.unwrap();
    let output = items.iter().find_map(|it| match &it.item {
        Item::CommandExecution(it) => Some((it.exit_code, it.aggregated_output.clone())),
        _ => None,
    });
    assert_eq!(output.unwrap(), (Some(0), Some("hi\n".to_owned())));
    if let Some(requests) = world.requests() {
        assert!(outputs(requests.last().unwrap())[0].contains("hi"));
    }
    assert!(real().is_some() || world.requests().is_none());
}
