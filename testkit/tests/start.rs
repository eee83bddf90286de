//! How the binary is started: flags, the version, the script, and variables.
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
fn a_flag_that_the_version_does_not_have_is_refused_unless_it_is_to_be_accepted() {
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
fn a_bad_value_is_refused_with_what_is_expected() {
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
fn a_flag_that_has_no_effect_here_is_told_unless_it_means_nothing_to_a_script() {
    let args = [
        "-p",
        "Hi",
        "--include-hook-events",
        "--effort=high",
        "--tmux",
    ];
    let output = agent(&args).output().unwrap();
    assert_eq!(text(&output.stdout), "Hello.\n");
    let told = "fake-agent: --include-hook-events has no effect here\n\
                fake-agent: --tmux has no effect here\n";
    assert_eq!(text(&output.stderr), told);
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
fn either_variable_turns_session_states_on() {
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
