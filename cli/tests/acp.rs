//! `agentwire acp` with the fake agent. The crate `agentwire-acp` tests what it does.

use super::support::agentwire;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

#[test]
fn an_editor_is_served_until_it_closes_stdin() {
    let home = agentwire_testing::tempdir().unwrap();
    let fake = super::support::fake_agent_path();
    let mut child = agentwire("acp")
        .arg("--cli")
        .arg(fake)
        .env("CLAUDE_CONFIG_DIR", home.path())
        .env("FAKE_AGENT_SCRIPT", r#"{"replies":[[{"text":"Hello."}]]}"#)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = String::new();
    let mut request = |id: u64, method: &str, params: Value| -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stdin, "{request}").unwrap();
        loop {
            let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            let update = &line["params"]["update"];
            if update["sessionUpdate"] == "agent_message_chunk" {
                text += update["content"]["text"].as_str().unwrap();
            }
            if line["id"] == id {
                return line["result"].clone();
            }
        }
    };
    request(1, "initialize", json!({"protocolVersion": 1}));
    let session = request(
        2,
        "session/new",
        json!({"cwd": home.path(), "mcpServers": []}),
    );
    let prompt = json!([{"type": "text", "text": "Say hello"}]);
    let params = json!({"sessionId": session["sessionId"], "prompt": prompt});
    assert_eq!(
        request(3, "session/prompt", params)["stopReason"],
        "end_turn"
    );
    assert_eq!(text, "Hello.");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
