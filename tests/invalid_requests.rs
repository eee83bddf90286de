//! Tests that control requests and responses are read strictly. For each place, a line is
//! invalid that a tolerant reader would accept.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::event::{CallbackFailure, RequestSummary};
use agentwire::hook::HookCall;
use agentwire::permission::{PermissionRequest, Policy as _, ReadOnly};
use agentwire::protocol::hook::{PostToolUse, PreToolUse, PreToolUseOutput};
use agentwire::{Hook, Options, PermissionResult, Rules};
use serde_json::{Value, json};
use support::callback_failure;
use support::peer::{Peer, connect, connect_with};

/// Returns a request with these additional members.
fn with(mut request: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

fn tool(name: &str, more: &Value) -> Value {
    let input = json!({"command": "git log", "file_path": "a"});
    let request = json!({"subtype": "can_use_tool", "tool_name": name, "input": input});
    with(request, more)
}

async fn answer_to(agent: &mut Peer, request: &Value) -> Value {
    agent.asks("a", request).await;
    agent.is_answered().await.1
}

/// Returns invalid members of a permission request. Each could have been a reason to ask
/// a human.
fn invalid_members() -> Vec<Value> {
    vec![
        json!({"requires_user_interaction": "yes"}),
        json!({"default_to_no": 1}),
        json!({"matched_ask_rule": "Bash"}),
        json!({"matched_ask_rule": {"tool_name": 7}}),
        json!({"decision_reason_type": ["safetyCheck"]}),
        json!({"permission_suggestions": [7]}),
        json!({"blocked_path": false}),
        json!({"agent_id": {}}),
        json!({"title": 7}),
    ]
}

#[tokio::test]
async fn no_policy_approves_a_request_with_an_invalid_member() {
    let rules = Rules::builder().allow(["Bash(git *)"]).build().unwrap();
    let policy = rules.or(ReadOnly).or_deny("Nobody is there.");
    let (_client, mut agent) = connect(Options::new().permission_handler(policy)).await;
    for name in ["Bash", "Read"] {
        let plain = answer_to(&mut agent, &tool(name, &json!({}))).await;
        assert_eq!(plain["behavior"], "allow", "{name}");
        for invalid in invalid_members() {
            let said = answer_to(&mut agent, &tool(name, &invalid)).await;
            assert_eq!(said["message"], "Nobody is there.", "{name}: {invalid}");
        }
    }
}

#[tokio::test]
async fn a_request_with_an_invalid_member_requires_a_human() {
    let options = Options::new().on_permission(|ask: PermissionRequest| async move {
        match ask.request.requires_human() {
            true => PermissionResult::deny("A person is asked."),
            false => PermissionResult::allow(),
        }
    });
    let (_client, mut agent) = connect(options).await;
    for invalid in invalid_members() {
        let said = answer_to(&mut agent, &tool("Bash", &invalid)).await;
        assert_eq!(said["message"], "A person is asked.", "{invalid}");
    }
}

#[tokio::test]
async fn a_request_without_a_tool_or_an_input_is_refused() {
    let options =
        Options::new().on_permission(|_: PermissionRequest| async { PermissionResult::allow() });
    let (_client, mut agent) = connect(options).await;
    for (invalid, why) in [
        (json!({"tool_name": 7}), "request.tool_name"),
        (json!({"tool_name": null}), "request.tool_name"),
        (json!({"tool_name": "", "title": 7}), "request.title"),
        (json!({"input": "ls", "title": 7}), "request.title"),
    ] {
        let error = answer_to(&mut agent, &tool("Bash", &invalid)).await;
        assert!(error.as_str().unwrap().contains(why), "{error}: {invalid}");
    }
    let request = json!({"subtype": "can_use_tool", "tool_name": "Bash"});
    let error = answer_to(&mut agent, &request).await;
    assert!(error.as_str().unwrap().contains("missing field `input`"));
}

#[tokio::test]
async fn questions_with_an_invalid_member_are_denied_and_reported() {
    let options = Options::new()
        .on_question(|ask| async move { ask.answers() })
        .on_permission(|_: PermissionRequest| async { PermissionResult::allow() });
    let (mut client, mut agent) = connect(options).await;
    let input = json!({"questions": [{"question": "Tea?", "header": "Tea", "options": []}]});
    let plain = tool("AskUserQuestion", &json!({"input": input}));
    assert_eq!(answer_to(&mut agent, &plain).await["behavior"], "allow");
    for invalid in invalid_members() {
        let said = answer_to(&mut agent, &with(plain.clone(), &invalid)).await;
        assert_eq!(said["behavior"], "deny", "{invalid}");
        let (_, failure) = callback_failure(&mut client).await;
        let CallbackFailure::InvalidRequest(fault) = failure else {
            panic!("{failure:?}")
        };
        assert!(fault.path.starts_with("request."), "{fault}");
    }
}

async fn panics(_: HookCall<PostToolUse>) {
    panic!("it is called")
}

#[tokio::test]
async fn a_gate_blocks_on_an_invalid_input_and_other_hooks_are_not_called() {
    let options = Options::new()
        .hook(Hook::new(|_: HookCall<PreToolUse>| async { PreToolUseOutput::allow() }).gate())
        .hook(Hook::new(panics));
    let (client, mut agent, _) = connect_with(options, &json!({"hooks_applied": true})).await;
    let mut client = client.unwrap();
    let due = |id: &str, event: &str, more: &Value| {
        let input = json!({"hook_event_name": event, "session_id": "s", "tool_name": "Bash",
            "tool_input": {"command": "ls"}});
        let input = with(input, more);
        json!({"subtype": "hook_callback", "callback_id": id, "input": input})
    };
    let plain = answer_to(&mut agent, &due("hook_0", "PreToolUse", &json!({}))).await;
    assert_eq!(plain["hookSpecificOutput"]["permissionDecision"], "allow");
    for invalid in [
        json!({"tool_name": ["Bash"]}),
        json!({"session_id": 7}),
        json!({"permission_mode": {}}),
        json!({"tool_use_id": false}),
    ] {
        let said = answer_to(&mut agent, &due("hook_0", "PreToolUse", &invalid)).await;
        let decision = &said["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(decision, "deny", "{invalid}: {said}");
        let (asked, failure) = callback_failure(&mut client).await;
        assert!(matches!(asked, RequestSummary::Hook { is_gate: true, .. }));
        assert!(
            matches!(failure, CallbackFailure::InvalidRequest(_)),
            "{failure:?}"
        );
        let error = answer_to(&mut agent, &due("hook_1", "PostToolUse", &invalid)).await;
        assert!(error.as_str().unwrap().contains("is invalid"), "{error}");
    }
}

#[tokio::test]
async fn an_invalid_response_is_an_error_with_its_path() {
    let (client, mut agent) = connect(Options::new()).await;
    for (answer, why) in [
        (json!({}), "missing field `mcpServers`"),
        (json!({"mcpServers": {}}), "mcpServers"),
        (
            json!({"mcpServers": [{"name": "a", "status": 7}]}),
            "mcpServers[0].status",
        ),
        (json!({"mcpServers": [7]}), "mcpServers[0]"),
    ] {
        let status = client.mcp_status();
        let (status, _) = tokio::join!(status, agent.answers(&answer));
        let error = status.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
