//! Cases of the assembler.

use crate::Case;
use crate::lines::{kinds, renewed};
use agentwire_protocol::Message;
use agentwire_protocol::conversation::{Assembler, Conversation};
use serde_json::{Value, json};

/// Returns a case that pushes messages to the assembler. If `looks`, the case
/// reads the conversation after each message.
fn pushed(
    name: impl Into<String>,
    looks: bool,
    messages: impl Fn(usize) -> Vec<Value> + 'static,
) -> Case {
    Case::new(format!("assembler: {}", name.into()), move |n| {
        let messages: Vec<Message> = messages(n)
            .into_iter()
            .map(|it| serde_json::from_str(&it.to_string()).unwrap())
            .collect();
        move || {
            let mut assembler = Assembler::default();
            for message in &messages {
                assembler.push(message);
                if looks {
                    assembler.conversation();
                }
            }
            drop(assembler.into_conversation());
        }
    })
}

fn event(event: Value) -> Value {
    json!({"type": "stream_event", "event": event})
}

fn start(id: &str) -> Value {
    event(json!({"type": "message_start", "message": {"id": id, "content": []}}))
}

fn block(index: usize, block: Value) -> Value {
    event(json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn text() -> Value {
    json!({"type": "text", "text": "x"})
}

fn tool(id: usize) -> Value {
    json!({"type": "tool_use", "id": format!("t{id}"), "name": "Write", "input": {}})
}

fn input(index: usize, json: &str) -> Value {
    let delta = json!({"type": "input_json_delta", "partial_json": json});
    event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: usize) -> Value {
    event(json!({"type": "content_block_stop", "index": index}))
}

fn said(id: &str, uuid: usize, block: Value) -> Value {
    json!({"type": "assistant", "uuid": format!("u{uuid}"), "message": {"id": id, "content": [block]}})
}

fn superseding(id: &str, uuid: usize, superseded: usize) -> Value {
    let mut said = said(id, uuid, text());
    said["supersedes"] = json!([format!("u{superseded}")]);
    said
}

pub(crate) fn all() -> Vec<Case> {
    let mut cases = vec![];
    for kind in kinds() {
        if serde_json::from_str::<Message>(&kind.line).is_err() {
            continue;
        }
        for is_fresh in [true, false] {
            let line = kind.line.clone();
            let ids = if is_fresh {
                "ids of their own"
            } else {
                "the same ids"
            };
            cases.push(pushed(format!("{}, {ids}", kind.name), true, move |n| {
                let line = |number| match is_fresh {
                    true => renewed(&line, number),
                    false => line.clone(),
                };
                let lines = (0..n).map(|number| serde_json::from_str(&line(number)).unwrap());
                // The lines arrive in the middle of a reply, like most real lines.
                std::iter::once(start("m")).chain(lines).collect()
            }));
        }
    }
    cases.extend([
        pushed("blocks of one reply, begun, said and ended", true, |n| {
            let blocks = (0..n).flat_map(|i| [block(i, text()), said("m", i, text()), stop(i)]);
            std::iter::once(start("m")).chain(blocks).collect()
        }),
        pushed("blocks begun, then said", true, |n| {
            let begun = (0..n).map(|i| block(i, tool(i)));
            let said = (0..n).rev().map(|i| said("m", i, tool(i)));
            std::iter::once(start("m")).chain(begun).chain(said).collect()
        }),
        pushed("blocks that are written, and never said", true, |n| {
            let blocks = (0..n).flat_map(|i| [block(i, text()), stop(i)]);
            std::iter::once(start("m")).chain(blocks).chain([start("n")]).collect()
        }),
        pushed("texts in the first of many blocks", true, |n| {
            let blocks = (0..n).map(|i| block(i, text()));
            let delta = json!({"type": "text_delta", "text": "x"});
            let delta = event(json!({"type": "content_block_delta", "index": 0, "delta": delta}));
            std::iter::once(start("m")).chain(blocks).chain(vec![delta; n]).collect()
        }),
        pushed("pieces of a tool's input", true, |n| {
            let pieces = vec![input(0, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["); 4 * n];
            [start("m"), block(0, tool(0))].into_iter().chain(pieces).collect()
        }),
        pushed("pieces of many inputs in turn", true, |n| {
            let blocks = (0..n).map(|i| block(i, tool(i)));
            let pieces = (0..n).map(|i| input(i, r#"{"a":"x"#));
            std::iter::once(start("m")).chain(blocks).chain(pieces).collect()
        }),
        pushed("pieces of the same two inputs beside many", true, |n| {
            let blocks = (0..n).flat_map(|i| [block(i, tool(i)), input(i, "{")]);
            let pieces = (0..n).map(|i| input(i % 2, r#""a":1,"#));
            std::iter::once(start("m")).chain(blocks).chain(pieces).collect()
        }),
        // A reader of the conversation after each of these messages would move
        // all entries each time.
        pushed("replies that supersede the one before", false, |n| {
            (1..n).map(|i| superseding(&format!("m{i}"), i, i - 1)).collect()
        }),
        pushed("blocks that supersede the one before", false, |n| {
            (1..n).map(|i| superseding("m", i, i - 1)).collect()
        }),
        pushed("blocks that supersede the first that is left", false, |n| {
            let said = (0..n).map(|i| said("m", i, text()));
            said.chain((0..n).map(|i| superseding("m", n + i, i))).collect()
        }),
        pushed("blocks that supersede the last that is left", false, |n| {
            let said = (0..n).map(|i| said("m", i, text()));
            said.chain((0..n).map(|i| superseding("m", n + i, n - 1 - i))).collect()
        }),
        pushed("replies that supersede the first that is left", false, |n| {
            let said = (0..n).map(|i| said(&format!("m{i}"), i, text()));
            let superseding = (0..n).map(|i| superseding(&format!("m{}", n + i), n + i, i));
            said.chain(superseding).collect()
        }),
        pushed("streams of one reply that break off", true, |n| {
            let said = (0..n).map(|i| said("m", i, text()));
            let starts = (0..n).flat_map(|_| [start("m"), block(0, text())]);
            said.chain(starts).collect()
        }),
        pushed("blocks abandoned, and abandoned again", true, |n| {
            let said = (0..n).flat_map(|i| [block(i, text()), said("m", i, text())]);
            let mut void = event(json!({"type": "ping"}));
            void["abandoned_blocks"] = json!({"api_message_id": "m", "from_block_index": 0});
            std::iter::once(start("m")).chain(said).chain(vec![void; n]).collect()
        }),
        pushed("members that no type has, with each message", true, |n| {
            let odd = |i: usize| {
                let mut odd = said("m", i, text());
                odd[format!("x{i}")] = json!(i);
                odd["message"][format!("y{i}")] = json!(i);
                odd
            };
            (0..n).map(odd).collect()
        }),
        pushed("display names with each message", true, |n| {
            let named = |i: usize| {
                let mut said = said("m", i, tool(i));
                said["tool_use_meta"] = json!([{"id": format!("t{i}"), "display_name": "W"}]);
                said
            };
            (0..n).map(named).collect()
        }),
        pushed("sub-agents", true, |n| {
            let said = |i: usize| {
                let mut said = said(&format!("m{i}"), i, text());
                said["parent_tool_use_id"] = json!(format!("t{i}"));
                said
            };
            (0..n).map(said).collect()
        }),
        pushed("streams of sub-agents that all go on", true, |n| {
            let of = |i: usize, mut event: Value| {
                event["parent_tool_use_id"] = json!(format!("t{i}"));
                event
            };
            let starts = (0..n).flat_map(|i| [of(i, start(&format!("m{i}"))), of(i, block(0, tool(0)))]);
            let pieces = (0..n).map(|i| of(i, input(0, "{")));
            starts.chain(pieces).collect()
        }),
        Case::new("assembler: one message of many blocks", |n| {
            let blocks = vec![text(); n];
            let said = json!({"type": "assistant", "uuid": "u", "message": {"id": "m", "content": blocks}});
            let message: Message = serde_json::from_str(&said.to_string()).unwrap();
            move || {
                let mut assembler = Assembler::default();
                assembler.push(&message);
                assembler.push(&message);
            }
        }),
        Case::new("assembler: one message of many unknown members", |n| {
            let mut said = said("m", 0, text());
            for i in 0..n {
                said[format!("x{i}")] = json!(i);
            }
            let message: Message = serde_json::from_str(&said.to_string()).unwrap();
            move || {
                let mut assembler = Assembler::default();
                assembler.push(&message);
                assembler.push(&message);
            }
        }),
        Case::new("assembler: a conversation that was kept", |n| {
            let said = (0..n).flat_map(|i| [said("m", i, text()), said(&format!("m{i}"), n + i, tool(i))]);
            let mut assembler = Assembler::default();
            for it in said {
                assembler.push(&serde_json::from_str(&it.to_string()).unwrap());
            }
            let kept: Conversation = assembler.into_conversation();
            move || {
                let uuids: Vec<_> = (0..2 * n).map(|i| format!("u{i}")).collect();
                assert!(Assembler::from(kept).remove(&uuids));
            }
        }),
    ]);
    cases
}
