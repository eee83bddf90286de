//! Tests of print mode, in which a prompt is a text: the output in each format.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the agent with these arguments and this standard input.
fn run(scenario: &Value, args: &[&str], input: &str) -> Output {
    let mut agent = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .args(args)
        .env(fake_agent::SCRIPT, scenario.to_string())
        .env_remove("CLAUDE_CODE_SDK_READS_SESSION_STATE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An agent that refuses its arguments reads nothing.
    drop(agent.stdin.take().unwrap().write_all(input.as_bytes()));
    agent.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns a scenario that replies only to this prompt.
fn replies_to(prompt: &str) -> Value {
    let replies = json!([{"when": {"prompt": {"is": prompt}}, "say": [{"text": "Yes."}]}]);
    json!({ "replies": replies })
}

/// Returns a scenario with a tool that needs permission.
fn tool() -> Value {
    let scenario = Scenario::default()
        .reply([Step::text("Let me."), Step::tool("Bash", json!({}), "done")])
        .reply([Step::text("Done.")]);
    serde_json::to_value(scenario).unwrap()
}

#[test]
fn a_prompt_is_an_argument_or_standard_input_or_both() {
    for (args, input, prompt) in [
        (&["-p", "Hi"][..], "", "Hi"),
        (&["Hi", "there"], "", "Hi"),
        (&["-p"], "Hi\n", "Hi\n"),
        (&["--print", "One"], "two", "One\ntwo"),
        (&["--input-format=text"], "Hi", "Hi"),
    ] {
        let output = run(&replies_to(prompt), args, input);
        assert_eq!(stdout(&output), "Yes.\n", "{output:?}");
        assert_eq!(output.status.code(), Some(0));
    }
    for (args, input) in [(&["-p"][..], ""), (&["-p", " "], "\n")] {
        let output = run(&replies_to(""), args, input);
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}

#[test]
fn a_result_is_text_or_json_and_verbose_adds_all_messages() {
    let output = run(&tool(), &["-p", "Go"], "");
    assert_eq!(stdout(&output), "Done.\n");

    let output = run(&tool(), &["-p", "Go", "--output-format=json"], "");
    let result: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(result["result"], "Done.");
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    assert_eq!(result["model_usage_since_last_result"], Value::Null);
    // The prompt has no UUID.
    assert_eq!(result["first_request_input_tokens"], Value::Null);

    let args = ["-p", "Go", "--output-format=json", "--verbose"];
    let output = run(&tool(), &args, "");
    let all: Vec<Value> = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(all[0]["subtype"], "init");
    assert_eq!(all.last().unwrap()["type"], "result");
}

#[test]
fn a_stream_has_the_lines_of_a_session_and_no_requests() {
    let args = ["-p", "Go", "--output-format=stream-json", "--verbose"];
    let asks = [&args[..], &["--permission-prompt-tool=stdio"]].concat();
    for args in [&args[..], &asks] {
        let output = run(&tool(), args, "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = stdout(&output);
        let lines = said.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        assert_eq!(lines[0]["subtype"], "init", "{said}");
        assert!(lines.iter().all(|line| line["type"] != "control_request"));
        let result = lines.last().unwrap();
        assert_eq!(result["result"], "Done.");
        assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    }
}

#[test]
fn an_api_error_sets_the_result_and_the_exit_status() {
    let error =
        json!({"error": {"status": 400, "type": "invalid_request_error", "message": "No."}});
    let scenario = json!({"replies": [[error]]});
    let output = run(&scenario, &["-p", "Go"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "API Error: 400 No.\n");
    let output = run(&scenario, &["-p", "Go", "--output-format=json"], "");
    assert_eq!(output.status.code(), Some(1));
    let result: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(result["is_error"], true);
}

#[test]
fn a_refused_session_has_a_result_only_in_stream_json() {
    let refused = |format: &[&str]| {
        let output = run(
            &tool(),
            &[&["-p", "Go", "--resume=none"], format].concat(),
            "",
        );
        assert_eq!(output.status.code(), Some(1));
        assert!(!output.stderr.is_empty());
        stdout(&output).contains("error_during_execution")
    };
    assert!(!refused(&[]));
    assert!(!refused(&["--output-format=json"]));
    assert!(refused(&["--output-format=stream-json", "--verbose"]));
}
