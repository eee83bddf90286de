//! What an error says.

use agentwire_protocol::{Frame, ViewError};
use bytes::Bytes;

#[track_caller]
fn fails(text: &str) -> ViewError {
    let frame = Frame::new(Bytes::copy_from_slice(text.as_bytes())).unwrap();
    frame.message().unwrap_err()
}

#[test]
fn a_missing_member_fails_with_its_path() {
    let error = fails(r#"{"type":"assistant","message":{"id":"m"}}"#);
    assert_eq!(
        (error.kind.as_str(), error.path.as_str()),
        ("assistant", "message")
    );
    assert!(error.reason.contains("missing field `content`"), "{error}");

    let error = fails(
        r#"{"type":"user","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","input":{}}]}}"#,
    );
    assert_eq!(error.path, "message.content[1]");
    assert!(error.reason.contains("missing field `name`"), "{error}");

    let error = fails(
        r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta"}}}"#,
    );
    assert_eq!(error.path, "event.delta");
    assert!(error.reason.contains("missing field `text`"), "{error}");

    let error = fails(r#"{"type":"command_lifecycle","state":"queued"}"#);
    assert_eq!(
        (error.kind.as_str(), error.path.as_str()),
        ("command_lifecycle", ".")
    );
    assert!(
        error.reason.contains("missing field `command_uuid`"),
        "{error}"
    );
    // Raw JSON and numbers are required as well where they are not optional.
    let error = fails(
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"n"}]}}"#,
    );
    assert!(error.reason.contains("missing field `input`"), "{error}");
}

#[test]
fn a_member_of_the_wrong_shape_fails_with_its_path() {
    let error =
        fails(r#"{"type":"result","subtype":"success","is_error":false,"num_turns":"one"}"#);
    assert_eq!(error.path, "num_turns");
    let error = fails(r#"{"type":"user","message":{"content":{"type":"text"}}}"#);
    assert_eq!(error.path, "message.content");
    assert!(
        error
            .reason
            .contains("a string or a list of content blocks"),
        "{error}"
    );
    let error = fails(
        r#"{"type":"result","subtype":"success","is_error":false,"modelUsage":{"m":{"costUSD":"a lot"}}}"#,
    );
    assert_eq!(error.path, "modelUsage.m.costUSD");
    assert!(error.reason.contains("not a number"), "{error}");
}

#[test]
fn where_the_tag_comes_last_the_path_is_the_same() {
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
            r#"{"event":{"delta":{"type":"text_delta"},"type":"content_block_delta"},"type":"stream_event"}"#,
            "event.delta",
            "missing field `text`",
        ),
        // As the agent writes its results.
        (
            r#"{"modelUsage":{"m":{"costUSD":"a lot"}},"is_error":false,"subtype":"success","type":"result"}"#,
            "modelUsage.m.costUSD",
            "not a number",
        ),
    ] {
        let error = fails(text);
        assert_eq!(error.path, path, "{error}");
        assert!(error.reason.contains(reason), "{error}");
    }
}
