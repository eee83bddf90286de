//! Tests of late, repeated, and renamed tags and members.

use crate::open_types::check::{assert_writes, survives};
use agentwire_protocol::content::Content;
use agentwire_protocol::message::SystemMessage;
use agentwire_protocol::{Frame, Message};
use bytes::Bytes;

#[test]
fn the_tag_may_come_last() {
    let message: Message = survives(
        r#"{"uuid":"u","mood":1,"error":null,"message":{"content":[
            {"text":"hi","font":null,"type":"text"},
            {"input":{"a":1e400},"id":"t","name":"Bash","type":"tool_use"},
            {"beam":1,"type":"hologram"}]},"type":"assistant"}"#,
    );
    let Message::Assistant(assistant) = message else {
        panic!()
    };
    assert_eq!(assistant.uuid.as_deref(), Some("u"));
    assert_eq!(assistant.message.content[0].as_text(), Some("hi"));

    let Message::System(SystemMessage::Init(init)) =
        survives(r#"{"cwd":"/p","subtype":"init","tools":[],"type":"system"}"#)
    else {
        panic!()
    };
    assert_eq!(init.cwd.as_deref(), Some("/p"));

    let Message::StreamEvent(event) = survives(
        r#"{"event":{"delta":{"text":"hi","type":"text_delta"},"index":3,"type":"content_block_delta"},"type":"stream_event"}"#,
    ) else {
        panic!()
    };
    assert_eq!(event.event.text_delta(), Some("hi"));
    survives::<Message>(r#"{"a":1,"b":null,"type":"weather"}"#);
}

#[test]
fn the_last_occurrence_of_a_repeated_member_wins() {
    let Message::User(user) = survives(
        r#"{"type":"user","uuid":"old","mood":1,"message":{"content":"old"},"uuid":"new",
            "message":{"content":"new"},"mood":2}"#,
    ) else {
        panic!()
    };
    assert_eq!(user.uuid.as_deref(), Some("new"));
    assert_eq!(user.message.content, Some(Content::from("new")));
    assert_eq!(user.extra.get("mood").unwrap().get(), "2");

    // One of the repeated members is `null`, the first or the last.
    let Message::User(user) = survives(
        r#"{"type":"user","message":{},"uuid":null,"uuid":"u","session_id":"s","session_id":null}"#,
    ) else {
        panic!()
    };
    assert_eq!((user.uuid.as_deref(), user.session_id), (Some("u"), None));

    // The repeated member precedes the tag, or surrounds it.
    let Message::User(user) =
        survives(r#"{"uuid":"a","uuid":"b","message":{},"type":"user","uuid":"c"}"#)
    else {
        panic!()
    };
    assert_eq!(user.uuid.as_deref(), Some("c"));
    survives::<Message>(r#"{"type":"weather","wind":1,"wind":2}"#);
}

#[test]
fn a_repeated_tag_is_read_like_the_frame_is_routed() {
    // A repeated tag with the same value is accepted.
    survives::<Message>(r#"{"type":"user","message":{},"type":"user"}"#);
    survives::<Message>(
        r#"{"type":"system","subtype":"init","subtype":"init","cwd":"/","type":"system"}"#,
    );
    // If two tags differ, the last one routes the frame. The message must be of
    // that kind, too.
    for text in [
        r#"{"type":"user","message":{"content":[]},"type":"assistant"}"#,
        r#"{"type":"user","message":{},"type":"weather"}"#,
        r#"{"type":"user","message":{},"type":5}"#,
        r#"{"type":"system","subtype":"init","subtype":"status"}"#,
        r#"{"type":"weather","type":"user","message":{}}"#,
    ] {
        let Ok(frame) = Frame::new(Bytes::from(text)) else {
            continue;
        };
        let message = frame.message();
        assert_eq!(message.tag().as_deref(), Some(frame.kind()), "{text}");
        assert_writes(&message, text);
    }
}

#[test]
fn partial_assistant_is_read_as_a_stream_event_and_written_as_one() {
    for text in [
        r#"{"type":"partial_assistant","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}},"x":1}"#,
        r#"{"x":1,"event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}},"type":"partial_assistant"}"#,
    ] {
        let message: Message = serde_json::from_str(text).unwrap();
        assert_eq!(message.text_delta(), Some("hi"));
        assert_eq!(message.tag().as_deref(), Some("stream_event"));
        assert_writes(&message, &text.replace("partial_assistant", "stream_event"));
    }
}
