//! Tests of closing: requests that still arrive, deadlines, groups, and many sessions at
//! once.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::process::{CloseReport, CloseStep};
use agentwire::{
    Client, ClosePolicy, EndReason, Error, Event, Options, PermissionResult, RestartPolicy,
    SessionGroup, TurnOutcome,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;
use support::{LONG, ended, fake, is_alive, patient, ready, wait_until_gone};
use tokio::io::AsyncWriteExt;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// The number of open sessions. Each takes four file descriptors; the usual limit of a
/// process is 1,024.
const SESSIONS: usize = 100;

/// On average, one in this number of sessions ignores the end of its input.
const ONE_IN: usize = 10;

/// A lock, because the open sessions of one test affect the others.
static SESSIONS_ARE_OPEN: Mutex<()> = Mutex::const_new(());

/// Returns options for an agent that answers the handshake. If its environment has
/// `STUBBORN`, it does not exit when its input ends.
fn agent(folder: &agentwire_testing::TempDir) -> Options {
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

/// Returns the names of the threads that agentwire has started in this process.
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
    let folder = agentwire_testing::tempdir().unwrap();
    let options = agent(&folder);
    let sessions = connect(|_| options.clone()).await;
    // The system truncates names after 15 characters.
    assert_eq!(threads(), ["agentwire-close"]);
    for report in close(sessions).await {
        assert_eq!(report.step, CloseStep::Exited);
    }
}

#[tokio::test]
async fn of_many_sessions_that_are_closed_at_once_only_those_are_signalled_that_do_not_exit() {
    let _one = SESSIONS_ARE_OPEN.lock().await;
    let folder = agentwire_testing::tempdir().unwrap();
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

/// Returns a turn that requests a permission.
fn asks() -> Scenario {
    let tool = Step::tool("Bash", json!({"command": "make"}), "made");
    Scenario::default()
        .reply([tool])
        .reply([Step::text("Done.")])
}

#[tokio::test]
async fn a_request_is_answered_while_the_session_closes() {
    let policy = patient().finish(LONG);
    let options = fake(&asks()).close_policy(policy).requests_in_stream(true);
    let mut client = Client::connect(options).await.unwrap();
    let mut submission = client.send("Go");
    let handle = client.handle();
    let closing = handle.close();
    while let Some(event) = client.next().await {
        if let Event::Request(pending) = event.unwrap() {
            let answer = handle.respond(&pending.request_id, PermissionResult::allow());
            answer.await.unwrap();
        }
    }
    assert_eq!(closing.await.step, CloseStep::Exited);
    let result = submission.result().await.unwrap();
    assert_eq!(result.permission_denials.unwrap_or_default(), []);
    assert_eq!(
        submission.turn_ended().await.unwrap().outcome,
        TurnOutcome::Completed
    );
}

#[tokio::test]
async fn closing_the_client_denies_requests_that_only_its_stream_has() {
    // Without the denial, the turn would be cut off.
    let policy = patient().finish(LONG);
    let options = fake(&asks()).close_policy(policy).requests_in_stream(true);
    let mut client = Client::connect(options).await.unwrap();
    let mut submission = client.send("Go");
    client.close().await;
    let result = submission.result().await.unwrap();
    assert_eq!(result.permission_denials.unwrap_or_default().len(), 1);
    assert_eq!(
        submission.turn_ended().await.unwrap().outcome,
        TurnOutcome::Completed
    );
    while let Some(event) = client.next().await {
        event.unwrap();
    }
}

#[tokio::test]
async fn a_turn_that_completes_after_its_input_was_closed_is_not_cut_off() {
    for completes in [true, false] {
        let options = Options::new().close_policy(patient().finish(Duration::ZERO));
        let (mut client, mut agent) = support::peer::connect(options).await;
        let mut submission = client.send("Go");
        agent.hears().await;
        let closing = client.handle().close();
        assert_eq!(agent.input.next_line().await.unwrap(), None);
        if completes {
            agent
                .says(r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"session_id":"s"}"#)
                .await;
        }
        agent.output.shutdown().await.unwrap();
        closing.await;
        let outcome = submission.turn_ended().await.map(|it| it.outcome);
        let mut error = None;
        while let Some(event) = client.next().await {
            error = event.err();
        }
        if completes {
            assert_eq!(outcome.unwrap(), TurnOutcome::Completed);
            assert!(error.is_none(), "{error:?}");
        } else {
            assert_eq!(ended(outcome.unwrap_err()).reason, EndReason::CutOff);
            assert_eq!(ended(error.unwrap()).reason, EndReason::CutOff);
        }
    }
}

/// Returns options for an agent that neither finishes its turn nor exits. It has a child
/// in another process group.
fn stubborn(folder: &agentwire_testing::TempDir) -> Options {
    let child = folder.path().join("child");
    let then = format!(
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > {}; while :; do sleep 1; done' & \
         while :; do sleep 1; done",
        child.display()
    );
    support::answering(folder, "{}", &then).close_policy(patient().finish(LONG))
}

#[tokio::test]
async fn within_a_deadline_everything_of_a_session_is_gone_whatever_the_policy_says() {
    for is_awaited in [true, false] {
        let folder = agentwire_testing::tempdir().unwrap();
        let client = Client::connect(stubborn(&folder)).await.unwrap();
        let child = support::line_of(&folder.path().join("child")).await;
        client.send("Go");
        let closing = client.handle().close().within(Duration::from_secs(5));
        match is_awaited {
            true => {
                let report = closing.await;
                assert_eq!(
                    (report.step, &*report.remaining),
                    (CloseStep::Killed, &[][..])
                );
            }
            false => drop(closing),
        }
        let pids = [client.pid().unwrap(), child.parse().unwrap()];
        assert!(!is_awaited || !pids.into_iter().any(is_alive));
        let gone = tokio::task::spawn_blocking(move || pids.into_iter().for_each(wait_until_gone));
        gone.await.unwrap();
    }
}

#[tokio::test]
async fn a_deadline_holds_for_a_session_that_is_closing_already() {
    let folder = agentwire_testing::tempdir().unwrap();
    let client = Client::connect(stubborn(&folder)).await.unwrap();
    client.send("Go");
    let handle = client.handle();
    let slow = handle.close();
    let report = handle.close().within(Duration::from_secs(5)).await;
    assert_eq!(report.step, CloseStep::Killed);
    assert_eq!(slow.await, report);
}

#[tokio::test]
async fn a_group_closes_its_sessions_and_no_others() {
    let scenario = Scenario::default().reply([Step::text("Hello.")]);
    let (group, options) = (SessionGroup::new(), fake(&scenario));
    let mut members = Vec::new();
    for _ in 0..3 {
        let options = options.clone().group(&group);
        members.push(Client::connect(options).await.unwrap());
    }
    // This session ended earlier, so the group does not report it.
    drop(members[0].close().await);
    let other = Client::connect(options.clone()).await.unwrap();
    // A session without a client stays a member until its processes exit.
    let pid = members[2].pid().unwrap();
    drop(members.pop());
    let reports = group.close_all(LONG).await;
    assert!((1..=2).contains(&reports.len()), "{reports:?}");
    assert!(!is_alive(pid) && !is_alive(members[1].pid().unwrap()));
    assert!(members[1].is_closed());
    assert_eq!(group.close_all(LONG).await, []);
    let late = Client::connect(options.group(&group)).await;
    assert_eq!(ended(late.unwrap_err()).reason, EndReason::Closed);
    assert!(!other.is_closed());
    assert_eq!(other.prompt("Hi").await.unwrap().text(), "Hello.");
}

#[tokio::test]
async fn a_group_closes_sessions_that_are_connecting() {
    let folder = agentwire_testing::tempdir().unwrap();
    let group = SessionGroup::new();
    // This agent never answers the first request.
    let pid = folder.path().join("pid");
    let script = format!(
        "echo $$ > {}; while read -r line; do :; done",
        pid.display()
    );
    let cli = support::script(&folder, &script);
    let options = Options::new().cli(cli).request_timeout(LONG).group(&group);
    let mut connecting = Box::pin(Client::connect(options));
    let pid = tokio::select! {
        _ = &mut connecting => panic!("it does not answer"),
        pid = support::line_of(&pid) => pid,
    };
    let reports = group.close_all(LONG);
    let (connected, reports) = tokio::join!(connecting, reports);
    assert!(matches!(
        connected,
        Err(Error::Ended(_) | Error::StartUp { .. })
    ));
    assert_eq!(reports.len(), 1);
    assert!(!is_alive(pid.parse().unwrap()));
    // The group has no sessions any more.
    assert_eq!(ready(group.close_all(Duration::ZERO)), []);
}

#[tokio::test]
async fn a_deadline_may_be_the_longest_duration() {
    let group = SessionGroup::new();
    let options = fake(&Scenario::default()).group(&group);
    let client = Client::connect(options.clone()).await.unwrap();
    let report = client.handle().close().within(Duration::MAX).await;
    assert_eq!(report.step, CloseStep::Exited);
    let _other = Client::connect(options).await.unwrap();
    assert_eq!(group.close_all(Duration::MAX).await.len(), 1);
}

#[tokio::test]
async fn limits_can_be_as_long_as_durations() {
    let longest = Duration::MAX;
    let scenario = Scenario::default().reply([Step::text("Hello.")]);
    let restart = RestartPolicy::default()
        .hang(longest)
        .pause(longest, longest);
    let policy = ClosePolicy::default().finish(longest).exit(longest);
    let options = fake(&scenario)
        .request_timeout(longest)
        .background_limit(longest)
        .load_timeout(longest)
        .sleep_after(longest)
        .restart(restart)
        .close_policy(policy.terminate(longest).kill(longest));
    for (is_killed, within) in [(false, longest), (true, Duration::from_secs(1))] {
        let mut client = Client::connect(options.clone()).await.unwrap();
        client.prompt("Hello").await.unwrap();
        client.await_mcp_ready(longest).await.unwrap();
        if is_killed {
            support::kill(client.pid().unwrap());
            // The next process would start after the longest pause.
            let waits = tokio::time::timeout(Duration::from_millis(200), client.mcp_status());
            assert!(waits.await.is_err(), "the request does not wait");
        }
        let closed = client.handle().close().within(within);
        while let Some(event) = client.next().await {
            event.unwrap();
        }
        closed.await;
    }
}
