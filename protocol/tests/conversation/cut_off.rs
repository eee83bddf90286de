//! Tests of replies that are cut off.

use crate::conversation::said::*;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::conversation::{Change, ReplyState};
use serde_json::json;

#[test]
fn an_aborted_reply_retains_complete_blocks_only() {
    let aborted = {
        let mut message = serde_json::to_value(said_text("m", "a", "one wo")).unwrap();
        message["aborted"] = json!(true);
        self::message(message)
    };
    let stop = message(
        json!({"type": "stream_event", "event": {"type": "message_stop"},
        "abandoned_blocks": {"api_message_id": "m", "from_block_index": 1}}),
    );
    let mut assembler = assembled(&[start("m"), text_start(0), text(0, "one wo"), aborted]);
    assembler.push(&text_start(1));
    assembler.push(&text(1, "never"));
    assert_eq!(assembler.push(&stop), Some(Change::Rebuilt));
    let conversation = assembler.into_conversation();
    let reply = reply(&conversation, 0);
    assert_eq!(
        (reply.text().as_str(), &reply.state),
        ("one wo", &ReplyState::Aborted)
    );
    assert_eq!(states(reply), ["whole"]);
}

#[test]
fn a_truncated_stream_retains_complete_blocks() {
    // The API failed, and the agent repeated the request.
    let mut assembler = assembled(&[start("m1"), text_start(0), text(0, "lost")]);
    assert_eq!(assembler.push(&start("m2")), Some(Change::Rebuilt));
    assembler.push(&text_start(0));
    assembler.push(&said_text("m2", "a", "said"));
    assembler.push(&block_start(1, tool_use("t", json!({}))));
    assembler.push(&result("z"));
    let conversation = assembler.into_conversation();
    let kinds: Vec<_> = conversation
        .entries
        .iter()
        .map(|it| it.tag().unwrap())
        .collect();
    assert_eq!(kinds, ["reply", "result"]);
    assert_eq!(reply(&conversation, 0).text(), "said");
    assert_eq!(reply(&conversation, 0).state, ReplyState::Aborted);
    assert_eq!(states(reply(&conversation, 0)), ["whole"]);
}

#[test]
fn the_input_of_a_tool_is_shown_though_its_stream_ends_without_its_block() {
    let call = block_start(0, tool_use("t", json!({})));
    let [_, stop] = end("tool_use", 1);
    let conversation = conversation(&[start("m"), call, input(0, r#"{"a":1}"#), stop]);
    let ContentBlock::ToolUse(call) = &reply(&conversation, 0).content()[0] else {
        panic!("{conversation:?}");
    };
    assert_eq!(call.input.to_value().unwrap(), json!({"a": 1}));
}

#[test]
fn an_abandoned_reply_is_aborted_without_a_report_of_the_agent() {
    // The turn is interrupted while the model writes the input of a tool.
    let mut assembler = assembled(&[start("m"), text_start(0), text(0, "I write")]);
    assembler.push(&said_text("m", "a", "I write"));
    assembler.push(&block_stop(0));
    assembler.push(&block_start(1, tool_use("t", json!({}))));
    assembler.push(&input(1, "{"));
    assert_eq!(assembler.push(&abandoned("m", 1)), Some(Change::Rebuilt));
    assert_eq!(assembler.push(&result("z")), Some(Change::Added(at(1))));
    let conversation = assembler.into_conversation();
    assert_eq!(reply(&conversation, 0).text(), "I write");
    assert_eq!(states(reply(&conversation, 0)), ["whole"]);
    assert_eq!(reply(&conversation, 0).state, ReplyState::Aborted);
}

#[test]
fn an_abandoned_reply_without_complete_blocks_is_removed() {
    let mut assembler = assembled(&[start("m"), text_start(0), text(0, "lost")]);
    assert_eq!(assembler.push(&abandoned("m", 0)), Some(Change::Rebuilt));
    assert!(assembler.conversation().entries.is_empty());
    assert_eq!(assembler.push(&start("m2")), Some(Change::Added(at(0))));
}

#[test]
fn the_result_of_a_turn_that_cuts_off_a_reply_rebuilds_it() {
    let mut assembler = assembled(&[start("m"), text_start(0), said_text("m", "a", "one")]);
    assert_eq!(assembler.push(&result("z")), Some(Change::Rebuilt));
    assert_eq!(
        reply(assembler.conversation(), 0).state,
        ReplyState::Aborted
    );
}

#[test]
fn a_reply_that_lacks_only_the_end_of_its_stream_is_done() {
    let mut assembler = assembled(&[start("m"), text_start(0), said_text("m", "a", "one")]);
    assembler.push(&block_stop(0));
    assembler.push(&end("end_turn", 1)[0]);
    assembler.push(&result("z"));
    assert_eq!(reply(assembler.conversation(), 0).state, ReplyState::Done);
}
