//! Tests of MCP servers that run inside the host.

use crate::agent::session::Session;
use agentwire_protocol::control::{self, Initialize, Interrupt, McpStatus, Refusal};
use agentwire_protocol::mcp::McpMessage;
use agentwire_protocol::message::Priority;
use agentwire_protocol::permission::PermissionResult;
use agentwire_testkit::agent::{Config, Event};
use serde_json::{Value, json};
use std::time::Duration;

fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "calc", "version": "1"},
    })
}

fn tools() -> Value {
    json!({"tools": [
        {"name": "add", "inputSchema": {"type": "object"}},
        {"name": "look_up", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ]})
}

fn connect(initialize: Value) -> Session {
    let mut session = Session::start(Config::default(), &[23, 1, 400, 7]);
    let initialize: Initialize = serde_json::from_value(initialize).unwrap();
    session.request("init", &initialize);
    session
}

/// Returns a session with a connected server and a running turn.
fn session() -> Session {
    let mut session = connect(json!({
        "sdkMcpServers": ["calc"],
        "sdkMcpServerManifests":
            {"calc": {"initializeResult": greeting(), "toolsListResult": tools()}},
    }));
    assert_eq!(session.lines(), ["success init"]);
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.lines();
    session
}

/// Returns a session with a connected server and a running tool.
fn calling(tool: &str) -> Session {
    let mut session = session();
    session.call_tool("t1", tool, &json!({"a": 1}), false);
    let said = session.lines();
    assert_eq!(said.last().unwrap(), "mcp calc tools/call");
    session
}

#[track_caller]
fn finished(session: &mut Session, id: &str) {
    let tool_use_id = id.to_owned();
    assert_eq!(session.event(), Some(Event::ToolFinished { tool_use_id }));
}

fn notification(method: &str) -> McpMessage {
    McpMessage::new("calc", json!({"jsonrpc": "2.0", "method": method}))
}

#[test]
fn the_handshake_with_a_server_precedes_the_response_to_initialize() {
    let mut session = connect(json!({"sdkMcpServers": ["calc"]}));
    assert_eq!(session.lines(), ["mcp calc initialize", "success init"]);
    assert_eq!(
        session.answer("init")["sdk_mcp_manifests_parked"],
        Value::Null
    );
    let (_, message) = session.mcp();
    assert_eq!(message["params"]["protocolVersion"], json!("2025-11-25"));
    assert_eq!(message["id"], json!(0));

    // A turn waits for the list of the server's tools.
    session.submit("m1");
    assert_eq!(session.lines(), ["running", "m1 queued", "m1 started"]);
    // The server is listed after the handshake.
    assert_eq!(status(&mut session), json!([]));
    session.respond_as_server("initialize", greeting());
    assert_eq!(
        session.lines(),
        ["success status", "mcp calc notifications/initialized"]
    );
    session.respond_as_server("notifications/initialized", json!({}));
    assert_eq!(session.lines(), ["mcp calc tools/list"]);
    let (_, list) = session.mcp();
    assert_eq!((&list["id"], &list["params"]), (&json!(1), &Value::Null));
    session.respond_as_server("tools/list", tools());
    assert_eq!(session.lines(), ["init [m1]"]);
    session.assert_turn_starts(&["m1"]);

    let init = session.messages("system", Some("init")).pop().unwrap();
    let server = json!([{"name": "calc", "status": "connected", "source": "sdk"}]);
    assert_eq!(init["mcp_servers"], server);
    let names = init["tools"].as_array().unwrap();
    assert!(names.contains(&json!("mcp__calc__look_up")), "{names:?}");
}

fn status(session: &mut Session) -> Value {
    let is_status = |event: &agentwire_protocol::host::HostEvent| matches!(event, agentwire_protocol::host::HostEvent::RequestEnded { request_id, .. } if &**request_id == "status");
    session.host_events.retain(|event| !is_status(event));
    session.request("status", &McpStatus::default());
    session.answer("status")["mcpServers"].clone()
}

#[test]
fn a_list_of_tools_has_pages() {
    let mut session = connect(json!({"sdkMcpServers": ["calc"]}));
    session.respond_as_server("initialize", greeting());
    session.respond_as_server("notifications/initialized", json!({}));
    let page = json!({"tools": tools()["tools"].as_array().unwrap()[..1], "nextCursor": "2"});
    session.respond_as_server("tools/list", page);
    let (_, list) = session.mcp();
    assert_eq!(list["params"], json!({"cursor": "2"}));
    let page = json!({"tools": tools()["tools"].as_array().unwrap()[1..]});
    session.respond_as_server("tools/list", page);
    assert_eq!(
        status(&mut session)[0]["tools"],
        json!([
            {"name": "add", "annotations": {}},
            {"name": "look_up", "annotations": {"readOnly": true}},
        ])
    );
}

#[test]
fn a_manifest_replaces_the_handshake() {
    let mut session = session();
    let parked = json!({"calc": "parked"});
    assert_eq!(session.answer("init")["sdk_mcp_manifests_parked"], parked);
    let status = status(&mut session);
    assert_eq!(status[0]["status"], json!("connected"));
    assert_eq!(status[0]["serverInfo"], greeting()["serverInfo"]);
    assert_eq!(status[0]["transport"], json!("sdk"));
}

#[test]
fn tools_are_requested_if_the_manifest_has_none() {
    let mut session = connect(json!({
        "sdkMcpServers": ["calc"],
        "sdkMcpServerManifests": {"calc": {"initializeResult": greeting()}},
    }));
    assert_eq!(session.lines(), ["success init", "mcp calc tools/list"]);
    let (_, list) = session.mcp();
    assert_eq!(list["id"], json!(1));
}

#[test]
fn an_invalid_list_of_tools_is_requested_four_times() {
    let lists = [
        json!({}),
        json!({"type": "string"}),
        json!({"type": "object", "properties": null}),
        json!({"type": "object", "required": "a"}),
    ];
    let lists = lists.map(|bad| {
        let fine = json!({"name": "fine", "inputSchema": {"type": "object"}});
        json!({"tools": [fine, {"name": "bad", "inputSchema": bad}]})
    });
    for list in lists.into_iter().chain([json!({"tools": "x"})]) {
        let mut session = connect(json!({
            "sdkMcpServers": ["calc"],
            "sdkMcpServerManifests":
                {"calc": {"initializeResult": greeting(), "toolsListResult": list}},
        }));
        let parked = json!({"calc": "parked"});
        assert_eq!(session.answer("init")["sdk_mcp_manifests_parked"], parked);
        session.respond_as_server("initialize", greeting());
        session.respond_as_server("notifications/initialized", json!({}));
        for _ in 0..4 {
            // The server is not listed before the end of the handshake.
            assert_eq!(status(&mut session), json!([]));
            session.respond_as_server("tools/list", list.clone());
        }
        let status = status(&mut session);
        assert_eq!(status[0]["status"], "connected");
        assert_eq!(status[0]["tools"], json!([]));
    }
}

#[test]
fn invalid_and_duplicate_tools_are_ignored() {
    let named = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let bad = json!({"type": "object", "properties": {"a": "x"}});
    let (longest, long) = ("x".repeat(117), "y".repeat(118));
    let tools = json!({"tools": [
        named("a b"), named("a.b"), {"name": "bad", "inputSchema": bad}, named(&longest), named(&long),
    ]});
    let mut session = connect(json!({
        "sdkMcpServers": ["calc"],
        "sdkMcpServerManifests":
            {"calc": {"initializeResult": greeting(), "toolsListResult": tools}},
    }));
    let status = status(&mut session);
    let tools = status[0]["tools"].as_array().unwrap().iter();
    let names: Vec<_> = tools.map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a b", &*longest, &*long]);
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    let init = session.messages("system", Some("init")).pop().unwrap();
    let tools = init["tools"].as_array().unwrap().iter();
    let names: Vec<_> = (tools.filter_map(|it| it.as_str()))
        .filter(|it| it.starts_with("mcp__"))
        .collect();
    assert_eq!(names, ["mcp__calc__a_b", &*format!("mcp__calc__{longest}")]);
}

#[test]
fn tools_are_only_requested_from_servers_with_the_capability() {
    let mut greeting = greeting();
    greeting["capabilities"] = json!({});
    let mut session = connect(json!({
        "sdkMcpServers": ["calc", "two"],
        "sdkMcpServerManifests":
            {"calc": {"initializeResult": greeting, "toolsListResult": tools()}},
    }));
    session.respond_as_server("initialize", greeting);
    assert_eq!(
        session.lines(),
        [
            "mcp two initialize",
            "success init",
            "mcp two notifications/initialized"
        ]
    );
    let changed = notification("notifications/tools/list_changed");
    session.request("l", &changed);
    assert_eq!(session.lines(), ["success l"]);
    for server in status(&mut session).as_array().unwrap() {
        assert_eq!(server["status"], json!("connected"));
        assert_eq!(server["tools"], json!([]));
    }
}

#[test]
fn a_manifest_of_another_version_is_ignored() {
    let mut other = greeting();
    other["protocolVersion"] = json!("1999-01-01");
    for manifest in [other, json!({})] {
        let mut session = connect(json!({
            "sdkMcpServers": ["calc"],
            "sdkMcpServerManifests":
                {"calc": {"initializeResult": manifest, "toolsListResult": tools()}},
        }));
        assert_eq!(session.lines(), ["mcp calc initialize", "success init"]);
        assert_eq!(
            session.answer("init")["sdk_mcp_manifests_parked"],
            json!({"calc": "protocol_version_mismatch"})
        );
    }
}

#[test]
fn a_server_that_refuses_the_handshake_has_failed() {
    let mut session = connect(json!({"sdkMcpServers": ["calc"]}));
    session.submit("m1");
    session.lines();
    let (id, _) = session.mcp();
    session
        .host
        .respond(&id, control::failure(&id, &Refusal::new("no")));
    assert_eq!(session.lines(), ["init [m1]"]);
    session.assert_turn_starts(&["m1"]);
    assert_eq!(status(&mut session)[0]["status"], json!("failed"));
    session.call_tool("t1", "mcp__calc__add", &json!({}), true);
    finished(&mut session, "t1");
    let text = json!("No such tool available: mcp__calc__add");
    assert_eq!(session.tool_result(), text);
}

#[test]
fn a_turn_waits_four_seconds_for_a_silent_server() {
    let mut session = connect(json!({"sdkMcpServers": ["calc"]}));
    session.submit("m1");
    session.lines();
    let due = session.now + Duration::from_secs(4);
    assert_eq!(session.agent.poll_timeout(), Some(due));
    session.wait(3);
    assert_eq!(session.event(), None);
    session.wait(1);
    session.assert_turn_starts(&["m1"]);
}

#[test]
fn a_turn_that_waits_for_servers_can_be_interrupted_and_preempted() {
    let mut session = connect(json!({"sdkMcpServers": ["calc"]}));
    session.submit("m1");
    session.submit_at("W", Some(Priority::Now));
    assert_eq!(session.event(), None);
    session.request("stop", &Interrupt::default());
    let said = session.lines();
    assert!(said.contains(&"m1 started".to_owned()), "{said:?}");
    assert_eq!(session.answer("stop"), json!({"still_queued": ["m1"]}));
    assert_eq!(session.event(), Some(Event::TurnAborted));
    session.wait(4);
    session.assert_turn_starts(&["m1"]);
}

#[test]
fn a_permission_request_names_the_server_and_precedes_the_call() {
    let mut session = session();
    session.call_tool("t1", "mcp__calc__look_up", &json!({"a": 1}), true);
    let said = session.lines();
    assert_eq!(said[said.len() - 2..], ["requires_action", "ask t1"]);
    let ask = session.open().pop().unwrap()["request"].clone();
    assert_eq!(ask["mcp_server"], json!({"name": "calc", "source": "sdk"}));
    assert_eq!(ask["display_name"], json!("Look Up"));
    assert_eq!(ask["server_policy_ask_only"], json!(true));
    assert_eq!(
        ask["permission_suggestions"],
        json!([{
            "type": "addRules", "rules": [{"toolName": "mcp__calc__look_up"}],
            "behavior": "allow", "destination": "localSettings",
        }])
    );
    let id = session.permission_request_id();
    session.respond(&id, &PermissionResult::allow_with(json!({"a": 2})));
    assert_eq!(session.lines(), ["running", "mcp calc tools/call"]);
    let (_, call) = session.mcp();
    assert_eq!(
        call,
        json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {
                "name": "look_up", "arguments": {"a": 2},
                "_meta": {"claudecode/toolUseId": "t1", "progressToken": 2},
            },
        })
    );
    session.respond_as_server(
        "tools/call",
        json!({"content": [{"type": "text", "text": "3"}]}),
    );
    assert_eq!(session.lines(), ["tool result t1"]);
    assert_eq!(
        session.tool_result(),
        json!([{"type": "text", "text": "3"}])
    );
    finished(&mut session, "t1");
    session.finish_tools();
}

#[test]
fn the_response_of_a_server_becomes_the_tool_result() {
    let text = |text: &str| json!({"type": "text", "text": text});
    for (result, content, is_error) in [
        (json!({"content": [text("a")]}), json!([text("a")]), false),
        (
            json!({"content": [text("a"), text("b")], "isError": true}),
            json!("a\nb"),
            true,
        ),
        (
            json!({"content": [text("a")], "structuredContent": {"n": 1.0}}),
            json!("{\"n\":1.0}"),
            false,
        ),
        (
            json!({"content": []}),
            json!("(mcp__calc__add completed with no output)"),
            false,
        ),
    ] {
        let mut session = calling("mcp__calc__add");
        session.respond_as_server("tools/call", result);
        assert_eq!(session.tool_result(), content);
        let said = if is_error {
            "tool error t1"
        } else {
            "tool result t1"
        };
        assert_eq!(session.lines(), [said]);
    }
}

#[test]
fn a_failed_call_has_a_tool_result() {
    for (answer, why) in [
        (
            Ok(json!({"mcp_response": {"error": {"code": -32000, "message": "it broke"}}})),
            "it broke",
        ),
        (Err("no such server"), "no such server"),
        (
            Ok(json!({"mcp_response": {}})),
            "the server's reply is empty",
        ),
        (Ok(json!({})), "the server's reply cannot be read"),
    ] {
        let mut session = calling("mcp__calc__add");
        let (id, _) = session.mcp();
        match answer {
            Ok(answer) => drop(session.respond(&id, &answer)),
            Err(why) => {
                let line = control::failure(&id, &Refusal::new(why));
                session.host.respond(&id, line);
            }
        }
        assert_eq!(session.lines(), ["tool error t1"]);
        assert_eq!(session.tool_result(), json!(why));
    }
}

#[test]
fn hooks_get_the_server_and_its_content() {
    let mut session = connect(json!({
        "sdkMcpServers": ["calc"],
        "sdkMcpServerManifests":
            {"calc": {"initializeResult": greeting(), "toolsListResult": tools()}},
        "hooks": {
            "PreToolUse": [{"matcher": "mcp__calc__add", "hookCallbackIds": ["pre"]}],
            "PostToolUse": [{"hookCallbackIds": ["post"]}],
        },
    }));
    session.submit("m1");
    session.assert_turn_starts(&["m1"]);
    session.call_tool("t1", "mcp__calc__add", &json!({}), true);
    let input = session.hook("pre")["request"]["input"].clone();
    assert_eq!(
        input["mcp_server"],
        json!({"name": "calc", "source": "sdk"})
    );
    let allow = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow"});
    session.respond_to_hook("pre", json!({"hookSpecificOutput": allow}));
    let content = json!([{"type": "text", "text": "3"}]);
    session.respond_as_server("tools/call", json!({"content": content}));
    let input = session.hook("post")["request"]["input"].clone();
    assert_eq!(input["tool_response"], content);
    let changed = json!({"hookEventName": "PostToolUse", "updatedMCPToolOutput": [
        {"type": "text", "text": "4"},
    ]});
    session.respond_to_hook("post", json!({"hookSpecificOutput": changed}));
    assert_eq!(
        session.tool_result(),
        json!([{"type": "text", "text": "4"}])
    );
}

#[test]
fn read_only_tools_run_concurrently() {
    let session = session();
    assert!(session.agent.runs_concurrently("mcp__calc__look_up"));
    for other in ["mcp__calc__add", "mcp__other__look_up", "Bash"] {
        assert!(!session.agent.runs_concurrently(other));
    }
}

#[test]
fn tools_of_unknown_servers_are_scripted() {
    let mut session = session();
    session.call_tool("t1", "mcp__other__add", &json!({}), false);
    assert!(matches!(session.event(), Some(Event::ToolDecided { .. })));
}

#[test]
fn an_interrupt_notifies_the_server_before_its_response() {
    let mut session = calling("mcp__calc__add");
    let (call, _) = session.mcp();
    session.request("stop", &Interrupt::default());
    let said = session.lines_without_events();
    assert_eq!(
        said[..3],
        [
            "mcp calc notifications/cancelled",
            "success stop",
            "tool error t1"
        ]
    );
    assert_eq!(said.last().unwrap(), "idle");
    let cancelled = session.open().pop().unwrap()["request"]["message"].clone();
    assert_eq!(cancelled["params"]["requestId"], json!(2));
    assert_eq!(session.event(), Some(Event::TurnAborted));

    // The tool call is not cancelled, and its response is ignored.
    assert!(session.respond(&call, &json!({"mcp_response": {"result": {}}})));
    assert_eq!(session.event(), None);
    assert_eq!(session.lines(), Vec::<String>::new());
}

#[test]
fn a_pending_call_fails_at_the_end_of_the_input() {
    let mut session = calling("mcp__calc__add");
    session.host.end();
    assert_eq!(session.lines(), ["tool error t1"]);
    finished(&mut session, "t1");
    session.finish_tools();
    session.end_turn();
    assert_eq!(session.exit_status(), 0);
}

#[test]
fn a_server_may_send_requests_and_notifications() {
    let mut session = calling("mcp__calc__add");
    session.request("p", &notification("notifications/progress"));
    assert_eq!(session.lines(), ["success p"]);
    assert_eq!(session.response("p").unwrap().response, None);

    session.request("l", &notification("notifications/tools/list_changed"));
    assert_eq!(session.lines(), ["success l", "mcp calc tools/list"]);
    session.respond_as_server("tools/call", json!({"content": []}));
    session.respond_as_server(
        "tools/list",
        json!({"tools": [{"name": "new", "inputSchema": {"type": "object"}}]}),
    );
    assert_eq!(status(&mut session)[0]["tools"][0]["name"], json!("new"));

    for (method, reply) in [("ping", "result"), ("sampling/createMessage", "error")] {
        let message = json!({"jsonrpc": "2.0", "id": "s1", "method": method});
        session.request(method, &McpMessage::new("calc", message));
        session.transfer_all();
        let answer = session.open().pop().unwrap()["request"]["message"].clone();
        assert_eq!(answer["id"], json!("s1"));
        assert!(answer[reply].is_object(), "{answer}");
    }

    // Messages of unknown servers succeed without an effect.
    let other = McpMessage::new(
        "other",
        json!({"method": "notifications/tools/list_changed"}),
    );
    session.lines();
    session.request("o", &other);
    assert_eq!(session.lines(), ["success o"]);
}

#[test]
fn a_second_initialize_preserves_the_servers() {
    let mut session = session();
    let again = json!({
        "sdkMcpServers": ["calc", "two"],
        "sdkMcpServerManifests": {"calc": {"initializeResult": greeting()}},
    });
    session.request(
        "again",
        &serde_json::from_value::<Initialize>(again).unwrap(),
    );
    assert_eq!(
        session.lines(),
        [
            "mcp two initialize",
            "success again",
            "background_tasks_changed"
        ]
    );
    assert_eq!(
        session.answer("again")["sdk_mcp_manifests_parked"],
        json!({"calc": "already_connected"})
    );
}
