//! Tests of the start of the binary: flags, version, script and variables.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::fake_agent;
use std::process::{Command, Output, Stdio};

fn agent(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
    command
        .args(args)
        .env(fake_agent::SCRIPT, r#"[[{"text": "Hello."}]]"#)
        .env_remove(fake_agent::UNKNOWN_FLAGS)
        .env_remove(fake_agent::PROFILE)
        .env_remove("CLAUDE_CODE_SDK_READS_SESSION_STATE")
        .env_remove("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS")
        .stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    text(&output.stderr)
}

#[test]
fn an_unknown_flag_is_refused_unless_unknown_flags_are_accepted() {
    let args = ["-p", "Hi", "--await-initialise"];
    let why = refused(&agent(&args).output().unwrap());
    assert!(
        why.contains("--await-initialise") && why.contains("2.1.332"),
        "{why}"
    );

    let accepted = agent(&args)
        .env(fake_agent::UNKNOWN_FLAGS, "accept")
        .output();
    assert_eq!(text(&accepted.unwrap().stdout), "Hello.\n");

    let args = ["-p", "Hi", "--session-mirror"];
    assert!(agent(&args).output().unwrap().status.success());
    let older = agent(&args).env(fake_agent::PROFILE, "2.0.77").output();
    assert!(refused(&older.unwrap()).contains("2.0.77"));

    let odd = agent(&[]).env(fake_agent::UNKNOWN_FLAGS, "maybe").output();
    assert_eq!(odd.unwrap().status.code(), Some(2));
}

#[test]
fn an_invalid_value_is_refused_with_the_expected_ones() {
    let why = refused(
        &agent(&["-p", "Hi", "--permission-mode=nonsense"])
            .output()
            .unwrap(),
    );
    assert!(
        why.contains("nonsense") && why.contains("acceptEdits"),
        "{why}"
    );
}

#[test]
fn unsupported_flags_are_reported_and_meaningless_flags_are_not() {
    let args = [
        "-p",
        "Hi",
        "--include-hook-events",
        "--effort=high",
        "--tmux",
    ];
    let output = agent(&args).output().unwrap();
    assert_eq!(text(&output.stdout), "Hello.\n");
    let expected = "fake-agent: --include-hook-events has no effect\n\
                fake-agent: --tmux has no effect\n";
    assert_eq!(text(&output.stderr), expected);
}

#[test]
fn the_version_is_printed_without_a_script() {
    for (profile, version) in [(None, "2.1.332"), (Some("2.0.77"), "2.0.77")] {
        for flag in ["--version", "-v"] {
            let mut command = agent(&[flag]);
            command.env_remove(fake_agent::SCRIPT);
            command.envs(profile.map(|profile| (fake_agent::PROFILE, profile)));
            let output = command.output().unwrap();
            assert_eq!(text(&output.stdout), format!("{version} (Claude Code)\n"));
        }
    }
}

#[test]
fn either_variable_enables_session_states() {
    let args = ["-p", "Hi", "--output-format=stream-json", "--verbose"];
    let states = |variable: &str, value: &str| {
        let output = agent(&args).env(variable, value).output().unwrap();
        text(&output.stdout)
            .matches("session_state_changed")
            .count()
    };
    assert_eq!(states("CLAUDE_CODE_SDK_READS_SESSION_STATE", "true"), 2);
    assert_eq!(states("CLAUDE_CODE_SDK_READS_SESSION_STATE", "0"), 0);
    assert_eq!(states("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"), 2);
}
