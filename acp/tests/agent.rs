//! Agents driven by the crate: the fake one, and some that misbehave.

use crate::fake_agent_path;
use agentwire::view::agent::{Agent as AnyAgent, AgentError, Decision};
use agentwire::view::entry::{Activity, Content, FailureReason, Outcome, Status};
use agentwire::view::{Body, Entry};
use agentwire_acp::{Agent, AgentOptions, ConnectError};
use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// A timeout that only a broken test exceeds.
const LONG: Duration = Duration::from_secs(60);

fn options(scenario: &Scenario, home: &TempDir) -> AgentOptions {
    let program = fake_agent_path();
    AgentOptions::new([program.as_os_str(), "--acp".as_ref()])
        .env("CLAUDE_CONFIG_DIR", home.path())
        .env(fake_agent::GATES, home.path())
        .env(fake_agent::SCRIPT, scenario.to_json())
        .cwd(home.path())
}

async fn connect(scenario: &Scenario) -> (Agent, TempDir) {
    let home = agentwire_testing::tempdir().unwrap();
    let agent = Agent::connect(options(scenario, &home)).await.unwrap();
    (agent, home)
}

fn bodies(agent: &dyn AnyAgent) -> Vec<Body> {
    let mut bodies = Vec::new();
    agent.read(&mut |view| bodies = view.entries().map(|it| it.body.clone()).collect());
    bodies
}

/// Waits until an entry satisfies the condition, and returns it.
async fn entry(agent: &dyn AnyAgent, wanted: impl Fn(&Entry) -> bool) -> Entry {
    let mut number = 0;
    loop {
        let mut found = None;
        agent.read(&mut |view| {
            number = view.number();
            found = view.entries().find(|it| wanted(it)).cloned();
        });
        if let Some(found) = found {
            return found;
        }
        timeout(LONG, agent.changed(number)).await.unwrap().unwrap();
    }
}

async fn approval(agent: &dyn AnyAgent) -> String {
    let entry = entry(agent, |it| matches!(it.body, Body::Approval(_))).await;
    let Body::Approval(approval) = entry.body else {
        unreachable!()
    };
    approval.request_id
}

fn shell() -> Scenario {
    Scenario::default()
        .reply([Step::tool("Bash", json!({"command": "echo hi"}), "hi")])
        .reply([Step::text("Done.")])
}

#[tokio::test]
async fn a_prompt_becomes_entries() {
    let scenario = Scenario::default().reply([Step::thinking("Hm."), Step::text("Hello, crab.")]);
    let (agent, _home) = connect(&scenario).await;
    agent.prompt("Say hello").await.unwrap();
    let bodies = bodies(&agent);
    let [
        Body::Prompt(prompt),
        Body::Thought(thought),
        Body::Text(text),
        Body::TurnEnd(end),
    ] = bodies.as_slice()
    else {
        panic!("{bodies:#?}")
    };
    assert_eq!(prompt.text.text, "Say hello");
    assert_eq!((&*thought.text.text, thought.complete), ("Hm.", true));
    assert_eq!((&*text.text.text, text.complete), ("Hello, crab.", true));
    assert_eq!(end.outcome, Outcome::Completed);
    // The fake agent has used none.
    assert_eq!(end.tokens, None);
    agent.close().await.unwrap();
}

#[tokio::test]
async fn an_approved_call_has_its_output() {
    let (agent, _home) = connect(&shell()).await;
    let turn = agent.prompt("Run it");
    let request = approval(&agent).await;
    agent.respond(&request, Decision::Allow).await.unwrap();
    turn.await.unwrap();
    let call = entry(&agent, |it| matches!(it.body, Body::ToolCall(_))).await;
    let Body::ToolCall(call) = call.body else {
        unreachable!()
    };
    assert_eq!((&*call.tool, call.status), ("Bash", Status::Completed));
    let [Content::Command(command)] = call.content.as_slice() else {
        panic!("{call:?}")
    };
    assert_eq!(command.command.text, "echo hi");
    assert_eq!(command.output.as_ref().unwrap().text, "hi");
    assert!(
        !bodies(&agent)
            .iter()
            .any(|it| matches!(it, Body::Approval(_)))
    );
    let again = agent.respond(&request, Decision::Allow).await;
    assert_eq!(again, Err(AgentError::NoRequest(request)));
}

#[tokio::test]
async fn what_the_protocol_cannot_say_denies() {
    let changed = Decision::AllowWith(r#"{"command":"echo ha"}"#.to_owned());
    for (decision, unsupported) in [(changed, true), (Decision::Deny("No.".to_owned()), false)] {
        let (agent, _home) = connect(&shell()).await;
        let turn = agent.prompt("Run it");
        let request = approval(&agent).await;
        let responded = agent.respond(&request, decision).await;
        assert_eq!(
            matches!(responded, Err(AgentError::Unsupported(_))),
            unsupported
        );
        turn.await.unwrap();
        let call = entry(&agent, |it| matches!(it.body, Body::ToolCall(_))).await;
        let Body::ToolCall(call) = call.body else {
            unreachable!()
        };
        assert_eq!(call.status, Status::Failed);
        let failure = call.failure.unwrap();
        assert_eq!(failure.reason, FailureReason::DeniedByUser, "{failure:?}");
    }
}

#[tokio::test]
async fn a_callback_decides() {
    let home = agentwire_testing::tempdir().unwrap();
    let options = options(&shell(), &home).on_permission(|permission| async move {
        assert_eq!(permission.kind.as_deref(), Some("execute"));
        assert_eq!(permission.input, Some(json!({"command": "echo hi"})));
        Decision::AllowAlways
    });
    let agent = Agent::connect(options).await.unwrap();
    agent.prompt("Run it").await.unwrap();
    let call = entry(&agent, |it| matches!(it.body, Body::ToolCall(_))).await;
    assert!(matches!(call.body, Body::ToolCall(it) if it.status == Status::Completed));
}

#[tokio::test]
async fn cancelling_ends_the_turn_and_withdraws_prompts() {
    let scenario = Scenario::default()
        .reply([Step::text("Begin."), Step::gate("never")])
        .reply([Step::text("Two.")]);
    let (agent, _home) = connect(&scenario).await;
    let first = agent.prompt("First");
    entry(&agent, |it| matches!(it.body, Body::Text(_))).await;
    let second = agent.prompt("Second");
    agent.cancel().await.unwrap();
    assert_eq!(first.await, Err(AgentError::Cancelled));
    assert_eq!(second.await, Err(AgentError::Cancelled));
    agent.prompt("Third").await.unwrap();
    let texts = bodies(&agent);
    let texts = texts.iter().filter(|it| matches!(it, Body::Text(_)));
    assert_eq!(texts.count(), 2);
}

#[tokio::test]
async fn a_cancelled_approval_is_removed() {
    let (agent, _home) = connect(&shell()).await;
    let turn = agent.prompt("Run it");
    let request = approval(&agent).await;
    agent.cancel().await.unwrap();
    assert_eq!(turn.await, Err(AgentError::Cancelled));
    assert!(
        !bodies(&agent)
            .iter()
            .any(|it| matches!(it, Body::Approval(_)))
    );
    assert!(agent.respond(&request, Decision::Allow).await.is_err());
}

#[tokio::test]
async fn prompts_run_in_order_even_if_nobody_waits() {
    let reply = |text: &str| [Step::text(text)];
    let scenario = Scenario::default()
        .reply(reply("1"))
        .reply(reply("2"))
        .reply(reply("3"));
    let (agent, _home) = connect(&scenario).await;
    drop(agent.prompt("First"));
    drop(agent.prompt("Second"));
    agent.prompt("Third").await.unwrap();
    let mut texts = String::new();
    for body in bodies(&agent) {
        if let Body::Text(text) = body {
            texts += &text.text.text;
        }
    }
    assert_eq!(texts, "123");
}

#[tokio::test]
async fn a_loaded_session_has_its_entries_and_marks_them() {
    let (agent, home) = connect(&shell()).await;
    let turn = agent.prompt("Run it");
    let request = approval(&agent).await;
    agent.respond(&request, Decision::Allow).await.unwrap();
    turn.await.unwrap();
    let (live, id) = (bodies(&agent), agent.session_id().to_owned());
    agent.close().await.unwrap();

    let scenario = Scenario::default().reply([Step::text("More.")]);
    let agent = Agent::connect(options(&scenario, &home).load(&id))
        .await
        .unwrap();
    let loaded = bodies(&agent);
    // What an agent replays has no end of a turn.
    assert_eq!(loaded.len(), live.len() - 1, "{loaded:#?}");
    for (loaded, live) in loaded.iter().zip(&live) {
        match (loaded, live) {
            (Body::ToolCall(loaded), Body::ToolCall(live)) => {
                assert_eq!((&loaded.title, loaded.status), (&live.title, live.status));
                assert_eq!(loaded.content, live.content);
            }
            (Body::Text(loaded), Body::Text(live)) => assert_eq!(loaded.text, live.text),
            (Body::Prompt(loaded), Body::Prompt(live)) => assert_eq!(loaded.text, live.text),
            (loaded, live) => panic!("{loaded:?} and {live:?}"),
        }
    }
    let replayed = agent.replayed();
    agent.read(&mut |view| assert_eq!(view.number(), replayed));
    agent.prompt("And more").await.unwrap();
    agent.close().await.unwrap();

    let resumed = options(&Scenario::default(), &home).resume(&id);
    let agent = Agent::connect(resumed).await.unwrap();
    assert!(bodies(&agent).is_empty());
}

#[tokio::test]
async fn modes_and_models_are_chosen_from_what_there_is() {
    let (agent, _home) = connect(&Scenario::default()).await;
    agent.set_mode("plan").await.unwrap();
    let mode = |agent: &Agent| {
        let mut mode = None;
        agent.read(&mut |view| mode.clone_from(&view.session().permission_mode));
        mode
    };
    assert_eq!(mode(&agent).as_deref(), Some("plan"));
    let error = agent.set_mode("yolo").await.unwrap_err();
    assert!(error.to_string().contains("there are: default"), "{error}");
    let model = agent.choices().1[0].clone();
    agent.set_model(&model).await.unwrap();
    assert!(agent.set_model("none").await.is_err());
}

#[tokio::test]
async fn a_failed_turn_is_an_error_and_the_session_goes_on() {
    let scenario = Scenario::default()
        .reply([Step::error(400, "invalid_request_error", "No crabs")])
        .reply([Step::text("Hello.")]);
    let (agent, _home) = connect(&scenario).await;
    let error = agent.prompt("Fail").await.unwrap_err();
    assert!(error.to_string().contains("No crabs"), "{error}");
    let Some(Body::TurnEnd(end)) = bodies(&agent).pop() else {
        panic!()
    };
    assert_eq!(end.outcome, Outcome::Failed);
    assert!(end.message.unwrap().contains("No crabs"));
    agent.prompt("Say hello").await.unwrap();
}

#[tokio::test]
async fn closing_in_a_turn_ends_everything() {
    let scenario = Scenario::default().reply([Step::text("Begin."), Step::gate("never")]);
    let (agent, _home) = connect(&scenario).await;
    let turn = agent.prompt("First");
    entry(&agent, |it| matches!(it.body, Body::Text(_))).await;
    let report = agent.shut_down().await.unwrap();
    assert!(report.remaining.is_empty(), "{report:?}");
    assert!(matches!(turn.await, Err(AgentError::Ended(_))));
    agent.read(&mut |view| assert_eq!(view.session().activity, Activity::Ended));
    assert!(matches!(
        agent.prompt("More").await,
        Err(AgentError::Ended(_))
    ));
}

#[tokio::test]
async fn agents_of_all_kinds_have_the_same_entries() {
    let home = agentwire_testing::tempdir().unwrap();
    let claude = agentwire::Options::new()
        .cli(fake_agent_path())
        .cwd(home.path())
        .env("CLAUDE_CONFIG_DIR", home.path())
        .env(fake_agent::SCRIPT, shell().to_json());
    let agents: [Box<dyn AnyAgent>; 2] = [
        Box::new(agentwire::ClientAgent::connect(claude).await.unwrap()),
        Box::new(Agent::connect(options(&shell(), &home)).await.unwrap()),
    ];
    let mut views = Vec::new();
    for agent in &agents {
        let turn = agent.prompt("Run it");
        let request = approval(&**agent).await;
        let unknown = agent.respond("none", Decision::Allow).await;
        assert_eq!(unknown, Err(AgentError::NoRequest("none".to_owned())));
        agent.respond(&request, Decision::Allow).await.unwrap();
        turn.await.unwrap();
        assert!(agent.set_mode("no such mode").await.is_err());
        let turn = agent.prompt("More");
        agent.cancel().await.unwrap();
        assert!(turn.await.is_err());
        agent.close().await.unwrap();
        assert!(matches!(
            agent.prompt("More").await,
            Err(AgentError::Ended(_))
        ));
        let mut entries = Vec::new();
        for body in bodies(&**agent) {
            entries.push(match body {
                Body::ToolCall(it) => {
                    // ACP has no place for the exit code.
                    let [Content::Command(command)] = it.content.as_slice() else {
                        panic!("{it:?}")
                    };
                    let output = command.output.as_ref().map(|it| &it.text);
                    format!("{} {} {:?} {output:?}", it.tool, it.title, it.status)
                }
                Body::Text(it) => it.text.text,
                Body::Prompt(it) => format!("> {}", it.text.text),
                Body::TurnEnd(it) => format!("{:?}", it.outcome),
                _ => continue,
            });
        }
        entries.truncate(4);
        views.push(entries);
    }
    assert_eq!(views[0], views[1]);
}

#[tokio::test]
async fn a_callback_that_panics_denies() {
    let home = agentwire_testing::tempdir().unwrap();
    let options = options(&shell(), &home);
    let options = options
        .on_permission(|_| -> std::future::Ready<Decision> { panic!("a mistake of the program") });
    let agent = Agent::connect(options).await.unwrap();
    agent.prompt("Run it").await.unwrap();
    let is_denied = |it: &Body| matches!(it, Body::ToolCall(it) if it.status == Status::Failed);
    assert!(bodies(&agent).iter().any(is_denied));
}

/// Starts a shell script as an agent.
async fn script(script: &str) -> Result<Agent, ConnectError> {
    let agent = AgentOptions::new(["sh", "-c", script]);
    timeout(LONG, Agent::connect(agent)).await.unwrap()
}

/// Responds to the first request.
const INITIALIZED: &str = r#"read l; id=${l#*'"id":'}; id=${id%%[,\}]*}; echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":VERSION}}'; cat"#;

#[tokio::test]
async fn agents_that_do_not_start_are_errors_that_say_why() {
    let error = Agent::spawn(["/no/such/agent", "--acp"]).await.unwrap_err();
    assert!(matches!(error, ConnectError::Spawn(_)), "{error}");
    let none: [&str; 0] = [];
    assert!(matches!(
        Agent::spawn(none).await,
        Err(ConnectError::NoCommand)
    ));
    let error = script("echo 'no key' >&2; exit 1").await.unwrap_err();
    assert!(error.to_string().contains("no key"), "{error}");
    let error = script("echo 'hello, I am a shell'; exit 1")
        .await
        .unwrap_err();
    assert!(matches!(error, ConnectError::Exited { .. }), "{error}");
    let version = INITIALIZED.replace("VERSION", "7");
    let error = script(&version).await.unwrap_err();
    assert!(matches!(error, ConnectError::Version(_)), "{error}");
}

#[tokio::test]
async fn what_an_agent_does_not_declare_is_refused_by_name() {
    let agent = || AgentOptions::new(["sh", "-c", &INITIALIZED.replace("VERSION", "1")]);
    let none: [(&str, &str); 0] = [];
    for (options, what) in [
        (agent().load("1"), "loading sessions"),
        (agent().resume("1"), "resuming sessions"),
        (
            agent().mcp_http("crabs", "http://127.0.0.1:1", none),
            "MCP servers over HTTP",
        ),
        (
            agent().additional_directories(["/"]),
            "additional directories",
        ),
    ] {
        match timeout(LONG, Agent::connect(options)).await.unwrap() {
            Err(ConnectError::Unsupported(refused)) => assert_eq!(refused, what),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_missing_method_lists_those_that_there_are() {
    let home = agentwire_testing::tempdir().unwrap();
    let options = options(&Scenario::default(), &home).authenticate("magic");
    let error = Agent::connect(options).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::Authentication { .. }),
        "{error}"
    );
}
