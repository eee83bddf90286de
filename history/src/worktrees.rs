//! Lists the worktrees of a git repository.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The timeout of git.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the paths of all worktrees of a directory's repository, as git prints them. The list is
/// empty if the directory is not in a repository, if git is not installed, or if git takes more
/// than five seconds.
pub(super) fn worktrees(directory: &str) -> Vec<String> {
    list(Path::new(directory)).unwrap_or_default()
}

fn list(directory: &Path) -> Option<Vec<String>> {
    // Do not run programs of the repository.
    let mut command = Command::new("git");
    command
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor="])
        .args(["worktree", "list", "--porcelain"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut output = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes);
        sender.send(read.map(|_| bytes))
    });
    let Ok(bytes) = receiver.recv_timeout(TIMEOUT) else {
        child.kill().ok();
        child.wait().ok();
        return None;
    };
    child
        .wait()
        .ok()
        .filter(std::process::ExitStatus::success)?;
    let bytes = bytes.ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let paths = text
        .split('\n')
        .filter_map(|line| line.strip_prefix("worktree "));
    Some(paths.map(str::to_owned).collect())
}
