//! Compares the effect of a rule in the real CLI with that of our rules.
//!
//! Each call is made twice in one session: without rules, to see the CLI's request to the
//! host, and under a rule of the CLI. Then our rule decides about the CLI's request.

#[path = "rules/table.rs"]
mod table;

use super::support::{Live, counted};
use agentwire::permission::{Decision, PermissionRequest, Policy};
use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::protocol::control::ApplyFlagSettings;
use agentwire::protocol::permission::CanUseTool;
use agentwire::{Client, Event, Message, PermissionResult, Rules};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Allow,
    Deny,
}

/// Rules, calls, and for each call the expected letter of the table.
struct Case {
    side: Side,
    rules: Vec<String>,
    calls: Vec<Call>,
    said: String,
}

/// A tool, and its input.
type Call = (&'static str, Value);

/// The number of calls in a turn without rules. Each turn takes longer than the previous
/// one, because the CLI reads the whole conversation again.
const CHUNK: usize = 30;

impl Case {
    /// Returns whether the CLI must remember which files it has read and written.
    fn needs_what_was_read(&self) -> bool {
        let writes = |(tool, _): &Call| matches!(*tool, "Edit" | "NotebookEdit" | "Write");
        self.calls.iter().any(writes)
    }
}

/// Adds replies with these calls. All calls are in one reply, except shell commands,
/// because a failed one cancels parallel ones.
fn scenario_with_calls(scenario: Scenario, calls: &[Call]) -> Scenario {
    let together = |(this, _): &Call, (next, _): &Call| *this != "Bash" && *next != "Bash";
    calls
        .chunk_by(together)
        .map(|calls| {
            calls
                .iter()
                .map(|(tool, input)| Step::tool(*tool, input.clone(), ""))
        })
        .fold(scenario, Scenario::reply)
        .reply([Step::text("Done.")])
}

#[tokio::test]
async fn our_rules_allow_nothing_more_and_deny_nothing_less() {
    let elsewhere = agentwire_testing::tempdir().unwrap();
    let cases = cases(elsewhere.path());
    let mut known: Vec<Call> = Vec::new();
    for call in cases.iter().flat_map(|case| &case.calls) {
        if !known.contains(call) {
            known.push(call.clone());
        }
    }
    let known: Vec<&[Call]> = known.chunks(CHUNK).collect();
    let reads = ["src/n.ipynb", "src/a.txt"].map(|path| ("Read", json!({"file_path": path})));
    let mut scenario = Scenario::default();
    for calls in &known {
        scenario = scenario_with_calls(scenario, calls);
    }
    scenario = scenario_with_calls(scenario, &reads);
    for case in &cases {
        scenario = scenario_with_calls(scenario, &case.calls);
    }

    let live = Live::start(scenario).await;
    lay_out(&live.project(), live.home.path(), elsewhere.path());
    let asks = PermissionRequests::default();
    let servers = json!({"mcpServers": {
        "srv": server(&["one", "two"]), "srv__x": server(&["one"]), "srv2": server(&["one"]),
    }});
    let heard = Arc::clone(&asks.0);
    let options = live
        .options()
        .flag_value("--mcp-config", servers.to_string())
        .flag_value(
            "--tools",
            "Agent,Bash,Edit,Glob,Grep,NotebookEdit,Read,WebFetch,Write",
        )
        .on_permission(move |ask: PermissionRequest| {
            let id = ask.request.tool_use_id.clone().unwrap_or_default();
            heard.lock().unwrap().insert(id, ask.request);
            async { PermissionResult::deny("The test says no.") }
        });
    let mut client = Client::connect(options).await.unwrap();
    let mut without: Vec<(&Call, Outcome)> = Vec::new();
    for calls in &known {
        without.extend(
            calls
                .iter()
                .zip(turn(&mut client, &asks, calls.len()).await),
        );
        clear(&mut client).await;
    }
    turn(&mut client, &asks, reads.len()).await;

    let mut wrong = Vec::new();
    for case in &cases {
        let list = match case.side {
            Side::Allow => "allow",
            Side::Deny => "deny",
        };
        let mut settings = ApplyFlagSettings::default();
        let permissions = json!({"allow": [], "deny": [], list: case.rules});
        settings.settings =
            json!({"skipWebFetchPreflight": true, "permissions": permissions}).into();
        client.request(&settings).await.unwrap();
        let rules = ours(case, &live);
        let theirs = turn(&mut client, &asks, case.calls.len()).await;
        if !case.needs_what_was_read() {
            clear(&mut client).await;
        }
        for (index, (call, said)) in case.calls.iter().zip(case.said.chars()).enumerate() {
            let before = without.iter().find(|(known, _)| *known == call).unwrap();
            let request = match &before.1 {
                Outcome::Asked(request) => (**request).clone(),
                _ => CanUseTool::new(call.0, call.1.clone()),
            };
            let found = compare(case.side, &theirs[index], &rules.decide(&request));
            if found != Ok(said) {
                let rules = &case.rules;
                wrong.push(format!(
                    "{list} {rules:?}: {call:?}: {found:?} and not {said:?}"
                ));
            }
        }
    }
    client.close().await;
    let calls = cases.iter().map(|case| case.calls.len());
    counted(calls.sum::<usize>(), "calls under rules");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the cases of the table. A path that begins with `/elsewhere` is inside the
/// folder `elsewhere`, which is outside the working directory and the home directory.
fn cases(elsewhere: &Path) -> Vec<Case> {
    let elsewhere = elsewhere.to_str().unwrap();
    let placed = |text: &str| text.replace("/elsewhere", elsewhere);
    let lines = table::LINES.iter().map(|(side, rules, lines)| Case {
        side: *side,
        rules: rules.iter().map(|rule| placed(rule)).collect(),
        calls: lines
            .iter()
            .map(|(_, line)| ("Bash", input("Bash", &placed(line))))
            .collect(),
        said: lines.iter().map(|(said, _)| said).collect(),
    });
    let others = table::OTHERS.iter().map(|(side, rule, calls, said)| Case {
        side: *side,
        rules: vec![placed(rule)],
        calls: calls
            .iter()
            .map(|(tool, about)| (*tool, input(tool, &placed(about))))
            .collect(),
        said: (*said).to_owned(),
    });
    // The CLI forgets which files it has read when commands change them, so commands come
    // last.
    others.chain(lines).collect()
}

/// Returns the input of a tool for this subject.
fn input(tool: &str, about: &str) -> Value {
    match tool {
        "Bash" => json!({"command": about, "description": "d"}),
        "Write" => json!({"file_path": about, "content": "x"}),
        "Edit" => json!({"file_path": about, "old_string": "hi", "new_string": "ho"}),
        "NotebookEdit" => json!({"notebook_path": about, "new_source": "y", "cell_id": "c"}),
        "Read" => json!({"file_path": about}),
        "Grep" => json!({"pattern": "x", "path": about}),
        "Glob" => json!({"pattern": about}),
        "WebFetch" => json!({"url": about, "prompt": "x"}),
        "Agent" => json!({"description": "d", "prompt": "p", "subagent_type": about}),
        _ => json!({}),
    }
}

/// Compares both outcomes. Returns the letter of the table, or an error.
fn compare(side: Side, theirs: &Outcome, ours: &Decision) -> Result<char, &'static str> {
    let we_allow = matches!(ours, Decision::Decided(PermissionResult::Allow(_)));
    let we_deny = matches!(ours, Decision::Decided(PermissionResult::Deny(_)));
    match (side, theirs) {
        (Side::Allow, Outcome::Ran) if we_allow => Ok('b'),
        (Side::Allow, Outcome::Ran) => Ok('c'),
        (Side::Allow, _) if we_allow => Err("we allow what the CLI does not"),
        (Side::Deny, Outcome::Denied) if we_deny => Ok('b'),
        (Side::Deny, Outcome::Denied) => Err("we do not deny what the CLI denies"),
        (Side::Deny, _) if we_deny => Ok('w'),
        _ => Ok('-'),
    }
}

fn ours(case: &Case, live: &Live) -> Rules {
    let rules = Rules::builder()
        .working_directory(live.project())
        .home(live.home.path());
    let named = case.rules.iter().map(String::as_str);
    let rules = match case.side {
        Side::Allow => rules.allow(named),
        Side::Deny => rules.deny(named),
    };
    rules.build().unwrap()
}

/// The outcome of a call.
#[derive(Debug)]
enum Outcome {
    Asked(Box<CanUseTool>),
    Ran,
    Denied,
}

/// The CLI's permission requests so far, by the ID of the call.
#[derive(Default)]
struct PermissionRequests(Arc<Mutex<HashMap<String, CanUseTool>>>);

/// Lets the model make its next calls. Returns their outcomes, in order.
async fn turn(client: &mut Client, asks: &PermissionRequests, calls: usize) -> Vec<Outcome> {
    client.send("Go on");
    let mut order = Vec::new();
    let mut outcomes = HashMap::new();
    until_result(client, |message| match message {
        Message::Assistant(said) => {
            let calls = said
                .message
                .content
                .iter()
                .filter_map(ContentBlock::as_tool_use);
            order.extend(calls.map(|call| call.id.clone()));
        }
        Message::User(user) => {
            for result in user
                .blocks()
                .iter()
                .filter_map(ContentBlock::as_tool_result)
            {
                let asked = asks.0.lock().unwrap().remove(&result.tool_use_id);
                let text = result.content.as_ref().map(Content::text);
                let outcome = match asked {
                    Some(request) => Outcome::Asked(Box::new(request)),
                    None if is_denial(&text.unwrap_or_default()) => Outcome::Denied,
                    None => Outcome::Ran,
                };
                outcomes.insert(result.tool_use_id.clone(), outcome);
            }
        }
        _ => {}
    })
    .await;
    assert_eq!(order.len(), calls);
    let outcome = |id: &String| outcomes.remove(id).expect("a result for each call");
    order.iter().map(outcome).collect()
}

/// Clears the CLI's conversation.
async fn clear(client: &mut Client) {
    client.send("/clear");
    until_result(client, |_| ()).await;
}

async fn until_result(client: &mut Client, mut hear: impl FnMut(&Message)) {
    while let Some(event) = client.next().await {
        if let Event::Frame(frame) = event.unwrap() {
            let message = frame.message();
            hear(&message);
            if let Message::Result(_) = message {
                return;
            }
        }
    }
    panic!("the session ended");
}

/// Returns whether a tool result reports a denial by a rule.
fn is_denial(text: &str) -> bool {
    [
        "has been denied",
        // A tool that is denied completely is not available.
        "No such tool available",
        "denied by your permission",
        "blocked by a deny rule",
        "covered by a Read deny rule",
        "denied access to domain",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

/// Creates the files that the calls use.
fn lay_out(project: &Path, home: &Path, elsewhere: &Path) {
    for folder in ["src/deep", "sub/src"] {
        std::fs::create_dir_all(project.join(folder)).unwrap();
    }
    std::fs::create_dir(home.join("out")).unwrap();
    std::fs::create_dir(elsewhere.join("no")).unwrap();
    std::fs::write(elsewhere.join("o.txt"), "hi\n").unwrap();
    for file in [
        "a.txt",
        "src/a.txt",
        "secret",
        "sub/secret",
        "../out/o.txt",
        "../home.txt",
    ] {
        std::fs::write(project.join(file), "hi\n").unwrap();
    }
    let cell = json!({"cell_type": "code", "id": "c", "metadata": {}, "source": "x", "outputs": [], "execution_count": null});
    let notebook = json!({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    std::fs::write(project.join("src/n.ipynb"), notebook.to_string()).unwrap();
    for (from, to) in [
        ("src/link.txt", home.join("out/o.txt")),
        ("src/linked", home.join("out")),
        ("pub", project.join("secret")),
    ] {
        std::os::unix::fs::symlink(to, project.join(from)).unwrap();
    }
}

/// Returns an MCP server with these tools, which do nothing.
fn server(tools: &[&str]) -> Value {
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| json!({"name": tool, "description": "d", "inputSchema": {"type": "object"}}))
        .collect();
    let script = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"content": []}
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        answer = {"protocolVersion": version, "capabilities": {"tools": {}},
                  "serverInfo": {"name": "test", "version": "1"}}
    elif asked["method"] == "tools/list":
        answer = {"tools": json.loads(sys.argv[1])}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"#;
    json!({"command": "python3", "args": ["-c", script, Value::from(tools).to_string()]})
}
