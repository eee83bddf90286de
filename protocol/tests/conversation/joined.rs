//! Tests of joined partial messages: they are equivalent to their pieces.

use crate::conversation::said::*;
use crate::recorded;
use agentwire_protocol::Frame;
use agentwire_protocol::conversation::Conversation;
use agentwire_protocol::message::{DeltaMerger, Message};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

fn frame(line: &str) -> Frame {
    Frame::new(Bytes::copy_from_slice(line.as_bytes())).unwrap()
}

fn frames<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<Frame> {
    let lines = messages.into_iter().map(serde_json::to_string);
    lines.map(|line| frame(&line.unwrap())).collect()
}

fn joined(frames: impl IntoIterator<Item = Frame>) -> Vec<Frame> {
    let mut merger = DeltaMerger::default();
    let mut joined: Vec<Frame> = frames
        .into_iter()
        .filter_map(|it| merger.push(it))
        .collect();
    joined.extend(merger.finish());
    joined
}

fn said_by<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Conversation {
    let messages: Vec<Message> = frames.into_iter().map(Frame::message).collect();
    conversation(&messages)
}

/// Returns a delta of block 0 whose members `change` modifies.
fn changed_delta(change: impl FnOnce(&mut Value)) -> Frame {
    let mut line = json!({"type": "stream_event", "session_id": "s", "event": {
        "type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"},
    }});
    change(&mut line);
    frame(&line.to_string())
}

#[test]
fn joined_deltas_give_the_same_conversation() {
    let (mut before, mut after) = (0, 0);
    for session in recorded::sessions().into_values() {
        let lines = session.iter().filter(|it| it.dir == "recv");
        let apart: Vec<Frame> = lines
            .filter_map(|it| Frame::new(Bytes::copy_from_slice(it.line.as_bytes())).ok())
            .collect();
        let together = joined(apart.iter().cloned());
        assert_eq!(said_by(&together), said_by(&apart));
        // Returns the messages other than deltas. Joining must not change them.
        let others = |frames: &[Frame]| -> Vec<Frame> {
            let no_delta =
                |it: &&Frame| !it.raw().windows(19).any(|it| it == b"content_block_delta");
            frames.iter().filter(no_delta).cloned().collect()
        };
        assert_eq!(others(&together), others(&apart));
        // Joining the joined frames again changes nothing.
        assert_eq!(joined(together.iter().cloned()), together);
        before += apart.len();
        after += together.len();
    }
    assert!(after + 200 < before, "{before} frames became {after}");
}

#[test]
fn a_joined_frame_has_all_members_of_its_first_piece() {
    let piece = |uuid: &str, text: &str| {
        changed_delta(|line| {
            line["uuid"] = uuid.into();
            line["parent_tool_use_id"] = Value::Null;
            line["new"] = json!(1e2);
            line["event"]["delta"]["text"] = text.into();
        })
    };
    let joined = joined([piece("u1", "a\n"), piece("u2", "\"b"), piece("u3", "ü")]);
    let [joined] = &joined[..] else {
        panic!("{joined:?}")
    };
    let whole = piece("u1", "a\n\"bü");
    let value = |frame: &Frame| serde_json::from_slice::<Value>(frame.raw()).unwrap();
    assert_eq!(value(joined), value(&whole));
    assert_eq!(joined.uuid(), Some("u1"));
    assert!(!joined.raw().contains(&b'\n'));
}

#[test]
fn joined_thinking_has_the_sum_of_the_token_counts() {
    let piece = |thinking: &str, tokens: Value| {
        let mut delta = json!({"type": "thinking_delta", "thinking": thinking});
        if !tokens.is_null() {
            delta["estimated_tokens"] = tokens;
        }
        changed_delta(|line| line["event"]["delta"] = delta)
    };
    let joined = joined([
        piece("a", json!(3)),
        piece("b", Value::Null),
        piece("c", json!(4)),
    ]);
    assert_eq!(joined, [piece("abc", json!(7))].map(|it| reread(&it)));
}

/// Returns the frame with its members in the order of the Rust type.
fn reread(frame: &Frame) -> Frame {
    self::frame(&serde_json::to_string(&frame.message()).unwrap())
}

type Difference = (&'static str, fn(&mut Value));

#[test]
fn different_deltas_are_not_joined() {
    let plain = || changed_delta(|_| {});
    let differ: [Difference; 10] = [
        ("block", |it| it["event"]["index"] = json!(1)),
        ("thread", |it| it["parent_tool_use_id"] = json!("t")),
        ("session", |it| it["session_id"] = json!("other")),
        ("kind", |it| {
            it["event"]["delta"] = json!({"type": "thinking_delta", "thinking": "x"});
        }),
        ("unknown member", |it| it["new"] = json!(1)),
        ("unknown member of the delta", |it| {
            it["event"]["delta"]["new"] = json!(1);
        }),
        ("end of the reply", |it| {
            it["abandoned_blocks"] = json!({"api_message_id": "m"});
        }),
        ("time", |it| it["ttft_ms"] = json!(5)),
        ("type", |it| it["type"] = json!("partial_assistant")),
        ("delta of another kind", |it| {
            it["event"]["delta"] = json!({"type": "signature_delta", "signature": "x"});
        }),
    ];
    for (what, change) in differ {
        let frames = [plain(), changed_delta(change), plain()];
        assert_eq!(joined(frames.clone()), frames, "{what}");
    }
    // No rule defines how deltas with these differences are joined.
    for change in [differ[5].1, differ[6].1, differ[9].1] {
        let frames = [changed_delta(change), changed_delta(change)];
        assert_eq!(joined(frames.clone()), frames);
    }
}

#[test]
fn halves_of_surrogate_pairs_are_not_changed() {
    let half = |half: &str| {
        frame(&format!(
            r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{half}"}}}}}}"#
        ))
    };
    let frames = [half("\\ud83d"), half("\\ude00")];
    assert_eq!(joined(frames.clone()), frames);
}

/// Returns a reply whose blocks are each written in pieces.
fn reply_in(blocks: &[(usize, Vec<String>)]) -> Vec<Message> {
    let mut messages = vec![start("m")];
    for (index, (kind, pieces)) in blocks.iter().enumerate() {
        let at = index as u64;
        let whole = pieces.concat();
        let input = serde_json::to_string(&json!({ "content": whole })).unwrap();
        let (empty, full) = match kind {
            0 => (
                json!({"type": "text", "text": ""}),
                json!({"type": "text", "text": whole}),
            ),
            1 => (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                json!({"type": "thinking", "thinking": whole, "signature": ""}),
            ),
            _ => (
                tool_use(&format!("t{index}"), json!({})),
                tool_use(&format!("t{index}"), json!({ "content": whole })),
            ),
        };
        messages.push(block_start(at, empty));
        match kind {
            0 => messages.extend(pieces.iter().map(|it| text(at, it))),
            1 => messages.extend(
                pieces
                    .iter()
                    .map(|it| delta(at, json!({"type": "thinking_delta", "thinking": it}))),
            ),
            _ => {
                // Cut the input at the lengths of the pieces.
                let mut rest: &str = &input;
                for piece in pieces {
                    let cut = rest.char_indices().nth(piece.len());
                    let cut = cut.map_or(rest.len(), |(at, _)| at);
                    let (now, later) = rest.split_at(cut);
                    messages.push(self::input(at, now));
                    rest = later;
                }
                messages.push(self::input(at, rest));
            }
        }
        messages.push(said("m", &format!("u{index}"), full));
        messages.push(block_stop(at));
    }
    messages.extend(end("end_turn", 9));
    messages
}

proptest! {
    #[test]
    fn replies_in_any_pieces_are_the_same_when_the_pieces_are_joined(
        blocks in prop::collection::vec((0..3usize, prop::collection::vec(".{0,5}", 1..12)), 1..4),
        cut in 0..60usize,
    ) {
        // A reply without its end is also the same.
        let messages = reply_in(&blocks);
        let apart = frames(&messages[..cut.min(messages.len())]);
        let together = joined(apart.clone());
        prop_assert_eq!(said_by(&together), said_by(&apart));
        let deltas = together.windows(2).filter(|it| joined(it.to_vec()).len() < 2);
        prop_assert_eq!(deltas.count(), 0);
    }
}
