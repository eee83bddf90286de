//! Finds and signals processes of a test.

use std::process::{Child, Command, ExitStatus};

/// Returns the processes that have this text in their environment, except zombies. Linux
/// only.
pub fn processes_with(mark: &str) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|it| it.file_name().to_str()?.parse().ok());
    numbers.filter(|&pid| has(pid, mark)).collect()
}

fn has(pid: u32, mark: &str) -> bool {
    // The process may be gone by now.
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment
        .split(|&it| it == 0)
        .any(|it| it == mark.as_bytes())
}

/// Sends SIGTERM to a process.
pub fn signal(child: &Child) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .unwrap()
            .success()
    );
}

/// Sends SIGTERM to a process, and waits for its exit.
pub fn terminate(child: &mut Child) -> ExitStatus {
    signal(child);
    child.wait().unwrap()
}
