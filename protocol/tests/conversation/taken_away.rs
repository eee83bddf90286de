//! Tests of removed messages.

use crate::conversation::said::*;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::conversation::{Change, Entry, ReplyState};
use serde_json::json;

#[test]
fn superseded_messages_are_removed() {
    let mut superseding = serde_json::to_value(said_text("m2", "d", "better")).unwrap();
    superseding["supersedes"] = json!(["b", "r"]);
    let mut assembler = assembled(&[
        said_text("m1", "a", "kept"),
        said("m1", "b", tool_use("t", json!({}))),
        user(
            "r",
            json!([{"type": "tool_result", "tool_use_id": "t", "content": "bad"}]),
        ),
    ]);
    let superseding = message(superseding);
    assert_eq!(assembler.push(&superseding), Some(Change::Rebuilt));
    let mut again = assembler.clone();
    assert_eq!(
        again.push(&superseding),
        Some(Change::Changed(at(1))),
        "the second time it changes nothing"
    );
    let conversation = assembler.into_conversation();
    assert_eq!(again.into_conversation(), conversation);
    assert_eq!(conversation.entries.len(), 2);
    assert_eq!(reply(&conversation, 0).text(), "kept");
    assert_eq!(reply(&conversation, 0).blocks.len(), 1);
    assert_eq!(reply(&conversation, 1).text(), "better");
}

#[test]
fn a_refusal_removes_the_reply_of_the_refusing_model() {
    let fallback = message(
        json!({"type": "system", "subtype": "model_refusal_fallback", "uuid": "n",
        "retracted_message_uuids": ["a"], "content": "Another model answers."}),
    );
    let mut assembler = assembled(&[
        said_text("m1", "a", "refused"),
        said_text("m2", "b", "answer"),
    ]);
    assert_eq!(assembler.push(&fallback), Some(Change::Rebuilt));
    let conversation = assembler.into_conversation();
    assert_eq!(reply(&conversation, 0).text(), "answer");
    assert!(matches!(conversation.entries[1], Entry::Notice(_)));
}

#[test]
fn a_removal_during_a_stream_does_not_mix_up_texts() {
    let mut assembler = assembled(&[said_text("m1", "a", "old"), user("u", json!("go"))]);
    for message in [start("m2"), text_start(0), text(0, "one ")] {
        assembler.push(&message);
    }
    assert!(assembler.remove(&["a"]));
    assert!(!assembler.remove(&["a"]));
    assert_eq!(
        assembler.push(&text(0, "two")),
        Some(Change::Text {
            at: at(1),
            block: 0,
            text: "two"
        })
    );
    assert_eq!(reply(assembler.conversation(), 1).text(), "one two");
}

#[test]
fn a_streamed_reply_moves_up_after_a_removal_and_continues() {
    let mut assembler = assembled(&[start("m"), text_start(0), said_text("m", "a", "bad")]);
    for message in [
        block_stop(0),
        text_start(1),
        text(1, "good "),
        block_start(2, tool_use("t", json!({}))),
        input(2, r#"{"a":1"#),
    ] {
        assembler.push(&message);
    }
    assert!(assembler.remove(&["a"]));
    assembler.push(&text(1, "text"));
    assembler.push(&input(2, ",\"b\":2}"));
    let so_far = reply(assembler.conversation(), 0);
    assert_eq!(so_far.text(), "good text");
    let ContentBlock::ToolUse(call) = &so_far.content()[1] else {
        panic!("{so_far:?}");
    };
    assert_eq!(call.input.to_value().unwrap(), json!({"a": 1, "b": 2}));
    for message in end("tool_use", 1) {
        assembler.push(&message);
    }
    assert_eq!(reply(assembler.conversation(), 0).state, ReplyState::Done);
}

#[test]
fn a_streaming_reply_remains_when_all_its_blocks_are_removed() {
    let mut assembler = assembled(&[start("m"), text_start(0), said_text("m", "a", "bad")]);
    assert!(assembler.remove(&["a"]));
    assert!(!assembler.remove(&["m"]), "that is no uuid");
    assembler.push(&text_start(1));
    assembler.push(&text(1, "good"));
    assert_eq!(reply(assembler.conversation(), 0).text(), "good");
}

#[test]
fn entries_after_a_removed_one_are_found_at_their_new_position() {
    let mut assembler = assembled(&[
        user("u1", json!("one")),
        user("u2", json!("two")),
        said_text("m", "a", "three "),
    ]);
    assert!(assembler.remove(&["u1"]));
    let four = said_text("m", "b", "four");
    assert_eq!(assembler.push(&four), Some(Change::Changed(at(1))));
    let two = user("u2", json!("two"));
    assert_eq!(assembler.push(&two), Some(Change::Changed(at(0))));
    assert!(assembler.remove(&["u2", "a"]));
    assert_eq!(reply(assembler.conversation(), 0).text(), "four");
}
