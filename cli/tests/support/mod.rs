//! Helpers of all tests.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses a part of it"
)]

pub(crate) mod processes;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) const AGENTWIRE: &str = env!("CARGO_BIN_EXE_agentwire");

/// Returns a command of `agentwire`.
pub(crate) fn agentwire(command: &str) -> Command {
    let mut agentwire = Command::new(AGENTWIRE);
    agentwire.arg(command);
    agentwire
}

/// Runs a command with this standard input.
pub(crate) fn run_with_input(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Writing fails if the child exits before it has read everything.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    text(&output.stdout)
}

pub(crate) fn stderr(output: &Output) -> String {
    text(&output.stderr)
}

/// Asserts that standard error contains a text.
#[track_caller]
pub(crate) fn assert_stderr(output: &Output, text: &str) {
    let stderr = stderr(output);
    assert!(stderr.contains(text), "{stderr}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the path of the fake agent.
pub(crate) fn fake_agent_path() -> PathBuf {
    example("cli_fake_agent")
}

/// Returns the path of an example of this package, which cargo builds with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let binary = Path::new(AGENTWIRE);
    let path = binary.parent().unwrap().join("examples").join(name);
    assert!(
        path.exists(),
        "{} is not built: `cargo test` and `cargo build --examples` build it",
        path.display()
    );
    path
}
