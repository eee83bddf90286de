//! Generates conversations in the form of this crate.

use super::generate::{any_of, is, list, object, of, sometimes, text};
use agentwire_interop::Message;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Reads a message.
pub(crate) fn message(value: Value) -> Message {
    serde_json::from_str(&value.to_string()).unwrap()
}

/// Generates a conversation: prompts, replies, results of tools, and rare blocks. Call IDs are unique,
/// and most calls have a result.
pub(crate) fn conversation() -> BoxedStrategy<Vec<Message>> {
    let turns = (prop::option::weighted(0.3, text()), vec(turn(), 0..5));
    let messages = turns.prop_map(|(instructions, turns)| {
        let instructions = instructions.map(|text| json!({"type": "instructions", "text": text}));
        let mut lines: Vec<Value> = instructions.into_iter().collect();
        for turn in turns {
            turn.write(&mut lines);
        }
        lines.into_iter().map(message).collect()
    });
    messages.boxed()
}

/// A prompt and the messages that follow it.
#[derive(Debug, Clone)]
struct Turn {
    prompt: Value,
    reply: Vec<Value>,
    /// The calls of the reply, with their results.
    calls: Vec<(Value, Option<Value>)>,
    has_envelope: bool,
    /// The blocks of the user after the results.
    beside: Vec<Value>,
    second_reply: Option<Vec<Value>>,
    /// A message of the agent with the role of a user.
    note: Option<Value>,
}

impl Turn {
    fn write(self, lines: &mut Vec<Value>) {
        let number = lines.len();
        let mut user = json!({"type": "user", "message": {"role": "user", "content": self.prompt}});
        if self.has_envelope {
            user["uuid"] = format!("u-{number}").into();
            user["session_id"] = "s-1".into();
            user["parent_tool_use_id"] = Value::Null;
        }
        lines.push(user);
        let (mut content, mut results) = (self.reply, Vec::new());
        for (index, (mut call, result)) in self.calls.into_iter().enumerate() {
            let id = format!("toolu_{number}_{index}");
            call["id"] = id.clone().into();
            content.push(call);
            results.extend(result.map(|mut result| {
                result["tool_use_id"] = id.into();
                result
            }));
        }
        lines.push(assistant(number, content, self.has_envelope));
        if !results.is_empty() {
            results.extend(self.beside);
            lines.push(json!({"type": "user", "message": {"role": "user", "content": results}}));
        }
        if let Some(reply) = self.second_reply {
            lines.push(assistant(number + 100, reply, self.has_envelope));
        }
        lines.extend(self.note);
    }
}

fn assistant(number: usize, content: Vec<Value>, has_envelope: bool) -> Value {
    if !has_envelope {
        return json!({"type": "assistant", "message": {"role": "assistant", "content": content}});
    }
    json!({
        "type": "assistant", "uuid": format!("a-{number}"), "session_id": "s-1",
        "parent_tool_use_id": null, "request_id": "req_1", "message": {
            "role": "assistant", "content": content, "id": format!("msg_{number}"),
            "type": "message", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
            "usage": {"input_tokens": 3, "output_tokens": 5},
        },
    })
}

fn turn() -> impl Strategy<Value = Turn> {
    let turn = (
        prop_oneof![8 => text().prop_map(Value::from), 8 => list(user_block(), 4), 1 => author_tag()],
        vec(reply_block(), 0..4),
        vec(call_and_result(), 0..4),
        any::<bool>(),
        vec(user_block(), 0..2),
        prop::option::of(vec(reply_block(), 1..3)),
        prop::option::weighted(0.4, note()),
    );
    turn.prop_map(
        |(prompt, reply, calls, has_envelope, beside, second_reply, note)| Turn {
            prompt,
            reply,
            calls,
            has_envelope,
            beside,
            second_reply,
            note,
        },
    )
}

/// Generates messages of the agent with the role of a user: notifications, summaries, feedback
/// of hooks, and output of commands.
fn note() -> BoxedStrategy<Value> {
    let known = any_of([
        "Stop hook feedback:\nRun the tests.",
        "This session is being continued from a previous conversation.",
        "<local-command-stdout>done</local-command-stdout>",
        "<task-notification>done</task-notification>",
    ]);
    let texts = prop_oneof![4 => known, 1 => text().prop_map(Value::from)];
    let blocks = (vec(image(), 0..2), texts.clone(), vec(user_block(), 0..2));
    let blocks = blocks.prop_map(|(images, text, more)| {
        Value::from([images, vec![json!({"type": "text", "text": text})], more].concat())
    });
    let names = ["summary", "user", "x y", "new-kind"].map(str::to_owned);
    let kind =
        prop_oneof![4 => select(names.to_vec()), 1 => Just("k".repeat(99)), 1 => any::<String>()];
    let known = any_of([
        json!({"kind": "task-notification", "producer": "session-task"}),
        json!({"kind": "task-notification", "producer": "session-task"}),
        json!({"kind": "peer", "from": "x", "name": "bob"}),
        json!({"kind": "human"}),
    ]);
    let origin = prop_oneof![4 => known, 1 => kind.prop_map(|kind| json!({"kind": kind}))];
    let content = prop_oneof![texts, blocks, list(user_block(), 2)];
    object([
        ("type", is("user")),
        (
            "message",
            of(object([("role", is("user")), ("content", of(content))])),
        ),
        ("origin", sometimes(0.55, origin)),
        ("isSynthetic", sometimes(0.7, any::<bool>())),
    ])
}

/// Generates texts of users that begin like the tag of an author.
fn author_tag() -> BoxedStrategy<Value> {
    let name = select(vec!["user", "summary", "peer", "x y", "notification"]);
    let rest = select(vec!["", "\n", "\nhello", " hello"]);
    (name, rest)
        .prop_map(|(name, rest)| format!("[agentwire: written by {name}]{rest}").into())
        .boxed()
}

fn user_block() -> BoxedStrategy<Value> {
    let search = object([
        ("type", is("search_result")),
        ("source", is("https://example.com")),
        ("title", of(text())),
        ("content", is(json!([{"type": "text", "text": "found"}]))),
    ]);
    prop_oneof![
        4 => text_block(),
        1 => author_tag().prop_map(|text| json!({"type": "text", "text": text})),
        2 => image(),
        1 => document(),
        1 => search,
        1 => unknown(),
    ]
    .boxed()
}

fn reply_block() -> BoxedStrategy<Value> {
    let thinking = object([
        ("type", is("thinking")),
        ("thinking", of(text())),
        ("signature", sometimes(0.7, "[a-zA-Z0-9+/]{8}")),
    ]);
    let others = any_of([
        json!({"type": "redacted_thinking", "data": "c2VjcmV0"}),
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": "crabs"}}),
        json!({"type": "text", "text": "cited", "citations": [{
            "type": "char_location", "cited_text": "it", "document_index": 0,
            "document_title": null, "start_char_index": 0, "end_char_index": 2,
        }]}),
    ]);
    prop_oneof![4 => text_block(), 2 => thinking, 3 => others, 1 => unknown()].boxed()
}

fn text_block() -> BoxedStrategy<Value> {
    object([
        ("type", is("text")),
        ("text", of(text())),
        (
            "cache_control",
            sometimes(0.2, Just(json!({"type": "ephemeral"}))),
        ),
    ])
}

fn image() -> BoxedStrategy<Value> {
    let source = any_of([
        json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}),
        json!({"type": "base64", "media_type": "image/jpeg", "data": "/9j/4AAQ"}),
        json!({"type": "url", "url": "https://example.com/a.png"}),
        json!({"type": "file", "file_id": "file_1"}),
    ]);
    object([("type", is("image")), ("source", of(source))])
}

fn document() -> BoxedStrategy<Value> {
    let text = object([
        ("type", is("text")),
        ("media_type", is("text/plain")),
        ("data", of(text())),
    ]);
    let others = any_of([
        json!({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}),
        json!({"type": "url", "url": "https://example.com/a.pdf"}),
    ]);
    object([
        ("type", is("document")),
        ("source", of(prop_oneof![1 => text, 2 => others])),
        ("title", sometimes(0.5, "[a-z]{1,8}")),
    ])
}

fn unknown() -> BoxedStrategy<Value> {
    any_of([json!({"type": "hologram", "depth": 3, "data": {"x": [1, null]}})])
}

fn call_and_result() -> BoxedStrategy<(Value, Option<Value>)> {
    let call = |name: &'static str, input| {
        object([
            ("type", is("tool_use")),
            ("id", is("")),
            ("name", is(name)),
            ("input", of(input)),
        ])
    };
    let call = prop_oneof![
        2 => call("Bash", object([("command", of(text()))])),
        1 => call("Read", any_of([json!({"file_path": "/a", "limit": 10})])),
        1 => call("mcp__house__lamp", any_of([json!({})])),
        2 => call("computer", computer()),
    ];
    let content = prop_oneof![
        3 => text().prop_map(Value::from),
        2 => list(prop_oneof![2 => text_block(), 1 => image()], 3),
    ];
    let result = object([
        ("type", is("tool_result")),
        ("tool_use_id", is("")),
        ("content", sometimes(0.85, content)),
        ("is_error", sometimes(0.3, any::<bool>())),
    ]);
    (call, prop::option::weighted(0.9, result)).boxed()
}

/// Generates input of the `computer` tool.
pub(crate) fn computer() -> BoxedStrategy<Value> {
    let at = || (0..1920_u32, 0..1080_u32).prop_map(|(x, y)| json!([x, y]));
    let clicks = [
        "left_click",
        "right_click",
        "middle_click",
        "double_click",
        "triple_click",
        "mouse_move",
        "left_mouse_down",
        "left_mouse_up",
    ];
    let click = object([("action", of(any_of(clicks))), ("coordinate", of(at()))]);
    let drag = object([
        ("action", is("left_click_drag")),
        ("start_coordinate", of(at())),
        ("coordinate", of(at())),
    ]);
    let scroll = object([
        ("action", is("scroll")),
        ("coordinate", of(at())),
        (
            "scroll_direction",
            of(any_of(["up", "down", "left", "right"])),
        ),
        ("scroll_amount", of(1..10_u32)),
    ]);
    let others = any_of([
        json!({"action": "key", "text": "ctrl+c"}),
        json!({"action": "hold_key", "text": "shift", "duration": 2}),
        json!({"action": "wait", "duration": 1}),
        json!({"action": "screenshot"}),
        json!({"action": "cursor_position"}),
        json!({"action": "dance", "how": "slowly"}),
    ]);
    let typed = object([("action", is("type")), ("text", of(text()))]);
    prop_oneof![1 => click, 1 => drag, 1 => scroll, 1 => typed, 6 => others].boxed()
}
