//! Tests of [`Player`] with a scripted host.
#![allow(clippy::unwrap_used)]

use super::{Output, Player, claude};
use crate::agent::Config;
use crate::scenario::{Reply, Scenario, Step, TextMatch, ToolCall, Usage, When};
use serde_json::{Value, json};
use std::time::Instant;

/// A player with a scripted host.
struct Host {
    player: Player,
    now: Instant,
}

impl Host {
    fn new(scenario: Scenario) -> Self {
        Self::with(scenario, Config::default())
    }

    fn with(scenario: Scenario, config: Config) -> Self {
        let mut ids = 0;
        let ids = move || {
            ids += 1;
            format!("id-{ids}")
        };
        Self {
            player: Player::new(scenario, config, ids),
            now: Instant::now(),
        }
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.player.handle_input(self.now, line.as_bytes());
    }

    fn respond(&mut self, request: &Value, answer: &Value) {
        self.send(&json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": answer,
        }}));
    }

    fn prompt(&mut self) {
        self.send(&json!({"type": "user", "message": {"role": "user", "content": "Go"}}));
    }

    /// Returns the lines that the agent sent since the last call.
    fn receive(&mut self) -> Vec<Value> {
        let outputs = std::iter::from_fn(|| self.player.poll_output());
        outputs
            .filter_map(|output| match output {
                Output::Stdout(line) => serde_json::from_slice(&line).ok(),
                _ => None,
            })
            .collect()
    }

    /// Returns the control requests that the agent sent since the last call.
    fn receive_requests(&mut self) -> Vec<Value> {
        let mut heard = self.receive();
        heard.retain(|it| it["type"] == "control_request");
        heard
    }
}

#[test]
fn read_only_tools_run_concurrently_and_others_in_sequence() {
    let calls = ["read", "read", "write", "write", "read"]
        .map(|name| Step::tool(format!("mcp__files__{name}"), json!({}), ""));
    let scenario = Scenario::default()
        .reply(calls)
        .reply([Step::text("Done.")]);
    let mut host = Host::new(scenario);
    let manifest = json!({
        "initializeResult": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}},
        "toolsListResult": {"tools": [
            {"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
            {"name": "write", "inputSchema": {"type": "object"}},
        ]},
    });
    host.send(
        &json!({"type": "control_request", "request_id": "1", "request": {
            "subtype": "initialize", "sdkMcpServers": ["files"],
            "sdkMcpServerManifests": {"files": manifest},
        }}),
    );
    host.prompt();
    let mut beside = Vec::new();
    loop {
        // Every call that can start does so before the first response.
        let mut calls = Vec::new();
        let mut asked = host.receive_requests();
        while let Some(request) = asked.pop() {
            if request["request"]["subtype"] == "mcp_message" {
                calls.push(request);
            } else {
                host.respond(&request, &json!({"behavior": "allow"}));
                asked.extend(host.receive_requests());
            }
        }
        if calls.is_empty() {
            break;
        }
        beside.push(calls.len());
        for call in &calls {
            let reply = json!({"id": call["request"]["message"]["id"], "result": {}});
            host.respond(call, &json!({"mcp_response": reply}));
        }
    }
    assert_eq!(beside, [2, 1, 1, 1]);
}

#[test]
fn a_reply_continues_after_a_response_and_shows_it() {
    let ask = json!({"subtype": "elicitation", "mcp_server_name": "s", "message": "Name?"});
    let scenario = Scenario::default().reply([
        Step::text("Before."),
        Step::Ask(ask.clone()),
        Step::text("After."),
    ]);
    let mut host = Host::new(scenario);
    host.prompt();
    let heard = host.receive();
    let request = heard.last().expect("a request").clone();
    assert_eq!(request["request"], ask);
    host.respond(&request, &json!({"action": "cancel"}));
    let said: Vec<_> = host
        .receive()
        .into_iter()
        .filter(|it| it["type"] == "assistant")
        .map(|it| it["message"]["content"][0]["text"].clone())
        .collect();
    assert_eq!(said, [r#"answered: {"action":"cancel"}"#, "After."]);
}

#[test]
fn a_message_step_is_sent_with_an_id_and_the_session_id() {
    let limit = json!({"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}});
    let told = json!({"type": "auth_status", "uuid": "mine", "session_id": "another"});
    let messages = [&limit, &told].map(|it| Step::Message(it.as_object().unwrap().clone()));
    let mut host = Host::new(Scenario::default().reply(messages));
    host.prompt();
    let heard = host.receive();
    let of_session = &heard.last().unwrap()["session_id"];
    let find = |kind: &str| heard.iter().find(|it| it["type"] == kind).unwrap();
    let sent = find("rate_limit_event");
    assert_eq!(sent["rate_limit_info"], limit["rate_limit_info"]);
    assert_eq!(&sent["session_id"], of_session);
    assert!(sent["uuid"].is_string());
    assert_eq!(find("auth_status"), &told);
}

#[test]
fn a_slow_tool_reports_progress() {
    let step = Step::Tool(ToolCall {
        takes_ms: 61_000,
        ask: false,
        ..ToolCall::new("Bash", json!({"command": "make"}), "made")
    });
    let mut host = Host::new(
        Scenario::default()
            .reply([step])
            .reply([Step::text("Done.")]),
    );
    host.prompt();
    host.receive();
    let began = host.now;
    let mut told = vec![];
    while let Some(due) = host.player.poll_timeout() {
        host.now = due;
        host.player.handle_timeout(due);
        let heard = host.receive();
        let kinds = ["subtype", "type"].map(|name| heard[0][name].as_str());
        let after = due.duration_since(began).as_secs();
        told.push((
            after,
            kinds.into_iter().flatten().next().unwrap().to_owned(),
        ));
    }
    let told: Vec<_> = told.iter().map(|(after, it)| (*after, &**it)).collect();
    let expected = [
        (3, "task_started"),
        (30, "tool_progress"),
        (60, "tool_progress"),
        (61, "task_notification"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_permission_request_has_the_scripted_members() {
    let step = Step::Tool(ToolCall {
        question: json!({"blocked_path": "/x", "display_name": "Shell"}),
        ..ToolCall::new("Bash", json!({"command": "ls /x"}), "")
    });
    let mut host = Host::new(Scenario::default().reply([step]));
    host.prompt();
    let asked = host.receive_requests();
    let request = &asked[0]["request"];
    assert_eq!(request["blocked_path"], "/x");
    assert_eq!(request["display_name"], "Shell");
    assert_eq!(request["tool_name"], "Bash");
}

#[test]
fn a_tool_in_allowed_tools_needs_no_permission_request() {
    let calls = [
        "mcp__calc__add",
        "mcp__calculator__add",
        "Bash",
        "BashOutput",
    ]
    .map(|name| Step::tool(name, json!({}), ""));
    let mut host = Host::with(
        Scenario::default()
            .reply(calls)
            .reply([Step::text("Done.")]),
        Config {
            rules: claude::rules(&["mcp__calc", "Bash"].map(str::to_owned), &[]),
            ..Config::default()
        },
    );
    host.prompt();
    let mut asked_about = vec![];
    while let Some(request) = host.receive_requests().pop() {
        asked_about.push(request["request"]["tool_name"].clone());
        host.respond(&request, &json!({"behavior": "allow"}));
    }
    assert_eq!(asked_about, ["mcp__calculator__add", "BashOutput"]);
}

#[test]
fn a_server_in_mcp_config_is_initialized_before_input_is_read() {
    let config = Config {
        sdk_mcp_servers: vec!["calc".to_owned()],
        ..Config::default()
    };
    let mut host = Host::with(Scenario::default(), config);
    let asked = host.receive_requests();
    let [greeting] = asked.as_slice() else {
        panic!("expected one initialize request, not {asked:?}");
    };
    assert_eq!(greeting["request"]["server_name"], "calc");
    assert_eq!(greeting["request"]["message"]["method"], "initialize");
    // The server is not initialized again.
    host.send(
        &json!({"type": "control_request", "request_id": "1", "request": {
            "subtype": "initialize", "sdkMcpServers": ["calc"],
        }}),
    );
    assert!(host.receive_requests().is_empty());
}

#[test]
fn a_repeated_script_does_not_end() {
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
        ["Tick.", "Tock.", "has no remaining reply"].map(|it| {
            let lines = said
                .lines()
                .filter(|line| line.contains(r#""type":"assistant""#));
            lines.filter(|line| line.contains(it)).count()
        })
    };
    assert_eq!(said(scenario.clone()), [1, 1, 3]);
    assert_eq!(said(scenario.repeated()), [3, 2, 0]);
}

/// Returns the assistant's texts in these lines.
fn texts(lines: &[Value]) -> Vec<&str> {
    let texts = lines.iter().filter(|it| it["type"] == "assistant");
    texts
        .filter_map(|it| it["message"]["content"][0]["text"].as_str())
        .collect()
}

#[test]
fn a_reply_waits_at_a_gate_until_it_is_opened() {
    let scenario = Scenario::default()
        .reply([
            Step::text("Before."),
            Step::gate("go"),
            Step::text("After."),
        ])
        .reply([Step::gate("go"), Step::text("Open still.")]);
    let mut host = Host::new(scenario);
    host.prompt();
    let outputs: Vec<_> = std::iter::from_fn(|| host.player.poll_output()).collect();
    let is_last = outputs.last() == Some(&Output::Reached("go".to_owned()));
    assert!(is_last, "{outputs:?}");
    assert!(host.player.shut_gates().eq(["go"]));

    // Time does not open a gate, so no timeout is set.
    host.now += std::time::Duration::from_secs(60);
    host.player.handle_timeout(host.now);
    assert_eq!(host.player.poll_timeout(), None);
    assert_eq!(host.receive(), [] as [Value; 0]);
    assert!(host.player.open(host.now, "went").is_err());

    host.player.open(host.now, "go").unwrap();
    assert_eq!(texts(&host.receive()), ["After."]);
    host.prompt();
    assert_eq!(texts(&host.receive()), ["Open still."]);
    assert_eq!(host.player.shut_gates().count(), 0);
}

#[test]
fn a_tool_waits_for_its_gate_and_then_takes_its_time() {
    let tool = |gate: &str, takes_ms| {
        Step::Tool(ToolCall {
            gate: Some(gate.to_owned()),
            takes_ms,
            ask: false,
            ..ToolCall::new("Bash", json!({}), "done")
        })
    };
    let scenario = Scenario::default()
        .reply([tool("shell", 50)])
        .reply([Step::text("Done.")]);
    let mut host = Host::new(scenario);
    host.prompt();
    host.receive();
    assert_eq!(host.player.poll_script_timeout(), None);
    host.player.open(host.now, "shell").unwrap();
    let due = host.player.poll_timeout().unwrap();
    assert_eq!(due - host.now, std::time::Duration::from_millis(50));
    assert_eq!(texts(&host.receive()), [""; 0]);
    host.player.handle_timeout(due);
    assert_eq!(texts(&host.receive()), ["Done."]);
}

#[test]
fn an_interrupt_ends_the_wait_at_a_gate() {
    let scenario = Scenario::default()
        .reply([Step::gate("never"), Step::text("Never.")])
        .reply([Step::text("Here.")]);
    let mut host = Host::new(scenario);
    host.prompt();
    host.send(
        &json!({"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}}),
    );
    host.prompt();
    assert_eq!(texts(&host.receive()), ["Here."]);
}

#[test]
fn replies_depend_on_the_prompt_and_on_tool_results() {
    let read = |ask| {
        let call = ToolCall::new("Read", json!({}), "rain");
        Step::Tool(ToolCall { ask, ..call })
    };
    let result = |text: &str| When::default().result(TextMatch::Contains(text.into()));
    let scenario = Scenario::default()
        .reply(Reply::new([read(false)]).when(When::prompt_is("Weather?").turn(1)))
        .reply(Reply::new([read(true)]).when(When::prompt_is("Weather?").turn(2)))
        .reply(Reply::new([Step::text("It rains.")]).when(result("rain")))
        .reply(Reply::new([Step::text("Then not.")]).when(result("not allowed")))
        .reply(Reply::new([Step::text("What?")]).always());
    let mut host = Host::new(scenario);
    let prompt = |text| json!({"type": "user", "message": {"role": "user", "content": text}});
    host.send(&prompt("Weather?"));
    assert_eq!(texts(&host.receive()), ["It rains."]);
    host.send(&prompt("Weather?"));
    let asks = host.receive_requests();
    host.respond(
        &asks[0],
        &json!({"behavior": "deny", "message": "It is not allowed."}),
    );
    assert_eq!(texts(&host.receive()), ["Then not."]);
    host.send(&prompt("Hello"));
    assert_eq!(texts(&host.receive()), ["What?"]);
}

#[test]
fn after_a_broken_connection_the_next_reply_is_taken_in_the_same_turn() {
    let scenario = Scenario::default()
        .reply([Step::text("Hal"), Step::Cut])
        .reply(Reply::new([Step::text("Whole.")]).when(When::default().turn(1)));
    let mut host = Host::new(scenario);
    host.prompt();
    let lines = host.receive();
    assert_eq!(texts(&lines).last(), Some(&"Whole."));
    let results = lines.iter().filter(|it| it["type"] == "result");
    assert_eq!(results.count(), 1);
}

#[test]
fn a_connection_that_breaks_before_content_sends_nothing() {
    let scenario = Scenario::default()
        .reply([Step::Cut])
        .reply([Step::text("Whole.")]);
    let mut host = Host::new(scenario);
    host.prompt();
    let due = host.player.poll_timeout().unwrap();
    host.player.handle_timeout(due);
    let lines = host.receive();
    assert_eq!(texts(&lines), ["Whole."]);
    let starts = lines
        .iter()
        .filter(|it| it["event"]["type"] == "message_start");
    assert_eq!(starts.count(), 1);
}

#[test]
fn usage_cost_stop_reason_and_signature_are_scripted() {
    let usage = |input, output| Usage {
        input_tokens: Some(input),
        output_tokens: Some(output),
        ..Usage::default()
    };
    let thinking = json!({"chunks": ["Hm."], "signature": "c2ln"});
    let call = Step::Tool(ToolCall {
        ask: false,
        ..ToolCall::new("mcp__none__x", json!({}), "")
    });
    let scenario = Scenario::default()
        .reply(Reply::new([call]).usage(usage(10, 2)).cost_usd(0.25))
        .reply(
            Reply::new([
                Step::Thinking(serde_json::from_value(thinking).unwrap()),
                Step::redacted_thinking("ZGF0YQ=="),
                Step::text("So far"),
            ])
            .usage(usage(20, 3))
            .cost_usd(0.5)
            .stop_reason("stop_sequence"),
        )
        .reply(Reply::new([Step::text("Plain.")]).cost_usd(0.25));
    let mut host = Host::new(scenario);
    host.prompt();
    let lines = host.receive();
    let find = |path| {
        lines
            .iter()
            .filter_map(|line| line.pointer(path))
            .next_back()
    };
    assert_eq!(find("/event/delta/signature"), Some(&json!("c2ln")));
    assert_eq!(
        find("/event/delta/stop_reason"),
        Some(&json!("stop_sequence"))
    );
    assert_eq!(find("/event/usage/output_tokens"), Some(&json!(3)));
    assert_eq!(find("/event/message/usage/input_tokens"), Some(&json!(20)));
    let redacted = json!({"type": "redacted_thinking", "data": "ZGF0YQ=="});
    let said = lines.iter().filter(|it| it["type"] == "assistant");
    let blocks: Vec<_> = said.map(|it| &it["message"]["content"][0]).collect();
    assert!(blocks.contains(&&redacted), "{blocks:?}");
    let result = lines.iter().find(|it| it["type"] == "result").unwrap();
    // The tokens are those of the turn. The cost is that of the session.
    assert_eq!(result["usage"]["input_tokens"], json!(30));
    assert_eq!(result["usage"]["output_tokens"], json!(5));
    assert_eq!(result["total_cost_usd"], json!(0.75));
    host.prompt();
    let lines = host.receive();
    let result = lines.iter().find(|it| it["type"] == "result").unwrap();
    assert_eq!(result["usage"]["input_tokens"], json!(0));
    assert_eq!(result["usage"]["output_tokens"], json!(0));
    assert_eq!(result["total_cost_usd"], json!(1.0));
}
