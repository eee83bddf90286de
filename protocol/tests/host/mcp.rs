//! Tests of MCP servers that run in the host.

use crate::host::session::{Session, allow, ask, assert_events, refusal, state, success};
use agentwire_protocol::control::SetModel;
use agentwire_protocol::mcp::McpMessage;
use agentwire_protocol::outbox::Limits;
use serde_json::{Value, json};

fn server_ask(id: &str) -> Value {
    json!({"type": "control_request", "request_id": id, "request": {
        "subtype": "mcp_message", "server_name": "s", "message": {"jsonrpc": "2.0"}}})
}

fn progress() -> McpMessage {
    McpMessage::new(
        "s",
        json!({"jsonrpc": "2.0", "method": "notifications/progress"}),
    )
}

#[test]
fn messages_of_a_server_are_ordered_with_its_responses_and_overtake_prompts() {
    let mut session = Session::connected();
    session.receive_all(&[server_ask("a1"), server_ask("a2")]);
    session.submit("A");
    session.host.relay(&progress());
    session.host.respond("a1", allow("a1"));
    session.host.relay(&progress());
    session.host.respond("a2", allow("a2"));
    session.submit("B");
    assert_events(
        session.lines(),
        "mcp_message; success a1; mcp_message; success a2; A; B",
    );
}

#[test]
fn messages_of_a_server_are_no_fence_and_do_not_cross_one() {
    let mut session = Session::connected();
    session.submit("A");
    session.request("r1", &SetModel::to("m"));
    session.host.relay(&progress());
    session.submit("B");
    let lines = session.lines();
    assert_eq!(lines, ["A", "set_model", "mcp_message", "B"]);
}

#[test]
fn messages_of_a_server_wait_for_the_response_to_initialize() {
    let mut session = Session::new();
    session.host.relay(&progress());
    session.request("init", &agentwire_protocol::control::Initialize::default());
    session.host.relay(&progress());
    assert_eq!(session.lines(), ["initialize"]);
    session.receive(success("init", json!({})));
    assert_eq!(session.lines(), ["mcp_message", "mcp_message"]);
}

#[test]
fn an_acknowledgement_of_a_server_message_is_no_event_but_a_refusal_is() {
    let mut session = Session::connected();
    session.host.relay(&progress());
    session.lines();
    session.receive_all(&[
        success("mcp-1", json!({})),
        success("mcp-1", json!(null)),
        success("mcp-2", json!({})),
        success("mcp-x", json!({})),
        refusal("mcp-1", json!("no")),
    ]);
    let stray = ["stray answer"; 3];
    assert_eq!(session.events(), stray);
}

#[test]
fn a_request_to_a_server_does_not_require_action() {
    let mut session = Session::connected();
    session.receive_all(&[state("running"), server_ask("a1")]);
    assert_eq!(session.events()[1..], ["Running", "ask a1"]);
    session.receive(ask("a2"));
    assert_eq!(session.events(), ["ask a2", "RequiresAction"]);
    session.host.respond("a2", allow("a2"));
    assert_eq!(session.events(), ["Running"]);
}

#[test]
fn a_server_finds_no_room_when_the_agent_does_not_read() {
    let mut session = Session::connected();
    let limits = Limits {
        answers: 200,
        ..Limits::default()
    };
    session.host.set_limits(limits);
    assert!(session.host.has_room_to_relay());
    session.host.relay(&progress());
    session.host.relay(&progress());
    assert!(!session.host.has_room_to_relay());
    session.lines();
    assert!(session.host.has_room_to_relay());
}

#[test]
fn no_server_message_is_sent_once_the_session_is_closed() {
    let mut session = Session::connected();
    session.host.end();
    session.host.relay(&progress());
    assert_eq!(session.lines(), Vec::<String>::new());
}
