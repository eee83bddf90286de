//! Tests that every member of the libraries' types is typed. `members.json` contains objects
//! with all members. The oracles compare it with the libraries.

use agentwire_interop::{bridgic, chat, cua, openhands, responses};
use agentwire_protocol::Untyped;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

fn samples() -> Map<String, Value> {
    serde_json::from_str(include_str!("members.json")).unwrap()
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap()
}

/// Returns the samples of a type: one sample, or one for each variant.
fn variants(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

/// Returns the members of the types of a library, in the form of its oracle.
pub(crate) fn ours(library: &str) -> Value {
    let groups = samples().remove(library).unwrap();
    let groups = object(&groups).iter().map(|(group, types)| {
        let types = object(types).iter().map(|(name, value)| {
            let mut members = Vec::new();
            for value in variants(value) {
                names(value, group == "documented", &mut members);
            }
            // Other types than the old messages also have these members.
            members.retain(|it| group != "old_openhands" || it != "role" && it != "text");
            members.sort();
            members.dedup();
            (name.clone(), members.into())
        });
        (group.clone(), Value::Object(types.collect()))
    });
    Value::Object(groups.collect())
}

/// Adds the names of an object's members. If `deep`, also adds those of the objects in it.
fn names(value: &Value, deep: bool, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                found.push(name.clone());
                if deep {
                    names(value, deep, found);
                }
            }
        }
        Value::Array(items) if deep => items.iter().for_each(|item| names(item, deep, found)),
        _ => {}
    }
}

/// Reads a value as a type that must know all of its members.
fn typed<T: DeserializeOwned + Serialize + Untyped>(value: &Value) {
    let read: T = serde_json::from_str(&value.to_string()).unwrap();
    let mut untyped = read.untyped();
    // These objects may have any members.
    untyped.retain(|path| !path.ends_with("/extras"));
    assert_eq!(untyped, Vec::<String>::new(), "{value}");
    assert_eq!(serde_json::to_value(&read).unwrap(), *value);
}

#[test]
fn every_member_is_a_typed_field() {
    for (library, groups) in samples() {
        for (group, types) in object(&groups) {
            for (name, value) in object(types) {
                let check = check(&library, group, name);
                variants(value).iter().for_each(check);
            }
        }
    }
}

fn check(library: &str, group: &str, name: &str) -> fn(&Value) {
    match (library, group, name.trim_start_matches("ChatCompletion")) {
        (_, "openhands" | "old_openhands", "Message") => typed::<openhands::Message>,
        (_, _, "MessageToolCall") => typed::<openhands::MessageToolCall>,
        (_, _, "TextContent") => typed::<openhands::TextContent>,
        (_, _, "ImageContent") => typed::<openhands::ImageContent>,
        (_, "openhands", "ThinkingBlock") => typed::<openhands::Thinking>,
        (_, "openhands", "RedactedThinkingBlock") => typed::<openhands::RedactedThinking>,
        (_, _, "ReasoningItemModel") => typed::<openhands::ReasoningItem>,
        (_, "chat", "AssistantToolCall") => typed::<chat::ToolCall>,
        (_, "chat", "FileObjectFile") => typed::<chat::File>,
        (_, "chat", "ImageUrlObject") => typed::<chat::ImageUrl>,
        (_, "chat", "VideoUrlObject") => typed::<chat::VideoUrl>,
        (_, "chat", "ReasoningItem") => typed::<chat::ReasoningItem>,
        (_, "chat", "ReasoningSummaryTextBlock") => typed::<chat::SummaryText>,
        (_, "chat", "ThinkingBlock" | "RedactedThinkingBlock") => typed::<chat::ThinkingBlock>,
        (_, "chat", "ToolCallFunctionChunk") => typed::<chat::FunctionCall>,
        (_, "chat", name) if name.ends_with("Object") => typed::<chat::Part>,
        (_, "chat" | "litellm", _) => typed::<chat::Message>,
        (_, "responses", "EasyInputMessageParam") => typed::<responses::Item>,
        (_, "responses", name) if name.starts_with("ResponseInput") => typed::<responses::Part>,
        (_, "responses", "ResponseOutputTextParam" | "ResponseOutputRefusalParam") => {
            typed::<responses::Part>
        }
        (_, "responses", _) => typed::<responses::Item>,
        (_, "openai_actions", "ActionDragPath") => typed::<cua::Point>,
        (_, "openai_actions", _) => typed::<cua::Action>,
        ("cua", _, _) => typed::<cua::Item>,
        (_, _, "SystemMessage") => typed::<bridgic::SystemMessage>,
        (_, _, "UserTextMessage") => typed::<bridgic::UserTextMessage>,
        (_, _, "AssistantTextMessage") => typed::<bridgic::AssistantTextMessage>,
        (_, _, "ToolMessage") => typed::<bridgic::ToolMessage>,
        (_, _, "FunctionToolCall") => typed::<bridgic::FunctionToolCall>,
        (_, _, "Function") => typed::<bridgic::Function>,
        (_, _, "Message") => typed::<bridgic::Message>,
        (_, _, "TextBlock") => typed::<bridgic::TextBlock>,
        (_, _, "ToolCallBlock") => typed::<bridgic::ToolCallBlock>,
        (_, _, "ToolResultBlock") => typed::<bridgic::ToolResultBlock>,
        (_, _, "ToolCall") => typed::<bridgic::ToolCall>,
        (_, _, "Tool") => typed::<bridgic::Tool>,
        (_, _, "Response") => typed::<bridgic::Response>,
        (_, _, "MessageChunk") => typed::<bridgic::MessageChunk>,
        (_, _, "TokenUsage") => typed::<bridgic::TokenUsage>,
        _ => panic!("{library} {group} {name}"),
    }
}
