//! Tests of sessions of the real CLI that are open in another process.

use crate::support::{Live, live_cli};
use agentwire::ownership::{SessionOwner, WhenOwned};
use agentwire::{Client, Error, Event, Notice, Options};
use agentwire_testkit::{Scenario, Step};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

fn hello() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")]).repeated()
}

/// Returns a session after its first turn.
async fn session_after_turn(options: Options) -> (Client, String) {
    let client = Client::connect(options).await.unwrap();
    let result = client.prompt("Hello?").await.unwrap();
    (client, result.session_id.unwrap())
}

/// Spawns an agent with this session without the library.
fn by_hand(live: &Live, id: &str) -> Child {
    let stream = ["--input-format=stream-json", "--output-format=stream-json"];
    Command::new(live_cli())
        .args(["--print", "--verbose", &format!("--resume={id}")])
        .args(stream)
        .current_dir(live.project())
        .env_clear()
        .envs(live.environment())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// Waits until the agent has recorded its session.
async fn runs(config: &Path, pid: u32, id: &str) {
    let file = config.join(format!("sessions/{pid}.json"));
    while !std::fs::read_to_string(&file).is_ok_and(|it| it.contains(id)) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn owner(error: &Error) -> SessionOwner {
    match error {
        Error::SessionOwned { owner, .. } => *owner,
        error => panic!("{error}"),
    }
}

/// Returns whether the owner is this program, or the agent of `first`. A new session is
/// locked only when its transcript exists, but its agent already runs.
fn is_first(owner: SessionOwner, first: &Client) -> bool {
    let pid = Some(std::process::id());
    owner == SessionOwner::Host { pid }
        || matches!(owner, SessionOwner::Agent { pid } if first.pid() == Some(pid))
}

#[tokio::test]
async fn an_open_session_cannot_be_opened_again() {
    let live = Live::start(hello()).await;
    let (mut first, id) = session_after_turn(live.options()).await;
    let again = || live.options().resume(&id);
    let error = Client::connect(again().when_owned(WhenOwned::Refuse))
        .await
        .unwrap_err();
    assert!(is_first(owner(&error), &first), "{error}");
    // A fork is another session.
    let (mut fork, other) = session_after_turn(again().fork_session(true)).await;
    assert_ne!(other, id);
    fork.close().await;
    // The session stays open until it is closed.
    first.close().await;
    let again = again().when_owned(WhenOwned::Refuse);
    let (mut second, same) = session_after_turn(again).await;
    assert_eq!(same, id);
    second.abort().await;
    let again = live.options().resume(&id).when_owned(WhenOwned::Refuse);
    session_after_turn(again).await.0.close().await;
    let left = live.home.path().join(".claude/agentwire");
    assert!(!left.exists());
}

#[tokio::test]
async fn the_session_that_a_cleared_one_becomes_is_the_one_that_is_open() {
    let live = Live::start(hello()).await;
    let (mut first, id) = session_after_turn(live.options()).await;
    first.send("/clear").turn_ended().await.unwrap();
    let new = first.prompt("Again").await.unwrap().session_id.unwrap();
    assert_ne!(new, id);
    let again = |id: &str| live.options().resume(id).when_owned(WhenOwned::Refuse);
    let error = Client::connect(again(&new)).await.unwrap_err();
    assert!(is_first(owner(&error), &first), "{error}");
    session_after_turn(again(&id)).await.0.close().await;
    first.close().await;
}

#[tokio::test]
async fn an_agent_started_by_hand_owns_its_session_while_it_runs() {
    let live = Live::start(hello()).await;
    let (mut client, id) = session_after_turn(live.options()).await;
    client.close().await;
    let config = live.home.path().join(".claude");
    let mut agent = by_hand(&live, &id);
    let pid = agent.id().unwrap();
    runs(&config, pid, &id).await;
    let again = || live.options().resume(&id);
    let error = Client::connect(again().when_owned(WhenOwned::Refuse))
        .await
        .unwrap_err();
    assert_eq!(owner(&error), SessionOwner::Agent { pid });
    // A killed agent cannot remove its record, but a waiting host notices its exit.
    let waits = tokio::spawn(session_after_turn(
        again().when_owned(WhenOwned::Wait(Duration::from_secs(60))),
    ));
    agent.kill().await.unwrap();
    let (mut client, same) = waits.await.unwrap();
    assert_eq!(same, id);
    client.close().await;
}

#[tokio::test]
async fn the_latest_session_is_reported_if_it_is_open() {
    let live = Live::start(hello()).await;
    let (mut first, id) = session_after_turn(live.options()).await;
    let mut second = Client::connect(live.options().continue_latest(true))
        .await
        .unwrap();
    second.send("Hello?");
    let shared = loop {
        let event = second.next().await.unwrap().unwrap();
        if let Event::Notice(Notice::SessionShared { session_id, owner }) = event {
            break (session_id, owner);
        }
    };
    assert_eq!(*shared.0, *id);
    assert!(is_first(shared.1, &first), "{}", shared.1);
    second.close().await;
    first.close().await;
}
