//! Approvals: of commands, changes of files, MCP tools; questions; tools of the host.

use crate::world::{World, command, never_answers, outputs, patch};
use agentwire_codex::machine::TurnOutcome;
use agentwire_codex::wire::{
    Decision, Elicitation, ElicitationAction, ElicitationResponse, Item, ItemStatus, NamedPolicy,
    QuestionAnswer, UserInputResponse,
};
use agentwire_codex::{Action, Approval, CodexError, Thread, ThreadOptions};
use agentwire_protocol::Json;
use agentwire_testkit::Step;
use agentwire_testkit::ToolCall;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Approvals that were asked for.
#[derive(Clone, Default)]
struct SeenApprovals(Arc<Mutex<Vec<String>>>);

impl SeenApprovals {
    /// Answers with the decision, and notes what was asked.
    fn answer(&self, options: ThreadOptions, decision: Decision) -> ThreadOptions {
        let asked = self.clone();
        options.on_approval(move |approval: Approval| {
            let what = match &approval.action {
                Action::Command(it) => it.command.clone().unwrap(),
                Action::FileChange { changes, .. } => changes[0].diff.clone(),
                Action::McpTool(it) => it.server_name.clone(),
                other => format!("{other:?}"),
            };
            asked.0.lock().unwrap().push(what);
            let decision = decision.clone();
            async move { decision }
        })
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Returns the states of the stored commands and changes of files. Codex does not store declined
/// commands.
async fn statuses(thread: &Thread) -> Vec<ItemStatus> {
    let items = thread.items().await.unwrap();
    let statuses = items.into_iter().filter_map(|it| match it.item {
        Item::CommandExecution(it) => Some(it.status),
        Item::FileChange(it) => Some(it.status),
        _ => None,
    });
    statuses.collect()
}

fn commands() -> [Vec<Step>; 4] {
    [
        vec![command("touch made", "")],
        vec![Step::text("One.")],
        vec![command("touch made", "")],
        vec![Step::text("Two.")],
    ]
}

#[tokio::test]
async fn a_command_is_asked_for_each_time() {
    let world = World::new(commands()).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::Untrusted), Decision::Accept);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "One.");
    assert_eq!(thread.send("2").await.unwrap().text(), "Two.");
    assert_eq!(asked.all().len(), 2);
    assert!(asked.all()[0].contains("touch made"), "{:?}", asked.all());
    assert_eq!(
        statuses(&thread).await,
        [ItemStatus::Completed, ItemStatus::Completed]
    );
}

#[tokio::test]
async fn a_command_allowed_for_the_session_is_not_asked_for_again() {
    let world = World::new(commands()).await;
    let asked = SeenApprovals::default();
    let options = world.options(NamedPolicy::Untrusted);
    let options = asked.answer(options, Decision::AcceptForSession);
    let thread = world.codex.start(options).await.unwrap();
    thread.send("1").await.unwrap();
    assert!(thread.send("2").await.unwrap().is_completed());
    assert_eq!(asked.all().len(), 1);
}

#[tokio::test]
async fn a_declined_command_does_not_run_and_the_turn_goes_on() {
    let world = World::new([vec![command("touch made", "")], vec![Step::text("Well.")]]).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::Untrusted), Decision::Decline);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Well.");
    assert!(statuses(&thread).await.is_empty());
    assert!(!world.project().join("made").exists());
}

#[tokio::test]
async fn a_command_can_be_denied_with_its_turn() {
    let world = World::new([vec![command("touch made", "")], vec![Step::text("Next.")]]).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::Untrusted), Decision::Cancel);
    let thread = world.codex.start(options).await.unwrap();
    let end = thread.send("1").await.unwrap();
    assert_eq!(end.outcome, TurnOutcome::Interrupted);
    assert!(!world.project().join("made").exists());
    assert_eq!(thread.send("2").await.unwrap().text(), "Next.");
}

#[tokio::test]
async fn without_a_callback_a_command_is_declined() {
    let world = World::new([vec![command("touch made", "")], vec![Step::text("Well.")]]).await;
    let options = world.options(NamedPolicy::Untrusted);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Well.");
    assert!(statuses(&thread).await.is_empty());
    assert!(!world.project().join("made").exists());
}

#[tokio::test]
async fn a_callback_that_panics_denies() {
    let world = World::new([vec![command("touch made", "")], vec![Step::text("Well.")]]).await;
    let options = world
        .options(NamedPolicy::Untrusted)
        .on_approval(|_| async {
            panic!("a mistake of the program");
        });
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Well.");
    assert!(!world.project().join("made").exists());
}

#[tokio::test]
async fn an_interrupt_withdraws_an_approval() {
    let world = World::new([vec![command("touch made", "")], vec![Step::text("Next.")]]).await;
    let options = world.options(NamedPolicy::Untrusted);
    let (options, mut asked) = never_answers(options);
    let thread = world.codex.start(options).await.unwrap();
    let turn = thread.send("1");
    let is_dropped = asked.recv().await.unwrap();
    thread.interrupt().await.unwrap().unwrap();
    assert_eq!(turn.await.unwrap().outcome, TurnOutcome::Interrupted);
    // The callback is dropped.
    is_dropped.await.unwrap_err();
    assert_eq!(thread.send("2").await.unwrap().text(), "Next.");
    assert!(!world.project().join("made").exists());
}

#[tokio::test]
async fn a_patch_is_shown_before_it_is_accepted() {
    let world = World::new([vec![patch("new.txt", "hello")], vec![Step::text("Done.")]]).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::Untrusted), Decision::Accept);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    assert_eq!(asked.all(), ["hello\n"]);
    assert_eq!(statuses(&thread).await, [ItemStatus::Completed]);
    let written = std::fs::read_to_string(world.project().join("new.txt"));
    assert_eq!(written.unwrap(), "hello\n");
}

#[tokio::test]
async fn a_patch_allowed_for_the_session_covers_its_file() {
    let replies = [
        vec![patch("new.txt", "hello")],
        vec![Step::text("One.")],
        vec![patch("new.txt", "again")],
        vec![Step::text("Two.")],
    ];
    let world = World::new(replies).await;
    let asked = SeenApprovals::default();
    let options = world.options(NamedPolicy::Untrusted);
    let options = asked.answer(options, Decision::AcceptForSession);
    let thread = world.codex.start(options).await.unwrap();
    thread.send("1").await.unwrap();
    assert!(thread.send("2").await.unwrap().is_completed());
    assert_eq!(asked.all().len(), 1);
}

#[tokio::test]
async fn a_declined_patch_changes_nothing() {
    let world = World::new([vec![patch("new.txt", "hello")], vec![Step::text("Well.")]]).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::Untrusted), Decision::Decline);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Well.");
    assert_eq!(statuses(&thread).await, [ItemStatus::Declined]);
    assert!(!world.project().join("new.txt").exists());
}

#[tokio::test]
async fn a_patch_can_be_denied_with_its_turn() {
    let world = World::new([vec![patch("new.txt", "hello")], vec![Step::text("Next.")]]).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::Untrusted), Decision::Cancel);
    let thread = world.codex.start(options).await.unwrap();
    let end = thread.send("1").await.unwrap();
    assert_eq!(end.outcome, TurnOutcome::Interrupted);
    assert!(!world.project().join("new.txt").exists());
}

#[tokio::test]
async fn other_policies_ask_for_nothing_without_a_sandbox() {
    let world = World::new([vec![command("touch made", "")], vec![Step::text("Done.")]]).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::OnRequest), Decision::Decline);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    assert!(asked.all().is_empty());
    assert_eq!(statuses(&thread).await, [ItemStatus::Completed]);
}

#[tokio::test]
async fn rules_decide_before_the_callback() {
    let replies = [
        vec![command("echo hi", "hi\n")],
        vec![command("touch made", "")],
        vec![patch("new.txt", "hello")],
        vec![Step::text("Done.")],
    ];
    let world = World::new(replies).await;
    let asked = SeenApprovals::default();
    let rules = agentwire::Rules::builder()
        .allow(["Bash(echo *)"])
        .deny(["Bash(touch *)"])
        .working_directory(world.project())
        .build()
        .unwrap();
    let options = world.options(NamedPolicy::Untrusted).policy(rules);
    let options = asked.answer(options, Decision::Accept);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    assert_eq!(asked.all(), ["hello\n"]);
    assert!(!world.project().join("made").exists());
    let completed = [ItemStatus::Completed, ItemStatus::Completed];
    assert_eq!(statuses(&thread).await, completed);
}

#[tokio::test]
async fn rules_that_could_not_be_enforced_are_refused() {
    let world = World::new([[Step::text("Never.")]]).await;
    let rules = agentwire::Rules::builder().allow(["Bash"]).build().unwrap();
    let options = world.options(NamedPolicy::OnRequest).policy(rules);
    match world.codex.start(options).await {
        Err(CodexError::Unsupported(what)) => assert!(what.contains("untrusted"), "{what}"),
        other => panic!("{other:?}"),
    }
}

fn lookup() -> [Vec<Step>; 2] {
    let call = ToolCall::new("lookup", json!({"word": "hello"}), "");
    [vec![Step::Tool(call)], vec![Step::text("Done.")]]
}

#[tokio::test]
async fn a_tool_of_the_host_is_called() {
    let world = World::new(lookup()).await;
    let schema = json!({"type": "object", "properties": {"word": {"type": "string"}}});
    let options = world.options(NamedPolicy::Untrusted);
    let options = options.tool("lookup", "Looks up", &schema, |input: Json| async move {
        Ok(format!("Found {}", input.get()))
    });
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    let items = thread.items().await.unwrap();
    let found = items.iter().any(|it| match &it.item {
        Item::DynamicToolCall(it) => it.success == Some(true),
        _ => false,
    });
    assert!(found, "{items:?}");
    if let Some(requests) = world.requests() {
        assert!(outputs(requests.last().unwrap())[0].contains(r#"Found {\"word\":\"hello\"}"#));
    }
}

#[tokio::test]
async fn a_tool_of_the_host_that_panics_fails() {
    let world = World::new(lookup()).await;
    let options = world.options(NamedPolicy::Never);
    let options = options.tool(
        "lookup",
        "Looks up",
        &json!({"type": "object"}),
        |_| async {
            panic!("a mistake of the program");
        },
    );
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
}

/// Returns an MCP server, a script of Python, with the tool `read`, which changes nothing, and the
/// tool `ask`, which asks the user.
fn server(world: &World) -> String {
    let path = world.home.path().join("server.py");
    std::fs::write(&path, include_str!("server.py")).unwrap();
    path.to_str().unwrap().to_owned()
}

fn call_mcp(tool: &str, result: &str) -> [Vec<Step>; 2] {
    let call = ToolCall::new(format!("mcp__here__{tool}"), json!({}), result);
    [vec![Step::Tool(call)], vec![Step::text("Done.")]]
}

#[tokio::test]
async fn a_tool_of_a_server_is_asked_for() {
    let world = World::new(call_mcp("ask", "blue")).await;
    let asked = SeenApprovals::default();
    let options = asked.answer(world.options(NamedPolicy::Untrusted), Decision::Decline);
    let options = options.mcp_stdio("here", "python3", [server(&world)]);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    assert_eq!(asked.all(), ["here"]);
}

#[tokio::test]
async fn a_policy_is_asked_for_tools_that_only_read() {
    let world = World::new(call_mcp("read", "read")).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sees = Arc::clone(&seen);
    let deny = move |request: &agentwire::protocol::permission::CanUseTool| {
        sees.lock().unwrap().push(request.tool_name.clone());
        Some(agentwire::PermissionResult::deny("No."))
    };
    let options = world.options(NamedPolicy::Untrusted).policy(deny);
    let options = options.mcp_stdio("here", "python3", [server(&world)]);
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    assert_eq!(*seen.lock().unwrap(), ["mcp__here__read"]);
}

#[tokio::test]
async fn a_server_can_ask_the_user() {
    let world = World::new(call_mcp("ask", "blue")).await;
    let options = world.options(NamedPolicy::Untrusted);
    let asked = SeenApprovals::default();
    let options = asked.answer(options, Decision::Accept);
    let options = options.mcp_stdio("here", "python3", [server(&world)]);
    let options = options.on_elicitation(|it: Elicitation| async move {
        assert_eq!(it.message.as_deref(), Some("Which colour?"));
        let mut response = ElicitationResponse::new(ElicitationAction::Accept);
        response.content = Some(Json::of_text(json!({"colour": "blue"}).to_string()));
        response
    });
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    if let Some(requests) = world.requests() {
        let output = &outputs(requests.last().unwrap())[0];
        assert!(output.contains("blue"), "{output}");
    }
}

#[tokio::test]
async fn the_agent_can_ask_questions() {
    let questions = json!({"questions": [{
        "id": "colour", "header": "Colour", "question": "Which?",
        "options": [
            {"label": "Red", "description": "Warm"},
            {"label": "Blue", "description": "Cold"},
        ],
    }]});
    let call = ToolCall::new("request_user_input", questions, "");
    let world = World::new([vec![Step::Tool(call)], vec![Step::text("Done.")]]).await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let asks = Arc::clone(&asked);
    let options = world
        .options(NamedPolicy::Never)
        .config(
            "features.default_mode_request_user_input",
            Value::Bool(true),
        )
        .on_question(move |it| {
            asks.lock().unwrap().push(it.questions[0].question.clone());
            async move {
                let answer = QuestionAnswer::new(["Blue"]);
                UserInputResponse::default().answer(&it.questions[0].id, answer)
            }
        });
    let thread = world.codex.start(options).await.unwrap();
    assert_eq!(thread.send("1").await.unwrap().text(), "Done.");
    assert_eq!(*asked.lock().unwrap(), ["Which?"]);
    if let Some(requests) = world.requests() {
        let output = &outputs(requests.last().unwrap())[0];
        assert!(output.contains("Blue"), "{output}");
    }
}
