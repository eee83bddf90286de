//! Conversations of ours, of all kinds.

use agentwire_interop::Message;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A conversation: prompts, what the model said, what tools answered, and what
/// hardly ever comes. Calls have ids of their own, and most have an answer.
pub(crate) fn conversation() -> impl Strategy<Value = Vec<Message>> {
    (weighted(0.3, text()), vec(turn(), 0..5)).prop_map(|(instructions, turns)| {
        let mut lines = Vec::new();
        if let Some(text) = instructions {
            lines.push(json!({"type": "instructions", "text": text}));
        }
        for turn in turns {
            turn.write(&mut lines);
        }
        lines.into_iter().map(message).collect()
    })
}

/// A message from its JSON.
pub(crate) fn message(value: Value) -> Message {
    serde_json::from_str(&value.to_string()).unwrap()
}

/// A prompt, and what came of it.
#[derive(Debug, Clone)]
struct Turn {
    prompt: Value,
    said: Vec<Value>,
    calls: Vec<Call>,
    envelope: bool,
    /// Blocks beside the answers of tools.
    beside: Vec<Value>,
    more: Option<Vec<Value>>,
    /// What the agent itself says, once the model is done.
    note: Option<Value>,
}

#[derive(Debug, Clone)]
struct Call {
    tool: String,
    input: Value,
    /// What the tool answered; nothing, when it never did.
    answer: Option<Value>,
}

impl Turn {
    fn write(self, lines: &mut Vec<Value>) {
        let number = lines.len();
        let mut user = json!({"type": "user", "message": {"role": "user", "content": self.prompt}});
        if self.envelope {
            user["uuid"] = format!("u-{number}").into();
            user["session_id"] = "s-1".into();
            user["parent_tool_use_id"] = Value::Null;
        }
        lines.push(user);
        let mut content = self.said;
        let mut answers = Vec::new();
        for (index, call) in self.calls.into_iter().enumerate() {
            let id = format!("toolu_{number}_{index}");
            content.push(json!({
                "type": "tool_use", "id": id, "name": call.tool, "input": call.input,
            }));
            if let Some(mut answer) = call.answer {
                answer["tool_use_id"] = id.into();
                answers.push(answer);
            }
        }
        lines.push(assistant(number, content, self.envelope));
        if !answers.is_empty() {
            answers.extend(self.beside);
            lines.push(json!({"type": "user", "message": {"role": "user", "content": answers}}));
        }
        if let Some(more) = self.more {
            lines.push(assistant(number + 100, more, self.envelope));
        }
        lines.extend(self.note);
    }
}

fn assistant(number: usize, content: Vec<Value>, envelope: bool) -> Value {
    let mut message = json!({"role": "assistant", "content": content});
    if !envelope {
        return json!({"type": "assistant", "message": message});
    }
    message["id"] = format!("msg_{number}").into();
    message["type"] = "message".into();
    message["model"] = "claude-sonnet-4-5".into();
    message["stop_reason"] = "end_turn".into();
    message["usage"] = json!({"input_tokens": 3, "output_tokens": 5});
    json!({
        "type": "assistant", "message": message, "uuid": format!("a-{number}"),
        "session_id": "s-1", "parent_tool_use_id": null, "request_id": "req_1",
    })
}

fn turn() -> impl Strategy<Value = Turn> {
    (
        prompt(),
        vec(said(), 0..4),
        vec(call(), 0..4),
        any::<bool>(),
        vec(user_block(), 0..2),
        weighted(0.5, vec(said(), 1..3)),
        weighted(0.4, note()),
    )
        .prop_map(|(prompt, said, calls, envelope, beside, more, note)| Turn {
            prompt,
            said,
            calls,
            envelope,
            beside,
            more,
            note,
        })
}

/// What the agent itself says, as one who is a user: a notification, a summary, the
/// feedback of a hook, what a command printed, anything else.
fn note() -> impl Strategy<Value = Value> {
    let texts = prop_oneof![
        Just("Stop hook feedback:\nRun the tests.".to_owned()),
        Just("This session is being continued from a previous conversation.".to_owned()),
        Just("<local-command-stdout>done</local-command-stdout>".to_owned()),
        Just("<task-notification>done</task-notification>".to_owned()),
        text(),
    ];
    let content = prop_oneof![
        texts.clone().prop_map(Value::from),
        (vec(image(), 0..2), texts, vec(user_block(), 0..2)).prop_map(|(images, text, more)| {
            let text = json!({"type": "text", "text": text});
            Value::from([images, vec![text], more].concat())
        }),
        vec(user_block(), 0..2).prop_map(Value::from),
    ];
    let origin = prop_oneof![
        4 => Just(Value::Null),
        2 => Just(json!({"kind": "task-notification", "producer": "session-task"})),
        1 => Just(json!({"kind": "peer", "from": "x", "name": "bob"})),
        1 => Just(json!({"kind": "human"})),
        1 => prop_oneof![
            Just("summary".to_owned()), Just("user".to_owned()), Just("x y".to_owned()),
            Just("new-kind".to_owned()), Just("k".repeat(99)), any::<String>(),
        ].prop_map(|kind| json!({"kind": kind})),
    ];
    (content, origin, weighted(0.7, any::<bool>())).prop_map(|(content, origin, synthetic)| {
        let message = json!({"role": "user", "content": content});
        let note = json!({"type": "user", "message": message});
        let origin = (!origin.is_null()).then_some(origin);
        with(with(note, "origin", origin), "isSynthetic", synthetic)
    })
}

/// Texts: plain ones, empty ones, and those that have been trouble.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z0-9 .,]{1,24}",
        1 => Just(String::new()),
        1 => Just("  two\n\nlines \n".to_owned()),
        1 => Just("\u{2028}zwölf 🦀 \"quoted\" \\ </tag>".to_owned()),
        1 => any::<String>().prop_map(|text| text.replace('\0', "")),
    ]
}

/// Texts that begin as that of an author does, though a person wrote them.
fn tagged() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["user", "summary", "peer", "x y", "notification"]);
    let rest = prop::sample::select(vec!["", "\n", "\nhello", " hello"]);
    (name, rest).prop_map(|(name, rest)| format!("[agentwire: written by {name}]{rest}"))
}

fn prompt() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => text().prop_map(Value::from),
        8 => vec(user_block(), 0..4).prop_map(Value::from),
        1 => tagged().prop_map(Value::from),
    ]
}

fn user_block() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => text_block(),
        1 => tagged().prop_map(|text| json!({"type": "text", "text": text})),
        2 => image(),
        1 => document(),
        1 => text().prop_map(|text| json!({
            "type": "search_result", "source": "https://example.com", "title": text,
            "content": [{"type": "text", "text": "found"}],
        })),
        1 => unknown(),
    ]
}

fn said() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => text_block(),
        2 => (text(), weighted(0.7, "[a-zA-Z0-9+/]{8}")).prop_map(|(text, signature)| {
            with(json!({"type": "thinking", "thinking": text}), "signature", signature)
        }),
        1 => Just(json!({"type": "redacted_thinking", "data": "c2VjcmV0"})),
        1 => Just(json!({
            "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": "crabs"},
        })),
        1 => Just(json!({
            "type": "text", "text": "cited", "citations": [{
                "type": "char_location", "cited_text": "it", "document_index": 0,
                "document_title": null, "start_char_index": 0, "end_char_index": 2,
            }],
        })),
        1 => unknown(),
    ]
}

fn text_block() -> impl Strategy<Value = Value> {
    (text(), weighted(0.2, Just(json!({"type": "ephemeral"})))).prop_map(|(text, cache)| {
        with(
            json!({"type": "text", "text": text}),
            "cache_control",
            cache,
        )
    })
}

fn image() -> impl Strategy<Value = Value> {
    let source = prop_oneof![
        Just(json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="})),
        Just(json!({"type": "base64", "media_type": "image/jpeg", "data": "/9j/4AAQ"})),
        Just(json!({"type": "url", "url": "https://example.com/a.png"})),
        Just(json!({"type": "file", "file_id": "file_1"})),
    ];
    source.prop_map(|source| json!({"type": "image", "source": source}))
}

fn document() -> impl Strategy<Value = Value> {
    let source = prop_oneof![
        Just(json!({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="})),
        Just(json!({"type": "url", "url": "https://example.com/a.pdf"})),
        text().prop_map(|text| json!({"type": "text", "media_type": "text/plain", "data": text})),
    ];
    (source, weighted(0.5, "[a-z]{1,8}")).prop_map(|(source, title)| {
        with(
            json!({"type": "document", "source": source}),
            "title",
            title,
        )
    })
}

fn unknown() -> impl Strategy<Value = Value> {
    Just(json!({"type": "hologram", "depth": 3, "data": {"x": [1, null]}}))
}

fn call() -> impl Strategy<Value = Call> {
    (tool(), weighted(0.9, answer())).prop_map(|((tool, input), answer)| Call {
        tool,
        input,
        answer,
    })
}

/// A tool, and what it is given.
fn tool() -> impl Strategy<Value = (String, Value)> {
    prop_oneof![
        2 => text().prop_map(|text| ("Bash".to_owned(), json!({"command": text}))),
        1 => Just(("Read".to_owned(), json!({"file_path": "/a", "limit": 10}))),
        1 => Just(("mcp__house__lamp".to_owned(), json!({}))),
        2 => computer().prop_map(|input| ("computer".to_owned(), input)),
    ]
}

/// What the computer tool is given.
pub(crate) fn computer() -> impl Strategy<Value = Value> {
    let at = || (0..1920_u32, 0..1080_u32).prop_map(|(x, y)| json!([x, y]));
    prop_oneof![
        prop::sample::select(vec![
            "left_click",
            "right_click",
            "middle_click",
            "double_click",
            "triple_click",
            "mouse_move",
            "left_mouse_down",
            "left_mouse_up",
        ])
        .prop_flat_map(move |action| {
            at().prop_map(move |at| json!({"action": action, "coordinate": at}))
        }),
        (at(), at()).prop_map(|(from, to)| json!({
            "action": "left_click_drag", "start_coordinate": from, "coordinate": to,
        })),
        (
            at(),
            prop::sample::select(vec!["up", "down", "left", "right"]),
            1..10_u32
        )
            .prop_map(|(at, direction, amount)| json!({
                "action": "scroll", "coordinate": at, "scroll_direction": direction,
                "scroll_amount": amount,
            })),
        text().prop_map(|text| json!({"action": "type", "text": text})),
        Just(json!({"action": "key", "text": "ctrl+c"})),
        Just(json!({"action": "hold_key", "text": "shift", "duration": 2})),
        Just(json!({"action": "wait", "duration": 1})),
        Just(json!({"action": "screenshot"})),
        Just(json!({"action": "cursor_position"})),
        Just(json!({"action": "dance", "how": "slowly"})),
    ]
}

fn answer() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        3 => text().prop_map(Value::from),
        2 => vec(prop_oneof![2 => text_block(), 1 => image()], 0..3).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    (content, weighted(0.3, any::<bool>())).prop_map(|(content, is_error)| {
        let mut answer = json!({"type": "tool_result", "tool_use_id": ""});
        if !content.is_null() {
            answer["content"] = content;
        }
        with(answer, "is_error", is_error)
    })
}

/// The object with one member more, where there is one.
fn with(object: Value, name: &str, value: Option<impl Into<Value>>) -> Value {
    let Value::Object(mut members) = object else {
        return object;
    };
    members.extend(value.map(|value| (name.to_owned(), value.into())));
    Value::Object(Map::from_iter(members))
}
