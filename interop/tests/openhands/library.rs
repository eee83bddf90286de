//! OpenHands' own conversions, and the library's answers.

use crate::openhands::faults::explain;
use crate::openhands::theirs::{self, object};
use crate::support::oracle::{Oracle, samples};
use crate::support::tree;
use agentwire_interop::openhands::{
    ChatOptions, Content, Message, MessageToolCall, ReasoningItem, ResponsesValue, ThinkingBlock,
    content_to_str,
};
use agentwire_interop::{Compat, Encrypted, chat, responses};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(crate) const COUNT: usize = 2000;

pub(crate) fn oracle(record: &'static str) -> Oracle {
    Oracle {
        library: "openhands",
        record,
    }
}

/// The value of a request's member, as one of our types.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_str(&value.to_string()).ok()
}

/// Requests of an operation, with one member.
fn requests(op: &str, member: &str, values: impl Strategy<Value = Value>) -> Vec<Value> {
    samples(&values, COUNT)
        .into_iter()
        .map(|value| object([("op", op.into()), (member, value)]))
        .collect()
}

fn is_set(request: &Value, flag: &str) -> bool {
    request[flag] == true
}

/// A message as the library writes it: with all members.
pub(crate) fn dump(message: &Message) -> Value {
    json!({
        "role": message.role.as_str(),
        "content": message.contents().iter().map(dump_content).collect::<Vec<_>>(),
        "tool_calls": message.tool_calls.as_ref().map(|it| it.iter().map(dump_call).collect::<Vec<_>>()),
        "tool_call_id": message.tool_call_id,
        "name": message.name,
        "reasoning_content": message.reasoning_content,
        "thinking_blocks": message.thinking_blocks.iter().flatten().map(dump_block).collect::<Vec<_>>(),
        "responses_reasoning_item": message.responses_reasoning_item.as_ref().map(dump_reasoning),
    })
}

fn dump_content(content: &Content) -> Value {
    match content {
        Content::Text(it) => json!({
            "cache_prompt": it.cache_prompt == Some(true), "type": "text", "text": it.text,
        }),
        Content::Image(it) => json!({
            "cache_prompt": it.cache_prompt == Some(true), "type": "image",
            "image_urls": it.image_urls,
        }),
        other => tree(other),
    }
}

fn dump_call(call: &MessageToolCall) -> Value {
    json!({
        "id": call.id, "responses_item_id": call.responses_item_id, "name": call.name,
        "arguments": call.arguments, "origin": call.origin.as_str(),
    })
}

fn dump_block(block: &ThinkingBlock) -> Value {
    match block {
        ThinkingBlock::Thinking(it) => json!({
            "type": "thinking", "thinking": it.thinking, "signature": it.signature,
        }),
        ThinkingBlock::Redacted(it) => json!({"type": "redacted_thinking", "data": it.data}),
        other => tree(other),
    }
}

fn dump_reasoning(item: &ReasoningItem) -> Value {
    json!({
        "id": item.id,
        "summary": item.summary.as_deref().unwrap_or_default(),
        "content": item.content,
        "encrypted_content": item.encrypted_content.as_ref().map(Encrypted::reveal),
        "status": item.status,
    })
}

fn options(request: &Value) -> ChatOptions {
    let mut options = ChatOptions::default();
    options.cache_enabled = is_set(request, "cache");
    options.vision_enabled = is_set(request, "vision");
    options.function_calling_enabled = is_set(request, "fc");
    options.force_string_serializer = is_set(request, "force_string");
    options.send_reasoning_content = is_set(request, "send_reasoning");
    options
}

/// Messages, each with and without vision.
fn with_vision(op: &str) -> Vec<Value> {
    samples(&(theirs::message(), any::<bool>()), COUNT)
        .into_iter()
        .map(|(message, vision)| {
            object([
                ("op", op.into()),
                ("message", message),
                ("vision", vision.into()),
            ])
        })
        .collect()
}

#[test]
fn messages_are_read_as_the_library_reads_them() {
    let requests = requests("validate", "message", theirs::message());
    oracle("validate").agrees(&requests, |index| {
        read(&requests[index]["message"]).as_ref().map(dump)
    });
}

#[test]
fn to_chat_dict_is_the_library_s() {
    let requests = samples(&theirs::to_chat(), COUNT);
    oracle("to_chat").agrees(&requests, |index| {
        let request = &requests[index];
        let message: Message = read(&request["message"])?;
        Some(tree(&message.to_chat_dict(options(request)).ok()?))
    });
}

#[test]
fn to_responses_dict_is_the_library_s() {
    let requests = with_vision("to_responses");
    let ours = |compat| {
        let requests = &requests;
        move |index: usize| {
            let request: &Value = &requests[index];
            let message: Message = read(&request["message"])?;
            Some(tree(
                &message.to_responses_dict(is_set(request, "vision"), compat),
            ))
        }
    };
    oracle("to_responses").agrees(&requests, ours(Compat::Library));
    explain("to_responses", &requests, ours);
}

#[test]
fn to_responses_value_is_the_library_s() {
    let requests = with_vision("to_responses_value");
    oracle("to_responses_value").agrees(&requests, |index| {
        let request = &requests[index];
        let message: Message = read(&request["message"])?;
        let vision = is_set(request, "vision");
        Some(match message.to_responses_value(vision, Compat::Library) {
            ResponsesValue::Instructions(text) => text.into(),
            ResponsesValue::Items(items) => tree(&items),
        })
    });
}

#[test]
fn images_are_found_and_contents_are_told() {
    for (op, ours) in [
        (
            "contains_image",
            (|message| message.contains_image().into()) as fn(&Message) -> Value,
        ),
        ("content_to_str", |message| {
            content_to_str(&message.contents()).into()
        }),
        ("contents", |message| {
            let contents = message.contents();
            let dicts: Vec<_> = contents.iter().map(Content::to_llm_dict).collect();
            tree(&dicts)
        }),
    ] {
        let requests = requests(op, "message", theirs::message());
        oracle(op).agrees(&requests, |index| {
            read(&requests[index]["message"]).as_ref().map(ours)
        });
    }
}

#[test]
fn calls_have_the_library_s_two_forms() {
    for (op, ours) in [
        (
            "call_to_chat",
            (|call| tree(&call.to_chat_dict())) as fn(&MessageToolCall) -> Value,
        ),
        ("call_to_responses", |call| tree(&call.to_responses_dict())),
    ] {
        let requests = requests(op, "call", theirs::call());
        oracle(op).agrees(&requests, |index| {
            read(&requests[index]["call"]).as_ref().map(ours)
        });
    }
}

#[test]
fn calls_are_made_as_the_library_makes_them() {
    let chat = requests("call_from_chat", "call", theirs::chat_call());
    oracle("call_from_chat").agrees(&chat, |index| {
        let call: chat::ToolCall = read(&chat[index]["call"])?;
        let made = MessageToolCall::from_chat_tool_call(&call).ok()?;
        Some(dump_call(&made))
    });
    let responses = requests("call_from_responses", "call", theirs::responses_call());
    oracle("call_from_responses").agrees(&responses, |index| {
        let item: responses::FunctionCall = read(&responses[index]["call"])?;
        let made = MessageToolCall::from_responses_function_call(&item).ok()?;
        Some(dump_call(&made))
    });
}

#[test]
fn from_llm_chat_message_is_the_library_s() {
    let requests = requests("from_chat", "message", theirs::chat_answer());
    let ours = |compat| {
        let requests = &requests;
        move |index: usize| {
            let message: chat::Message = read(&requests[index]["message"])?;
            let made = Message::from_llm_chat_message(&message, compat);
            Some(dump(&made.ok()?))
        }
    };
    oracle("from_chat").agrees(&requests, ours(Compat::Library));
    explain("from_chat", &requests, ours);
}

fn from_responses(output: &Value, compat: Compat) -> Option<Value> {
    let items: Vec<responses::Item> = read(output)?;
    let message = Message::from_llm_responses_output(&items, compat).ok()?;
    Some(dump(&message))
}

#[test]
fn from_llm_responses_output_is_the_library_s() {
    let requests = requests("from_responses", "output", theirs::output(false));
    let ours = |compat| {
        let requests = &requests;
        move |index: usize| from_responses(&requests[index]["output"], compat)
    };
    oracle("from_responses").agrees(&requests, ours(Compat::Library));
    explain("from_responses", &requests, ours);
}

#[test]
fn from_llm_responses_output_is_the_library_s_for_typed_items() {
    let requests: Vec<Value> = samples(&theirs::output(true), COUNT)
        .into_iter()
        .map(|output| json!({"op": "from_responses", "typed": true, "output": output}))
        .collect();
    oracle("from_responses_typed").agrees(&requests, |index| {
        from_responses(&requests[index]["output"], Compat::Right)
    });
}
