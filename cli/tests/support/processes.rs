//! Processes that others started, and that are to go with them.

use std::path::Path;
use std::time::{Duration, Instant};

/// Longer than anything here takes, on a busy machine too.
const LONG: Duration = Duration::from_secs(120);

/// Whether a process is alive, which a zombie is not.
fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with('Z'))
    })
}

/// Waits until the file has so many lines, and gives them.
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

/// Waits until none of these is alive.
pub(crate) fn assert_gone(pids: &[String]) {
    let until = Instant::now() + LONG;
    for pid in pids {
        while is_alive(pid) {
            assert!(Instant::now() < until, "process {pid} is still alive");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
