//! Tests of the path and the reason of faults.

use agentwire_protocol::{Fault, Frame};
use bytes::Bytes;

#[track_caller]
fn only_fault(text: &str) -> Fault {
    let frame = Frame::new(Bytes::copy_from_slice(text.as_bytes())).unwrap();
    let mut faults = frame.faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

#[test]
fn a_missing_member_is_reported_with_its_path() {
    let fault = only_fault(r#"{"type":"assistant","message":{"id":"m"}}"#);
    assert_eq!(fault.path, "message.content");
    assert_eq!(fault.reason, "missing field `content`");

    let fault = only_fault(
        r#"{"type":"user","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","input":{}}]}}"#,
    );
    assert_eq!(fault.path, "message.content[1].name");
    assert_eq!(fault.reason, "missing field `name`");

    let fault = only_fault(
        r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}}"#,
    );
    assert_eq!(fault.path, "event.delta.text");
    assert_eq!(fault.reason, "missing field `text`");

    let fault = only_fault(r#"{"type":"command_lifecycle","state":"queued"}"#);
    assert_eq!(fault.path, "command_uuid");
    assert_eq!(fault.reason, "missing field `command_uuid`");
    // Raw JSON and numbers are also required, unless they are optional.
    let fault = only_fault(
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"n"}]}}"#,
    );
    assert_eq!(fault.reason, "missing field `input`");
}

#[test]
fn a_member_of_the_wrong_type_is_reported_with_its_path() {
    let fault =
        only_fault(r#"{"type":"result","subtype":"success","is_error":false,"num_turns":"one"}"#);
    assert_eq!(fault.path, "num_turns");
    let fault = only_fault(r#"{"type":"user","message":{"content":{"type":"text"}}}"#);
    assert_eq!(fault.path, "message.content");
    assert!(
        fault
            .reason
            .contains("a string or a list of content blocks"),
        "{fault:?}"
    );
    let fault = only_fault(
        r#"{"type":"result","subtype":"success","is_error":false,"modelUsage":{"m":{"costUSD":"a lot"}}}"#,
    );
    assert_eq!(fault.path, "modelUsage.m.costUSD");
    assert!(fault.reason.ends_with("expected a number"), "{fault:?}");
}

#[test]
fn the_path_is_the_same_if_the_tag_comes_last() {
    for (text, path, reason) in [
        (
            r#"{"message":{"content":[{"text":7,"type":"text"}]},"type":"user"}"#,
            "message.content[0].text",
            "expected a string",
        ),
        (
            r#"{"type":"user","message":{"content":[{"type":"text","text":"x"},{"text":7,"type":"text"}]}}"#,
            "message.content[1].text",
            "expected a string",
        ),
        (
            r#"{"event":{"index":0,"delta":{"type":"text_delta"},"type":"content_block_delta"},"type":"stream_event"}"#,
            "event.delta.text",
            "missing field `text`",
        ),
        // The order of members in the agent's results.
        (
            r#"{"modelUsage":{"m":{"costUSD":"a lot"}},"is_error":false,"subtype":"success","type":"result"}"#,
            "modelUsage.m.costUSD",
            "expected a number",
        ),
    ] {
        let fault = only_fault(text);
        assert_eq!(fault.path, path, "{fault:?}");
        assert!(fault.reason.contains(reason), "{fault:?}");
    }
}
