//! Tests with scripts that emulate CLIs of other versions.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::hook::HookCall;
use agentwire::permission::PermissionRequest;
use agentwire::process::CliVersion;
use agentwire::protocol::hook::{PreToolUse, PreToolUseOutput};
use agentwire::protocol::permission::PermissionResult;
use agentwire::{Client, Error, Hook, Later, Options, SubmissionState};
use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::path::Path;
use support::peer::connect_with;
use support::{answering, fake, hasty, script, until_idle};
use tokio::sync::mpsc;

/// Returns options for a CLI of this version, which records its arguments.
fn of_version(folder: &TempDir, version: &str) -> Options {
    let calls = folder.path().join("calls");
    let text = format!(
        r#"echo "$@" >> {}
if [ "$1" = --version ]; then echo '{version} (Claude Code)'; exit; fi
for argument; do
    case $argument in --effort*) echo "error: unknown option '$argument'" >&2; exit 1 ;; esac
done
read -r line
id=$(printf %s "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
echo '{{"type":"control_response","response":{{"subtype":"success","request_id":"'$id'","response":{{}}}}}}'
cat > /dev/null"#,
        calls.display()
    );
    Options::new()
        .cli(script(folder, &text))
        .close_policy(hasty())
}

/// Returns how often the version was requested.
fn version_requests(folder: &TempDir) -> usize {
    let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
    calls.lines().filter(|line| *line == "--version").count()
}

#[tokio::test]
async fn the_version_is_requested_only_if_an_option_depends_on_it_and_once_per_file() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = of_version(&folder, "2.1.197");
    drop(Client::connect(options.clone()).await.unwrap());
    assert_eq!(version_requests(&folder), 0);
    let prompted = || options.clone().system_prompt("You are a crab.");
    for _ in 0..2 {
        let client = Client::connect(prompted()).await.unwrap();
        assert_eq!(client.version(), Some("2.1.197"));
    }
    assert_eq!(version_requests(&folder), 1);
    let told = prompted().cli_version(CliVersion::new(2, 0, 77));
    let client = Client::connect(told).await.unwrap();
    assert_eq!(
        (client.version(), version_requests(&folder)),
        (Some("2.0.77"), 1)
    );

    // Another CLI replaces the first one.
    let cli = folder.path().join("cli");
    let text = std::fs::read_to_string(&cli).unwrap();
    let before = cli.metadata().unwrap().modified().unwrap();
    let changed = text.replace("2.1.197", "2.1.332");
    while cli.metadata().unwrap().modified().unwrap() == before {
        let writing = ["-c", "printf %s \"$2\" > \"$1\"", "sh"];
        let mut write = std::process::Command::new("sh");
        write.args(writing).arg(&cli).arg(&changed);
        assert!(write.status().unwrap().success());
    }
    let client = Client::connect(prompted()).await.unwrap();
    assert_eq!(
        (client.version(), version_requests(&folder)),
        (Some("2.1.332"), 2)
    );
}

#[tokio::test]
async fn a_cli_before_2_0_0_is_an_error_if_its_version_is_known() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = of_version(&folder, "1.0.128");
    let queried = options.clone().system_prompt("You are a crab.");
    let given = options.clone().cli_version(CliVersion::new(1, 0, 128));
    for options in [queried, given] {
        let error = Client::connect(options).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "Claude Code 1.0.128 is not supported; agentwire requires 2.0.0 or later"
        );
        assert!(matches!(error, Error::TooOld { option: None, .. }));
    }
    // The CLI was started only to print its version.
    let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
    assert_eq!(calls, "--version\n");
    drop(Client::connect(options).await.unwrap());
    assert_eq!(version_requests(&folder), 1);
}

#[tokio::test]
async fn the_error_of_a_refused_option_has_the_version_that_supports_it() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = of_version(&folder, "2.0.77");
    let effort = agentwire::protocol::model::EffortLevel::Low;
    let error = Client::connect(options.effort(effort)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Claude Code 2.0.77 does not support the option `effort`; it requires 2.1.38 or later"
    );
    assert!(matches!(error, Error::TooOld { .. }));
}

#[tokio::test]
async fn a_verbatim_message_is_not_sent_to_a_cli_that_would_expand_it() {
    let folder = agentwire_testing::tempdir().unwrap();
    let options = answering(
        &folder,
        r#"{"claude_code_version":"2.1.247"}"#,
        "cat > /dev/null",
    );
    let client = Client::connect(options).await.unwrap();
    let message = agentwire::UserMessage::text("See @notes").verbatim();
    let mut submission = client.send(message);
    let error = submission.written().await.unwrap_err();
    assert!(matches!(error, Error::TooOld { .. }), "{error}");
    assert!(submission.final_state().await == SubmissionState::Lost);
    assert!(client.send("See @notes").await.is_ok());
}

/// Returns the decision about this request with a CLI of this version.
async fn decided(version: Option<CliVersion>, request: &Value) -> (Value, String) {
    let change = |call: HookCall<PreToolUse>| async move {
        drop(call);
        PreToolUseOutput::allow_with(json!({"command": "true"}))
    };
    let mut options = Options::new()
        .hook(Hook::new(change))
        .on_plan(|plan| async move { plan.approve_changed("Fill a hole.") });
    if let Some(version) = version {
        options = options.cli_version(version);
    }
    let answer = json!({"hooks_applied": true});
    let (client, mut agent, initialize) = connect_with(options, &answer).await;
    let _client = client.unwrap();
    let mut request = request.clone();
    request["callback_id"] = initialize["hooks"]["PreToolUse"][0]["hookCallbackIds"][0].clone();
    agent.asks("a1", &request).await;
    let answer = agent.is_answered().await.1;
    let specific = &answer["hookSpecificOutput"];
    let decision = [&answer["behavior"], &specific["permissionDecision"]];
    let decision = decision.into_iter().find(|it| it.is_string());
    (decision.cloned().unwrap_or_default(), answer.to_string())
}

#[tokio::test]
async fn a_decision_that_an_old_cli_would_ignore_becomes_a_denial() {
    let plan = json!({"subtype": "can_use_tool", "tool_name": "ExitPlanMode",
        "input": {"plan": "Dig a hole."}});
    let hook = json!({"subtype": "hook_callback", "input": {"hook_event_name": "PreToolUse",
        "session_id": "s1", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "date"}}});
    let patch = |patch| Some(CliVersion::new(2, 0, patch));
    // A CLI that does not report a version is treated as an old one.
    for (version, request, expected, text) in [
        (None, &hook, "deny", "does not support"),
        (patch(76), &hook, "deny", "does not support"),
        (patch(77), &hook, "allow", r#""command":"true""#),
        (None, &plan, "deny", "Fill a hole."),
        (patch(77), &plan, "deny", "Fill a hole."),
        (patch(78), &plan, "allow", "Fill a hole."),
    ] {
        let (decision, answer) = decided(version, request).await;
        assert_eq!(decision, expected, "{version:?}: {answer}");
        assert!(answer.contains(text), "{version:?}: {answer}");
    }
}

/// Returns the host's permission decisions, from the fake agent's log.
fn answers(log: &Path) -> Vec<Value> {
    let log = std::fs::read_to_string(log).unwrap();
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| line["msg"]["response"]["response"].clone())
        .filter(|answer| answer["behavior"].is_string())
        .collect()
}

#[tokio::test]
async fn an_allow_repeats_the_input_except_for_questions() {
    let folder = agentwire_testing::tempdir().unwrap();
    let log = folder.path().join("log");
    let input = json!({"command": "date", "odd": 1.50, "list": [null, {"a": 1e300}]});
    let question = json!({"questions": [{"question": "Tea?", "header": "Drink",
        "multiSelect": false, "options": [{"label": "Green", "description": "a leaf"}]}]});
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", input.clone(), "now")])
        .reply([Step::tool("Bash", input.clone(), "later")])
        .reply([Step::tool("Bash", input.clone(), "changed")])
        .reply([Step::tool("AskUserQuestion", question, "none")])
        .reply([Step::text("Done.")]);
    let (sender, mut asks) = mpsc::unbounded_channel::<PermissionRequest>();
    let options = fake(&scenario)
        .env(fake_agent::LOG, &log)
        .on_permission(move |ask| {
            sender.send(ask).unwrap();
            async { Later }
        });
    let mut client = Client::connect(options).await.unwrap();
    client.send("Go").await.unwrap();
    let handle = client.handle();
    let deciding = tokio::spawn(async move {
        let mut next = async || asks.recv().await.unwrap();
        next()
            .await
            .later()
            .respond(PermissionResult::allow())
            .await
            .unwrap();
        let id = next().await.request_id;
        handle
            .respond(&id, PermissionResult::allow())
            .await
            .unwrap();
        let other = PermissionResult::allow_with(json!({"command": "true"}));
        next().await.later().respond(other).await.unwrap();
        next()
            .await
            .later()
            .respond(PermissionResult::allow())
            .await
            .unwrap();
    });
    until_idle(&mut client).await;
    deciding.await.unwrap();
    client.close().await;
    let answers = answers(&log);
    assert_eq!(answers.len(), 4, "{answers:?}");
    for answer in &answers[..2] {
        assert_eq!(answer["updatedInput"], input);
    }
    assert_eq!(answers[2]["updatedInput"], json!({"command": "true"}));
    assert_eq!(answers[3], json!({"behavior": "allow"}));
}
