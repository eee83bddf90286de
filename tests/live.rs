//! Tests with the real CLI and a scripted model. `scripts/real live` installs the CLI and
//! runs these tests.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

#[path = "live/asks.rs"]
mod asks;
#[path = "live/background.rs"]
mod background;
#[path = "live/changed.rs"]
mod changed;
#[cfg(feature = "check")]
#[path = "live/check.rs"]
mod check;
#[path = "live/controls.rs"]
mod controls;
#[path = "live/damaged.rs"]
mod damaged;
#[path = "live/denied.rs"]
mod denied;
#[path = "live/elicitations.rs"]
mod elicitations;
#[path = "live/environment.rs"]
mod environment;
#[path = "live/gates.rs"]
mod gates;
#[path = "live/ids.rs"]
mod ids;
#[path = "live/interrupts.rs"]
mod interrupts;
#[path = "live/login.rs"]
mod login;
#[path = "live/logins.rs"]
mod logins;
#[path = "live/mcp.rs"]
mod mcp;
#[path = "live/mcp_servers.rs"]
mod mcp_servers;
#[path = "live/moved.rs"]
mod moved;
#[path = "support/oauth.rs"]
mod oauth;
#[path = "live/options.rs"]
mod options;
#[path = "live/order.rs"]
mod order;
#[path = "live/ownership.rs"]
mod ownership;
#[path = "live/print.rs"]
mod print;
#[path = "live/resumed.rs"]
mod resumed;
#[path = "live/rules.rs"]
mod rules;
#[path = "live/scripted.rs"]
mod scripted;
#[path = "live/store.rs"]
mod store;
#[path = "live/transcripts.rs"]
mod transcripts;
#[path = "live/unasked.rs"]
mod unasked;
#[path = "live/usage.rs"]
mod usage;
#[path = "live/view.rs"]
mod view;
#[path = "support/view.rs"]
mod viewed;
#[path = "live/within.rs"]
mod within;

use support::scenario;

#[tokio::test]
async fn every_scenario_file_passes_on_the_real_cli() {
    scenario::run_all(scenario::run_on_real).await;
}

use agentwire::protocol::agent_definition::{AgentDefinition, AgentMemory};
use agentwire::protocol::content::{ContentBlock, DocumentBlock, ImageBlock, Source};
use agentwire::protocol::control::Initialize;
use agentwire::protocol::host::Queueing;
use agentwire::protocol::mcp::McpHttpServer;
use agentwire::protocol::message::{Priority, SystemMessage};
use agentwire::protocol::model::EffortLevel;
use agentwire::protocol::permission::{
    Allow, PermissionBehavior, PermissionDestination, PermissionMode, PermissionRule,
    PermissionUpdate,
};
use agentwire::{
    Activity, Client, EndReason, Error, Event, Message, Options, PermissionResult, SessionGroup,
    SubmissionState, TurnOutcome, UserMessage, attach, query,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{
    Live, describe, hasty, line_of, log_to_end, priorities, says, wait_for, wait_until_gone,
};

#[tokio::test]
async fn flags_and_environment_arrive() {
    let live = Live::start(Scenario::default().reply([Step::text("Hello.")])).await;
    let options = live
        .options()
        .model("claude-haiku-4-5")
        .permission_mode(PermissionMode::Plan)
        .append_system_prompt("Speak in riddles, says the host.");
    let mut client = Client::connect(options).await.unwrap();
    assert_eq!(client.initialized().pid, client.pid());
    client.send("Who are you?").await.unwrap();
    let init = wait_for(&mut client, |event| {
        let Event::Frame(frame) = event else {
            return None;
        };
        match frame.message() {
            Message::System(SystemMessage::Init(init)) => Some(init),
            _ => None,
        }
    })
    .await;
    assert!(client.version().is_some());
    assert_eq!(init.claude_code_version.as_deref(), client.version());
    assert_eq!(init.model.as_deref(), Some("claude-haiku-4-5"));
    assert_eq!(init.permission_mode, Some(PermissionMode::Plan));
    assert_eq!(init.cwd.as_deref(), live.project().to_str());
    let asked = live.model.asked(0).await;
    assert!(
        asked
            .body
            .unwrap()
            .to_string()
            .contains("Speak in riddles, says the host.")
    );
    assert!(client.close().await.exit.unwrap().success());
}

#[tokio::test]
async fn a_query_requests_permission_before_its_input_closes() {
    let scenario = Scenario::default()
        .reply([Step::tool(
            "Bash",
            json!({ "command": "touch made; echo made" }),
            "",
        )])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let options = live.options().on_permission(|_| async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        PermissionResult::allow()
    });
    let mut answer = query("Make it", options).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        log[1..],
        ["tool answered: made", "text: Done.", "result: success fine"]
    );
    assert!(live.project().join("made").exists());
}

#[tokio::test]
async fn control_requests_are_answered() {
    let live = Live::start(Scenario::default()).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let answer = client.set_model("claude-haiku-4-5").await.unwrap();
    assert_eq!(answer.model.as_deref(), Some("claude-haiku-4-5"));
    let answer = client
        .set_permission_mode(PermissionMode::AcceptEdits)
        .await
        .unwrap();
    assert_eq!(answer.mode, Some(PermissionMode::AcceptEdits));
    let receipt = client.interrupt().await.unwrap();
    assert_eq!(receipt.still_queued, Some(vec![]));
    let error = client
        .set_permission_mode(PermissionMode::from("yolo"))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("invalid"), "{error}");
    let raw = json!({ "model": "claude-sonnet-4-5" });
    let answer = client.request_raw("set_model", raw).await.unwrap();
    assert_eq!(answer.get(), r#"{"model":"claude-sonnet-4-5"}"#);
    client.close().await;
}

#[tokio::test]
async fn an_interrupt_ends_the_reply_and_the_session_continues() {
    let scenario = Scenario::default()
        .reply([
            Step::chunks(["Once ", "upon "], Duration::from_millis(10)),
            Step::WaitMs(600_000),
        ])
        .reply([Step::text("The end.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    client.send("Tell a story").await.unwrap();
    wait_for(&mut client, says("upon")).await;
    client.interrupt().await.unwrap();
    client.send("And?").await.unwrap();
    let mut log = Vec::new();
    wait_for(&mut client, |event| {
        log.extend(describe(event));
        log.last()
            .is_some_and(|line| line == "result: success fine")
            .then_some(())
    })
    .await;
    assert!(
        log.contains(&"result: error_during_execution error".to_owned()),
        "{log:?}"
    );
    assert!(log.contains(&"text: The end.".to_owned()), "{log:?}");
    client.close().await;
}

#[tokio::test]
async fn killing_the_cli_in_mid_turn_ends_the_stream_with_the_signal() {
    let scenario = Scenario::default().reply([Step::text("I begin "), Step::WaitMs(600_000)]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    client.send("Go").await.unwrap();
    wait_for(&mut client, says("begin")).await;
    let killed = Instant::now();
    // Without the kill, the turn would take ten minutes.
    support::kill(client.pid().unwrap());
    let (_, error) = log_to_end(async || client.next().await).await;
    println!(
        "the stream ended {:?} after the kill: {}",
        killed.elapsed(),
        error.as_ref().unwrap()
    );
    let Some(Error::Ended(end)) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        (end.reason, end.exit.unwrap().signal()),
        (EndReason::Exited, Some(9))
    );
}

#[tokio::test]
async fn the_cli_accepts_sub_agents() {
    let live = Live::start(Scenario::default()).await;
    let reviewer = AgentDefinition::new("Reviews a change.", "You review code.")
        .tools(["Read"])
        .disallowed_tools(["Bash"])
        .model("haiku")
        .own_mcp_server(
            "wiki",
            McpHttpServer::new("http://127.0.0.1:9/mcp").header("A", "b"),
        )
        .skills(["pdf"])
        .max_turns(3)
        .background()
        .memory(AgentMemory::Project)
        .effort(EffortLevel::Low)
        .permission_mode(PermissionMode::Plan);
    let mut initialize = Initialize::default();
    initialize.agents = Some([("reviewer".to_owned(), reviewer)].into());
    let options = live.options().initialize(initialize);
    let mut client = Client::connect(options).await.unwrap();
    let agents = client.initialized().agents.as_deref().unwrap();
    let taken = agents
        .iter()
        .find(|agent| agent.name == "reviewer")
        .unwrap();
    assert_eq!(taken.description.as_deref(), Some("Reviews a change."));
    assert_eq!(taken.model.as_deref(), Some("haiku"));
    client.close().await;
}

#[tokio::test]
async fn a_rule_in_a_permission_response_avoids_the_next_request() {
    let touch = |name: &str| {
        let command = format!("touch {name}");
        [Step::tool("Bash", json!({ "command": command }), "")]
    };
    let scenario = Scenario::default()
        .reply(touch("first"))
        .reply(touch("second"))
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let options = live.options().on_permission(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        let touching = PermissionUpdate::add_rules(
            [PermissionRule::new("Bash").content("touch *")],
            PermissionBehavior::Allow,
            PermissionDestination::Session,
        );
        async { Allow::default().updated_permissions([touching]) }
    });
    let answer = query("Make them", options).await.unwrap();
    assert!(!answer.result().await.unwrap().is_error);
    assert!(live.project().join("first").exists());
    assert!(live.project().join("second").exists());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// An image of one pixel.
const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cch\x10P\0\0\x01\xc4\0\xb1\xab\x8e\xec&\0\0\0\0IEND\xaeB`\x82";

/// Returns the content that the model receives for a prompt, without the CLI's reminders
/// and cache marks.
async fn model_content(prompt: UserMessage) -> Vec<Value> {
    let live = Live::start(Scenario::default().reply([Step::text("I see.")])).await;
    let answer = query(prompt, live.options()).await.unwrap();
    assert!(!answer.result().await.unwrap().is_error);
    let asked = live.model.asked(0).await.body.unwrap();
    let messages = asked["messages"].as_array().unwrap();
    let user = messages.iter().filter(|message| message["role"] == "user");
    user.flat_map(|message| message["content"].as_array().unwrap())
        .filter(|block| !block.to_string().contains("<system-reminder>"))
        .map(|block| {
            let mut block = block.clone();
            block.as_object_mut().unwrap().remove("cache_control");
            block
        })
        .collect()
}

#[tokio::test]
async fn attachments_reach_the_model_in_the_format_of_the_api() {
    let folder = agentwire_testing::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    // The extension of the first file is wrong. Its type follows from its bytes.
    let image = file("pixel.jpg", PNG);
    let pdf = file("empty.pdf", b"%PDF-1.4\ntrailer<</Root 1 0 R>>\n%%EOF\n");
    let text = file("notes.md", "Crabs \u{1f980}\n@notes.md\n".as_bytes());
    let prompt = UserMessage::text("Look")
        .with(attach(image).await.unwrap())
        .with(attach(pdf).await.unwrap())
        .with(attach(text).await.unwrap())
        .with(ImageBlock::new(Source::url(
            "https://example.invalid/a.png",
        )))
        .with(
            DocumentBlock::new(Source::uploaded("file_1"))
                .title("Crabs")
                .context("A book")
                .cited(),
        );
    let mut given = model_content(prompt).await;
    // After the image, the CLI adds a text with the path of its copy.
    let note = given.pop().unwrap()["text"].as_str().unwrap().to_owned();
    assert!(note.starts_with("[Image: source: /"), "{note}");
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoEFAAAAHEALGrjuwmAAAAAElFTkSuQmCC";
    let pdf = "JVBERi0xLjQKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgolJUVPRgo=";
    assert_eq!(
        given,
        [
            json!({ "type": "text", "text": "Look" }),
            json!({ "type": "image", "source":
                { "type": "base64", "media_type": "image/png", "data": png } }),
            json!({ "type": "document", "title": "empty.pdf", "source":
                { "type": "base64", "media_type": "application/pdf", "data": pdf } }),
            json!({ "type": "document", "title": "notes.md", "source":
                { "type": "text", "media_type": "text/plain", "data": "Crabs \u{1f980}\n@notes.md\n" } }),
            json!({ "type": "image", "source":
                { "type": "url", "url": "https://example.invalid/a.png" } }),
            json!({ "type": "document", "title": "Crabs", "context": "A book",
                "citations": { "enabled": true },
                "source": { "type": "file", "file_id": "file_1" } }),
        ]
    );
}

#[tokio::test]
async fn the_cli_converts_images_but_not_documents() {
    let mislabelled = ImageBlock::new(Source::bytes("image/jpeg", PNG));
    let broken = ContentBlock::attachment("a.png", &PNG[..20]).unwrap();
    let archive = DocumentBlock::new(Source::bytes("application/zip", b"PK\x05\x06"));
    let prompt = UserMessage::text("Look")
        .with(mislabelled)
        .with(broken)
        .with(archive);
    let given = model_content(prompt).await;
    assert_eq!(given[1]["source"]["media_type"], "image/png");
    let replaced = given.iter().filter_map(|block| block["text"].as_str());
    let replaced: Vec<_> = replaced
        .filter(|text| text.contains("could not be processed"))
        .collect();
    assert_eq!(replaced.len(), 1, "{given:?}");
    assert!(
        given.contains(&json!({ "type": "document", "source":
            { "type": "base64", "media_type": "application/zip", "data": "UEsFBg==" } })),
        "{given:?}"
    );
}

/// A real CLI whose turn runs a shell tool. The tool ignores SIGTERM and has its own
/// session.
struct StubbornTool {
    live: Live,
}

impl StubbornTool {
    async fn new() -> Self {
        // The working directory of the command is the project.
        let command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done";
        let call = Step::tool("Bash", json!({ "command": command }), "");
        Self {
            live: Live::start(Scenario::default().reply([call])).await,
        }
    }

    /// Waits until the tool runs. Returns the ID of its process.
    async fn pid(&self) -> u32 {
        let file = self.live.project().join("pid");
        line_of(&file).await.parse().unwrap()
    }

    fn options(&self) -> Options {
        self.live
            .options()
            .on_permission(|_| async { PermissionResult::allow() })
            .close_policy(hasty())
    }

    /// Starts the turn. Returns the client, and the IDs of the agent and of the tool.
    async fn start(&self) -> (Client, [u32; 2]) {
        let client = Client::connect(self.options()).await.unwrap();
        client.send("Work").await.unwrap();
        let tool = self.pid().await;
        let stat = std::fs::read_to_string(format!("/proc/{tool}/stat")).unwrap();
        let session = stat.rsplit_once(") ").unwrap().1.split(' ').nth(3).unwrap();
        assert_ne!(
            session.parse(),
            Ok(client.pid().unwrap()),
            "the tool has a session of its own"
        );
        let pids = [client.pid().unwrap(), tool];
        assert!(pids.into_iter().all(support::is_alive));
        (client, pids)
    }
}

#[tokio::test]
async fn dropping_the_client_inside_a_runtime_leaves_no_tool_behind() {
    let stubborn = StubbornTool::new().await;
    let (client, pids) = stubborn.start().await;
    drop(client);
    pids.into_iter().for_each(wait_until_gone);
}

#[test]
fn dropping_the_client_outside_a_runtime_leaves_no_tool_behind() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let stubborn = runtime.block_on(StubbornTool::new());
    let (client, pids) = runtime.block_on(stubborn.start());
    drop(runtime);
    drop(client);
    pids.into_iter().for_each(wait_until_gone);
}

#[tokio::test]
async fn a_cli_that_is_killed_leaves_no_tool_behind() {
    let stubborn = StubbornTool::new().await;
    let (mut client, [cli, tool]) = stubborn.start().await;
    support::kill(cli);
    while client.next().await.is_some() {}
    wait_until_gone(tool);
}

#[tokio::test]
async fn closing_with_a_running_tool_reports_its_steps() {
    let stubborn = StubbornTool::new().await;
    let policy = hasty().finish(Duration::from_millis(300));
    let options = stubborn.options().close_policy(policy);
    let mut client = Client::connect(options).await.unwrap();
    client.send("Work").await.unwrap();
    let tool = stubborn.pid().await;
    let report = client.close().await;
    println!("{report:?}");
    assert!(report.remaining.is_empty(), "{report:?}");
    assert!(!support::is_alive(tool));
}

#[tokio::test]
async fn a_group_leaves_nothing_of_a_stubborn_tool_within_its_deadline() {
    let group = SessionGroup::new();
    let stubborn = StubbornTool::new().await;
    let policy = support::patient().finish(support::LONG);
    let options = stubborn.options().close_policy(policy).group(&group);
    let client = Client::connect(options).await.unwrap();
    client.send("Work").await.unwrap();
    let pids = [client.pid().unwrap(), stubborn.pid().await];
    let reports = group.close_all(Duration::from_secs(10)).await;
    println!("{reports:?}");
    assert_eq!(reports.len(), 1);
    assert!(reports[0].remaining.is_empty());
    assert!(!pids.into_iter().any(support::is_alive));
}

#[tokio::test]
async fn a_request_in_a_turn_is_answered_while_the_session_closes() {
    let call = Step::tool("Bash", json!({"command": "touch made"}), "");
    let scenario = Scenario::default()
        .reply([call])
        .reply([Step::text("Made.")]);
    let live = Live::start(scenario).await;
    let options = live.options().requests_in_stream(true);
    let id = "3f9e4b7c-0000-4000-8000-000000000001";
    let client = Client::connect(options.session_id(id)).await.unwrap();
    assert_eq!(client.session_id().as_deref(), Some(id));
    let submission = client.send("Make it.");
    let (mut turn, handle) = (submission.turn(), client.handle());
    let closing = handle.close();
    while let Some(event) = turn.next().await {
        if let Event::Request(pending) = event.unwrap() {
            assert_eq!(client.pending_requests(), std::slice::from_ref(&pending));
            assert_eq!(client.activity(), Activity::RequiresAction);
            let answer = handle.respond(&pending.request_id, PermissionResult::allow());
            answer.await.unwrap();
        }
    }
    println!("{:?}", closing.await);
    assert!(live.project().join("made").exists());
    assert_eq!(
        turn.turn_ended().await.unwrap().outcome,
        TurnOutcome::Completed
    );
    assert_eq!(client.session_id().as_deref(), Some(id));
}

#[tokio::test]
async fn messages_of_all_priorities_run_in_order_and_have_their_own_states() {
    let live = Live::start(priorities::scenario()).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    priorities::assert_order(&priorities::run(&mut client, SubmissionState::Queued).await);
    client.close().await;
}

#[tokio::test]
async fn messages_of_all_priorities_run_in_the_same_order_with_a_queue_of_the_host() {
    let live = Live::start(priorities::scenario()).await;
    let options = live.options().queueing(Queueing::ByHost { merge: true });
    let mut client = Client::connect(options).await.unwrap();
    priorities::assert_order(&priorities::run(&mut client, SubmissionState::Waiting).await);
    client.close().await;
}

#[tokio::test]
async fn a_message_in_the_agents_queue_can_be_withdrawn() {
    let live = Live::start(priorities::scenario()).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let mut first = client.send("Tell a story");
    wait_for(&mut client, says("upon")).await;
    let mut second = client.send(UserMessage::text("And?").priority(Priority::Later));
    while second.state() < SubmissionState::Queued {
        second.changed().await;
    }
    assert!(second.cancel().await.unwrap().cancelled);
    assert_eq!(second.final_state().await, SubmissionState::Cancelled);
    assert!(!first.cancel().await.unwrap().cancelled);
    client.interrupt().await.unwrap();
    assert_eq!(first.final_state().await, SubmissionState::Interrupted);
    client.close().await;
}
