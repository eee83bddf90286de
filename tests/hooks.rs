//! Tests of hooks: their registration, inputs and failures.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::event::{CallbackFailure, RequestSummary};
use agentwire::hook::HookCall;
use agentwire::protocol::control::Initialize;
use agentwire::protocol::hook::{
    HookEvent, HookKind, HookMatcher, HookOutput, Hooks, Notification, PostToolUse, PreToolUse,
    PreToolUseOutput, Stop, UserPromptSubmit,
};
use agentwire::{Error, Event, Hook, Notice, Options};
use serde_json::{Value, json};
use std::time::Duration;
use support::peer::{Peer, connect, connect_with};
use support::wait_for;

/// Returns a hook call.
fn hook_call(id: &str, event: &str, more: Value) -> Value {
    let mut input = json!({"hook_event_name": event, "session_id": "s1", "cwd": "/project"});
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    json!({"subtype": "hook_callback", "callback_id": id, "input": input, "tool_use_id": "t1"})
}

fn bash(command: &str) -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": command}})
}

async fn answer_to(agent: &mut Peer, request: &Value) -> Value {
    agent.asks("h", request).await;
    agent.is_answered().await.1
}

#[tokio::test]
async fn a_hook_is_registered_and_called_and_its_output_is_sent() {
    let options = Options::new()
        .hook(
            Hook::new(|call: HookCall<PreToolUse>| async move {
                assert_eq!(call.context.cwd.as_deref(), Some("/project"));
                assert_eq!(call.tool_use_id.as_deref(), Some("t1"));
                let command: String = call.event.tool_input.member("command").unwrap().read()?;
                Ok::<_, serde_json::Error>(match &*command {
                    "rm" => PreToolUseOutput::deny("Not that."),
                    _ => PreToolUseOutput::allow_with(json!({"command": "echo"})),
                })
            })
            .matcher("Bash")
            .timeout(Duration::from_secs(7)),
        )
        .hook(Hook::new(|_: HookCall<PostToolUse>| async {}))
        .hook(Hook::new(|call: HookCall<Stop>| async move {
            let again = call.event.stop_hook_active == Some(true);
            (!again).then(|| HookOutput::block("One more thing."))
        }));
    let answer = json!({"hooks_applied": true, "claude_code_version": "2.1.332"});
    let (client, mut agent, initialize) = connect_with(options, &answer).await;
    let _client = client.unwrap();
    assert_eq!(
        initialize["hooks"],
        json!({
            "PreToolUse": [{"matcher": "Bash", "hookCallbackIds": ["hook_0"], "timeout": 7}],
            "PostToolUse": [{"hookCallbackIds": ["hook_1"]}],
            "Stop": [{"hookCallbackIds": ["hook_2"]}],
        })
    );
    let denied = answer_to(&mut agent, &hook_call("hook_0", "PreToolUse", bash("rm"))).await;
    assert_eq!(
        denied,
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": "deny", "permissionDecisionReason": "Not that."}})
    );
    let changed = answer_to(&mut agent, &hook_call("hook_0", "PreToolUse", bash("ls"))).await;
    assert_eq!(
        changed["hookSpecificOutput"]["updatedInput"],
        json!({"command": "echo"})
    );
    let silent = answer_to(&mut agent, &hook_call("hook_1", "PostToolUse", bash("ls"))).await;
    assert_eq!(silent, json!({}));
    for (is_active, answer) in [
        (
            false,
            json!({"decision": "block", "reason": "One more thing."}),
        ),
        (true, json!({})),
    ] {
        let stop = hook_call("hook_2", "Stop", json!({"stop_hook_active": is_active}));
        assert_eq!(answer_to(&mut agent, &stop).await, answer);
    }
}

#[tokio::test]
async fn a_failed_hook_is_ignored_and_a_failed_gate_denies() {
    async fn failing_hook<E>(_: HookCall<E>) -> Result<(), &'static str> {
        Err("out of order")
    }
    async fn panics<E>(_: HookCall<E>) {
        panic!("out of order")
    }
    let options = Options::new()
        .hook(Hook::new(failing_hook::<PreToolUse>))
        .hook(Hook::new(panics::<PreToolUse>).gate())
        .hook(Hook::new(failing_hook::<UserPromptSubmit>).gate())
        .hook(Hook::new(failing_hook::<Stop>).gate())
        .hook(Hook::new(failing_hook::<Notification>).gate());
    let (client, mut agent, initialize) =
        connect_with(options, &json!({"hooks_applied": true})).await;
    let mut client = client.unwrap();
    let registered = &initialize["hooks"]["PreToolUse"];
    assert_eq!(registered[0].get("onFailure"), None);
    assert_eq!(registered[1]["onFailure"], "block");

    // An error would let the agent continue, so the denial is explicit.
    let why = json!("The host's hook of PreToolUse failed.");
    let passed = answer_to(&mut agent, &hook_call("hook_0", "PreToolUse", bash("ls"))).await;
    assert_eq!(passed, why);
    let shut = answer_to(&mut agent, &hook_call("hook_1", "PreToolUse", bash("ls"))).await;
    let decision = &shut["hookSpecificOutput"];
    assert_eq!(decision["permissionDecision"], "deny");
    assert_eq!(decision["permissionDecisionReason"], why);
    let prompt = hook_call("hook_2", "UserPromptSubmit", json!({"prompt": "Go"}));
    assert_eq!(answer_to(&mut agent, &prompt).await["decision"], "block");
    // A refused `Stop` would keep the agent running for ever.
    let stop = answer_to(&mut agent, &hook_call("hook_3", "Stop", json!({}))).await;
    assert_eq!(stop, "The host's hook of Stop failed.");
    // A notification cannot be refused.
    let told = hook_call("hook_4", "Notification", json!({"message": "Look"}));
    assert!(answer_to(&mut agent, &told).await.is_string());

    for (event, is_gate, panicked) in [
        (HookKind::PreToolUse, false, false),
        (HookKind::PreToolUse, true, true),
        (HookKind::UserPromptSubmit, true, false),
        (HookKind::Stop, true, false),
        (HookKind::Notification, true, false),
    ] {
        let (request, failure) = wait_for(&mut client, |event| match event {
            Event::Notice(Notice::CallbackFailed {
                request, failure, ..
            }) => Some((request.clone(), failure.clone())),
            _ => None,
        })
        .await;
        assert_eq!(request, RequestSummary::Hook { event, is_gate });
        let why = "out of order".to_owned();
        assert_eq!(
            failure,
            if panicked {
                CallbackFailure::Panicked(why)
            } else {
                CallbackFailure::Failed(why)
            }
        );
    }
}

#[tokio::test]
async fn a_session_with_gates_does_not_start_if_the_agent_rejects_hooks() {
    for (answer, is_gate, starts) in [
        (json!({"hooks_applied": false}), true, false),
        (json!({"hooks_applied": false}), false, true),
        (json!({"hooks_applied": true}), true, true),
        // Older agents do not report whether they accepted the hooks.
        (json!({}), true, true),
    ] {
        let mut hook = Hook::new(|_: HookCall<PreToolUse>| async {});
        if is_gate {
            hook = hook.gate();
        }
        let (client, ..) = connect_with(Options::new().hook(hook), &answer).await;
        match client {
            Ok(_) => assert!(starts, "{answer}"),
            Err(Error::NotApplied { option: "hooks" }) => assert!(!starts, "{answer}"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_hook_that_times_out_is_cancelled_and_its_output_dropped() {
    let (told, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let hook = Hook::new(move |call: HookCall<PreToolUse>| {
        let told = told.clone();
        async move {
            told.send("asked").unwrap();
            call.cancelled.cancelled().await;
            told.send("cancelled").unwrap();
            PreToolUseOutput::allow()
        }
    });
    let (_client, mut agent) = connect(Options::new().hook(hook)).await;
    agent
        .asks("h1", &hook_call("hook_0", "PreToolUse", bash("ls")))
        .await;
    assert_eq!(hears.recv().await, Some("asked"));
    agent.cancels("h1").await;
    assert_eq!(hears.recv().await, Some("cancelled"));
    agent
        .asks("h2", &hook_call("nobody", "PreToolUse", bash("ls")))
        .await;
    let (id, answer) = agent.is_answered().await;
    assert_eq!((&*id, answer), ("h2", json!("no hook has the id `nobody`")));
}

#[tokio::test]
async fn one_closure_may_handle_unknown_events() {
    let mut initialize = Initialize::default();
    let own = HookMatcher::new(["mine"]);
    initialize.hooks = Some(Hooks::from([(HookKind::PreToolUse, vec![own])]));
    let seen =
        |call: HookCall<HookEvent>| async move { HookOutput::block(call.event.tag().unwrap()) };
    let options = Options::new()
        .initialize(initialize)
        .hook(Hook::named("PreDream", seen))
        .hook(Hook::named(HookKind::PreToolUse, seen));
    let (client, mut agent, initialize) = connect_with(options, &json!({})).await;
    let _client = client.unwrap();
    assert_eq!(
        initialize["hooks"],
        json!({
            "PreDream": [{"hookCallbackIds": ["hook_0"]}],
            "PreToolUse": [{"hookCallbackIds": ["mine", "hook_1"]}],
        })
    );
    let dream = answer_to(
        &mut agent,
        &hook_call("hook_0", "PreDream", json!({"depth": 3})),
    )
    .await;
    assert_eq!(dream["reason"], "PreDream");
}

#[tokio::test]
async fn a_typed_hook_fails_for_another_event() {
    let hook = Hook::new(|_: HookCall<PreToolUse>| async {}).gate();
    let (_client, mut agent) = connect(Options::new().hook(hook)).await;
    let other = answer_to(&mut agent, &hook_call("hook_0", "Stop", json!({}))).await;
    assert_eq!(other["hookSpecificOutput"]["permissionDecision"], "deny");
}
