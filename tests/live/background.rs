//! Background tasks of the real CLI, and the turns that follow them.

use crate::support::{LONG, Live, wait_for};
use agentwire::protocol::message::MessageOrigin;
use agentwire::{
    Activity, Client, Event, PermissionResult, Query, SubmissionState, TurnEvent, query,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Notify;

/// What is told of turns, of the background and of rest; and that a sub-agent
/// speaks, however much it says.
#[derive(Default)]
struct Log(Vec<String>);

impl Log {
    fn see(&mut self, event: &Event) {
        let line = match event {
            Event::Turn(TurnEvent::Started { turn }) => format!("turn {turn}"),
            Event::Turn(TurnEvent::PickedUp { turn, .. }) => format!("turn {turn} answers"),
            Event::Turn(TurnEvent::Ended(end)) => format!("turn {} {}", end.turn, end.outcome),
            Event::Background(tasks) => {
                let kinds = tasks.iter().filter_map(|it| it.task_type.as_deref());
                format!("background: {}", kinds.collect::<Vec<_>>().join(" "))
            }
            Event::Activity(Activity::Idle) => "idle".to_owned(),
            Event::Frame(frame) if frame.kind() == "assistant" => {
                let said: Value = frame.read().unwrap();
                if said["parent_tool_use_id"].is_null() {
                    return;
                }
                "a sub-agent speaks".to_owned()
            }
            _ => return,
        };
        if self.0.last() != Some(&line) {
            self.0.push(line);
        }
    }

    fn is_at(&self, line: &str) -> bool {
        self.0.last().is_some_and(|last| last == line)
    }
}

fn bash(command: &str) -> Step {
    Step::tool("Bash", json!({ "command": command }), "")
}

/// A command that waits for its word.
fn waiting_for(word: &str) -> String {
    format!("mkfifo {word} 2>/dev/null; read answer < {word}; echo $answer")
}

/// Gives a command its word; it may not wait yet.
fn give(live: &Live, word: &str) {
    let file = live.project().join(word);
    // The runtime would wait for a task of its own when the test has failed.
    std::thread::spawn(move || std::fs::write(file, "done\n").unwrap());
}

/// Starts a task in the background that ends at the word `go`.
fn start_task() -> Step {
    let input = json!({ "command": waiting_for("go"), "run_in_background": true });
    Step::tool("Bash", input, "")
}

/// Of a task that ends when the session rests.
const TASK: [&str; 9] = [
    "turn 1",
    "turn 1 answers",
    "background: local_bash",
    "turn 1 completed",
    "idle",
    "background: ",
    "turn 2",
    "turn 2 completed",
    "idle",
];

#[tokio::test]
async fn a_task_that_ends_in_the_background_begins_a_turn_that_answers_nobody() {
    let scenario = Scenario::default()
        .reply([start_task()])
        .reply([Step::text("It runs.")])
        .reply([Step::text("It is over.")]);
    let live = Live::start(scenario).await;
    let options = live
        .options()
        .on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.unwrap();
    let mut submission = client.send("Start it");
    let mut log = Log::default();
    wait_for(&mut client, |event| {
        log.see(event);
        log.is_at("idle").then_some(())
    })
    .await;
    // Before the task is over, the message is.
    assert_eq!(submission.state(), SubmissionState::Completed);
    let first = submission.turn_ended().await.unwrap();
    assert_eq!(first.messages, [Box::from(submission.uuid())]);

    give(&live, "go");
    let own = wait_for(&mut client, |event| {
        log.see(event);
        match event {
            Event::Turn(TurnEvent::Ended(end)) => Some(end.clone()),
            _ => None,
        }
    })
    .await;
    wait_for(&mut client, |event| {
        log.see(event);
        log.is_at("idle").then_some(())
    })
    .await;
    assert_eq!(log.0, TASK);
    assert!(own.messages.is_empty(), "{own:?}");
    let origin = own.result().unwrap().origin;
    assert!(
        matches!(origin, Some(MessageOrigin::TaskNotification(_))),
        "{origin:?}"
    );
    assert!(Arc::ptr_eq(&submission.turn_ended().await.unwrap(), &first));
    client.close().await;
}

/// A query in which everything may run, read to its end.
async fn ask(live: &Live, mut on: impl FnMut(&Event, &Log)) -> Log {
    let options = live
        .options()
        .on_permission(|_| async { PermissionResult::allow() });
    let mut answer = query("Start it", options).await.unwrap();
    let mut log = Log::default();
    let next = async |answer: &mut Query| {
        let next = tokio::time::timeout(LONG, answer.next()).await;
        next.unwrap_or_else(|_| panic!("nothing came for {LONG:?}"))
    };
    while let Some(event) = next(&mut answer).await {
        let event = event.unwrap();
        log.see(&event);
        on(&event, &log);
    }
    log
}

#[tokio::test]
async fn a_query_goes_on_and_answers_until_the_turn_of_its_task_is_over() {
    let scenario = Scenario::default()
        .reply([start_task()])
        .reply([Step::text("It runs.")])
        .reply([bash("touch reported")])
        .reply([Step::text("It is over.")]);
    let live = Live::start(scenario).await;
    let log = ask(&live, |event, log| {
        if matches!(event, Event::Activity(Activity::Idle)) && log.0.len() == 5 {
            give(&live, "go");
        }
    });
    assert_eq!(log.await.0, TASK);
    // The permission request requires an open input.
    assert!(live.project().join("reported").exists());
}

#[tokio::test]
async fn a_query_ends_with_the_turn_that_hears_of_its_task_while_it_runs() {
    let scenario = Scenario::default()
        .reply([start_task()])
        .reply([bash(&waiting_for("on"))])
        .reply([Step::text("Both are over.")]);
    let live = Live::start(scenario).await;
    let log = ask(&live, |event, _| match event {
        Event::Background(tasks) if tasks.is_empty() => give(&live, "on"),
        Event::Background(_) => give(&live, "go"),
        _ => {}
    });
    assert_eq!(
        log.await.0,
        [
            "turn 1",
            "turn 1 answers",
            "background: local_bash",
            "background: ",
            "turn 1 completed",
            "idle",
        ]
    );
}

#[tokio::test]
async fn what_an_agent_in_the_background_says_begins_no_turn_and_its_report_does() {
    let ask = json!({
        "description": "Touch it",
        "prompt": "Touch it.",
        "subagent_type": "general-purpose",
        "run_in_background": true,
    });
    let scenario = Scenario::default()
        .reply([Step::tool("Agent", ask, "")])
        .reply([Step::text("Somebody does it.")])
        .reply([Step::text("It was done.")])
        .subagent([bash("touch made")])
        .subagent([Step::text("I did it.")]);
    let live = Live::start(scenario).await;
    // It continues after the turn that started it.
    let is_over = Arc::new(Notify::new());
    let goes_on = Arc::clone(&is_over);
    let options = live.options().on_permission(move |ask| {
        let goes_on = Arc::clone(&goes_on);
        async move {
            assert!(ask.request.agent_id.is_some());
            goes_on.notified().await;
            PermissionResult::allow()
        }
    });
    let mut answer = query("Have it touched", options).await.unwrap();
    let mut log = Log::default();
    let mut ends = vec![];
    while let Some(event) = answer.next().await {
        let event = event.unwrap();
        if let Event::Turn(TurnEvent::Ended(end)) = &event {
            if ends.is_empty() {
                // Earlier output is not relevant.
                log.0.retain(|line| line != "a sub-agent speaks");
                is_over.notify_one();
            }
            ends.push(end.clone());
        }
        log.see(&event);
    }
    assert_eq!(
        log.0,
        [
            "turn 1",
            "turn 1 answers",
            "background: local_agent",
            "turn 1 completed",
            "a sub-agent speaks",
            "background: ",
            "turn 2",
            "turn 2 completed",
            "idle",
        ]
    );
    assert_eq!((ends[0].messages.len(), ends[1].messages.len()), (1, 0));
    let origin = ends[1].result().unwrap().origin;
    assert!(
        matches!(origin, Some(MessageOrigin::TaskNotification(_))),
        "{origin:?}"
    );
    assert!(live.project().join("made").exists());
}
