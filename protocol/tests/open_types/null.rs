//! Tests of members that are `null`.

use crate::open_types::check::{assert_writes, survives};
use agentwire_protocol::Message;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::message::UserMessage;
use agentwire_protocol::permission::PermissionResult;

#[test]
fn null_and_absent_are_distinguished() {
    // Known members of each kind: a string, an object, a list, a map, an
    // enumeration, raw JSON, and a number.
    let Message::Assistant(assistant) = survives(
        r#"{"type":"assistant","parent_tool_use_id":null,"error":null,"user_message_uuids":null,
            "message":{"content":[],"stop_reason":null,"usage":null,"container":null,"id":null}}"#,
    ) else {
        panic!()
    };
    assert_eq!(
        (assistant.parent_tool_use_id, assistant.error),
        (None, None)
    );
    survives::<Message>(
        r#"{"type":"result","subtype":"success","is_error":false,"modelUsage":null,
            "total_cost_usd":null,"num_turns":null,"structured_output":null}"#,
    );
    survives::<Message>(r#"{"type":"user","message":{"role":null,"content":null}}"#);
    survives::<PermissionResult>(r#"{"behavior":"allow","updatedInput":null}"#);
    // Absent members.
    survives::<Message>(r#"{"type":"assistant","message":{"content":[]}}"#);
    survives::<Message>(r#"{"type":"user","message":{}}"#);
    survives::<PermissionResult>(r#"{"behavior":"allow"}"#);
    // Unknown members.
    survives::<Message>(r#"{"type":"user","message":{"tint":null},"mood":null}"#);
    survives::<Message>(r#"{"type":"weather","mood":null}"#);
    // Required raw JSON may be `null`.
    survives::<ContentBlock>(r#"{"type":"tool_use","id":"t","name":"n","input":null}"#);
}

#[test]
fn a_member_that_was_null_and_is_set_is_written_once() {
    let mut message: UserMessage = serde_json::from_str(
        r#"{"type":"user","message":{"content":"x"},"uuid":null,"session_id":null}"#,
    )
    .unwrap();
    message.uuid = Some("u".to_owned());
    let written = serde_json::to_string(&message).unwrap();
    assert_eq!(written.matches("\"uuid\"").count(), 1, "{written}");
    assert_writes(
        &message,
        r#"{"type":"user","message":{"content":"x"},"uuid":"u","session_id":null}"#,
    );

    // Unsetting the member restores the `null`.
    message.uuid = None;
    assert_writes(
        &message,
        r#"{"type":"user","message":{"content":"x"},"uuid":null,"session_id":null}"#,
    );
}
