#![allow(clippy::unwrap_used)]

use super::child::Pipes;
use super::{ChildProcess, ClosePolicy, CloseReport, CloseStep, SESSION_VARIABLE, table};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Longer than any step here takes, even on a busy machine.
pub(super) const LONG: Duration = Duration::from_secs(120);

pub(super) fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    command
}

fn spawn(command: Command) -> (ChildProcess, Pipes) {
    named(command, &uuid::Uuid::new_v4().to_string()).unwrap()
}

fn named(command: Command, session: &str) -> std::io::Result<(ChildProcess, Pipes)> {
    ChildProcess::spawn(command, session, ClosePolicy::default())
}

/// Returns a policy with long timeouts for steps that are expected to succeed, and short ones for
/// the others.
pub(super) fn long_limits() -> ClosePolicy {
    ClosePolicy::default().exit(LONG).terminate(LONG).kill(LONG)
}

pub(super) fn short_limits() -> ClosePolicy {
    let short = Duration::from_millis(50);
    ClosePolicy::default()
        .exit(short)
        .terminate(short)
        .kill(LONG)
}

/// Closes a child, whose input is closed or remains open.
pub(super) fn close(child: &mut ChildProcess, policy: ClosePolicy) -> CloseReport {
    child.set_policy(policy);
    value(child.close(|| ()))
}

/// Waits until the channel has a value.
pub(super) fn value<T: Clone>(mut channel: watch::Receiver<Option<T>>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let value = tokio::time::timeout(LONG * 4, channel.wait_for(Option::is_some)).await;
        value.unwrap().unwrap().clone().unwrap()
    })
}

pub(super) struct Lines(BufReader<ChildStdout>);

impl Lines {
    pub(super) fn new(stdout: ChildStdout) -> Self {
        Self(BufReader::new(stdout))
    }

    pub(super) fn next(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim().into()
    }

    pub(super) fn pid(&mut self) -> u32 {
        self.next().parse().unwrap()
    }

    /// Waits for the end of the output: every process with the pipe is about to exit.
    pub(super) fn end(mut self) {
        let (done, ended) = mpsc::channel();
        thread::spawn(move || {
            let _ = self.0.read_to_end(&mut Vec::new());
            let _ = done.send(());
        });
        ended
            .recv_timeout(LONG)
            .expect("a process still has the output open");
    }
}

pub(super) fn is_alive(pid: u32) -> bool {
    table::start(pid).is_some()
}

pub(super) fn assert_ends(pid: u32) {
    let started = Instant::now();
    while is_alive(pid) {
        assert!(started.elapsed() < LONG, "{pid} is still alive");
        thread::sleep(Duration::from_millis(1));
    }
}

/// An unrelated process.
pub(super) struct Stranger(pub(super) Child);

impl Stranger {
    pub(super) fn new() -> Self {
        Self(
            Command::new("sleep")
                .arg("1000")
                .stdin(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // Does nothing to a child that was waited for.
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn exits_by_itself_when_stdin_ends() {
    let (mut child, pipes) = spawn(sh("cat >/dev/null; exit 3"));
    drop(pipes);
    let report = close(&mut child, long_limits());
    assert_eq!(report.step, CloseStep::Exited);
    assert_eq!(report.exit.unwrap().code(), Some(3));
    assert_eq!((report.swept, report.remaining), (vec![], vec![]));
    assert!(report.took < LONG);
}

#[test]
fn cleans_up_on_terminate() {
    let (mut child, pipes) = spawn(sh(
        "sleep 1000 & trap 'kill $!; echo cleaned; exit 0' TERM; echo ready; wait; exit 1",
    ));
    let mut lines = Lines::new(pipes.stdout);
    assert_eq!(lines.next(), "ready");
    let report = close(&mut child, long_limits().exit(Duration::ZERO));
    assert_eq!(report.step, CloseStep::Terminated);
    assert_eq!(report.exit.unwrap().code(), Some(0));
    assert_eq!(lines.next(), "cleaned");
    assert!(report.remaining.is_empty(), "{report:?}");
}

#[test]
fn is_killed_if_it_ignores_terminate() {
    let (mut child, pipes) = spawn(sh("trap '' TERM; echo ready; exec sleep 1000"));
    assert_eq!(Lines::new(pipes.stdout).next(), "ready");
    let report = close(&mut child, short_limits());
    assert_eq!(report.step, CloseStep::Killed);
    assert_eq!(report.exit.unwrap().signal(), Some(9));
    assert_eq!((report.swept, report.remaining), (vec![], vec![]));
    assert!(!is_alive(child.id()));
}

#[test]
fn a_stopped_child_is_killed() {
    let (mut child, pipes) = spawn(sh("echo ready; kill -STOP $$"));
    assert_eq!(Lines::new(pipes.stdout).next(), "ready");
    let report = close(&mut child, short_limits());
    // It may have been terminated just before it stopped itself.
    assert_ne!(report.step, CloseStep::StillAlive);
    assert!(!is_alive(child.id()));
}

#[test]
fn kills_a_grandchild_in_its_own_session() {
    let (mut child, pipes) = spawn(sh(
        r#"setsid sh -c "trap '' TERM; echo \$\$; exec sleep 1000" & exec cat"#,
    ));
    let mut lines = Lines::new(pipes.stdout);
    let grandchild = lines.pid();
    drop(pipes.stdin);
    let report = close(&mut child, short_limits().exit(LONG));
    assert_eq!(report.step, CloseStep::Exited);
    assert_eq!((report.swept, report.remaining), (vec![grandchild], vec![]));
    assert!(!is_alive(grandchild));
}

#[test]
fn kills_a_reparented_grandchild_in_its_own_session() {
    let (mut child, pipes) = spawn(sh(
        "(setsid sh -c 'echo $$; exec sleep 1000' &); echo reparented; exec cat",
    ));
    let mut lines = Lines::new(pipes.stdout);
    let (one, other) = (lines.next(), lines.next());
    let grandchild = [one, other]
        .iter()
        .find_map(|line| line.parse().ok())
        .unwrap();
    let table = table::Table::read().unwrap();
    let parent = table.get(grandchild).unwrap().parent;
    assert_ne!(parent, Some(child.id()));
    drop(pipes.stdin);
    let report = close(&mut child, long_limits());
    assert_eq!((report.swept, report.remaining), (vec![grandchild], vec![]));
    assert!(!is_alive(grandchild));
}

#[test]
fn kills_an_unmarked_grandchild_in_its_own_session() {
    let (mut child, pipes) = spawn(sh(
        "env -i PATH=\"$PATH\" setsid sh -c 'echo $$; exec sleep 1000' & exec cat",
    ));
    let grandchild = Lines::new(pipes.stdout).pid();
    child.set_policy(long_limits());
    let report = value(child.close(move || drop(pipes.stdin)));
    assert_eq!((report.swept, report.remaining), (vec![grandchild], vec![]));
    assert!(!is_alive(grandchild));
}

/// The exception in `ClosePolicy` and in the guide. A shell tool of the CLI runs in its own
/// session, and its children may leave that session or not.
#[cfg(target_os = "linux")]
#[test]
fn only_unmarked_orphans_survive() {
    for (clear, setsid) in [
        ("", ""),
        ("", "setsid "),
        ("env -i ", ""),
        ("env -i ", "setsid "),
    ] {
        let tool = format!("{clear}{setsid}/bin/sleep 1000 >&2 & echo $!");
        let script = format!("setsid --wait sh -c '{tool}'; echo ended; exec cat");
        let (mut child, pipes) = spawn(sh(&script));
        let mut lines = Lines::new(pipes.stdout);
        let pid = lines.pid();
        assert_eq!(lines.next(), "ended");
        // Until `exec`, it has the environment of the shell.
        while std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap() != "sleep\n" {
            thread::yield_now();
        }
        drop(pipes.stdin);
        let report = close(&mut child, long_limits());
        assert!(report.remaining.is_empty(), "{report:?}");
        match clear {
            "" => assert_eq!(report.swept, [pid]),
            _ => {
                assert!(is_alive(pid) && report.swept.is_empty(), "{report:?}");
                let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
            }
        }
    }
}

#[test]
fn kills_the_descendants_of_a_crashed_child() {
    let script = "setsid sleep 1000 & echo $!; env -i sleep 1000 & echo $!; read _; kill -9 $$";
    let (mut child, pipes) = spawn(sh(script));
    let mut lines = Lines::new(pipes.stdout);
    let (marked, in_group) = (lines.pid(), lines.pid());
    drop(pipes.stdin);
    // The exit is detected although the output is still open elsewhere.
    assert_eq!(value(child.exit()).unwrap().signal(), Some(9));
    assert!(is_alive(marked) && is_alive(in_group));
    let mut report = close(&mut child, long_limits());
    assert_eq!(report.step, CloseStep::Exited);
    assert_eq!(report.exit.unwrap().signal(), Some(9));
    report.swept.sort_unstable();
    let mut expected = vec![marked, in_group];
    expected.sort_unstable();
    assert_eq!((report.swept, report.remaining), (expected, vec![]));
    lines.end();
}

#[test]
fn kills_processes_started_during_the_sweep() {
    let script = r#"setsid sh -c "trap 'setsid sleep 1000 & exit' TERM; echo ready; while :; do sleep 0.01; done" & exec cat"#;
    let (mut child, pipes) = spawn(sh(script));
    let mut lines = Lines::new(pipes.stdout);
    assert_eq!(lines.next(), "ready");
    drop(pipes.stdin);
    // A shell that is about to become the `sleep` may handle SIGTERM itself.
    let policy = long_limits().terminate(Duration::from_secs(1));
    let report = close(&mut child, policy);
    assert!(report.remaining.is_empty(), "{report:?}");
    lines.end();
}

#[test]
fn with_zero_limits_all_are_killed() {
    let (mut child, pipes) = spawn(sh(
        "trap '' TERM; setsid sleep 1000 & echo $!; exec sleep 1000",
    ));
    let mut lines = Lines::new(pipes.stdout);
    let grandchild = lines.pid();
    let none = Duration::ZERO;
    close(
        &mut child,
        ClosePolicy::default().exit(none).terminate(none).kill(none),
    );
    assert_ends(child.id());
    assert_ends(grandchild);
    lines.end();
}

#[test]
fn unrelated_processes_are_not_signalled() {
    let stranger = Stranger::new();
    let (mut other, other_pipes) = spawn(sh("echo ready; exec cat"));
    let (mut child, pipes) = spawn(sh(
        "setsid sleep 1000 & trap '' TERM; echo ready; exec sleep 1000",
    ));
    assert_eq!(Lines::new(pipes.stdout).next(), "ready");
    let report = close(&mut child, short_limits());
    assert!(report.remaining.is_empty(), "{report:?}");
    assert!(is_alive(stranger.0.id()));
    assert!(is_alive(other.id()));
    drop(other_pipes);
    assert_eq!(close(&mut other, long_limits()).step, CloseStep::Exited);
}

#[test]
fn a_second_close_returns_the_first_report() {
    let (mut child, pipes) = spawn(sh("exec cat"));
    child.set_policy(long_limits());
    let first = child.close(|| ());
    // The input is closed anyway.
    let second = child.close(move || drop(pipes));
    let report = value(first);
    assert_eq!(value(second), report);
    assert_eq!(close(&mut child, short_limits()), report);
    assert_eq!(report.step, CloseStep::Exited);
}

#[test]
fn the_marker_names_outer_sessions() {
    let mut command = sh("echo $AGENTWIRE_SESSION");
    command.env(SESSION_VARIABLE, "outer");
    let (mut child, pipes) = named(command, "inner").unwrap();
    assert_eq!(Lines::new(pipes.stdout).next(), "outer:inner");
    close(&mut child, long_limits());

    let mut command = sh("echo $AGENTWIRE_SESSION");
    command.env_remove(SESSION_VARIABLE);
    let (mut child, pipes) = named(command, "alone").unwrap();
    assert_eq!(Lines::new(pipes.stdout).next(), "alone");
    close(&mut child, long_limits());
}

#[test]
fn closing_a_session_closes_nested_sessions() {
    let outer = uuid::Uuid::new_v4().to_string();
    let (mut child, pipes) = named(sh("exec cat"), &outer).unwrap();
    let mut command = sh("exec sleep 1000");
    command.env(SESSION_VARIABLE, &outer);
    let (inside, _inside_pipes) = spawn(command);
    drop(pipes);
    let report = close(&mut child, long_limits());
    assert_eq!(
        (report.swept, report.remaining),
        (vec![inside.id()], vec![])
    );
    assert_eq!(value(inside.exit()).unwrap().signal(), Some(15));
}

#[test]
fn names_that_would_match_others_are_refused() {
    for name in ["", "one:other"] {
        let refused = named(sh("exit"), name).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
    }
}

#[test]
fn a_failed_spawn_is_an_error() {
    let refused = named(Command::new("/nowhere/to/be/found"), "session").unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::NotFound);
}

/// Starts a child that must be killed, with a grandchild that must be found.
fn stubborn() -> (ChildProcess, ChildStdin, [u32; 2], Lines) {
    let (mut child, pipes) = spawn(sh(
        "trap '' TERM; (setsid sleep 1000 & echo $!); exec sleep 1000",
    ));
    child.set_policy(short_limits());
    let mut lines = Lines::new(pipes.stdout);
    let pids = [child.id(), lines.pid()];
    (child, pipes.stdin, pids, lines)
}

fn assert_all_end(pids: [u32; 2], lines: Lines) {
    lines.end();
    pids.into_iter().for_each(assert_ends);
}

#[test]
fn drop_outside_a_runtime() {
    let (mut child, stdin, pids, lines) = stubborn();
    child.set_policy(short_limits().exit(Duration::from_secs(5)));
    drop(stdin);
    drop(child);
    assert!(is_alive(pids[0]), "blocked until the child was killed");
    assert_all_end(pids, lines);
}

#[test]
fn drop_inside_a_runtime() {
    let (child, stdin, pids, lines) = stubborn();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async move { drop((child, stdin)) });
    assert_all_end(pids, lines);
}

#[test]
fn drop_while_a_runtime_shuts_down() {
    let (child, stdin, pids, lines) = stubborn();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let (started, has_started) = mpsc::channel();
    runtime.spawn(async move {
        let _session = (child, stdin);
        started.send(()).unwrap();
        std::future::pending::<()>().await;
    });
    has_started.recv().unwrap();
    drop(runtime);
    assert_all_end(pids, lines);
}
