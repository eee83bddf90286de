//! Tests of `agentwire run` with the real CLI and a scripted model. `scripts/real live`
//! installs the CLI and runs these tests.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use agentwire_testing::TempDir;
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use support::{agentwire, stderr, stdout};
use tokio::process::Command;

/// Runs `agentwire run` with a clean environment and an empty home directory.
async fn run(scenario: Scenario, arguments: &[&str]) -> (Output, TempDir) {
    let cli = std::env::var_os("AGENTWIRE_LIVE_CLI")
        .map(PathBuf::from)
        .expect("AGENTWIRE_LIVE_CLI is not set: run the live tests with scripts/real live");
    let model = ScriptedModel::start(scenario).await.unwrap();
    let home = agentwire_testing::tempdir().unwrap();
    let temporary = home.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let output = Command::from(agentwire("run"))
        .arg("--cli")
        .arg(cli)
        .args(arguments)
        .arg("--")
        .arg("--setting-sources=")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .env("CLAUDE_CONFIG_DIR", home.path().join(".claude"))
        .env("TMPDIR", temporary)
        .env("ANTHROPIC_BASE_URL", model.url())
        .env("ANTHROPIC_API_KEY", "anything")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    print!(
        "$ agentwire run {arguments:?}\n{}{}[{}]\n",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status
    );
    (output, home)
}

#[tokio::test]
async fn the_models_text_is_printed() {
    let scenario = Scenario::default().reply([Step::text("Hello from the scripted model.")]);
    let (output, _) = run(scenario, &["Say hello"]).await;
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "Hello from the scripted model.\n");
}

#[tokio::test]
async fn json_prints_the_lines() {
    let scenario = Scenario::default().reply([Step::text("Hello.")]);
    let (output, _) = run(scenario, &["--json", "Say hello"]).await;
    assert_eq!(output.status.code(), Some(0));
    let last_but_two: serde_json::Value = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|message| message["type"] == "result")
        .unwrap();
    assert_eq!(last_but_two["result"], "Hello.");
}

#[tokio::test]
async fn a_tool_runs_or_not_as_the_command_line_says() {
    let scenario = || {
        Scenario::default()
            .reply([Step::tool("Bash", json!({ "command": "touch made" }), "")])
            .reply([Step::text("Done.")])
    };
    let (output, home) = run(scenario(), &["--allow", "Bash", "Make it"]).await;
    assert_eq!(output.status.code(), Some(0));
    assert!(home.path().join("made").exists());

    let (output, home) = run(scenario(), &["--deny", "Bash(touch *)", "Make it"]).await;
    assert_eq!(output.status.code(), Some(0));
    assert!(!home.path().join("made").exists());
    // Older releases, such as 2.1.197, do not say who denied a call.
    let denial = "Not allowed: the rule Bash(touch *) denies the call.";
    assert!(stderr(&output).contains("· Run touch made: "));
    assert!(stderr(&output).contains(denial));
}

#[tokio::test]
async fn an_error_of_the_model_is_status_1() {
    let (output, _) = run(Scenario::default(), &["Say hello"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the script has no remaining reply"));
}
