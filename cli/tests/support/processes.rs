//! Checks that processes have exited.

use std::path::Path;
use std::time::{Duration, Instant};

/// A generous timeout for busy machines.
const LONG: Duration = Duration::from_secs(120);

/// Returns whether a process is running. A zombie is not running.
fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with('Z'))
    })
}

/// Waits until the file has `count` lines, and returns them.
pub(crate) fn lines_of(path: &Path, count: usize) -> Vec<String> {
    let until = Instant::now() + LONG;
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.lines().count() == count && text.ends_with('\n') {
            return text.lines().map(str::to_owned).collect();
        }
        assert!(
            Instant::now() < until,
            "{} has only {text:?}",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until none of these processes is running.
pub(crate) fn assert_gone(pids: &[String]) {
    let until = Instant::now() + LONG;
    for pid in pids {
        while is_alive(pid) {
            assert!(Instant::now() < until, "process {pid} is still alive");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
