//! Tests of the HTTP interface, with the real CLI and a scripted model.

use super::server::Server;
use serde_json::{Value, json};
use support::{Live, processes_with, terminate};

#[tokio::test(flavor = "multi_thread")]
async fn the_real_cli_asks_for_permission_asks_the_user_is_steered_and_resumed() {
    let question = json!({ "questions": [{
        "question": "Tea or coffee?", "header": "Drink", "multiSelect": false,
        "options": [{ "label": "Tea", "description": "leaf" }, { "label": "Coffee", "description": "bean" }],
    }] });
    let write = json!({ "command": "echo made > made.txt" });
    let live = Live::start(json!([
        { "when": { "prompt": { "is": "Go" }, "after_tools": false },
          "say": [{ "text": "I make it." }, { "tool": { "name": "Bash", "input": write } }] },
        { "when": { "prompt": { "is": "Go" }, "after_tools": true }, "say": [{ "text": "Made." }] },
        { "when": { "prompt": { "is": "Ask" }, "after_tools": false },
          "say": [{ "tool": { "name": "AskUserQuestion", "input": question } }] },
        { "when": { "result": { "contains": "Coffee" } }, "say": [{ "text": "Coffee it is." }] },
        { "when": { "prompt": { "is": "Talk" } }, "say": [{ "text": "Long " }, { "gate": "never" }] },
        { "when": { "prompt": { "is": "Stop" } }, "say": [{ "text": "Short." }] },
        { "when": { "prompt": { "is": "Again" } }, "say": [{ "text": "Here again." }] },
    ]))
    .await;
    let mut server = Server::start(live.command(env!("CARGO_BIN_EXE_web")));
    let session = server.session().await;
    let mut events = session.events(None).await;

    session.send("Go", "next").await;
    let request = events.nth(1, "approval").await;
    session
        .respond(&request, &json!({ "decision": "allow" }))
        .await;
    events.text("Made.").await;
    events.nth(1, "turn_end").await;
    assert_eq!(
        std::fs::read_to_string(live.project().join("made.txt")).unwrap(),
        "made\n"
    );

    session.send("Ask", "next").await;
    let is_asked = |it: &Value| it["type"] == "question" && it["request_id"].is_string();
    let request = events.entry("a question", is_asked).await;
    let answers = json!({ "decision": "answer", "answers": ["Coffee"] });
    session.respond(&request, &answers).await;
    events.text("Coffee it is.").await;
    assert_eq!(events.nth(2, "turn_end").await["outcome"], "completed");

    session.send("Talk", "next").await;
    events.text("Long ").await;
    session.send("Stop", "now").await;
    assert_eq!(events.nth(3, "turn_end").await["outcome"], "interrupted");
    events.text("Short.").await;
    assert_eq!(events.nth(4, "turn_end").await["outcome"], "completed");

    assert!(terminate(&mut server.child).success());
    let calls = |entries: &[Value]| -> Vec<Value> {
        let mut calls = entries.to_vec();
        calls.retain(|it| it["type"] == "tool_call" || it["type"] == "question");
        calls
            .iter()
            .map(|it| json!([it["id"], it["status"], it["content"]]))
            .collect()
    };
    let before = calls(&events.entries);

    let mut server = Server::start(live.command(env!("CARGO_BIN_EXE_web")));
    let session = server.open(&session.id);
    let mut events = session.events(None).await;
    events.text("Short.").await;
    assert_eq!(calls(&events.entries), before);
    session.send("Again", "next").await;
    events.text("Here again.").await;
    assert!(terminate(&mut server.child).success());
    assert_eq!(processes_with(&live.mark()), Vec::<u32>::new());
}
