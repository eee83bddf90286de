//! Tests of lines as a real agent and its host write them. Each line is a
//! frame, its typed view can be read, and the view is written as the same JSON
//! value.
#![allow(clippy::unwrap_used)]

use crate::open_types::check::assert_writes;
use agentwire_protocol::control::{AgentRequest, ControlCancel, ControlRequest, ControlResponse};
use agentwire_protocol::hook::{HookEvent, HookOutput};
use agentwire_protocol::message::{BlockDelta, ResultSubtype, StreamEvent};
use agentwire_protocol::permission::{PermissionMode, PermissionResult, PermissionUpdate};
use agentwire_protocol::{Frame, Message};
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[track_caller]
fn frame(line: &str) -> Frame {
    Frame::new(Bytes::copy_from_slice(line.as_bytes())).unwrap()
}

/// Reads the typed view. Asserts that it is written as the same value.
#[track_caller]
fn view<T: DeserializeOwned + Serialize>(line: &str) -> T {
    let view: T = frame(line).read().unwrap();
    assert_writes(&view, line);
    view
}

/// Returns the view if it matches the pattern.
macro_rules! the {
    ($line:expr, $pattern:pat => $held:expr) => {
        match view($line) {
            $pattern => $held,
            #[allow(unreachable_patterns)]
            other => panic!("{other:?}"),
        }
    };
}

/// Returns a result as the agent writes it, with its type among the last
/// members.
fn result(how: &str) -> String {
    format!(
        r#"{{"duration_api_ms":21,"stop_reason":"end_turn","session_id":"s1","total_cost_usd":0.00014000000000000001,"usage":{{"input_tokens":100,"output_tokens":5,"output_tokens_details":{{"thinking_tokens":0}},"iterations":[],"fallback_credit":null}},"modelUsage":{{"model-5":{{"inputTokens":100,"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"webSearchRequests":0,"costUSD":0.0005,"contextWindow":1000000,"maxOutputTokens":128000,"thinkingTokens":0,"provider":"firstParty"}}}},"fast_mode_state":"off","subagent_stats":{{"spawned":0,"by_type":{{}}}},"safety_stops":0,"num_turns":1,"ttft_ms":96,"type":"result","duration_ms":105,"uuid":"u1",{how},"user_message_uuid":"m1","user_message_uuids":["m1","m2"],"queued_turn_count":0,"result_index":3}}"#
    )
}

#[test]
fn results_of_failure() {
    let line = result(
        r#""subtype":"error_during_execution","is_error":true,"errors":["cut off"],"terminal_reason":"aborted_streaming","permission_denials":[]"#,
    );
    let interrupted = the!(&line, Message::Result(result) => result);
    assert_eq!(interrupted.subtype, ResultSubtype::ErrorDuringExecution);
    assert_eq!(
        interrupted.error_text().as_deref(),
        Some("aborted_streaming: cut off")
    );

    // The subtype of an API error is `success`, but `is_error` is true.
    let line = result(
        r#""subtype":"success","is_error":true,"api_error_status":400,"result":"no credit","terminal_reason":"api_error","permission_denials":[]"#,
    );
    let failed = the!(&line, Message::Result(result) => result);
    assert_eq!(failed.subtype, ResultSubtype::Success);
    assert_eq!(failed.api_error_status, Some(400));
    assert_eq!(failed.error_text().as_deref(), Some("api_error: no credit"));

    // The turn was preempted by a message with priority now, which is not an
    // error.
    let line = result(
        r#""subtype":"success","is_error":false,"result":"fin","terminal_reason":"aborted_streaming","permission_denials":[]"#,
    );
    let preempted = the!(&line, Message::Result(result) => result);
    assert_eq!(preempted.error_text(), None);
}

/// Returns a message with an event of the model's stream.
fn event(event: &str) -> String {
    format!(
        r#"{{"type":"stream_event","event":{event},"session_id":"s1","parent_tool_use_id":null,"uuid":"u1","api_message_id":"msg_0"}}"#
    )
}

#[test]
fn text_comes_only_from_text_deltas_of_the_main_agent() {
    let text =
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello "}}"#;
    let thinking = r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#;
    let main: Message = view(&event(text));
    assert_eq!(main.text_delta(), Some("hello "));
    let sub = event(text).replace(
        r#""parent_tool_use_id":null"#,
        r#""parent_tool_use_id":"toolu_1""#,
    );
    assert_eq!(view::<Message>(&sub).text_delta(), None);
    let hidden = the!(&event(thinking), Message::StreamEvent(message) => message);
    assert_eq!(hidden.event.thinking_delta(), Some("hm"));
    let StreamEvent::ContentBlockDelta(delta) = hidden.event else {
        panic!()
    };
    assert!(matches!(delta.delta, BlockDelta::Thinking(_)));
}

#[test]
fn a_permission_request_and_its_responses() {
    let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","display_name":"Bash","input":{"command":"echo hi > made.txt","description":"make file"},"description":"make file","permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"echo hi *"}],"behavior":"allow","destination":"localSettings"},{"type":"addDirectories","directories":["/project"],"destination":"session"},{"type":"setMode","mode":"acceptEdits","destination":"session"}],"blocked_path":"/project/made.txt","server_policy_ask_only":false,"tool_use_id":"toolu_1"}}"#;
    assert_eq!(frame(line).head().label(), "control_request/can_use_tool");
    assert_eq!(frame(line).request_id(), Some("r1"));
    let ask = view::<ControlRequest>(line);
    let AgentRequest::CanUseTool(ask) = ask.request else {
        panic!()
    };
    assert_eq!(ask.tool_use_id.as_deref(), Some("toolu_1"));
    assert!(matches!(
        &ask.permission_suggestions.unwrap()[..],
        [
            PermissionUpdate::AddRules(_),
            PermissionUpdate::AddDirectories(_),
            PermissionUpdate::SetMode(_)
        ]
    ));

    let allowed = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow","updatedInput":{"command":"echo ho"},"toolUseID":"toolu_1"}}}"#,
    );
    let allowed: PermissionResult = allowed.response.read().unwrap();
    assert!(matches!(allowed, PermissionResult::Allow(_)));
    let denied = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"deny","message":"no","interrupt":true}}}"#,
    );
    let PermissionResult::Deny(denied) = denied.response.read().unwrap() else {
        panic!()
    };
    assert_eq!(denied.interrupt, Some(true));

    let cancel = view::<ControlCancel>(r#"{"type":"control_cancel_request","request_id":"r1"}"#);
    assert_eq!(cancel.request_id, "r1");
}

#[test]
fn a_hook_call_and_its_responses() {
    let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"hook_callback","callback_id":"hook_0","input":{"session_id":"s1","transcript_path":"/home/agent/s1.jsonl","cwd":"/project","prompt_id":"p1","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"limit":1.0},"tool_response":{"type":"text","file":{"numLines":2}},"tool_use_id":"toolu_1","duration_ms":5},"tool_use_id":"toolu_1"}}"#;
    assert_eq!(frame(line).head().label(), "control_request/hook_callback");
    let AgentRequest::HookCallback(hook) = view::<ControlRequest>(line).request else {
        panic!()
    };
    assert_eq!(hook.callback_id, "hook_0");
    assert_eq!(
        hook.input.context.permission_mode,
        Some(PermissionMode::Default)
    );
    let HookEvent::PostToolUse(event) = hook.input.event else {
        panic!()
    };
    assert_eq!(event.tool_input.get(), r#"{"limit":1.0}"#);

    let blocked = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"decision":"block","reason":"no"}}}"#,
    );
    let blocked: HookOutput = blocked.response.read().unwrap();
    assert_eq!(blocked, HookOutput::block("no"));
    // A response without a payload.
    let nothing = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}"#,
    );
    let nothing: HookOutput = nothing.response.read().unwrap();
    assert_eq!(nothing, HookOutput::proceed());
}

#[test]
fn control_responses() {
    let answer = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"commands":[{"name":"c","description":"d","argumentHint":"","builtin":true}],"pid":7},"pending_permission_requests":[]}}"#,
    );
    let answer = answer.response.into_result().unwrap();
    assert_eq!(answer.pending_permission_requests, Some(vec![]));

    // A response without a payload.
    let answer = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}"#,
    );
    assert_eq!(answer.response.response, None);

    let refused = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"no such mode","error_code":"invalid_mode"}}"#,
    );
    let refusal = refused.response.into_result().unwrap_err();
    assert_eq!(refusal.to_string(), "no such mode (invalid_mode)");

    // A refusal as other agents write it.
    let refused = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":{"message":"no","stack":[]}}}"#,
    );
    let refusal = refused.response.into_result().unwrap_err();
    assert_eq!((&*refusal.message, refusal.code), ("no", None));
}
