//! Policies and what is put together with them, in a session.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::protocol::permission::CanUseTool;
use agentwire::{
    Audited, Later, Options, PermissionAsk, PermissionResult, Policy, ReadOnly, Reply, Rules,
    TerminalPrompter,
};
use serde_json::{Value, json};
use std::time::Duration;
use support::peer::{Peer, connect};
use tokio::sync::mpsc;

/// May this tool run?
fn tool(name: &str, input: Value) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": name, "input": input})
}

async fn answer_to(agent: &mut Peer, request: &Value) -> Value {
    agent.asks("a", request).await;
    agent.is_answered().await.1
}

fn rules() -> Rules {
    let rules = Rules::builder().allow(["Bash(git *)"]).ask(["Grep"]);
    rules.deny(["Read(.env)"]).build().unwrap()
}

#[tokio::test]
async fn what_no_policy_decides_is_denied_with_the_message() {
    let policy = rules().or(ReadOnly).or_deny("Nobody is there.");
    let (_client, mut agent) = connect(Options::new().permission_handler(policy)).await;
    for (request, answer) in [
        (tool("Bash", json!({"command": "git log"})), "allow"),
        (tool("Read", json!({"file_path": "a"})), "allow"),
        (tool("Bash", json!({"command": "make"})), "Nobody is there."),
        (tool("Grep", json!({"pattern": "a"})), "Nobody is there."),
        (
            tool("Read", json!({"file_path": ".env"})),
            "The rule Read(.env) denies this call.",
        ),
    ] {
        let said = answer_to(&mut agent, &request).await;
        let said = said.get("message").unwrap_or(&said["behavior"]);
        assert_eq!(said, answer, "{request}");
    }
}

#[tokio::test]
async fn somebody_is_asked_for_the_rest_and_each_decision_is_told() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let ask = |ask: PermissionAsk| async move {
        match &*ask.request.tool_name {
            "WebFetch" => {
                drop(ask.later().into_request_id());
                Later.into()
            }
            "WebSearch" => Reply::Failed("out of order".to_owned()),
            _ => PermissionResult::deny("No.").into(),
        }
    };
    let record = move |request: &CanUseTool, reply: &Reply<PermissionResult>, took: Duration| {
        let decision = (request.tool_name.clone(), reply.clone(), took);
        tell.send(decision).unwrap();
    };
    let handler = Audited::new(rules().or_ask(ask), record);
    let (_client, mut agent) = connect(Options::new().permission_handler(handler)).await;
    for (name, input, reply) in [
        (
            "Bash",
            json!({"command": "git log"}),
            PermissionResult::allow().into(),
        ),
        ("Write", json!({}), PermissionResult::deny("No.").into()),
        ("WebFetch", json!({}), Reply::Later),
        (
            "WebSearch",
            json!({}),
            Reply::Failed("out of order".to_owned()),
        ),
    ] {
        agent.asks(name, &tool(name, input)).await;
        let (told, said, took) = told.recv().await.unwrap();
        assert_eq!((&*told, said), (name, reply));
        assert!(took < Duration::from_secs(60));
    }
}

#[tokio::test]
async fn without_a_terminal_everything_is_denied() {
    let options = Options::new().permission_handler(TerminalPrompter::nobody());
    let (_client, mut agent) = connect(options).await;
    let said = answer_to(&mut agent, &tool("Bash", json!({"command": "ls"}))).await;
    assert_eq!(said["behavior"], "deny");
}
