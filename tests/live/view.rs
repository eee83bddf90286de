//! The view of sessions of the real CLI: the same live and restored.

use super::mcp::Library;
use crate::support::Live;
use crate::viewed::{Session, deny, differences, restored};
use agentwire::UserMessage;
use agentwire::mcp::Tools;
use agentwire::protocol::content::{ImageBlock, Source};
use agentwire::protocol::message::Priority;
use agentwire::schemars::{self, JsonSchema};
use agentwire::view::View;
use agentwire_testkit::{Reply, Scenario, Step, When};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// A picture of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDAT\x08\xd7c\xf8\xcf\xc0\0\0\x03\x01\x01\0\x18\xdd\x8d\xb0\0\0\0\0IEND\xaeB`\x82";

#[derive(Deserialize, JsonSchema)]
struct Empty {}

fn projects(live: &Live) -> PathBuf {
    live.home.path().join(".claude/projects")
}

fn stored(live: &Live, session: &str) -> View {
    restored(&projects(live), session)
}

fn bash(command: &str) -> Step {
    Step::tool("Bash", json!({ "command": command }), "")
}

#[tokio::test]
async fn tools_subagents_and_an_interrupt() {
    let poem = "Sideways, sideways, goes the crab.\n".repeat(20);
    let agent = json!({
        "description": "Read the poem", "prompt": "Read it.",
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    let scenario = Scenario::default()
        .reply([
            Step::thinking("What rhymes with crab?"),
            Step::text("\n\n"),
            Step::text("I write it down."),
            Step::tool(
                "Write",
                json!({"file_path": "poem.txt", "content": poem}),
                "",
            ),
        ])
        .reply([
            Step::text("Now somebody reads it."),
            Step::tool("Agent", agent, ""),
            bash("echo out; echo err >&2; exit 3"),
            Step::tool("Read", json!({"file_path": "poem.txt", "limit": 3}), ""),
        ])
        .reply([Step::text("It was read.")])
        .reply([Step::chunks(["word "; 600], Duration::from_millis(100))])
        .subagent([
            Step::thinking("How?"),
            Step::text("I read it."),
            bash("head -n 1 poem.txt"),
        ])
        .subagent([Step::text("It is about a crab.")]);
    let live = Live::start(scenario).await;
    let mut session = Session::start(live.options()).await;
    session.say("Write a poem").await;
    session.send("Go on");
    session.frame("\"word \"").await;
    session.client.interrupt().await.unwrap();
    session.idle().await;
    session.check(&projects(&live)).await;
}

#[tokio::test]
async fn prompts_during_a_turn() {
    let scenario = Scenario::default()
        .reply([bash("sleep 1; echo slow")])
        .reply([Step::text("Both.")])
        .reply([Step::text("Later.")])
        .reply([Step::chunks(["word "; 600], Duration::from_millis(100))])
        .reply([Step::text("Now.")]);
    let live = Live::start(scenario).await;
    let mut session = Session::start(live.options()).await;
    session.send("One");
    session.send(UserMessage::text("Last").priority(Priority::Later));
    session.frame("\"tool_use\"").await;
    session.send("Two");
    session.idle().await;
    session.send("Talk");
    session.frame("\"word \"").await;
    session.send(UserMessage::text("Stop").priority(Priority::Now));
    session.idle().await;
    session.check(&projects(&live)).await;
}

#[tokio::test]
async fn background_tasks_and_agents() {
    let agent = json!({
        "description": "Look", "prompt": "Look around.",
        "subagent_type": "general-purpose", "run_in_background": true,
    });
    let task = json!({ "command": "sleep 1; echo done", "run_in_background": true });
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", task, "")])
        .reply([Step::text("It runs.")])
        .reply([Step::text("It is over.")])
        .reply([Step::tool("Agent", agent, "")])
        .reply([Step::text("It looks.")])
        .reply([Step::text("It has looked.")])
        .subagent([bash("sleep 1; echo seen")])
        .subagent([Step::text("Nothing here.")]);
    let live = Live::start(scenario).await;
    let mut session = Session::start(live.options()).await;
    for (prompt, last) in [
        ("Start a task", "It is over."),
        ("Start it", "It has looked."),
    ] {
        session.send(prompt);
        session.frame(&format!("\"text\":\"{last}\"")).await;
        session.idle().await;
    }
    session.check(&projects(&live)).await;
}

#[tokio::test]
async fn compaction_and_clear() {
    let scenario = Scenario::default()
        .reply([bash("echo one")])
        .reply([Step::text("First.")])
        .reply([Step::text("The summary.")])
        .reply([Step::text("Second.")])
        .reply([Step::text("Third.")]);
    let live = Live::start(scenario).await;
    let mut session = Session::start(live.options()).await;
    session.say("One").await;
    session.say("/compact").await;
    session.say("Two").await;
    let (view, id) = session.close().await;
    let found = differences(&view, &stored(&live, &id));
    assert!(found.is_empty(), "{}", found.join("\n"));

    let mut session = Session::start(live.options()).await;
    session.say("Three").await;
    session.say("/clear").await;
    session.say("/cost").await;
    session.check(&projects(&live)).await;
}

#[tokio::test]
async fn resumes_forks_and_rewinds() {
    let scenario = Scenario::default()
        .reply([bash("echo one")])
        .reply([Step::text("First.")])
        .reply([Step::text("Second.")])
        .reply([Step::text("Dead.")])
        .reply([Step::text("Third.")])
        .reply([Step::text("Fourth.")]);
    let live = Live::start(scenario).await;
    let mut session = Session::start(live.options()).await;
    session.say("One").await;
    let (_, id) = session.close().await;
    let (first, last) = (stored(&live, &id), last_message(&live, &id));

    let on = || live.options().resume(&id);
    let mut session = Session::resume(on(), stored(&live, &id)).await;
    session.say("Two").await;
    session.check(&projects(&live)).await;

    let mut session = Session::resume(on(), stored(&live, &id)).await;
    session.say("Dead").await;
    session.check(&projects(&live)).await;

    let fork = on().fork_session(true);
    let mut session = Session::resume(fork, stored(&live, &id)).await;
    session.say("Three").await;
    session.check(&projects(&live)).await;

    // The messages after this one are on a dead branch.
    let mut session = Session::resume(on().resume_at(last), first).await;
    session.say("Four").await;
    let view = session.check(&projects(&live)).await;
    let texts: Vec<_> = lines_of(&view);
    assert!(!texts.iter().any(|it| it.contains("Dead")), "{texts:?}");
}

/// Returns the ID of the last message of the model in a transcript.
fn last_message(live: &Live, session: &str) -> String {
    let projects = std::fs::read_dir(projects(live)).unwrap();
    let project = projects.flatten().next().unwrap().path();
    let text = std::fs::read_to_string(project.join(format!("{session}.jsonl"))).unwrap();
    let lines = text.lines().rev();
    let mut records = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let last = records.find(|it| it["type"] == "assistant").unwrap();
    last["uuid"].as_str().unwrap().to_owned()
}

fn lines_of(view: &View) -> Vec<String> {
    let entries = view.entries();
    entries
        .map(|it| serde_json::to_string(it).unwrap())
        .collect()
}

#[tokio::test]
async fn interrupts_at_once_and_within_a_tool() {
    // The interrupt may come before the model is asked, or after it.
    let to = |prompt: &str, step| Reply::new([step]).when(When::prompt_contains(prompt));
    let scenario = Scenario::default()
        .reply(to("At once", Step::text("None.")))
        .reply(to("Say it", Step::text("First.")))
        .reply(to("Run it", bash("sleep 60")))
        .reply(to("Go on", Step::text("Second.")));
    let live = Live::start(scenario).await;
    let mut session = Session::start(live.options()).await;
    session.send("At once");
    session.client.interrupt().await.unwrap();
    session.idle().await;
    session.say("Say it").await;
    session.send("Run it");
    session.frame("\"tool_use\"").await;
    session.client.interrupt().await.unwrap();
    session.idle().await;
    session.say("Go on").await;
    session.check(&projects(&live)).await;
}

#[tokio::test]
async fn denials() {
    let scenario = Scenario::default()
        .reply([bash("touch a"), bash("rm -rf b")])
        .reply([Step::text("Denied.")]);
    let live = Live::start(scenario).await;
    let options = live.options().disallowed_tools(["Bash(rm *)"]);
    let mut session = Session::start(options).await;
    session.answer = deny;
    session.say("Try").await;
    let view = session.check(&projects(&live)).await;
    let reasons: Vec<Value> = view
        .entries()
        .map(|it| serde_json::to_value(it).unwrap()["failure"]["reason"].clone())
        .filter(|it| !it.is_null())
        .collect();
    assert_eq!(reasons, ["denied_by_user", "denied_by_rule"]);
}

#[tokio::test]
async fn questions_plans_and_images() {
    let question = json!({"questions": [{
        "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
        "options": [{"label": "Tea", "description": "leaf"}, {"label": "Coffee", "description": "bean"}],
    }]});
    let todos = json!({"todos": [
        {"content": "Boil", "status": "completed", "activeForm": "Boiling"},
        {"content": "Pour", "status": "in_progress", "activeForm": "Pouring"},
    ]});
    let scenario = Scenario::default()
        .reply([
            Step::tool("AskUserQuestion", question, ""),
            Step::tool("TodoWrite", todos, ""),
        ])
        .reply([Step::tool("EnterPlanMode", json!({}), "")])
        .reply([Step::tool(
            "ExitPlanMode",
            json!({"plan": "1. Boil\n2. Pour"}),
            "",
        )])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let options = live
        .options()
        .tools([
            "AskUserQuestion",
            "TodoWrite",
            "EnterPlanMode",
            "ExitPlanMode",
        ])
        .env("CLAUDE_CODE_ENABLE_TASKS", "0")
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1");
    let mut session = Session::start(options).await;
    let image = ImageBlock::new(Source::bytes("image/png", PNG));
    session.say(UserMessage::text("Look").with(image)).await;
    let view = session.check(&projects(&live)).await;
    let lines = lines_of(&view);
    for part in [
        r#""answer":"Tea""#,
        r#""content":"Pour","status":"in_progress""#,
        "1. Boil",
    ] {
        assert!(
            lines.iter().any(|it| it.contains(part)),
            "{part}: {lines:#?}"
        );
    }
}

#[tokio::test]
async fn failed_requests() {
    let scenario = Scenario::default()
        .reply([Step::error(400, "invalid_request_error", "No.")])
        .reply([Step::error(529, "overloaded_error", "Busy.")])
        .reply([Step::text("At last.")]);
    let live = Live::start(scenario).await;
    let mut session = Session::start(live.options()).await;
    session.say("One").await;
    session.say("Two").await;
    session.check(&projects(&live)).await;
}

/// Returns a call of each tool of the CLI.
fn calls() -> Vec<Step> {
    let call = |name: &str, input: Value| Step::tool(name, input, "");
    vec![
        call(
            "Bash",
            json!({"command": "printf 'a\\nb\\n' > a.txt; echo made"}),
        ),
        call("Read", json!({"file_path": "a.txt"})),
        call(
            "Edit",
            json!({"file_path": "a.txt", "old_string": "b", "new_string": "c"}),
        ),
        call(
            "Write",
            json!({"file_path": "b.txt", "content": "one\ntwo\n"}),
        ),
        call(
            "Grep",
            json!({"pattern": "o", "path": ".", "output_mode": "content", "-n": true}),
        ),
        call("Glob", json!({"pattern": "*.txt"})),
        call(
            "Bash",
            json!({"command": "echo '{\"cells\":[{\"cell_type\":\"code\",\"id\":\"x\",\"metadata\":{},\"outputs\":[],\"execution_count\":null,\"source\":\"1\"}],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}' > n.ipynb"}),
        ),
        call("Read", json!({"file_path": "n.ipynb"})),
        call(
            "NotebookEdit",
            json!({"notebook_path": "n.ipynb", "cell_id": "x", "new_source": "2"}),
        ),
        call(
            "Bash",
            json!({"command": "echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC | base64 -d > p.png"}),
        ),
        call("Read", json!({"file_path": "p.png"})),
        call(
            "WebFetch",
            json!({"url": "http://127.0.0.1:9/page", "prompt": "What?"}),
        ),
        call("WebSearch", json!({"query": "crabs"})),
        call(
            "TaskCreate",
            json!({"subject": "Boil", "description": "Water."}),
        ),
        call(
            "TaskUpdate",
            json!({"taskId": "1", "status": "in_progress"}),
        ),
        call("TaskGet", json!({"taskId": "1"})),
        call("TaskList", json!({})),
        call(
            "TodoWrite",
            json!({"todos": [{"content": "Pour", "status": "pending", "activeForm": "Pouring"}]}),
        ),
        call(
            "CronCreate",
            json!({"cron": "0 0 1 1 *", "prompt": "Look", "recurring": false}),
        ),
        call("CronList", json!({})),
        call("CronDelete", json!({"id": "x"})),
        call(
            "Monitor",
            json!({"command": "echo tick", "description": "ticks", "timeout_ms": 1000, "persistent": false}),
        ),
        call("TaskStop", json!({"task_id": "none"})),
        call(
            "TaskOutput",
            json!({"task_id": "none", "block": false, "timeout": 1000}),
        ),
        call(
            "ToolSearch",
            json!({"query": "select:Read", "max_results": 1}),
        ),
        call("Skill", json!({"skill": "none"})),
        call("ListMcpResourcesTool", json!({})),
        call(
            "ReadMcpResourceTool",
            json!({"server": "s", "uri": "book://page"}),
        ),
        call("ReportFindings", json!({"findings": []})),
        call("ListAgents", json!({})),
        call("SendMessage", json!({"to": "nobody", "message": "Hello"})),
        call(
            "ScheduleWakeup",
            json!({"delaySeconds": 60, "reason": "to look again", "prompt": "Look"}),
        ),
        call("EnterWorktree", json!({"name": "w"})),
        call("ExitWorktree", json!({"action": "keep"})),
        call("EnterPlanMode", json!({})),
        call(
            "PushNotification",
            json!({"message": "Look", "status": "proactive"}),
        ),
        call("Workflow", json!({"name": "none"})),
        call("Artifact", json!({"file_path": "b.txt"})),
        call("mcp__art__paint", json!({})),
        call("Nothing", json!({"a": 1})),
    ]
}

/// Returns a line about each tool call of the main agent.
fn table(view: &View) -> String {
    let line = |entry: Value| {
        let name = entry["tool"].as_str().or(entry["type"].as_str()).unwrap();
        let content = entry["content"].as_array().into_iter().flatten();
        let content: Vec<_> = content.filter_map(|it| it["type"].as_str()).collect();
        let title = entry["title"].as_str().unwrap_or_default();
        let title = title.split('>').next().unwrap_or_default().trim();
        let [kind, status] = ["kind", "status"].map(|it| entry[it].as_str().unwrap_or_default());
        format!(
            "{name} | {title} | {kind} | {status} | {}\n",
            content.join(", ")
        )
    };
    let entries = view.entries().map(|it| serde_json::to_value(it).unwrap());
    let entries = entries.filter(|it| it["id"].as_str().unwrap().starts_with("toolu_"));
    entries.map(line).collect()
}

#[tokio::test]
async fn each_tool_is_an_entry() {
    let mut scenario = Scenario::default();
    for call in calls() {
        scenario = scenario.reply([call]);
    }
    let live = Live::start(scenario.reply([Step::text("Done.")])).await;
    let names = calls().into_iter().filter_map(|step| match step {
        Step::Tool(call) => Some(call.name),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    let paint = Tools::new().tool("paint", "Paints.", |_: Empty| async {
        Ok::<_, String>("A dot.")
    });
    let options = live
        .options()
        .tools(names)
        .mcp_server("s", Library::default())
        .mcp_server("art", paint);
    let mut session = Session::start(options).await;
    session.say("Use all tools").await;
    let view = session.check(&projects(&live)).await;
    assert_eq!(table(&view), include_str!("tools.txt"));
}
