//! Generates values for OpenHands' library, `litellm` and `openai`.

use super::generate::{
    any_of, arguments, image_url, is, list, maybe, object, of, sometimes, tagged, text,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Generates texts, some of which Python trims or the library truncates.
fn long_text() -> BoxedStrategy<Value> {
    prop_oneof![
        150 => text().prop_map(Value::from),
        15 => any_of(["\u{1c}\u{1f}", "\u{85} \u{3000}", "\u{200b}", " x\u{1d}"]),
        1 => (49_990..50_010_usize, prop::sample::select(vec!["x", "é", "🦀"]))
            .prop_map(|(length, letter)| format!("{}end", letter.repeat(length - 3)).into()),
    ]
    .boxed()
}

fn content() -> BoxedStrategy<Value> {
    let text = object([
        ("text", of(long_text())),
        ("cache_prompt", sometimes(0.5, any::<bool>())),
        ("type", sometimes(0.8, Just("text"))),
    ]);
    let images = object([
        ("image_urls", of(list(image_url(), 3))),
        ("cache_prompt", sometimes(0.5, any::<bool>())),
        ("type", sometimes(0.8, Just("image"))),
    ]);
    prop_oneof![3 => text, 1 => images].boxed()
}

/// Generates a `MessageToolCall`.
pub(crate) fn call() -> BoxedStrategy<Value> {
    object([
        ("id", of(any_of(["call_1", "fc_2", "toolu_3", ""]))),
        ("responses_item_id", maybe(any_of(["fc_9", "", "item"]))),
        ("name", of(any_of(["bash", "think"]))),
        ("arguments", of(arguments())),
        ("origin", of(any_of(["completion", "responses"]))),
    ])
}

fn thinking() -> BoxedStrategy<Value> {
    let thinking = object([
        ("type", sometimes(0.7, Just("thinking"))),
        ("thinking", of(text())),
        ("signature", maybe(Just("c2ln"))),
    ]);
    let redacted = object([
        ("type", sometimes(0.5, Just("redacted_thinking"))),
        ("data", is("c2VjcmV0")),
    ]);
    prop_oneof![2 => thinking, 1 => redacted].boxed()
}

/// Generates a message.
pub(crate) fn message() -> BoxedStrategy<Value> {
    let texts = || list(text().prop_map(Value::from), 3);
    let reasoning = object([
        ("id", maybe(Just("rs_1"))),
        ("summary", sometimes(0.8, texts())),
        ("content", maybe(texts())),
        ("encrypted_content", maybe(any_of(["Z0FB", ""]))),
        ("status", maybe(any_of(["completed", ""]))),
    ]);
    let roles = ["user", "system", "assistant", "assistant", "tool", "tool"];
    let content = prop_oneof![1 => long_text(), 4 => list(content(), 4)];
    object([
        ("role", of(any_of(roles))),
        ("content", maybe(content)),
        ("tool_calls", maybe(list(call(), 3))),
        ("tool_call_id", maybe(Just("call_1"))),
        ("name", maybe(Just("bash"))),
        ("reasoning_content", maybe(text())),
        ("thinking_blocks", sometimes(0.5, list(thinking(), 3))),
        ("responses_reasoning_item", maybe(reasoning)),
        ("cache_enabled", sometimes(0.2, Just(true))),
        ("mood", sometimes(0.2, Just(true))),
    ])
}

/// Generates a call of a model over Chat Completions.
pub(crate) fn chat_call() -> BoxedStrategy<Value> {
    let function = object([
        (
            "name",
            of(any_of([
                json!("bash"),
                json!("bash"),
                json!("bash"),
                json!(null),
            ])),
        ),
        ("arguments", sometimes(0.9, arguments())),
    ]);
    let call = object([
        ("id", is("call_1")),
        (
            "type",
            sometimes(0.8, any_of(["function", "function", "function", "other"])),
        ),
        ("function", of(function)),
    ]);
    let custom = json!({"id": "call_2", "type": "custom", "custom": {"name": "sh", "input": "ls"}});
    prop_oneof![9 => call, 1 => Just(custom)].boxed()
}

/// Generates a reply of a model over Chat Completions, or a message of another role.
pub(crate) fn chat_reply() -> BoxedStrategy<Value> {
    let block = prop_oneof![4 => thinking(), 1 => Just(json!({"type": "musing"}))];
    let assistant = object([
        ("role", is("assistant")),
        ("annotations", is(json!([]))),
        ("content", maybe(text())),
        ("tool_calls", maybe(list(chat_call(), 3))),
        ("reasoning_content", maybe(text())),
        ("thinking_blocks", maybe(list(block, 3))),
    ]);
    let content = || {
        let text = text().prop_map(Value::from);
        maybe(prop_oneof![4 => text, 1 => list(tagged("text", "text"), 3)])
    };
    let tool = object([
        ("role", is("tool")),
        ("content", content()),
        ("tool_call_id", is("call_1")),
        ("name", is("bash")),
    ]);
    let roles = any_of(["user", "system", "function", "developer", "bird"]);
    let other = object([("role", of(roles)), ("content", content())]);
    prop_oneof![16 => assistant, 1 => tool, 3 => other].boxed()
}

/// Generates a message of a request of Chat Completions.
pub(crate) fn chat_message() -> BoxedStrategy<Value> {
    let cache = || sometimes(0.2, Just(json!({"type": "ephemeral", "ttl": "1h"})));
    let text_part = object([
        ("type", is("text")),
        ("text", of(text())),
        ("cache_control", cache()),
    ]);
    let image = |url| {
        object([
            ("type", is("image_url")),
            ("image_url", of(url)),
            ("cache_control", cache()),
        ])
    };
    let image_object = object([("url", of(image_url())), ("detail", is("high"))]);
    let others = any_of([
        json!({"type": "file", "file": {
            "file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf",
        }}),
        json!({"type": "file", "file": {"file_id": "file-1"}}),
        json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
        json!({"type": "tool_reference", "tool_name": "Read"}),
        json!({"type": "refusal", "refusal": "no"}),
        json!({"type": "smell", "of": "roses"}),
    ]);
    let part =
        prop_oneof![4 => text_part, 2 => image(image_object), 1 => image(image_url()), 6 => others];
    let content = || {
        sometimes(
            0.9,
            prop_oneof![text().prop_map(Value::from), list(part.clone(), 4)],
        )
    };
    let roles = any_of(["user", "user", "system", "developer", "bird"]);
    let message = object([
        ("role", of(roles)),
        ("content", content()),
        ("cache_control", cache()),
        ("name", sometimes(0.2, Just("bash"))),
    ]);
    let result = object([
        ("role", of(any_of(["tool", "tool", "function"]))),
        ("content", content()),
        ("cache_control", cache()),
        ("name", sometimes(0.2, Just("bash"))),
        ("tool_call_id", sometimes(0.8, Just("call_1"))),
    ]);
    prop_oneof![message, result].boxed()
}

/// Generates an item of a request of Responses.
pub(crate) fn input_item() -> BoxedStrategy<Value> {
    let image = object([
        ("type", is("input_image")),
        ("image_url", of(image_url())),
        ("detail", is("low")),
    ]);
    let others = any_of([
        json!({"type": "input_image", "file_id": "file-1", "detail": "auto"}),
        json!({"type": "input_file", "file_url": "https://example.com/a.pdf"}),
        json!({"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,eMOp"}),
        json!({"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}),
    ]);
    let part = prop_oneof![4 => tagged("input_text", "text"), 2 => image, 4 => others];
    let content = || {
        maybe(prop_oneof![
            text().prop_map(Value::from),
            list(part.clone(), 3)
        ])
    };
    let roles = any_of(["user", "user", "assistant", "system", "developer", "bird"]);
    let message = object([
        ("role", of(roles)),
        ("content", content()),
        ("type", sometimes(0.5, Just("message"))),
    ]);
    let output = object([
        ("type", is("function_call_output")),
        ("call_id", is("call_1")),
        ("output", content()),
    ]);
    let others = any_of([
        json!({"type": "computer_call", "call_id": "call_3", "status": "completed",
            "action": {"type": "screenshot"}}),
        json!({"id": "msg_1", "type": "item_reference"}),
    ]);
    prop_oneof![4 => message, 3 => output, 2 => others].boxed()
}

/// Generates an item of a response. If `whole`, the item has all members that `openai`'s types
/// require.
pub(crate) fn output_item(whole: bool) -> BoxedStrategy<Value> {
    let often = |value| match whole {
        true => of(value),
        false => sometimes(0.85, value),
    };
    let refusal = Just(json!({"type": "refusal", "refusal": "no"}));
    let output_text = object([
        ("type", is("output_text")),
        ("text", of(text())),
        ("annotations", is(json!([]))),
    ]);
    let odd = any_of([
        json!({"type": "output_text", "text": null}),
        json!({"type": "output_text"}),
        json!({"type": "output_song", "text": "la"}),
    ]);
    let part = prop_oneof![8 => output_text, 2 => refusal];
    let part = match whole {
        true => part.boxed(),
        false => prop_oneof![6 => part, 3 => odd].boxed(),
    };
    let message = object([
        ("type", is("message")),
        ("id", is("msg_1")),
        ("role", is("assistant")),
        ("status", is("completed")),
        ("content", often(list(part, 3))),
    ]);
    let call = object([
        ("type", is("function_call")),
        ("status", is("completed")),
        ("id", often(any_of(["call_1", "fc_2", ""]))),
        ("call_id", often(any_of(["call_1", "fc_2", ""]))),
        ("name", often(any_of(["bash", "bash", ""]))),
        ("arguments", often(arguments())),
    ]);
    let reasoning = object([
        ("type", is("reasoning")),
        ("id", often(any_of(["rs_1"]))),
        ("summary", often(list(tagged("summary_text", "text"), 3))),
        ("content", maybe(list(tagged("reasoning_text", "text"), 3))),
        ("encrypted_content", maybe(Just("Z0FB"))),
        ("status", maybe(Just("completed"))),
    ]);
    let others = match whole {
        true => any_of([json!({
            "type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "crabs"},
        })]),
        false => any_of([
            json!({"type": "hologram"}),
            json!({"role": "assistant", "content": "no type"}),
            json!({"type": "message", "role": "assistant", "content": "a text"}),
            json!({"type": "function_call", "call_id": "c", "name": null, "arguments": "{}"}),
            json!({"type": "function_call", "call_id": "c", "name": "n", "arguments": null}),
        ]),
    };
    prop_oneof![6 => message, 4 => call, 2 => reasoning, 1 => others].boxed()
}

/// Generates a call of a model over Responses.
pub(crate) fn responses_call() -> BoxedStrategy<Value> {
    object([
        ("type", is("function_call")),
        ("id", maybe(any_of(["call_1", "fc_2", ""]))),
        ("call_id", of(any_of(["call_1", "fc_2", ""]))),
        ("name", of(any_of(["bash", ""]))),
        ("arguments", of(arguments())),
    ])
}

/// Generates an event of a conversation.
pub(crate) fn event() -> BoxedStrategy<Value> {
    let part =
        || any_of(["", "Hm.", "two\nlines"]).prop_map(|text| json!({"type": "text", "text": text}));
    let texts = move || list(part(), 3);
    let thinking = json!([{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]);
    let action = object([
        ("kind", is("ActionEvent")),
        ("source", is("agent")),
        (
            "thought",
            of(prop_oneof![3 => Just(json!([])), 1 => texts()]),
        ),
        ("action", is(Value::Null)),
        ("tool_name", is("bash")),
        ("tool_call_id", is("t")),
        ("llm_response_id", of(any_of(["a", "b"]))),
        (
            "tool_call",
            is(json!({"id": "t", "name": "bash", "arguments": "{}", "origin": "completion"})),
        ),
        ("reasoning_content", sometimes(0.5, Just("Hm."))),
        ("thinking_blocks", of(any_of([thinking, json!([])]))),
    ]);
    let said = object([
        ("role", of(any_of(["user", "user", "assistant"]))),
        ("content", of(texts())),
    ]);
    let message = object([
        ("kind", is("MessageEvent")),
        ("source", is("user")),
        ("llm_message", of(said)),
        ("extended_content", of(texts())),
    ]);
    let observation = object([
        ("kind", is("FinishObservation")),
        ("content", of(texts())),
        ("is_error", of(any::<bool>())),
    ]);
    let observation = object([
        ("kind", is("ObservationEvent")),
        ("source", is("environment")),
        ("tool_name", is("finish")),
        ("tool_call_id", is("t")),
        ("action_id", is("a")),
        ("extended_content", of(texts())),
        ("observation", of(observation)),
    ]);
    let system = object([
        ("kind", is("SystemPromptEvent")),
        ("source", is("agent")),
        ("system_prompt", of(part())),
        ("tools", is(json!([]))),
        ("dynamic_context", sometimes(0.5, part())),
    ]);
    let others = any_of([
        json!({"kind": "UserRejectObservation", "source": "environment", "tool_name": "bash",
            "tool_call_id": "t", "action_id": "a", "rejection_reason": "No."}),
        json!({"kind": "UserRejectObservation", "source": "environment", "tool_name": "bash",
            "tool_call_id": "t", "action_id": "a"}),
        json!({"kind": "AgentErrorEvent", "source": "agent", "tool_name": "bash", "tool_call_id": "t",
            "error": "no such tool"}),
        json!({"kind": "CondensationSummaryEvent", "source": "environment", "summary": "It was long."}),
        json!({"kind": "PauseEvent", "source": "user"}),
    ]);
    prop_oneof![5 => action, 3 => message, 3 => observation, 1 => system, 5 => others].boxed()
}
