//! Tests of the emulation of other CLI versions.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the agent with these lines.
fn run(script: &Value, profile: Option<&str>, lines: &[Value]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
    command
        .env(fake_agent::SCRIPT, script.to_string())
        .env_remove(fake_agent::PROFILE)
        .env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(profile) = profile {
        command.env(fake_agent::PROFILE, profile);
    }
    let mut agent = command.spawn().unwrap();
    let mut stdin = agent.stdin.take().unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    // The agent may exit because of its environment before it reads.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    agent.wait_with_output().unwrap()
}

fn script() -> Value {
    serde_json::to_value(Scenario::default().reply([Step::text("Hello.")])).unwrap()
}

fn lines_of(script: &Value, profile: Option<&str>, lines: &[Value]) -> Vec<Value> {
    let output = run(script, profile, lines);
    assert!(output.status.success(), "{output:?}");
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// Returns the responses to three requests. A missing response is `null`.
fn answers(script: &Value, profile: Option<&str>) -> [Value; 3] {
    let request = |id: &str, request: Value| json!({"type": "control_request", "request_id": id, "request": request});
    let lines = [
        request("a", json!({"subtype": "interrupt"})),
        request("b", json!({"subtype": "set_model", "model": "m-2"})),
        request("c", json!({"subtype": "sing"})),
    ];
    let output = lines_of(script, profile, &lines);
    ["a", "b", "c"].map(|id| {
        let mut answers = output.iter().map(|line| &line["response"]);
        let answer = answers.find(|answer| answer["request_id"] == id);
        answer.cloned().unwrap_or_default()
    })
}

#[test]
fn each_version_has_its_own_responses() {
    let success = |id: &str| json!({"subtype": "success", "request_id": id});
    for (profile, has_receipts, answers_unknown) in [
        (None, true, true),
        (Some("2.1.332"), true, true),
        (Some("no-queue"), true, true),
        (Some("2.1.197"), false, true),
        (Some("2.0.77"), false, false),
    ] {
        let [interrupt, set_model, unknown] = answers(&script(), profile);
        if has_receipts {
            assert!(interrupt["response"].is_object(), "{profile:?}");
            assert_eq!(set_model["response"]["model"], "m-2", "{profile:?}");
        } else {
            assert_eq!(interrupt, success("a"), "{profile:?}");
            assert_eq!(set_model, success("b"), "{profile:?}");
        }
        let expected = if answers_unknown { "error" } else { "" };
        let subtype = unknown["subtype"].as_str().unwrap_or_default();
        assert_eq!(subtype, expected, "{profile:?}");
    }
}

#[test]
fn init_has_the_version_and_no_queue_means_no_lifecycle_and_states() {
    let prompt = json!({"type": "user", "uuid": "11111111-0000-4000-8000-000000000001",
        "message": {"role": "user", "content": "Go"}});
    for (profile, version, has_queue) in [
        ("2.1.332", "2.1.332", true),
        ("2.1.197", "2.1.197", false),
        ("2.0.77", "2.0.77", false),
        ("no-queue", "2.1.332", false),
    ] {
        let output = lines_of(&script(), Some(profile), std::slice::from_ref(&prompt));
        let has = |kind: &str| {
            output
                .iter()
                .any(|it| it["type"] == kind || it["subtype"] == kind)
        };
        let init = output
            .iter()
            .find(|line| line["subtype"] == "init")
            .unwrap();
        assert_eq!(init["claude_code_version"], version);
        assert_eq!(has("command_lifecycle"), has_queue, "{profile}");
        assert_eq!(has("session_state_changed"), has_queue, "{profile}");
        assert!(has("success"), "{profile}");
    }
}

#[test]
fn the_profile_of_the_scenario_overrides_the_environment() {
    let mut script = script();
    script["profile"] = "2.0.77".into();
    for profile in [None, Some("2.1.332")] {
        assert_eq!(answers(&script, profile)[2], Value::Null);
    }
}

#[test]
fn an_unknown_version_is_refused() {
    let output = run(&script(), Some("1.0"), &[]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        message.trim_end(),
        "fake-agent: `FAKE_AGENT_PROFILE` is \"1.0\": expected one of 2.0.77, 2.1.197, 2.1.332, no-queue"
    );
}
