#![allow(clippy::unwrap_used)]

use super::{Clock, Closer, LONGEST_ROUND, Table, Watched};
use crate::process::child::Pipes;
use crate::process::signal::Signal;
use crate::process::tests::{
    LONG, Lines, Stranger, assert_ends, close, is_alive, long_limits, sh, short_limits, value,
};
use crate::process::{ChildProcess, ClosePolicy, CloseStep, table};
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

fn spawn(closer: &'static Closer, command: Command) -> (ChildProcess, Pipes) {
    let session = uuid::Uuid::new_v4().to_string();
    ChildProcess::spawn_for(closer, command, &session, ClosePolicy::default()).unwrap()
}

fn no_table() -> io::Result<Table> {
    Err(io::ErrorKind::NotFound.into())
}

#[test]
fn the_clock_does_not_jump() {
    let mut clock = Clock::new();
    let start = clock.last;
    let short = LONGEST_ROUND / 2;
    clock.advance_to(start + short);
    assert_eq!(clock.now, short);
    // The machine was suspended, or this process was stopped.
    let later = start + Duration::from_secs(3600);
    clock.advance_to(later);
    assert_eq!(clock.now, short + LONGEST_ROUND);
    // Going back in time has no effect.
    clock.advance_to(start);
    assert_eq!(clock.now, short + LONGEST_ROUND);
    clock.advance_to(later + short);
    assert_eq!(clock.now, 2 * short + LONGEST_ROUND);
}

#[test]
fn without_a_listing_the_group_is_killed_and_the_report_says_so() {
    static CLOSER: Closer = Closer::new(no_table, Watched::new);
    // Each process prints its name and PID.
    let script = r#"sh -c 'echo 1 $$; exec sleep 1000' &
        sh -c 'trap "" TERM; echo 2 $$; exec sleep 1000' &
        setsid sh -c 'echo 3 $$; exec sleep 1000' &
        exec cat"#;
    let (mut child, pipes) = spawn(&CLOSER, sh(script));
    let mut lines = Lines::new(pipes.stdout);
    let mut said = [(); 3].map(|()| lines.next());
    said.sort();
    let [gentle, stubborn, elsewhere] =
        said.map(|line| line.split_once(' ').unwrap().1.parse().unwrap());
    drop(pipes.stdin);
    let report = close(
        &mut child,
        long_limits().terminate(Duration::from_millis(300)),
    );
    assert_eq!(report.step, CloseStep::Exited);
    assert!(report.descendants_unknown);
    assert_eq!((report.swept, report.remaining), (vec![], vec![]));
    assert_ends(gentle);
    assert_ends(stubborn);
    // It is not found; the report warns about that.
    assert!(is_alive(elsewhere));
    let start = table::start(elsewhere).unwrap();
    Signal::Kill.send(elsewhere, start);
    assert_ends(elsewhere);
}

#[test]
fn a_panic_while_listing_processes_counts_as_a_failed_listing() {
    static CLOSER: Closer = Closer::new(|| panic!("on purpose"), Watched::new);
    let (mut child, pipes) = spawn(&CLOSER, sh("exec cat"));
    drop(pipes);
    let report = close(&mut child, long_limits().terminate(Duration::ZERO));
    assert_eq!(report.step, CloseStep::Exited);
    assert!(report.descendants_unknown);
}

#[test]
fn the_report_says_that_processes_could_be_listed() {
    static CLOSER: Closer = Closer::new(Table::read, Watched::new);
    let (mut child, pipes) = spawn(&CLOSER, sh("exec cat"));
    drop(pipes);
    assert!(!close(&mut child, long_limits()).descendants_unknown);
}

#[test]
fn without_exit_events_a_thread_waits_for_the_exit() {
    static CLOSER: Closer = Closer::new(Table::read, |_| None);
    let (child, pipes) = spawn(&CLOSER, sh("read _; exit 3"));
    drop(pipes);
    assert_eq!(value(child.exit()).unwrap().code(), Some(3));
    let (mut stubborn, pipes) = spawn(&CLOSER, sh("trap '' TERM; echo ready; exec sleep 1000"));
    assert_eq!(Lines::new(pipes.stdout).next(), "ready");
    let report = close(&mut stubborn, short_limits());
    assert_eq!(report.step, CloseStep::Killed);
    assert!(report.remaining.is_empty());
}

#[test]
fn the_thread_exits_with_the_last_child_and_starts_with_the_next() {
    static CLOSER: Closer = Closer::new(Table::read, Watched::new);
    for _ in 0..3 {
        let (mut child, pipes) = spawn(&CLOSER, sh("exec cat"));
        assert!(super::lock(&CLOSER.state).thread.is_some());
        drop(pipes);
        assert_eq!(close(&mut child, long_limits()).step, CloseStep::Exited);
        let started = Instant::now();
        while super::lock(&CLOSER.state).thread.is_some() {
            assert!(started.elapsed() < LONG, "it goes on without children");
            std::thread::yield_now();
        }
        assert!(CLOSER.children().is_empty());
    }
}

#[test]
fn a_child_is_only_reaped_once_closed() {
    static CLOSER: Closer = Closer::new(Table::read, Watched::new);
    let (mut child, _pipes) = spawn(&CLOSER, sh("exit 3"));
    assert_eq!(value(child.exit()).unwrap().code(), Some(3));
    // Its PID and the number of its group are not reused.
    let is_there = || std::fs::exists(format!("/proc/{}", child.id())).unwrap();
    assert!(is_there());
    let closing = child.closing.clone();
    assert_eq!(close(&mut child, long_limits()).step, CloseStep::Exited);
    let group = closing.ladder().group();
    assert_eq!(group, None);
}

#[test]
fn a_panic_while_closing_one_child_does_not_affect_others() {
    static CLOSER: Closer = Closer::new(Table::read, Watched::new);
    let (other, other_pipes) = spawn(&CLOSER, sh("exec cat"));
    let (child, pipes) = spawn(&CLOSER, sh("trap '' TERM; echo ready; exec sleep 1000"));
    assert_eq!(Lines::new(pipes.stdout).next(), "ready");
    let mut report = child.close(|| panic!("on purpose"));
    // It is killed, and there is no report.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let reported = runtime.block_on(report.wait_for(Option::is_some));
    assert!(reported.is_err());
    let exit = value(child.exit()).unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&exit),
        Some(9)
    );
    assert_eq!(
        value(other.close(|| drop(other_pipes))).step,
        CloseStep::Exited
    );
}

#[test]
fn without_a_thread_all_are_killed_immediately() {
    static CLOSER: Closer = Closer::new(Table::read, Watched::new);
    let (child, pipes) = spawn(
        &CLOSER,
        sh("trap '' TERM; (setsid sleep 1000 & echo $!); exec sleep 1000"),
    );
    let grandchild = Lines::new(pipes.stdout).pid();
    CLOSER.close_at_once(&child.closing);
    assert_ends(child.id());
    assert_ends(grandchild);
}

#[test]
fn signals_are_not_sent_to_a_process_with_a_reused_pid() {
    let mut stranger = Stranger::new();
    let pid = stranger.0.id();
    let start = table::start(pid).unwrap();
    for earlier_or_later in [start - 1, start + 1] {
        Signal::Kill.send(pid, earlier_or_later);
    }
    // A signal to itself would have arrived earlier.
    Signal::Terminate.send(pid, start);
    let exit = stranger.0.wait().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&exit),
        Some(15)
    );
}
