//! Tests of unknown members, values and kinds.

use crate::open_types::check::survives;
use agentwire_protocol::Message;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::control::{ControlRequest, InitializeAnswer};
use agentwire_protocol::message::{
    BlockDelta, CommandState, Priority, ResultSubtype, SessionState, StopReason, StreamEvent,
    SystemMessage,
};
use agentwire_protocol::permission::{CanUseTool, PermissionUpdate};

#[test]
fn unknown_members_are_preserved_at_every_depth() {
    survives::<Message>(
        r#"{"type":"assistant","mood":{"a":[1,{"b":null}]},"message":{"id":"m","type":"message",
            "role":"assistant","model":"x","tint":7,"content":[{"type":"text","text":"hi","font":"s"}],
            "usage":{"input_tokens":1,"carbon":0.1}},"session_id":"s","owed_rows":[]}"#,
    );
    survives::<Message>(
        r#"{"type":"system","subtype":"init","cwd":"/p","shell":"fish",
            "mcp_servers":[{"name":"a","status":"connected","tools":3}]}"#,
    );
    survives::<Message>(
        r#"{"type":"result","subtype":"success","is_error":false,"moons":{},"tides":[],
            "modelUsage":{"m":{"inputTokens":1,"costUSD":0.5,"shine":1}},
            "permission_denials":[{"tool_name":"Bash","tool_use_id":"t","tool_input":{"x":1},"why":"no"}]}"#,
    );
    survives::<ControlRequest>(
        r#"{"type":"control_request","request_id":"r","lane":2,"request":{"subtype":"can_use_tool",
            "tool_name":"Bash","input":{},"server_policy_ask_only":true}}"#,
    );
    survives::<InitializeAnswer>(
        r#"{"commands":[{"name":"c","builtin":true}],"session_state":"idle","pid":4}"#,
    );
}

#[test]
fn unknown_values_of_enumerations_are_preserved() {
    let Message::Result(result) = survives(
        r#"{"type":"result","subtype":"error_on_the_moon","is_error":true,"terminal_reason":"tide"}"#,
    ) else {
        panic!()
    };
    assert_eq!(
        result.subtype,
        ResultSubtype::Unknown("error_on_the_moon".into())
    );
    assert_eq!(result.terminal_reason.unwrap().as_str(), "tide");

    let Message::System(SystemMessage::SessionStateChanged(change)) =
        survives(r#"{"type":"system","subtype":"session_state_changed","state":"dreaming"}"#)
    else {
        panic!()
    };
    assert_eq!(change.state, SessionState::Unknown("dreaming".into()));

    let Message::CommandLifecycle(lifecycle) =
        survives(r#"{"type":"command_lifecycle","command_uuid":"u","state":"lost"}"#)
    else {
        panic!()
    };
    assert_eq!(lifecycle.state, CommandState::Unknown("lost".into()));
    assert!(!lifecycle.state.is_final());

    let Message::User(user) = survives(
        r#"{"type":"user","message":{"role":"user","content":"x"},"priority":"yesterday"}"#,
    ) else {
        panic!()
    };
    assert_eq!(user.priority, Some(Priority::Unknown("yesterday".into())));

    let Message::Assistant(assistant) = survives(
        r#"{"type":"assistant","message":{"content":[],"stop_reason":"bored"},"error":"rain"}"#,
    ) else {
        panic!()
    };
    assert_eq!(
        assistant.message.stop_reason,
        Some(StopReason::Unknown("bored".into()))
    );
}

#[test]
fn unknown_kinds_preserve_all_their_members() {
    let Message::Unknown(weather) = survives(r#"{"type":"weather","wind":[1e400],"uuid":"u"}"#)
    else {
        panic!()
    };
    assert_eq!(weather.get_str("type").as_deref(), Some("weather"));

    let message: Message = survives(r#"{"type":"system","subtype":"sunrise","at":6}"#);
    assert_eq!(message.tag().as_deref(), Some("system"));
    let Message::System(SystemMessage::Unknown(sunrise)) = message else {
        panic!()
    };
    assert_eq!(sunrise.get("at").unwrap().get(), "6");

    let Message::StreamEvent(event) =
        survives(r#"{"type":"stream_event","event":{"type":"content_block_hum","pitch":440}}"#)
    else {
        panic!()
    };
    assert!(matches!(event.event, StreamEvent::Unknown(_)));

    let Message::StreamEvent(event) = survives(
        r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,
            "delta":{"type":"smell_delta","smell":"tar"}}}"#,
    ) else {
        panic!()
    };
    let StreamEvent::ContentBlockDelta(delta) = event.event else {
        panic!()
    };
    assert!(matches!(delta.delta, BlockDelta::Unknown(_)));

    let Message::User(user) = survives(
        r#"{"type":"user","message":{"role":"user","content":[{"type":"hologram","beam":1},{"type":"text","text":"x"}]}}"#,
    ) else {
        panic!()
    };
    assert!(matches!(
        *user.blocks(),
        [ContentBlock::Unknown(_), ContentBlock::Text(_)]
    ));

    let ask: CanUseTool = survives(
        r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{},"permission_suggestions":[
            {"type":"burnRules","rules":1},
            {"type":"setMode","mode":"siesta","destination":"orbit"}]}"#,
    );
    assert!(matches!(
        &ask.permission_suggestions.unwrap()[..],
        [PermissionUpdate::Unknown(_), PermissionUpdate::SetMode(_)]
    ));

    let ask: ControlRequest = survives(
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"sing","song":"la"}}"#,
    );
    assert_eq!(ask.request.tag().as_deref(), Some("sing"));
}

#[test]
fn a_missing_or_non_string_tag_is_unknown_and_not_an_error() {
    for text in [
        r#"{"wind":1}"#,
        r#"{"type":7,"wind":1}"#,
        r#"{"type":null}"#,
        r#"{"type":{"type":"user"}}"#,
        r#"{"type":"system"}"#,
        r#"{"type":"system","subtype":null}"#,
        r#"{"type":"system"}"#,
        r#"{"type":"system","subtypE":"status"}"#,
        r#"{"subtypE":"status","type":"system"}"#,
        r#"{"subtype":"sunrise","at":6,"type":"system"}"#,
        r#"{"\u0074ype":"s\u0079stem","subtype":"s\u0075nrise"}"#,
        r#"{"type":"user","message":{"content":[{"text":"no type"},{}]}}"#,
        "{}",
    ] {
        survives::<Message>(text);
    }
}
