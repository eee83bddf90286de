//! Tests of joined partial messages: they are equivalent to their pieces.

use crate::recorded;
use agentwire_protocol::Frame;
use agentwire_protocol::message::{BlockDelta, DeltaMerger, Message, StreamEvent};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn frame(line: &str) -> Frame {
    Frame::new(Bytes::copy_from_slice(line.as_bytes())).unwrap()
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

/// Returns what the deltas of each block add, by the position of the
/// `message_start` and the index of the block.
fn written(frames: &[Frame]) -> BTreeMap<(usize, u64), String> {
    let mut written: BTreeMap<_, String> = BTreeMap::new();
    let mut starts = 0;
    for frame in frames {
        let Message::StreamEvent(event) = frame.message() else {
            continue;
        };
        match event.event {
            StreamEvent::MessageStart(_) => starts += 1,
            StreamEvent::ContentBlockDelta(it) => {
                let added = match it.delta {
                    BlockDelta::Text(delta) => delta.text,
                    BlockDelta::Thinking(delta) => delta.thinking,
                    BlockDelta::InputJson(delta) => delta.partial_json,
                    _ => continue,
                };
                *written.entry((starts, it.index)).or_default() += &added;
            }
            _ => {}
        }
    }
    written
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
fn joined_deltas_add_the_same_to_each_block() {
    let (mut before, mut after) = (0, 0);
    for session in recorded::sessions().into_values() {
        let lines = session.iter().filter(|it| it.dir == "recv");
        let apart: Vec<Frame> = lines
            .filter_map(|it| Frame::new(Bytes::copy_from_slice(it.line.as_bytes())).ok())
            .collect();
        let together = joined(apart.iter().cloned());
        assert_eq!(written(&together), written(&apart));
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

proptest! {
    #[test]
    fn the_deltas_of_a_block_become_one(
        blocks in prop::collection::vec((0..3usize, prop::collection::vec(".{0,5}", 1..12)), 1..4),
    ) {
        const DELTAS: [(&str, &str); 3] = [
            ("text_delta", "text"),
            ("thinking_delta", "thinking"),
            ("input_json_delta", "partial_json"),
        ];
        let mut apart = vec![];
        for (index, (kind, pieces)) in blocks.iter().enumerate() {
            let (kind, member) = DELTAS[*kind];
            apart.extend(pieces.iter().map(|piece| changed_delta(|line| {
                line["event"]["index"] = json!(index);
                line["event"]["delta"] = json!({"type": kind, member: piece});
            })));
        }
        let together = joined(apart.clone());
        prop_assert_eq!(together.len(), blocks.len());
        prop_assert_eq!(written(&together), written(&apart));
    }
}
