//! The examples run as their pages say.

#![allow(clippy::unwrap_used)]

use std::process::Command;

/// What an example prints.
fn run(name: &str) -> String {
    let folder = std::env::current_exe().unwrap();
    let folder = folder.parent().unwrap().parent().unwrap();
    let example = folder.join("examples").join(name);
    let output = Command::new(example).env_clear().output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_a_lost_host_has_accepted_is_sent_by_the_next_one() {
    let said = run("lost_host");
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines[1].ends_with("which an earlier host had accepted, is sent again"));
    assert_eq!(lines[2], "[second] its turn is over");
}

#[test]
fn a_session_is_resumed_elsewhere() {
    let said = run("resume_elsewhere");
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert!(lines[2].ends_with("is open in another host, by its lease in the store"));
    assert_eq!(lines[4], "[second] Ferris, as you said.");
    assert_eq!(lines[5], "[first]  That is all.");
}
