//! The library's own types and conversions, on the same messages.

use crate::bridgic::theirs::{self, read};
use crate::support::oracle::{Oracle, samples};
use crate::support::{ours, tree};
use agentwire_interop::Compat;
use agentwire_interop::bridgic::{
    Blocks, Chat, ChatMessage, FunctionToolCall, Message, Role, ToolCall, tool_calls_of_openai,
};
use agentwire_interop::conversion::{System, export};
use proptest::collection::vec;
use proptest::option::{self, weighted};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// So many messages each is asked about.
const MANY: usize = 2000;

pub(crate) fn oracle(record: &'static str) -> Oracle {
    Oracle {
        library: "bridgic",
        record,
    }
}

/// What 300 conversations of ours are there: well over 2,000 messages.
fn written<S: System + Copy>(system: S) -> Vec<Value> {
    let conversations = samples(&ours::conversation(), 300).into_iter();
    let made = conversations.flat_map(|messages| export(system, messages).made);
    let made: Vec<Value> = made.map(|item| tree(&item)).collect();
    assert!(made.len() > MANY, "{}", made.len());
    made
}

fn ask(op: &str, name: &str, values: &[Value]) -> Vec<Value> {
    let ask = |value: &Value| json!({"op": op, name: value});
    values.iter().map(ask).collect()
}

#[test]
fn what_we_write_is_what_the_library_reads() {
    let made = written(Chat);
    let requests = ask("chat", "message", &made);
    // The types ignore a user's name, which the library's conversions pass on.
    oracle("written_chat").agrees(&requests, |index| {
        let mut message = made[index].clone();
        if message["role"] == "user" {
            message.as_object_mut()?.remove("name");
        }
        Some(message)
    });
    let made = written(Blocks);
    let requests = ask("block", "message", &made);
    oracle("written_blocks").agrees(&requests, |index| Some(made[index].clone()));
}

/// That all are messages there, and the same after we have read them.
fn are_read<T: Serialize + DeserializeOwned>(
    op: &str,
    record: &'static str,
    messages: impl Strategy<Value = Value>,
) {
    let messages = samples(&messages, MANY);
    oracle(record).accepts(&ask(op, "message", &messages));
    for message in &messages {
        assert_eq!(tree(&read::<T>(message)), read::<Value>(message));
    }
}

#[test]
fn what_the_library_reads_we_read() {
    are_read::<ChatMessage>("chat", "chat", theirs::chat_message());
    are_read::<Message>("block", "blocks", theirs::block_message());
}

/// What `to_message` is asked.
pub(crate) fn to_message_requests() -> Vec<Value> {
    let messages = samples(&theirs::loose_chat_message(), MANY);
    ask("to_message", "message", &messages)
}

/// What `to_message` answers.
pub(crate) fn to_message(request: &Value, compat: Compat) -> Option<Value> {
    let message: ChatMessage = read(&request["message"]);
    message.to_message(compat).ok().map(|made| tree(&made))
}

#[test]
fn chat_messages_become_messages_of_blocks() {
    let requests = to_message_requests();
    oracle("to_message").agrees(&requests, |index| {
        to_message(&requests[index], Compat::Library)
    });
}

/// What `to_chat` is asked.
pub(crate) fn to_chat_requests() -> Vec<Value> {
    ask(
        "to_chat",
        "message",
        &samples(&theirs::block_message(), MANY),
    )
}

/// What `to_chat` answers: one message, or several.
pub(crate) fn to_chat(request: &Value, compat: Compat) -> Option<Value> {
    let message: Message = read(&request["message"]);
    match tree(&message.to_chat(compat).ok()?) {
        Value::Array(mut made) if made.len() == 1 => made.pop(),
        several => Some(several),
    }
}

#[test]
fn messages_of_blocks_become_chat_completions() {
    let requests = to_chat_requests();
    oracle("to_chat").agrees(&requests, |index| {
        to_chat(&requests[index], Compat::Library)
    });
}

/// What `tool_calls_of_openai` is asked.
pub(crate) fn openai_requests() -> Vec<Value> {
    let calls = samples(&vec(theirs::function_call(), 0..3), MANY);
    let calls: Vec<Value> = calls.into_iter().map(Value::from).collect();
    ask("tool_calls_of_openai", "tool_calls", &calls)
}

/// What `tool_calls_of_openai` answers.
pub(crate) fn of_openai(request: &Value, compat: Compat) -> Option<Value> {
    let calls: Vec<FunctionToolCall> = read(&request["tool_calls"]);
    let mut ids = 0..;
    let new_id = || format!("tool_{:025}", ids.next().unwrap_or(0));
    let made = tool_calls_of_openai(&calls, compat, new_id).ok()?;
    Some(tree(&made))
}

#[test]
fn calls_of_openai_become_calls() {
    let requests = openai_requests();
    oracle("tool_calls_of_openai").agrees(&requests, |index| {
        of_openai(&requests[index], Compat::Library)
    });
}

#[test]
fn the_librarys_constructors() {
    let role = prop::sample::select(vec!["system", "user", "assistant", "tool"]);
    let texts = samples(&(ours::text(), role), 300);
    let requests: Vec<Value> = texts
        .iter()
        .map(|(text, role)| json!({"op": "from_text", "text": text, "role": role}))
        .collect();
    oracle("from_text").agrees(&requests, |index| {
        let (text, role) = &texts[index];
        Some(tree(&Message::from_text(&**text, Role::from(*role))))
    });

    let results = samples(&(theirs::id(), ours::text()), 300);
    let requests: Vec<Value> = results
        .iter()
        .map(|(id, text)| json!({"op": "from_tool_result", "id": id, "content": text}))
        .collect();
    oracle("from_tool_result").agrees(&requests, |index| {
        let (id, text) = &results[index];
        Some(tree(&Message::from_tool_result(&**id, &**text)))
    });

    let arguments = prop_oneof![6 => theirs::object(), 1 => theirs::value()];
    let call = (weighted(0.9, theirs::id()), theirs::tool(), arguments)
        .prop_map(|(id, name, arguments)| json!({"id": id, "name": name, "arguments": arguments}));
    let calls = samples(&(vec(call, 0..3), option::of(ours::text())), 1000);
    let requests: Vec<Value> = calls
        .iter()
        .map(|(calls, text)| json!({"op": "from_tool_call", "tool_calls": calls, "text": text}))
        .collect();
    oracle("from_tool_call").agrees(&requests, |index| {
        let (calls, text) = &calls[index];
        let calls: Vec<ToolCall> = calls.iter().map(read).collect();
        let made = Message::from_tool_call(calls, text.as_deref());
        made.ok().map(|made| tree(&made))
    });
}

#[test]
fn the_texts_of_a_message() {
    let messages = samples(&theirs::block_message(), 500);
    let requests = ask("content", "message", &messages);
    oracle("content").agrees(&requests, |index| {
        Some(read::<Message>(&messages[index]).content().into())
    });
}
