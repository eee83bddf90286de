//! What decides something is read strictly: for each place a line that would
//! pass if it were read as a message is.

#![allow(clippy::unwrap_used)]

mod support;

use agentwire::protocol::hook::{PostToolUse, PreToolUse, PreToolUseOutput};
use agentwire::{
    Asked, CallbackFailure, Client, Event, Hook, HookCall, Notice, Options, PermissionAsk,
    PermissionResult, Policy as _, ReadOnly, Rules,
};
use serde_json::{Value, json};
use support::far_end::{FarEnd, connect, connect_with};
use support::wait_for;

/// A request with these members beside its own.
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

async fn answer_to(agent: &mut FarEnd, request: &Value) -> Value {
    agent.asks("a", request).await;
    agent.is_answered().await.1
}

/// What was told of the next callback that was not called, or failed.
async fn failure(client: &mut Client) -> (Asked, CallbackFailure) {
    wait_for(client, |event| match event {
        Event::Notice(Notice::CallbackFailed { asked, failure, .. }) => {
            Some((asked.clone(), failure.clone()))
        }
        _ => None,
    })
    .await
}

/// Members of a question about a tool that are not what they should be. Each
/// could have been a reason to ask a person.
fn odd_members() -> Vec<Value> {
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
async fn no_policy_allows_what_is_asked_oddly() {
    let rules = Rules::builder().allow(["Bash(git *)"]).build().unwrap();
    let policy = rules.or(ReadOnly).or_deny("Nobody is there.");
    let (_client, mut agent) = connect(Options::new().permission_handler(policy)).await;
    for name in ["Bash", "Read"] {
        let plain = answer_to(&mut agent, &tool(name, &json!({}))).await;
        assert_eq!(plain["behavior"], "allow", "{name}");
        for odd in odd_members() {
            let said = answer_to(&mut agent, &tool(name, &odd)).await;
            assert_eq!(said["message"], "Nobody is there.", "{name}: {odd}");
        }
    }
}

#[tokio::test]
async fn a_callback_is_told_that_a_person_has_to_answer_what_is_asked_oddly() {
    let options = Options::new().on_permission(|ask: PermissionAsk| async move {
        match ask.request.needs_person() {
            true => PermissionResult::deny("A person is asked."),
            false => PermissionResult::allow(),
        }
    });
    let (_client, mut agent) = connect(options).await;
    for odd in odd_members() {
        let said = answer_to(&mut agent, &tool("Bash", &odd)).await;
        assert_eq!(said["message"], "A person is asked.", "{odd}");
    }
}

#[tokio::test]
async fn a_question_about_no_tool_or_no_input_is_refused() {
    let options =
        Options::new().on_permission(|_: PermissionAsk| async { PermissionResult::allow() });
    let (_client, mut agent) = connect(options).await;
    for (odd, why) in [
        (json!({"tool_name": 7}), "request.tool_name"),
        (json!({"tool_name": null}), "request.tool_name"),
        (json!({"tool_name": "", "title": 7}), "request.title"),
        (json!({"input": "ls", "title": 7}), "request.title"),
    ] {
        let error = answer_to(&mut agent, &tool("Bash", &odd)).await;
        assert!(error.as_str().unwrap().contains(why), "{error}: {odd}");
    }
    let request = json!({"subtype": "can_use_tool", "tool_name": "Bash"});
    let error = answer_to(&mut agent, &request).await;
    assert!(error.as_str().unwrap().contains("missing field `input`"));
}

#[tokio::test]
async fn questions_that_are_asked_oddly_are_denied_and_reported() {
    let options = Options::new()
        .on_question(|ask| async move { ask.answers() })
        .on_permission(|_: PermissionAsk| async { PermissionResult::allow() });
    let (mut client, mut agent) = connect(options).await;
    let input = json!({"questions": [{"question": "Tea?", "header": "Tea", "options": []}]});
    let plain = tool("AskUserQuestion", &json!({"input": input}));
    assert_eq!(answer_to(&mut agent, &plain).await["behavior"], "allow");
    for odd in odd_members() {
        let said = answer_to(&mut agent, &with(plain.clone(), &odd)).await;
        assert_eq!(said["behavior"], "deny", "{odd}");
        let (_, failure) = failure(&mut client).await;
        let CallbackFailure::Odd(fault) = failure else {
            panic!("{failure:?}")
        };
        assert!(fault.path.starts_with("request."), "{fault}");
    }
}

async fn panics(_: HookCall<PostToolUse>) {
    panic!("it is called")
}

#[tokio::test]
async fn a_gate_stays_shut_for_an_input_that_is_odd_and_a_hook_is_not_called() {
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
    for odd in [
        json!({"tool_name": ["Bash"]}),
        json!({"session_id": 7}),
        json!({"permission_mode": {}}),
        json!({"tool_use_id": false}),
    ] {
        let said = answer_to(&mut agent, &due("hook_0", "PreToolUse", &odd)).await;
        let decision = &said["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(decision, "deny", "{odd}: {said}");
        let (asked, failure) = failure(&mut client).await;
        assert!(matches!(asked, Asked::Hook { is_gate: true, .. }));
        assert!(matches!(failure, CallbackFailure::Odd(_)), "{failure:?}");
        let error = answer_to(&mut agent, &due("hook_1", "PostToolUse", &odd)).await;
        assert!(error.as_str().unwrap().contains("is odd"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_is_odd_is_an_error_that_says_where_and_has_it() {
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
