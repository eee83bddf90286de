//! Tests that the examples run as documented.

#![allow(clippy::unwrap_used)]

use agentwire_testkit::stores::{Conformance, Outcome, StoreProgram};
use std::path::PathBuf;
use std::process::Command;

fn path(name: &str) -> PathBuf {
    let folder = std::env::current_exe().unwrap();
    let folder = folder.parent().unwrap().parent().unwrap();
    folder.join("examples").join(name)
}

/// Returns the output of an example.
fn run(name: &str) -> String {
    let output = Command::new(path(name)).env_clear().output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn messages_of_a_lost_host_are_sent_by_the_next() {
    let output = run("lost_host");
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines.len(), 3, "{output}");
    assert!(lines[1].ends_with("which an earlier host had accepted, is sent again"));
    assert_eq!(lines[2], "[second] its turn is over");
}

#[test]
fn a_session_is_resumed_elsewhere() {
    let output = run("resume_elsewhere");
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines.len(), 6, "{output}");
    assert!(lines[2].ends_with("is open in another host, by its claim in the store"));
    assert_eq!(lines[4], "[second] Ferris, as you said.");
    assert_eq!(lines[5], "[first]  That is all.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_served_store_passes() {
    let mut command = tokio::process::Command::new(path("served_store"));
    let program = StoreProgram::start(&mut command).await.unwrap();
    assert_eq!(program.without(), []);
    let conformance = Conformance::default().members_may_be_reordered();
    let outcomes = conformance.many(5_000).check_transcripts(program).await;
    assert!(outcomes.0.iter().all(Outcome::holds), "{outcomes}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_served_log_store_passes() {
    let mut command = tokio::process::Command::new(path("served_store"));
    let program = StoreProgram::start(command.arg("--log")).await.unwrap();
    let conformance = Conformance::default().members_may_be_reordered();
    let outcomes = conformance.many(5_000).check(program).await;
    assert!(outcomes.0.iter().all(Outcome::holds), "{outcomes}");
}
