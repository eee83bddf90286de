//! Tests of streamed messages.

use crate::conversation::said::*;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::conversation::{Assembler, Change, ReplyState};
use agentwire_protocol::message::StopReason;
use serde_json::json;

#[test]
fn streamed_blocks_are_reported_in_pieces_and_appear_once() {
    let mut assembler = Assembler::default();
    assert_eq!(assembler.push(&start("m")), Some(Change::Added(at(0))));
    assembler.push(&block_start(
        0,
        json!({"type": "thinking", "thinking": "", "signature": ""}),
    ));
    let thinking = delta(0, json!({"type": "thinking_delta", "thinking": "Hm."}));
    assert_eq!(
        assembler.push(&thinking),
        Some(Change::Thinking {
            at: at(0),
            block: 0,
            thinking: "Hm."
        })
    );
    assembler.push(&delta(
        0,
        json!({"type": "signature_delta", "signature": "sig"}),
    ));
    assembler.push(&block_stop(0));
    assembler.push(&text_start(1));
    assert_eq!(
        assembler.push(&text(1, "Hel")),
        Some(Change::Text {
            at: at(0),
            block: 1,
            text: "Hel"
        })
    );
    assembler.push(&text(1, "lo"));

    let so_far = assembler.conversation();
    assert_eq!(states(reply(so_far, 0)), ["written", "streaming"]);
    assert_eq!(reply(so_far, 0).text(), "Hello");
    assert_eq!(reply(so_far, 0).state, ReplyState::Streaming);

    let thought = said(
        "m",
        "a",
        json!({"type": "thinking", "thinking": "Hm.", "signature": "sig"}),
    );
    assert_eq!(assembler.push(&thought), Some(Change::Changed(at(0))));
    assembler.push(&said_text("m", "b", "Hello"));
    assembler.push(&block_stop(1));
    for message in end("end_turn", 9) {
        assembler.push(&message);
    }
    let conversation = assembler.into_conversation();
    assert_eq!(conversation.entries.len(), 1);
    let reply = reply(&conversation, 0);
    assert_eq!(states(reply), ["whole", "whole"]);
    assert_eq!(reply.text(), "Hello");
    assert_eq!(reply.state, ReplyState::Done);
    let body = &reply.message.message;
    assert_eq!(body.stop_reason, Some(StopReason::EndTurn));
    let usage = body.usage.as_ref().unwrap();
    assert_eq!(
        (usage.input_tokens, usage.output_tokens),
        (Some(3), Some(9))
    );
}

#[test]
fn a_tools_input_can_be_read_while_it_streams() {
    let mut assembler = assembled(&[start("m"), block_start(0, tool_use("t", json!({})))]);
    let piece = input(0, r#"{"path":"/a","content":"fn ma"#);
    assert_eq!(
        assembler.push(&piece),
        Some(Change::ToolInput {
            at: at(0),
            block: 0,
            json: r#"{"path":"/a","content":"fn ma"#
        })
    );
    let so_far = |assembler: &mut Assembler| {
        let ContentBlock::ToolUse(call) = reply(assembler.conversation(), 0).content()[0].clone()
        else {
            panic!()
        };
        call.input.to_value().unwrap()
    };
    assert_eq!(
        so_far(&mut assembler),
        json!({"path": "/a", "content": "fn ma"})
    );
    assembler.push(&input(0, r#"in","mode":"#));
    assert_eq!(
        so_far(&mut assembler),
        json!({"path": "/a", "content": "fn main"})
    );
    assembler.push(&input(0, "7}"));
    assembler.push(&block_stop(0));
    assert_eq!(
        so_far(&mut assembler),
        json!({"path": "/a", "content": "fn main", "mode": 7})
    );
}

#[test]
fn an_incomplete_streamed_block_does_not_replace_another() {
    // The agent omits a text of only white space.
    let mut messages = vec![start("m"), text_start(0), block_stop(0)];
    messages.extend([block_start(1, tool_use("t", json!({}))), input(1, "{}")]);
    messages.extend([said("m", "a", tool_use("t", json!({}))), block_stop(1)]);
    messages.extend(end("tool_use", 1));
    let conversation = conversation(&messages);
    assert_eq!(states(reply(&conversation, 0)), ["written", "whole"]);
}

#[test]
fn unmatched_stream_events_are_ignored() {
    let mut assembler = assembled(&[start("m"), text_start(0)]);
    let before = assembler.conversation().clone();
    for odd in [
        text(7, "no such block"),
        delta(
            0,
            json!({"type": "thinking_delta", "thinking": "in a text"}),
        ),
        input(0, "{}"),
        delta(0, json!({"type": "new_delta", "x": 1})),
        block_stop(7),
        event(json!({"type": "ping"})),
        event(json!({"type": "new_event"})),
        message(json!({"type": "keep_alive"})),
    ] {
        assert_eq!(assembler.push(&odd), None, "{odd:?}");
    }
    assert_eq!(assembler.conversation(), &before);
    assert_eq!(Assembler::default().push(&text(0, "no stream")), None);
}

#[test]
fn a_text_replaces_its_own_block_after_a_text_that_never_arrived() {
    // The agent does not send texts of only white space.
    let mut messages = vec![start("m"), text_start(0), text(0, "\n\n"), block_stop(0)];
    messages.extend([block_start(1, tool_use("t", json!({}))), input(1, "{}")]);
    messages.extend([said("m", "a", tool_use("t", json!({}))), block_stop(1)]);
    messages.extend([
        text_start(2),
        text(2, "After"),
        said_text("m", "b", "After"),
    ]);
    messages.push(block_stop(2));
    messages.extend(end("tool_use", 1));
    let conversation = conversation(&messages);
    let reply = reply(&conversation, 0);
    assert_eq!(states(reply), ["written", "whole", "whole"]);
    assert_eq!(reply.text(), "\n\nAfter");
    assert_eq!(reply.blocks[2].uuid.as_deref(), Some("b"));
}

#[test]
fn a_member_that_was_null_and_then_set_by_the_stream_is_written_once() {
    let mut messages = vec![start("m"), text_start(0), text(0, "Hi")];
    messages.extend([said_text("m", "a", "Hi"), block_stop(0)]);
    messages.extend(end("end_turn", 1));
    let conversation = conversation(&messages);
    let kept = serde_json::to_string(&conversation).unwrap();
    assert_eq!(kept.matches("\"stop_reason\"").count(), 1, "{kept}");
    let read: agentwire_protocol::conversation::Conversation = serde_json::from_str(&kept).unwrap();
    assert_eq!(read, conversation);
}

#[test]
fn a_stream_continues_in_a_restored_conversation() {
    let mut before = assembled(&[start("m"), text_start(0), text(0, "one "), block_stop(0)]);
    before.push(&text_start(1));
    before.push(&text(1, "two "));
    let mut assembler = Assembler::from(before.into_conversation());
    assert_eq!(
        assembler.push(&text(1, "three")),
        Some(Change::Text {
            at: at(0),
            block: 1,
            text: "three"
        })
    );
    for message in end("end_turn", 1) {
        assembler.push(&message);
    }
    let conversation = assembler.into_conversation();
    assert_eq!(reply(&conversation, 0).text(), "one two three");
    assert_eq!(reply(&conversation, 0).state, ReplyState::Done);
}

#[test]
fn a_tool_input_does_not_continue_in_a_restored_conversation() {
    let piece = |json| input(0, json);
    let mut before = assembled(&[start("m"), block_start(0, tool_use("t", json!({})))]);
    before.push(&piece(r#"{"a":"one "#));
    let mut assembler = Assembler::from(before.into_conversation());
    assert_eq!(assembler.push(&piece(r#"two"}"#)), None);
    let call = |assembler: &mut Assembler| match &reply(assembler.conversation(), 0).content()[0] {
        ContentBlock::ToolUse(call) => call.input.to_value().unwrap(),
        block => panic!("{block:?}"),
    };
    assert_eq!(call(&mut assembler), json!({"a": "one "}));
    assembler.push(&said("m", "a", tool_use("t", json!({"a": "one two"}))));
    assembler.push(&block_stop(0));
    assert_eq!(call(&mut assembler), json!({"a": "one two"}));
}
