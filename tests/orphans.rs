//! Tests that no process that a session spawned survives the session.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::{Client, Options, query};
use agentwire_testing::TempDir;
use agentwire_testkit::{Fault, Scenario, Step};
use std::path::PathBuf;
use support::{
    LONG, fake, fake_agent_path, hasty, line_of, says, script, wait_for, wait_until_gone,
};

/// An agent that ignores SIGTERM, in the middle of a turn. It has a child in another
/// session that also ignores SIGTERM.
struct Stubborn {
    folder: TempDir,
}

impl Stubborn {
    fn new() -> Self {
        Self {
            folder: agentwire_testing::tempdir().unwrap(),
        }
    }

    fn options(&self) -> Options {
        let child = format!(
            "trap '' TERM; echo $$ > {}; exec sleep 1000",
            self.pid_file().display()
        );
        let spawn = ["setsid", "sh", "-c", &child].map(str::to_owned).to_vec();
        let scenario = Scenario::default().reply([
            Step::Fault(Fault::Spawn(spawn)),
            Step::text("Working "),
            Step::WaitMs(600_000),
        ]);
        let agent = format!("trap '' TERM\nexec {} \"$@\"", fake_agent_path().display());
        fake(&scenario)
            .cli(script(&self.folder, &agent))
            .close_policy(hasty())
    }

    fn pid_file(&self) -> PathBuf {
        self.folder.path().join("pid")
    }

    /// Starts a turn. Returns the client, and the IDs of the agent and its child.
    async fn start(&self) -> (Client, [u32; 2]) {
        self.start_with(self.options()).await
    }

    async fn start_with(&self, options: Options) -> (Client, [u32; 2]) {
        let mut client = Client::connect(options).await.unwrap();
        client.send("Work").await.unwrap();
        wait_for(&mut client, says("Working")).await;
        let child = line_of(&self.pid_file()).await.parse().unwrap();
        let pids = [client.pid().unwrap(), child];
        assert!(pids.into_iter().all(support::is_alive));
        (client, pids)
    }
}

#[tokio::test]
async fn dropping_the_client_inside_a_runtime_leaves_nothing() {
    let stubborn = Stubborn::new();
    let (client, pids) = stubborn.start().await;
    drop(client);
    pids.into_iter().for_each(wait_until_gone);
}

#[test]
fn dropping_the_client_outside_a_runtime_that_is_not_running_leaves_nothing() {
    let stubborn = Stubborn::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (client, pids) = runtime.block_on(stubborn.start());
    drop(client);
    pids.into_iter().for_each(wait_until_gone);
}

#[test]
fn dropping_the_client_after_its_runtime_leaves_nothing() {
    let stubborn = Stubborn::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let (client, pids) = runtime.block_on(stubborn.start());
    drop(runtime);
    drop(client);
    pids.into_iter().for_each(wait_until_gone);
}

#[test]
fn shutting_the_runtime_down_with_the_client_in_a_task_leaves_nothing() {
    let stubborn = Stubborn::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let (client, pids) = runtime.block_on(stubborn.start());
    runtime.spawn(async move {
        let _client = client;
        std::future::pending::<()>().await;
    });
    drop(runtime);
    pids.into_iter().for_each(wait_until_gone);
}

#[tokio::test]
async fn closing_reports_its_steps() {
    let stubborn = Stubborn::new();
    // The agent exits by itself, but its child must be killed.
    let policy = hasty().exit(LONG);
    let options = stubborn.options().close_policy(policy);
    let (mut client, [agent, child]) = stubborn.start_with(options).await;
    // Without the interrupt, the turn would take ten minutes.
    client.interrupt().await.unwrap();
    let report = client.close().await;
    assert_eq!(report.step, agentwire::process::CloseStep::Exited);
    assert_eq!(report.swept, [child]);
    assert!(report.remaining.is_empty(), "{report:?}");
    assert!(!support::is_alive(agent) && !support::is_alive(child));
}

#[tokio::test]
async fn processes_of_a_crashed_cli_are_killed() {
    let stubborn = Stubborn::new();
    let (mut client, [agent, child]) = stubborn.start().await;
    support::kill(agent);
    while client.next().await.is_some() {}
    wait_until_gone(child);
}

#[tokio::test]
async fn dropping_a_query_or_a_connecting_client_leaves_nothing() {
    let folder = agentwire_testing::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let agent = format!(
        "trap '' TERM\necho $$ > {}\nexec sleep 1000",
        pid_file.display()
    );
    let options = Options::new()
        .cli(script(&folder, &agent))
        .close_policy(hasty());
    let mut connecting = Box::pin(query("Hello?", options));
    let pid = tokio::select! {
        _ = &mut connecting => panic!("it answers nothing"),
        pid = line_of(&pid_file) => pid.parse().unwrap(),
    };
    drop(connecting);
    wait_until_gone(pid);
}
