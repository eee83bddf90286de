//! Tests of background tasks of the real CLI, and of the turns that follow them.

use crate::support::{LONG, Live, wait_for};
use agentwire::protocol::message::MessageOrigin;
use agentwire::{
    Activity, Client, Event, PermissionResult, Query, SubmissionState, TurnEvent, query,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Notify;

/// The events of turns, background tasks and idleness, and a line for consecutive
/// messages of a sub-agent.
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

/// Returns a command that waits until a word is sent.
fn waiting_for(word: &str) -> String {
    format!("mkfifo {word} 2>/dev/null; read answer < {word}; echo $answer")
}

/// Sends a word to a command, which may not wait for it yet.
fn send_word(live: &Live, word: &str) {
    let file = live.project().join(word);
    // A failed test would wait for a task of the runtime, so this is a thread.
    std::thread::spawn(move || std::fs::write(file, "done\n").unwrap());
}

/// Returns a call that starts a background task, which ends after the word `go`.
fn start_task() -> Step {
    let input = json!({ "command": waiting_for("go"), "run_in_background": true });
    Step::tool("Bash", input, "")
}

/// The expected events of a background task that ends while the session is idle.
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
async fn a_task_that_ends_starts_a_turn_without_messages() {
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
    // The message is completed before the task ends.
    assert_eq!(submission.state(), SubmissionState::Completed);
    let first = submission.turn_ended().await.unwrap();
    assert_eq!(first.messages, [Box::from(submission.uuid())]);

    send_word(&live, "go");
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

/// Runs a query that allows every call. Returns its log at its end.
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
async fn a_query_continues_until_the_end_of_the_turn_after_its_task() {
    let scenario = Scenario::default()
        .reply([start_task()])
        .reply([Step::text("It runs.")])
        .reply([bash("touch reported")])
        .reply([Step::text("It is over.")]);
    let live = Live::start(scenario).await;
    let log = ask(&live, |event, log| {
        if matches!(event, Event::Activity(Activity::Idle)) && log.0.len() == 5 {
            send_word(&live, "go");
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
        Event::Background(tasks) if tasks.is_empty() => send_word(&live, "on"),
        Event::Background(_) => send_word(&live, "go"),
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
async fn messages_of_a_background_agent_start_no_turn_but_its_report_does() {
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
    // The sub-agent continues after the turn that started it.
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
                // Ignore the output of the sub-agent before this point.
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
