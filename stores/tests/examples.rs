//! The examples run as their pages say.

#![allow(clippy::unwrap_used)]

use std::process::Command;

#[test]
fn a_session_is_resumed_elsewhere() {
    let folder = std::env::current_exe().unwrap();
    let folder = folder.parent().unwrap().parent().unwrap();
    let example = folder.join("examples/resume_elsewhere");
    let output = Command::new(example).env_clear().output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert!(lines[2].ends_with("is open in another host, by its lease in the store"));
    assert_eq!(lines[4], "[second] Ferris, as you said.");
    assert_eq!(lines[5], "[first]  That is all.");
}
