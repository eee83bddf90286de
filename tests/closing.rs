//! Many sessions at once: their idle cost, and their end.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::process::{CloseReport, CloseStep};
use agentwire::{Client, Options};
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;
use support::{LONG, patient, wait_until_gone};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// So many sessions are open at once: each takes four file descriptors, of which
/// a process may have 1,024 in most places.
const SESSIONS: usize = 100;

/// One in so many ignores the end of its input.
const ONE_IN: usize = 10;

/// One test at a time.
static SESSIONS_ARE_OPEN: Mutex<()> = Mutex::const_new(());

/// An agent that answers the handshake, and with `STUBBORN` in its environment
/// does not exit when its input ends.
fn agent(folder: &tempfile::TempDir) -> Options {
    let then = "while read -r line; do :; done\n[ -z \"$STUBBORN\" ] || exec sleep 1000";
    support::answering(folder, "{}", then)
}

async fn connect(options: impl Fn(usize) -> Options) -> Vec<Client> {
    let mut connecting = JoinSet::new();
    for number in 0..SESSIONS {
        let connect = Client::connect(options(number).request_timeout(LONG));
        connecting.spawn(async move { (number, connect.await.unwrap()) });
    }
    let mut sessions = connecting.join_all().await;
    sessions.sort_by_key(|(number, _)| *number);
    sessions.into_iter().map(|(_, client)| client).collect()
}

async fn close(sessions: Vec<Client>) -> Vec<CloseReport> {
    let mut closing = JoinSet::new();
    for (number, mut client) in sessions.into_iter().enumerate() {
        closing.spawn(async move { (number, client.close().await) });
    }
    let mut reports = closing.join_all().await;
    reports.sort_by_key(|(number, _)| *number);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// The names of the threads of this process that agentwire has started.
fn threads() -> Vec<String> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| name.starts_with("agentwire"))
        .collect()
}

#[tokio::test]
async fn sessions_that_are_idle_share_one_thread() {
    let _one = SESSIONS_ARE_OPEN.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let options = agent(&folder);
    let sessions = connect(|_| options.clone()).await;
    // The system cuts names off after 15 characters.
    assert_eq!(threads(), ["agentwire-close"]);
    for report in close(sessions).await {
        assert_eq!(report.step, CloseStep::Exited);
    }
}

#[tokio::test]
async fn of_many_sessions_that_are_closed_at_once_only_those_are_signalled_that_do_not_exit() {
    let _one = SESSIONS_ARE_OPEN.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let options = agent(&folder).close_policy(patient().exit(Duration::from_secs(2)));
    let sessions = connect(|number| match number % ONE_IN {
        0 => options.clone().env("STUBBORN", "1"),
        _ => options.clone(),
    })
    .await;
    let pids: Vec<u32> = sessions.iter().filter_map(Client::pid).collect();
    assert_eq!(pids.len(), SESSIONS);
    for (number, report) in close(sessions).await.into_iter().enumerate() {
        let (step, signal) = match number % ONE_IN {
            0 => (CloseStep::Terminated, Some(15)),
            _ => (CloseStep::Exited, None),
        };
        let exit = report.exit.unwrap();
        assert_eq!((report.step, exit.signal()), (step, signal), "{number}");
        assert_eq!((report.swept, report.remaining), (vec![], vec![]));
        assert!(!report.descendants_unknown);
    }
    pids.into_iter().for_each(wait_until_gone);
}
