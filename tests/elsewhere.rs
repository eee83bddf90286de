//! Sessions over pipes, with an agent that is no child of this process.

#![allow(clippy::unwrap_used)]

mod support;

use agentwire::protocol::permission::PermissionMode;
use agentwire::protocol::plugin::LocalPlugin;
use agentwire::{
    Client, ClosePolicy, CloseStep, EndReason, Error, Event, Notice, Options, PermissionResult,
    SessionEnd,
};
use std::sync::Arc;
use std::time::Duration;
use support::far_end::connect;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::time::Instant;

async fn end_of(client: &mut Client) -> Option<Arc<SessionEnd>> {
    while let Some(event) = client.next().await {
        match event {
            Err(Error::Ended(end)) => return Some(end),
            event => drop(event.unwrap()),
        }
    }
    None
}

#[tokio::test(start_paused = true)]
async fn what_the_agent_says_is_delivered_and_its_end_is_the_end() {
    let (mut client, mut agent) = connect(Options::new()).await;
    assert_eq!(client.initialized().pid, Some(7));
    assert_eq!(client.pid(), None);
    let handle = client.handle();
    agent.says(r#"{"type":"hello"}"#).await;
    drop(agent);

    let agentwire::Event::Frame(frame) = client.next().await.unwrap().unwrap() else {
        panic!()
    };
    assert_eq!(frame.kind(), "hello");
    let end = end_of(&mut client).await.unwrap();
    assert_eq!((end.reason, end.exit), (EndReason::OutputClosed, None));
    assert!(client.next().await.is_none());
    // Whoever comes later learns the same.
    let Err(Error::Ended(again)) = handle.send("Hello?").await else {
        panic!()
    };
    assert!(Arc::ptr_eq(&end, &again));
    assert_eq!(client.close().await.step, CloseStep::Exited);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_the_agents_input_and_waits_for_the_end_of_its_output() {
    let (mut client, mut agent) = connect(Options::new()).await;
    let begun = Instant::now();
    let leaves = tokio::spawn(async move {
        assert!(agent.input.next_line().await.unwrap().is_none());
        agent.says(r#"{"type":"bye"}"#).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    });
    let report = client.close().await;
    assert_eq!((report.step, report.exit), (CloseStep::Exited, None));
    assert_eq!(report.took.as_secs(), 2);
    assert_eq!(begun.elapsed().as_secs(), 2);
    assert!(client.next().await.unwrap().is_ok());
    assert!(client.next().await.is_none());
    leaves.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_output_that_does_not_end_in_time_is_given_up() {
    let policy = ClosePolicy::default().exit(Duration::from_secs(9));
    let (mut client, mut agent) = connect(Options::new().close_policy(policy)).await;
    let report = client.close().await;
    assert_eq!(report.step, CloseStep::StillAlive);
    assert_eq!(report.took.as_secs(), 9);
    let end = end_of(&mut client).await.unwrap();
    assert_eq!(end.reason, EndReason::StillAlive);
    // Nobody reads it any more.
    assert!(agent.output.write_all(b"Hello?\n").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_client_cuts_off_what_is_being_written() {
    let (client, agent) = connect(Options::new()).await;
    let long = "x".repeat(100_000);
    let mut stuck = client.send(long.as_str());
    tokio::task::yield_now().await;
    drop(client);
    let Err(Error::Ended(end)) = stuck.written().await else {
        panic!()
    };
    assert_eq!(end.reason, EndReason::StillAlive);
    let mut rest = String::new();
    let mut input = agent.input.into_inner();
    input.read_to_string(&mut rest).await.unwrap();
    assert!(!rest.ends_with('\n'), "{rest}");
}

#[tokio::test(start_paused = true)]
async fn half_of_a_stream_is_closed_as_well() {
    let (host, far) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(host);
    let mut far = BufReader::new(far);
    let agent = async {
        let mut line = String::new();
        far.read_line(&mut line).await.unwrap();
        let request: serde_json::Value = serde_json::from_str(&line).unwrap();
        let answer = serde_json::json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": request["request_id"]},
        });
        let answer = format!("{answer}\n");
        far.write_all(answer.as_bytes()).await.unwrap();
        let mut rest = String::new();
        far.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "");
        drop(far);
    };
    let client = async {
        let connected = Client::connect_over(reader, writer, Options::new()).await;
        connected.unwrap().close().await
    };
    let (report, ()) = tokio::join!(client, agent);
    assert_eq!(report.step, CloseStep::Exited);
}

#[tokio::test]
async fn closing_comes_to_an_end_when_the_runtime_of_the_session_is_gone() {
    let (connected, session) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        connected
            .send(runtime.block_on(connect(Options::new())))
            .unwrap();
    });
    let (mut client, mut agent) = session.recv().unwrap();
    thread.join().unwrap();
    assert_eq!(client.close().await.step, CloseStep::StillAlive);
    let end = end_of(&mut client).await.unwrap();
    assert_eq!(end.reason, EndReason::RuntimeGone);
    assert!(agent.input.next_line().await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_has_no_effect_and_what_was_not_taken_is_told() {
    let options = Options::new()
        .permission_mode(PermissionMode::DontAsk)
        .on_permission(|_| async { PermissionResult::allow() })
        .plugins([LocalPlugin::new("crabs")])
        // What concerns a process here does not count there.
        .cwd("/only/there")
        .model("m".repeat(200 * 1024));
    let (mut client, _agent) = connect(options).await;
    let mut notices = vec![];
    for _ in 0..2 {
        match client.next().await.unwrap().unwrap() {
            Event::Notice(notice) => notices.push(notice),
            event => panic!("{event:?}"),
        }
    }
    let [Notice::Shadowed(shadowed), missing] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert_eq!(shadowed.by, "--permission-mode=dontAsk");
    assert_eq!(*missing, Notice::NotApplied { option: "plugins" });
}

#[tokio::test(start_paused = true)]
async fn options_that_do_not_go_together_are_refused_there_too() {
    let (reader, writer) = tokio::io::duplex(64);
    let options = Options::new().fork_session(true);
    let refused = Client::connect_over(reader, writer, options).await;
    assert!(matches!(refused, Err(Error::Option { option, .. }) if option == "--fork-session"));
}
