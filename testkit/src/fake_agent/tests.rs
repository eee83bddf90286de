//! Scenarios, played to a host that looks at each line.

use super::{Output, Player};
use crate::scenario::{Scenario, Step};
use agentwire_protocol::agent::Config;
use serde_json::{Value, json};
use std::time::Instant;

/// What a player writes, and the host that answers it.
struct Host {
    player: Player,
    now: Instant,
}

impl Host {
    fn new(scenario: Scenario) -> Self {
        let mut ids = 0;
        let ids = move || {
            ids += 1;
            format!("id-{ids}")
        };
        Self {
            player: Player::new(scenario, Config::default(), ids),
            now: Instant::now(),
        }
    }

    fn sends(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.player.handle_input(self.now, line.as_bytes());
    }

    fn answers(&mut self, request: &Value, answer: &Value) {
        self.sends(&json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": answer,
        }}));
    }

    fn prompts(&mut self) {
        self.sends(&json!({"type": "user", "message": {"role": "user", "content": "Go"}}));
    }

    /// What was written since the last time.
    fn hears(&mut self) -> Vec<Value> {
        let outputs = std::iter::from_fn(|| self.player.poll_output());
        outputs
            .filter_map(|output| match output {
                Output::Stdout(line) => serde_json::from_slice(&line).ok(),
                _ => None,
            })
            .collect()
    }

    /// The requests among it.
    fn asks(&mut self) -> Vec<Value> {
        let mut heard = self.hears();
        heard.retain(|it| it["type"] == "control_request");
        heard
    }
}

#[test]
fn tools_that_only_read_run_at_the_same_time_and_others_one_after_the_other() {
    let calls = ["read", "read", "write", "write", "read"]
        .map(|name| Step::tool(format!("mcp__files__{name}"), json!({}), ""));
    let scenario = Scenario::default()
        .reply(calls)
        .reply([Step::text("Done.")]);
    let mut host = Host::new(scenario);
    let manifest = json!({
        "initializeResult": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}},
        "toolsListResult": {"tools": [
            {"name": "read", "annotations": {"readOnlyHint": true}},
            {"name": "write"},
        ]},
    });
    host.sends(
        &json!({"type": "control_request", "request_id": "1", "request": {
            "subtype": "initialize", "sdkMcpServers": ["files"],
            "sdkMcpServerManifests": {"files": manifest},
        }}),
    );
    host.prompts();
    let mut beside = Vec::new();
    loop {
        // All that can begin begins, before any of it is answered.
        let mut calls = Vec::new();
        let mut asked = host.asks();
        while let Some(request) = asked.pop() {
            if request["request"]["subtype"] == "mcp_message" {
                calls.push(request);
            } else {
                host.answers(&request, &json!({"behavior": "allow"}));
                asked.extend(host.asks());
            }
        }
        if calls.is_empty() {
            break;
        }
        beside.push(calls.len());
        for call in &calls {
            let reply = json!({"id": call["request"]["message"]["id"], "result": {}});
            host.answers(call, &json!({"mcp_response": reply}));
        }
    }
    assert_eq!(beside, [2, 1, 1, 1]);
}

#[test]
fn a_reply_goes_on_when_a_request_is_answered_and_shows_the_answer() {
    let ask = json!({"subtype": "elicitation", "mcp_server_name": "s", "message": "Name?"});
    let scenario = Scenario::default().reply([
        Step::text("Before."),
        Step::Ask(ask.clone()),
        Step::text("After."),
    ]);
    let mut host = Host::new(scenario);
    host.prompts();
    let heard = host.hears();
    let request = heard.last().expect("a request").clone();
    assert_eq!(request["request"], ask);
    host.answers(&request, &json!({"action": "cancel"}));
    let said: Vec<_> = host
        .hears()
        .into_iter()
        .filter(|it| it["type"] == "assistant")
        .map(|it| it["message"]["content"][0]["text"].clone())
        .collect();
    assert_eq!(said, [r#"answered: {"action":"cancel"}"#, "After."]);
}

#[test]
fn a_question_has_the_members_that_the_script_gives_it() {
    let mut step = Step::tool("Bash", json!({"command": "ls /x"}), "");
    if let Step::Tool(call) = &mut step {
        call.question = json!({"blocked_path": "/x", "display_name": "Shell"});
    }
    let mut host = Host::new(Scenario::default().reply([step]));
    host.prompts();
    let asked = host.asks();
    let request = &asked[0]["request"];
    assert_eq!(request["blocked_path"], "/x");
    assert_eq!(request["display_name"], "Shell");
    assert_eq!(request["tool_name"], "Bash");
}

#[test]
fn a_script_that_repeats_has_no_end() {
    let scenario = Scenario::default()
        .reply([Step::text("Tick.")])
        .reply([Step::text("Tock.")]);
    let said = |scenario: Scenario| {
        let now = Instant::now();
        let mut player = Player::new(scenario, Config::default(), String::new);
        let mut said = String::new();
        for _ in 0..5 {
            let prompt = br#"{"type":"user","message":{"role":"user","content":"Go"}}"#;
            player.handle_input(now, prompt);
            player.handle_input(now, b"\n");
            while let Some(output) = player.poll_output() {
                if let Output::Stdout(line) = output {
                    said += &String::from_utf8_lossy(&line);
                }
            }
        }
        ["Tick.", "Tock.", "has no reply left"].map(|it| {
            let lines = said
                .lines()
                .filter(|line| line.contains(r#""type":"assistant""#));
            lines.filter(|line| line.contains(it)).count()
        })
    };
    assert_eq!(said(scenario.clone()), [1, 1, 3]);
    assert_eq!(said(scenario.repeated()), [3, 2, 0]);
}
