//! Tests that control sequences in texts of models, tools and recordings are not sent to the
//! terminal.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testkit::{Scenario, Step, fake_agent};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Stdio};
use support::{agentwire, fake_agent_path};

/// Control sequences, bidirectional overrides and invisible characters.
const CONTROLS: &str = "\u{1b}]0;title\u{7}\u{1b}[7;35mred\u{1b}[13A\rback\u{8}\u{9b}2K\u{202e}turned\u{2066}\u{61c}\u{200b}\u{feff}\u{e0041}\u{e007f}";

/// The displayed form of [`CONTROLS`].
const DISPLAYED: &str = r"\u{1b}]0;title\u{7}\u{1b}[7;35mred\u{1b}[13A\rback\u{8}\u{9b}2K\u{202e}turned\u{2066}\u{61c}\u{200b}\u{feff}\u{e0041}\u{e007f}";

/// Runs a command on a terminal. Types the answer when the command prompts. Returns the
/// output.
fn on_a_terminal(mut command: Command, answer: &str) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let path = ptsname(&terminal, Vec::new()).unwrap();
    let open = || {
        let mut options = File::options();
        Stdio::from(
            options
                .read(true)
                .write(true)
                .open(path.to_str().unwrap())
                .unwrap(),
        )
    };
    let mut child = command
        .stdin(open())
        .stdout(open())
        .stderr(open())
        .spawn()
        .unwrap();
    // Close this process's copies of the other end.
    drop(command);
    let mut terminal = File::from(terminal);
    let (mut written, mut has_answered) = (Vec::new(), false);
    let mut chunk = [0; 4096];
    loop {
        match terminal.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => written.extend(&chunk[..length]),
            // EIO is the end of the output: the other end is closed.
            Err(error) if error.raw_os_error() == Some(5) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => panic!("{error}"),
        }
        let text = String::from_utf8_lossy(&written);
        let has_asked = ["[y]es", "[y/N]"].iter().any(|it| text.contains(it));
        if has_asked && !std::mem::replace(&mut has_answered, true) {
            terminal.write_all(answer.as_bytes()).unwrap();
        }
    }
    child.wait().unwrap();
    String::from_utf8(written).unwrap()
}

/// Panics if a text contains control sequences of [`CONTROLS`].
fn assert_harmless(written: &str) {
    for control in [
        "\u{1b}]",
        "\u{1b}[7;35m",
        "\u{1b}[13A",
        "\rback",
        "\u{8}",
        "\u{7}",
        "\u{9b}",
    ] {
        assert!(!written.contains(control), "{control:?} in {written:?}");
    }
    // The colours and line breaks of `agentwire` itself are allowed.
    let ours = |c: char| matches!(c, '\u{1b}' | '\r' | '\n');
    let hidden = |c: char| agentwire::permission::visible::is_hidden(c) && !ours(c);
    assert!(!written.contains(hidden), "{written:?}");
}

fn run(scenario: &Scenario, arguments: &[&str]) -> Command {
    let mut command = agentwire("run");
    command
        .arg("--cli")
        .arg(fake_agent_path())
        .args(arguments)
        .arg("Go on")
        .env("TERM", "xterm")
        .env(fake_agent::SCRIPT, scenario.to_json());
    command
}

fn session_with_controls() -> Scenario {
    let call = Step::tool(
        format!("Tool{CONTROLS}"),
        json!({"command": CONTROLS}),
        CONTROLS,
    );
    Scenario::default()
        .reply([Step::text(format!("Say {CONTROLS}")), call])
        .reply([Step::text(format!("Said {CONTROLS}"))])
}

#[test]
fn control_sequences_are_displayed_not_interpreted() {
    for answer in ["y\n", "n\n", "a\n"] {
        let written = on_a_terminal(run(&session_with_controls(), &[]), answer);
        assert_harmless(&written);
        for said in ["Say ", "Tool", "Said "] {
            assert!(
                written.contains(&format!("{said}{DISPLAYED}")),
                "{said} in {written:?}"
            );
        }
    }
}

#[test]
fn json_lines_are_escaped_without_changing_values() {
    let written = on_a_terminal(
        run(&session_with_controls(), &["--json", "--deny", "Bash"]),
        "n\n",
    );
    assert_harmless(&written);
    let texts = written.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = message["message"]["content"][0]["text"].as_str()?;
        Some(text.to_owned())
    });
    assert!(
        texts
            .into_iter()
            .any(|text| text == format!("Say {CONTROLS}")),
        "{written}"
    );
}

#[test]
fn control_sequences_in_errors_are_displayed_not_interpreted() {
    let failing = Scenario::default().reply([Step::error(400, "invalid_request_error", CONTROLS)]);
    let written = on_a_terminal(run(&failing, &[]), "");
    assert_harmless(&written);
    assert!(written.contains("turned"), "{written:?}");
}

#[test]
fn control_sequences_in_a_recording_are_displayed_not_interpreted() {
    let folder = agentwire_testing::tempdir().unwrap();
    let file = folder.path().join("recording");
    let lines = [
        json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": CONTROLS}]}}),
        json!({"type": format!("kind{CONTROLS}"), "subtype": CONTROLS, CONTROLS: 1}),
        json!({"t": 0.5, "dir": format!("dir{CONTROLS}"), "msg": CONTROLS}),
        json!({"t": 0.5, "dir": "stderr", "msg": CONTROLS}),
        json!({"type": "system", "subtype": "init", "session_id": 1, CONTROLS: CONTROLS}),
    ];
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.push_str(&format!("no JSON {CONTROLS}\n"));
    std::fs::write(&file, text).unwrap();
    for arguments in [vec![], vec!["--json"]] {
        let mut command = agentwire("inspect");
        command.args(&arguments).arg(&file).env("TERM", "xterm");
        let written = on_a_terminal(command, "");
        assert_harmless(&written);
        assert!(written.contains("turned"), "{arguments:?}: {written:?}");
    }
}

#[test]
fn a_session_is_deleted_after_a_yes() {
    let id = "11111111-2222-4333-8444-555555555555";
    let config = agentwire_testing::tempdir().unwrap();
    let project = config.path().join("projects/-work");
    std::fs::create_dir_all(&project).unwrap();
    let transcript = project.join(format!("{id}.jsonl"));
    let record =
        json!({"type": "user", "uuid": "1", "message": {"role": "user", "content": CONTROLS}});
    std::fs::write(&transcript, format!("{record}\n")).unwrap();
    for (answer, is_left) in [("n\n", true), ("\n", true), ("Y\n", false)] {
        let mut delete = agentwire("sessions");
        delete
            .args(["delete", id, "--config-dir"])
            .arg(config.path());
        let written = on_a_terminal(delete, answer);
        assert!(
            written.contains(&format!("Delete session {id} (")),
            "{written}"
        );
        // The title is the prompt in one line.
        assert!(!written.contains(['\u{1b}', '\u{202e}']), "{written:?}");
        assert_eq!(transcript.exists(), is_left, "{answer:?}");
    }
}
