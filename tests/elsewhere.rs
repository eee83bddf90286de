//! Tests of sessions over pipes, with an agent that is not a child of this process.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::options::CommandLine;
use agentwire::process::{CloseReport, CloseStep};
use agentwire::protocol::mcp::McpHttpServer;
use agentwire::protocol::permission::PermissionMode;
use agentwire::protocol::plugin::LocalPlugin;
use agentwire::store::{MemoryStore, TranscriptKey};
use agentwire::transport::{CloseInput, Connection, LocalCli, Peer, PeerFuture, Pipes, Transport};
use agentwire::{
    Client, ClosePolicy, EndReason, Error, Event, Notice, Options, PermissionResult, SessionEnd,
    SessionStore,
};
use agentwire_testkit::{Scenario, Step};
use std::sync::Arc;
use std::time::Duration;
use support::peer::connect;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
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
async fn output_is_delivered_and_its_end_ends_the_session() {
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
    // Later callers receive the same end.
    let Err(Error::Ended(again)) = handle.send("Hello?").await else {
        panic!()
    };
    assert!(Arc::ptr_eq(&end, &again));
    assert_eq!(client.close().await.step, CloseStep::Exited);
}

#[tokio::test(start_paused = true)]
async fn partial_lines_of_sessions_are_not_mixed() {
    let (mut one, mut its_agent) = connect(Options::new()).await;
    let (mut other, mut others_agent) = connect(Options::new()).await;
    // These lengths are below and above the length from which a line has its own buffer.
    for length in [10, 1_000, 20_000, 100_000] {
        let line = |name: &str| format!(r#"{{"type":"{name}","text":"{}"}}"#, name.repeat(length));
        let lines = [line("one"), line("other")];
        let middle = lines[0].len() / 2;
        let agents = async {
            its_agent
                .output
                .write_all(&lines[0].as_bytes()[..middle])
                .await
                .unwrap();
            tokio::task::yield_now().await;
            others_agent.says(&lines[1]).await;
            tokio::task::yield_now().await;
            its_agent.says(&lines[0][middle..]).await;
        };
        let clients = async {
            for (client, line) in [(&mut other, &lines[1]), (&mut one, &lines[0])] {
                let Event::Frame(frame) = client.next().await.unwrap().unwrap() else {
                    panic!()
                };
                assert_eq!(*frame.raw(), *line);
            }
        };
        tokio::join!(agents, clients);
    }
    drop((its_agent, others_agent));
    assert!(end_of(&mut one).await.is_some() && end_of(&mut other).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn closing_ends_the_input_and_waits_for_the_end_of_the_output() {
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
async fn the_exit_timeout_starts_at_the_end_of_the_turn() {
    let policy = ClosePolicy::default().exit(Duration::from_secs(9));
    let (mut client, mut agent) = connect(Options::new().close_policy(policy)).await;
    client.send("Go");
    assert_eq!(agent.hears().await["type"], "user");
    let begun = Instant::now();
    let leaves = async {
        tokio::time::sleep(Duration::from_secs(50)).await;
        let result = serde_json::json!({
            "type": "result", "subtype": "success", "is_error": false, "session_id": "s",
            "uuid": "r", "num_turns": 1, "duration_ms": 1, "duration_api_ms": 1,
            "total_cost_usd": 0, "usage": {}, "modelUsage": {}, "permission_denials": [],
        });
        agent.says(&result.to_string()).await;
        while agent.input.next_line().await.unwrap().is_some() {}
        tokio::time::sleep(Duration::from_secs(8)).await;
        drop(agent);
    };
    let (report, ()) = tokio::join!(client.close(), leaves);
    assert_eq!(report.step, CloseStep::Exited);
    assert_eq!(begun.elapsed().as_secs(), 58);
}

#[tokio::test(start_paused = true)]
async fn an_output_that_does_not_end_in_time_is_abandoned() {
    let policy = ClosePolicy::default().exit(Duration::from_secs(9));
    let (mut client, mut agent) = connect(Options::new().close_policy(policy)).await;
    let report = client.close().await;
    assert_eq!(report.step, CloseStep::StillAlive);
    assert_eq!(report.took.as_secs(), 9);
    let end = end_of(&mut client).await.unwrap();
    assert_eq!(end.reason, EndReason::StillAlive);
    // The output has no reader any more.
    assert!(agent.output.write_all(b"Hello?\n").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_client_interrupts_a_write() {
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
async fn a_half_of_a_split_stream_is_closed() {
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
        let connected = Client::connect_over(Pipes::new(reader, writer), Options::new()).await;
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
async fn options_without_effect_and_rejected_options_are_reported() {
    let options = Options::new()
        .permission_mode(PermissionMode::DontAsk)
        .on_permission(|_| async { PermissionResult::allow() })
        .plugins([LocalPlugin::new("crabs")])
        // Options about a local process have no effect on a remote one.
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
    let [Notice::IgnoredOption(ignored), missing] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert_eq!(ignored.by, "--permission-mode=dontAsk");
    assert_eq!(*missing, Notice::NotApplied { option: "plugins" });
}

#[tokio::test(start_paused = true)]
async fn a_session_does_not_start_if_the_agent_rejects_a_required_option() {
    use support::peer::connect_with;

    let settings = serde_json::json!({ "permissions": { "deny": ["Read(.env)"] } });
    let servers = [("wiki", McpHttpServer::new("http://127.0.0.1:1"))];
    for (options, taken, option) in [
        (
            Options::new().settings(settings.clone()),
            "settings_applied",
            "settings",
        ),
        (
            Options::new().managed_settings(settings),
            "managed_settings_applied",
            "managed_settings",
        ),
        (
            Options::new().mcp_servers(servers),
            "mcp_servers_applied",
            "mcp_servers",
        ),
    ] {
        for answer in [serde_json::json!({}), serde_json::json!({ taken: false })] {
            match connect_with(options.clone(), &answer).await.0 {
                Err(Error::NotApplied { option: missing }) => assert_eq!(missing, option),
                other => panic!("{option}: {other:?}"),
            }
        }
        let answer = serde_json::json!({ taken: true });
        let (client, ..) = support::peer::connect_with(options, &answer).await;
        client.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn incompatible_options_are_refused_over_pipes() {
    let (reader, writer) = tokio::io::duplex(64);
    let options = Options::new().fork_session(true);
    let refused = Client::connect_over(Pipes::new(reader, writer), options).await;
    assert!(matches!(refused, Err(Error::Option { option, .. }) if option == "--fork-session"));
}

/// A transport to an agent that can be signalled to exit.
struct Remote {
    pipes: Option<(tokio::io::DuplexStream, tokio::io::DuplexStream)>,
    launched: tokio::sync::mpsc::UnboundedSender<CommandLine>,
    machine: Machine,
}

#[derive(Debug, Clone, Default)]
struct Machine {
    /// Cancelled when the agent is signalled to exit.
    signalled: tokio_util::sync::CancellationToken,
    exited: tokio_util::sync::CancellationToken,
}

impl Transport for Remote {
    async fn open(&mut self, line: &CommandLine, _: ClosePolicy) -> Result<Connection, Error> {
        self.launched
            .send(line.clone())
            .map_err(|_| Error::transport("nobody is there"))?;
        let Some((output, input)) = self.pipes.take() else {
            return Err(Error::transport("there was one pair of pipes"));
        };
        Ok(Connection::new(output, input, self.machine.clone()).stderr(&b"Crabs!"[..]))
    }
}

impl Peer for Machine {
    fn exited(&self) -> PeerFuture<'_, Option<std::process::ExitStatus>> {
        Box::pin(async {
            self.exited.cancelled().await;
            Some(std::process::ExitStatus::default())
        })
    }

    fn close(&self, close_input: CloseInput) {
        close_input();
        self.signalled.cancel();
    }

    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>> {
        Box::pin(async {
            self.exited.cancelled().await;
            let mut report = CloseReport::default();
            report.step = CloseStep::Terminated;
            Some(report)
        })
    }
}

/// Connects a session over a [`Remote`] transport. Returns its command line, the agent's
/// ends of the pipes, and the state of the agent's machine.
async fn connect_remote(options: Options) -> (Client, CommandLine, support::peer::Peer, Machine) {
    let (to_agent, input) = tokio::io::duplex(4096);
    let (output, from_agent) = tokio::io::duplex(4096);
    let mut agent = support::peer::Peer {
        input: BufReader::new(input).lines(),
        output,
    };
    let (launched, mut lines) = tokio::sync::mpsc::unbounded_channel();
    let machine = Machine::default();
    let remote = Remote {
        pipes: Some((from_agent, to_agent)),
        launched,
        machine: machine.clone(),
    };
    let client = Client::connect_over(remote, options);
    let answer = serde_json::json!({});
    let (client, _) = tokio::join!(client, agent.answers(&answer));
    (client.unwrap(), lines.recv().await.unwrap(), agent, machine)
}

#[tokio::test(start_paused = true)]
async fn a_transport_receives_the_command_line_and_reports_the_exit() {
    let (mut client, line, agent, machine) = connect_remote(Options::new().model("haiku")).await;
    assert!(line.arguments.contains(&"--model=haiku".to_owned()));
    // The exit of the agent ends the session, although the output is still open.
    machine.exited.cancel();
    let end = end_of(&mut client).await.unwrap();
    assert_eq!(end.reason, EndReason::ExitedBeforeFirstTurn);
    assert!(end.exit.unwrap().success());
    assert_eq!(end.stderr, "Crabs!");
    assert!(machine.signalled.is_cancelled());
    drop(agent);
}

#[tokio::test]
async fn every_transport_resumes_from_a_store_and_the_folder_is_removed_with_the_session() {
    const ID: &str = "11111111-2222-4333-8444-555555555555";
    let directory = agentwire_testing::tempdir().unwrap();
    let store = MemoryStore::new();
    let key = TranscriptKey::in_directory(directory.path(), ID).unwrap();
    let entry = serde_json::json!({"type": "user", "uuid": "a"});
    store.append(&key, &[entry.into()]).await.unwrap();
    let options = Options::new()
        .cwd(directory.path())
        .clean_env()
        .session_store(store)
        .resume(ID);

    let (mut client, line, agent, machine) = connect_remote(options.clone()).await;
    let folder = line.resumed_home().unwrap().to_owned();
    let mut given = line.environment.iter().rev();
    let given = given.find(|(name, _)| name == "CLAUDE_CONFIG_DIR");
    assert_eq!(given.unwrap().1, folder);
    let transcript = format!("projects/{}/{ID}.jsonl", key.project());
    let written = std::fs::read_to_string(folder.join(transcript)).unwrap();
    assert_eq!(written.lines().count(), 1);
    drop(line);
    assert!(folder.exists());
    machine.exited.cancel();
    end_of(&mut client).await.unwrap();
    assert!(!folder.exists());
    drop(agent);

    // An agent that already runs does not read files of this machine.
    let (client, ..) = support::peer::connect_with(options, &serde_json::json!({})).await;
    client.unwrap();
}

#[tokio::test]
async fn pipes_are_opened_once() {
    let line = Options::new().command_line().unwrap();
    let (reader, writer) = tokio::io::duplex(64);
    let mut pipes = Pipes::new(reader, writer);
    assert!(pipes.open(&line, ClosePolicy::default()).await.is_ok());
    let refused = pipes.open(&line, ClosePolicy::default()).await.unwrap_err();
    assert!(matches!(refused, Error::Transport { .. }), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn the_transport_closes_the_agent_and_makes_the_report() {
    let (mut client, _, mut agent, machine) = connect_remote(Options::new()).await;
    let leaves = async {
        machine.signalled.cancelled().await;
        assert!(agent.input.next_line().await.unwrap().is_none());
        machine.exited.cancel();
    };
    let (report, ()) = tokio::join!(client.close(), leaves);
    assert_eq!(report.step, CloseStep::Terminated);

    let (client, _, _agent, machine) = connect_remote(Options::new()).await;
    drop(client);
    machine.signalled.cancelled().await;
}

#[tokio::test(start_paused = true)]
async fn the_error_of_a_failed_transport_has_the_reason() {
    let (launched, lines) = tokio::sync::mpsc::unbounded_channel();
    drop(lines);
    let remote = Remote {
        pipes: Some(tokio::io::duplex(1)),
        launched,
        machine: Machine::default(),
    };
    let error = Client::connect_over(remote, Options::new()).await;
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "cannot connect to the agent: nobody is there");
}

#[tokio::test(start_paused = true)]
async fn a_bidirectional_stream_is_a_transport() {
    let (host, far) = tokio::io::duplex(4096);
    drop(far);
    let error = Client::connect_over(Pipes::of(host), Options::new()).await;
    assert!(matches!(error, Err(Error::Ended(_))), "{error:?}");
}

/// A transport that starts one local agent at a time: a slot is free once the [`Peer`] is dropped.
struct Slots {
    slots: Arc<Semaphore>,
    local: LocalCli,
}

#[derive(Debug)]
struct Slotted {
    inner: Arc<dyn Peer>,
    _slot: OwnedSemaphorePermit,
}

impl Transport for Slots {
    async fn open(&mut self, line: &CommandLine, policy: ClosePolicy) -> Result<Connection, Error> {
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let mut connection = self.local.open(line, policy).await?;
        connection.peer = Arc::new(Slotted {
            inner: connection.peer,
            _slot: slot.unwrap(),
        });
        Ok(connection)
    }
}

impl Peer for Slotted {
    fn pid(&self) -> Option<u32> {
        self.inner.pid()
    }
    fn exited(&self) -> PeerFuture<'_, Option<std::process::ExitStatus>> {
        self.inner.exited()
    }
    fn close(&self, close_input: CloseInput) {
        self.inner.close(close_input);
    }
    fn kill(&self) {
        self.inner.kill();
    }
    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>> {
        self.inner.closed()
    }
}

#[tokio::test]
async fn the_peer_of_an_ended_process_is_dropped_before_the_next_one_is_opened() {
    let slots = Arc::new(Semaphore::new(1));
    let transport = Slots {
        slots: Arc::clone(&slots),
        local: LocalCli,
    };
    let scenario = Scenario::default().reply([Step::text("Hello.")]).repeated();
    let client = Client::connect_over(transport, support::fake(&scenario));
    let mut client = client.await.unwrap();
    client.prompt("Hi").await.unwrap();
    assert_eq!(slots.available_permits(), 0);
    let pid = client.pid();
    client.sleep().await.unwrap();
    assert_eq!(slots.available_permits(), 1);
    assert_eq!(client.pid(), pid);
    client.prompt("Are you awake?").await.unwrap();
    assert_ne!(client.pid(), pid);
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_does_not_open_fails_after_the_request_timeout() {
    let transport = Slots {
        slots: Arc::new(Semaphore::new(0)),
        local: LocalCli,
    };
    let connected = Client::connect_over(transport, Options::new().cli("/bin/cat")).await;
    let error = connected.unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error}");
    assert!(
        error.to_string().contains("did not open within 60s"),
        "{error}"
    );
}
