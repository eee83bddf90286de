//! Lines as a real agent and its host write them: each is a frame, its typed
//! view can be read, and what is written again is the same JSON value.
#![allow(clippy::unwrap_used)]

use crate::exact;

use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::control::{AgentRequest, ControlCancel, ControlRequest, ControlResponse};
use agentwire_protocol::hook::{HookEvent, HookOutput};
use agentwire_protocol::message::{
    AssistantError, BlockDelta, CommandState, ResultSubtype, SessionState, StatusKind, StopReason,
    StreamEvent, SystemMessage, TerminalReason,
};
use agentwire_protocol::permission::{PermissionMode, PermissionResult, PermissionUpdate};
use agentwire_protocol::{Frame, Message};
use bytes::Bytes;
use exact::Exact;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[track_caller]
fn frame(line: &str) -> Frame {
    Frame::new(Bytes::copy_from_slice(line.as_bytes())).unwrap()
}

/// The typed view, which is written as the same value.
#[track_caller]
fn view<T: DeserializeOwned + Serialize>(line: &str) -> T {
    let view: T = frame(line).read().unwrap();
    let written = serde_json::to_string(&view).unwrap();
    assert_eq!(Exact::of(&written), Exact::of(line), "{written}");
    view
}

/// What the view holds of one kind.
macro_rules! the {
    ($line:expr, $pattern:pat => $held:expr) => {
        match view($line) {
            $pattern => $held,
            #[allow(unreachable_patterns)]
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn init() {
    let line = r#"{"type":"system","subtype":"init","cwd":"/project","session_id":"s1","tools":["Task","Bash","Read"],"mcp_servers":[{"name":"calc","status":"connected","scope":"dynamic"}],"model":"model-5","permissionMode":"default","slash_commands":["clear","compact"],"terminal_slash_commands":["doctor"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.329","output_style":"default","agents":["Explore","Plan"],"skills":["debug"],"plugins":[{"name":"p","path":"builtin","source":"p@builtin"}],"analytics_disabled":true,"capabilities":["interrupt_receipt_v1","msg_lifecycle_v1"],"uuid":"u1","fast_mode_state":"off","user_message_uuids":["m1"]}"#;
    assert_eq!(frame(line).head().label(), "system/init");
    assert_eq!(frame(line).uuid(), Some("u1"));
    let init = the!(line, Message::System(SystemMessage::Init(init)) => init);
    assert_eq!(init.permission_mode, Some(PermissionMode::Default));
    assert_eq!(init.mcp_servers.unwrap()[0].status, "connected");
    assert_eq!(init.capabilities.unwrap().len(), 2);
    assert_eq!(init.user_message_uuids.unwrap(), ["m1"]);
    assert_eq!(init.analytics_disabled, Some(true));
}

#[test]
fn status() {
    let status = the!(
        r#"{"type":"system","subtype":"status","status":"requesting","session_id":"s1","uuid":"u1","user_message_uuids":["m1"]}"#,
        Message::System(SystemMessage::Status(status)) => status
    );
    assert_eq!(status.status, Some(StatusKind::Requesting));

    let status = the!(
        r#"{"type":"system","subtype":"status","status":null,"permissionMode":"acceptEdits","uuid":"u1","session_id":"s1"}"#,
        Message::System(SystemMessage::Status(status)) => status
    );
    assert_eq!(status.status, None);
    assert_eq!(status.permission_mode, Some(PermissionMode::AcceptEdits));
}

#[test]
fn session_states_lifecycles_and_progress() {
    let change = the!(
        r#"{"type":"system","subtype":"session_state_changed","state":"requires_action","sdk_host_only":true,"uuid":"u1","session_id":"s1"}"#,
        Message::System(SystemMessage::SessionStateChanged(change)) => change
    );
    assert_eq!(change.state, SessionState::RequiresAction);

    for (word, state) in [
        ("queued", CommandState::Queued),
        ("started", CommandState::Started),
        ("completed", CommandState::Completed),
        ("cancelled", CommandState::Cancelled),
    ] {
        let line = format!(
            r#"{{"type":"command_lifecycle","command_uuid":"m1","state":"{word}","uuid":"u1","session_id":"s1"}}"#
        );
        let lifecycle = the!(&line, Message::CommandLifecycle(lifecycle) => lifecycle);
        assert_eq!((&*lifecycle.command_uuid, lifecycle.state), ("m1", state));
    }

    let progress = the!(
        r#"{"type":"system","subtype":"control_request_progress","request_id":"r1","status":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":512.75,"error_status":529,"uuid":"u1","session_id":"s1"}"#,
        Message::System(SystemMessage::ControlRequestProgress(progress)) => progress
    );
    assert_eq!((&*progress.request_id, progress.attempt), ("r1", Some(2)));
    assert_eq!(progress.retry_delay_ms.unwrap().get(), "512.75");
}

/// A message of the model's with this block.
fn assistant(block: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"msg_0","type":"message","role":"assistant","model":"model-5","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":100,"output_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{{"ephemeral_5m_input_tokens":0}},"service_tier":"standard","inference_geo":""}},"context_management":null}},"parent_tool_use_id":null,"session_id":"s1","uuid":"u1","timestamp":"2026-11-21T09:02:53.190Z"}}"#
    )
}

#[test]
fn assistant_blocks() {
    let message = the!(&assistant(r#"{"type":"text","text":"hello"}"#), Message::Assistant(m) => m);
    assert_eq!(message.message.content[0].as_text(), Some("hello"));
    assert_eq!(message.message.stop_reason, None);
    assert_eq!(message.parent_tool_use_id, None);

    let message = the!(
        &assistant(r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#),
        Message::Assistant(m) => m
    );
    let ContentBlock::Thinking(thinking) = &message.message.content[0] else {
        panic!()
    };
    assert_eq!(thinking.signature.as_deref(), Some("c2ln"));

    let message = the!(
        &assistant(r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls","timeout":1e3}}"#),
        Message::Assistant(m) => m
    );
    let call = message.message.content[0].as_tool_use().unwrap();
    assert_eq!(call.input.member("timeout").unwrap().get(), "1e3");
}

#[test]
fn an_assistant_message_that_reports_an_api_error() {
    let message = the!(
        r#"{"type":"assistant","message":{"id":"x","container":null,"model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence","stop_sequence":"","type":"message","usage":{"input_tokens":0,"output_tokens":0,"server_tool_use":{"web_search_requests":0}},"content":[{"type":"text","text":"it failed"}],"context_management":null},"parent_tool_use_id":null,"session_id":"s1","uuid":"u1","error":"billing_error"}"#,
        Message::Assistant(m) => m
    );
    assert_eq!(message.error, Some(AssistantError::BillingError));
    assert_eq!(message.message.stop_reason, Some(StopReason::StopSequence));
}

#[test]
fn user_messages_both_ways() {
    let user = the!(
        r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"hi","is_error":false}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"u1","timestamp":"2026-11-21T09:02:53.279Z","tool_use_result":{"stdout":"hi","stderr":"","interrupted":false},"tool_result_meta":[{"id":"toolu_1","permission_decision":{"decision":"accept","source":"user_temporary"}}]}"#,
        Message::User(user) => user
    );
    let result = user.tool_results().next().unwrap();
    assert_eq!(result.tool_use_id, "toolu_1");
    assert_eq!(result.content.as_ref().unwrap().text(), "hi");

    let user = the!(
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}],"is_error":true,"tool_use_id":"toolu_1"}]},"tool_use_result":"Error: no"}"#,
        Message::User(user) => user
    );
    let result = user.tool_results().next().unwrap();
    assert_eq!(result.content.as_ref().unwrap().blocks().len(), 2);

    let prompt = the!(
        r#"{"type":"user","message":{"role":"user","content":"Say hello"},"parent_tool_use_id":null,"session_id":"","uuid":"m1","priority":"later"}"#,
        Message::User(user) => user
    );
    assert_eq!(prompt.uuid.as_deref(), Some("m1"));
}

/// A result as the agent writes it, with its type among the last members.
fn result(how: &str) -> String {
    format!(
        r#"{{"duration_api_ms":21,"stop_reason":"end_turn","session_id":"s1","total_cost_usd":0.00014000000000000001,"usage":{{"input_tokens":100,"output_tokens":5,"output_tokens_details":{{"thinking_tokens":0}},"iterations":[],"fallback_credit":null}},"modelUsage":{{"model-5":{{"inputTokens":100,"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"webSearchRequests":0,"costUSD":0.0005,"contextWindow":1000000,"maxOutputTokens":128000,"thinkingTokens":0,"provider":"firstParty"}}}},"fast_mode_state":"off","subagent_stats":{{"spawned":0,"by_type":{{}}}},"safety_stops":0,"num_turns":1,"ttft_ms":96,"type":"result","duration_ms":105,"uuid":"u1",{how},"user_message_uuid":"m1","user_message_uuids":["m1","m2"],"queued_turn_count":0,"result_index":3}}"#
    )
}

#[test]
fn a_result_of_success() {
    let line = result(
        r#""subtype":"success","is_error":false,"api_error_status":null,"result":"hello","terminal_reason":"completed","permission_denials":[{"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"rm"}}]"#,
    );
    assert_eq!(frame(&line).head().label(), "result/success");
    let result = the!(&line, Message::Result(result) => result);
    assert_eq!(result.subtype, ResultSubtype::Success);
    assert_eq!(result.terminal_reason, Some(TerminalReason::Completed));
    assert_eq!(
        result.total_cost_usd.as_ref().unwrap().get(),
        "0.00014000000000000001"
    );
    assert_eq!(
        result.model_usage.as_ref().unwrap()["model-5"].context_window,
        Some(1_000_000)
    );
    assert_eq!(
        result.permission_denials.as_ref().unwrap()[0].tool_name,
        "Bash"
    );
    assert_eq!(result.user_message_uuids.as_ref().unwrap(), &["m1", "m2"]);
    assert_eq!(result.error_text(), None);
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

    // An API error says success, and that it is an error.
    let line = result(
        r#""subtype":"success","is_error":true,"api_error_status":400,"result":"no credit","terminal_reason":"api_error","permission_denials":[]"#,
    );
    let failed = the!(&line, Message::Result(result) => result);
    assert_eq!(failed.subtype, ResultSubtype::Success);
    assert_eq!(failed.api_error_status, Some(400));
    assert_eq!(failed.error_text().as_deref(), Some("api_error: no credit"));

    // Preempted by a message that could not wait: no error at all.
    let line = result(
        r#""subtype":"success","is_error":false,"result":"fin","terminal_reason":"aborted_streaming","permission_denials":[]"#,
    );
    let preempted = the!(&line, Message::Result(result) => result);
    assert_eq!(preempted.error_text(), None);
}

/// An event of the model's stream.
fn event(event: &str) -> String {
    format!(
        r#"{{"type":"stream_event","event":{event},"session_id":"s1","parent_tool_use_id":null,"uuid":"u1","api_message_id":"msg_0"}}"#
    )
}

#[test]
fn stream_events() {
    for (line, tag) in [
        (
            r#"{"type":"message_start","message":{"id":"msg_0","type":"message","role":"assistant","model":"model-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}}}"#,
            "message_start",
        ),
        (
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            "content_block_start",
        ),
        (
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}}"#,
            "content_block_start",
        ),
        (
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"comm"}}"#,
            "content_block_delta",
        ),
        (
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}"#,
            "content_block_delta",
        ),
        (
            r#"{"type":"content_block_stop","index":0}"#,
            "content_block_stop",
        ),
        (
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}"#,
            "message_delta",
        ),
        (r#"{"type":"message_stop"}"#, "message_stop"),
        (r#"{"type":"ping"}"#, "ping"),
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
            "error",
        ),
    ] {
        let message = the!(&event(line), Message::StreamEvent(message) => message);
        assert_eq!(message.event.tag().as_deref(), Some(tag));
        assert!(!matches!(message.event, StreamEvent::Unknown(_)), "{line}");
        assert_eq!(message.event.text_delta(), None);
    }
}

#[test]
fn text_comes_from_text_deltas_of_the_main_agent_alone() {
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
fn a_permission_ask_and_its_answers() {
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
fn a_hook_and_its_answers() {
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
    // An answer without anything.
    let nothing = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}"#,
    );
    let nothing: HookOutput = nothing.response.read().unwrap();
    assert_eq!(nothing, HookOutput::proceed());
}

#[test]
fn requests_of_a_kind_that_has_no_type_yet() {
    for line in [
        r#"{"type":"control_request","request_id":"r1","request":{"subtype":"mcp_message","server_name":"calc","message":{"method":"tools/list","jsonrpc":"2.0","id":1}}}"#,
        r#"{"type":"control_request","request_id":"r1","request":{}}"#,
    ] {
        view::<ControlRequest>(line);
    }
}

#[test]
fn control_answers() {
    let answer = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"commands":[{"name":"c","description":"d","argumentHint":"","builtin":true}],"pid":7},"pending_permission_requests":[]}}"#,
    );
    let answer = answer.response.into_result().unwrap();
    assert_eq!(answer.pending_permission_requests, Some(vec![]));

    // Nothing to say.
    let answer = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}"#,
    );
    assert_eq!(answer.response.response, None);

    let refused = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"no such mode","error_code":"invalid_mode"}}"#,
    );
    let refusal = refused.response.into_result().unwrap_err();
    assert_eq!(refusal.to_string(), "no such mode (invalid_mode)");

    // As other agents refuse.
    let refused = view::<ControlResponse>(
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":{"message":"no","stack":[]}}}"#,
    );
    let refusal = refused.response.into_result().unwrap_err();
    assert_eq!((&*refusal.message, refusal.code), ("no", None));
}

#[test]
fn messages_of_a_kind_that_has_no_type_yet() {
    for line in [
        r#"{"type":"system","subtype":"task_notification","task_id":"b1","tool_use_id":"toolu_1","status":"stopped","summary":"bg","uuid":"u1","session_id":"s1"}"#,
        r#"{"type":"system","subtype":"thinking_tokens","estimated_tokens":1,"uuid":"u1","session_id":"s1"}"#,
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1795251884},"uuid":"u1","session_id":"s1"}"#,
        r#"{"type":"conversation_reset","new_conversation_id":"c2"}"#,
        r#"{"type":"keep_alive"}"#,
    ] {
        view::<Message>(line);
    }
}
