//! Tests of questions and plans of the model, on the real CLI.

use super::support::{Live, describe, wait_for};
use agentwire::protocol::permission::{PermissionMode, QuestionUnanswered};
use agentwire::{Activity, Client, Event, SessionUpdate};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::path::PathBuf;

/// Returns the events for one prompt.
async fn log_of(client: &mut Client, prompt: &str) -> Vec<String> {
    client.send(prompt).await.unwrap();
    let mut log = Vec::new();
    wait_for(client, |event| {
        log.extend(describe(event));
        if let Event::Session(SessionUpdate::PermissionMode(mode)) = event {
            log.push(format!("mode: {mode}"));
        }
        matches!(event, Event::Activity(Activity::Idle)).then_some(())
    })
    .await;
    log.retain(|line| !line.starts_with("call"));
    log
}

#[tokio::test]
async fn answers_of_the_user_reach_the_model() {
    let option = |label: &str| json!({"label": label, "description": "a leaf"});
    let question = |text: &str| {
        json!({"question": text, "header": "Drink", "multiSelect": true,
            "options": [option("Green"), option("Black")]})
    };
    let scenario = Scenario::default()
        .reply([Step::tool(
            "AskUserQuestion",
            json!({"questions": [question("Tea?"), question("Milk?"), question("Sugar?")]}),
            "",
        )])
        .reply([Step::text("Thank you.")]);
    let live = Live::start(scenario).await;
    let options = live.options().on_question(|ask| async move {
        assert_eq!(ask.ask.request.requires_user_interaction, Some(true));
        ask.answers()
            .choose("Tea?", ["Green", "Black"])
            .say("Milk?", "Only a drop")
            .unanswered("Sugar?", QuestionUnanswered::Skipped)
    });
    let mut client = Client::connect(options).await.unwrap();
    let log = log_of(&mut client, "Go").await;
    client.close().await;
    assert!(log[0].starts_with("tool answered"), "{log:?}");
    for answer in ["Green, Black", "Only a drop"] {
        assert!(log[0].contains(answer), "{log:?}");
    }
}

/// Returns the path of the plan file, from the model request.
async fn plan_file(live: &Live) -> PathBuf {
    let body = live.model.asked(0).await.body.unwrap().to_string();
    let (before, behind) = body.split_once("/plans/").unwrap();
    let folder = before.rfind([' ', '`', '"', '(', '\n']).unwrap() + 1;
    let name = behind.find(".md").unwrap();
    PathBuf::from(format!(
        "{}/plans/{}.md",
        &before[folder..],
        &behind[..name]
    ))
}

#[tokio::test]
async fn a_plan_is_approved_or_changed_or_sent_back() {
    for (what, expected, mode) in [
        ("approve", "Dig a hole.", Some("mode: default")),
        ("approve and edit", "Dig a hole.", Some("mode: acceptEdits")),
        ("change", "Fill a hole.", Some("mode: default")),
        ("reject", "Where will the earth go?", None),
    ] {
        let scenario = Scenario::default()
            .reply([Step::text("I think about it.")])
            .reply([Step::tool("ExitPlanMode", json!({}), "")])
            .reply([Step::text("Well.")]);
        let live = Live::start(scenario).await;
        let options = live
            .options()
            .permission_mode(PermissionMode::Plan)
            .on_plan(move |plan| async move {
                assert_eq!(plan.text(), Some("Dig a hole."));
                match what {
                    "approve" => plan.approve(),
                    "approve and edit" => plan.approve_in(PermissionMode::AcceptEdits),
                    "change" => plan.approve_changed("Fill a hole."),
                    _ => plan.reject("Where will the earth go?"),
                }
            });
        let mut client = Client::connect(options).await.unwrap();
        log_of(&mut client, "Plan").await;
        let file = plan_file(&live).await;
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "Dig a hole.").unwrap();
        let log = log_of(&mut client, "Go").await;
        client.close().await;
        let answer = log.iter().find(|line| line.starts_with("tool ")).unwrap();
        assert!(answer.contains(expected), "{what}: {log:?}");
        assert_eq!(answer.starts_with("tool answered"), what != "reject");
        let mut modes = log.iter().filter(|line| line.starts_with("mode"));
        assert_eq!(modes.next_back().map(String::as_str), mode, "{what}");
    }
}
