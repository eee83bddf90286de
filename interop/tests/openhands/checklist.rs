//! Every member of every type, of the library's and of those that it carries,
//! is a typed field of ours.

use crate::support::oracle::Oracle;
use agentwire_interop::openhands::{
    ImageContent, Message, MessageToolCall, ReasoningItem, RedactedThinking, TextContent, Thinking,
};
use agentwire_interop::{chat, responses};
use agentwire_protocol::Untyped;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// What a type of ours makes of an object, and what of it it does not know.
type Check = fn(&Value) -> (Value, Vec<String>);

fn check<T: DeserializeOwned + Serialize + Untyped>(sample: &Value) -> (Value, Vec<String>) {
    let read: T = serde_json::from_str(&sample.to_string()).unwrap();
    (serde_json::to_value(&read).unwrap(), read.untyped())
}

/// A type of theirs, ours that reads it, and an object with all its members.
struct Entry {
    library: &'static str,
    name: &'static str,
    check: Check,
    sample: Value,
}

fn entry<T: DeserializeOwned + Serialize + Untyped>(
    library: &'static str,
    name: &'static str,
    sample: Value,
) -> Entry {
    Entry {
        library,
        name,
        check: check::<T>,
        sample,
    }
}

fn cache() -> Value {
    json!({"type": "ephemeral", "ttl": "5m"})
}

fn openhands() -> Vec<Entry> {
    let text = json!({"cache_prompt": true, "type": "text", "text": "hi"});
    let image = json!({"cache_prompt": false, "type": "image", "image_urls": ["u"]});
    let call = json!({
        "id": "1", "responses_item_id": "fc_1", "name": "bash", "arguments": "{}",
        "origin": "completion",
    });
    let thinking = json!({"type": "thinking", "thinking": "so", "signature": "s"});
    let redacted = json!({"type": "redacted_thinking", "data": "x"});
    let reasoning = json!({
        "id": "rs_1", "summary": ["a"], "content": ["b"], "encrypted_content": "c",
        "status": "completed",
    });
    let message = json!({
        "role": "assistant", "content": [text, image], "tool_calls": [call], "tool_call_id": "1",
        "name": "bash", "reasoning_content": "so", "thinking_blocks": [thinking, redacted],
        "responses_reasoning_item": reasoning,
    });
    vec![
        entry::<Message>("openhands", "Message", message),
        entry::<MessageToolCall>("openhands", "MessageToolCall", call),
        entry::<TextContent>("openhands", "TextContent", text),
        entry::<ImageContent>("openhands", "ImageContent", image),
        entry::<Thinking>("openhands", "ThinkingBlock", thinking),
        entry::<RedactedThinking>("openhands", "RedactedThinkingBlock", redacted),
        entry::<ReasoningItem>("openhands", "ReasoningItemModel", reasoning),
    ]
}

/// Members of old messages: these objects have some that are not old as well.
fn old_openhands() -> Vec<Entry> {
    let message = json!({
        "role": "user", "cache_enabled": true, "vision_enabled": true,
        "function_calling_enabled": true, "force_string_serializer": false,
        "send_reasoning_content": false,
    });
    let text = json!({"text": "hi", "enable_truncation": true});
    vec![
        entry::<Message>("old_openhands", "Message", message),
        entry::<TextContent>("old_openhands", "TextContent", text),
    ]
}

fn chat() -> Vec<Entry> {
    let text = json!({"type": "text", "text": "hi", "cache_control": cache()});
    let image_url = json!({"url": "u", "detail": "auto", "format": "image/png"});
    let image = json!({"type": "image_url", "image_url": image_url});
    let video_url = json!({"url": "u", "detail": "low"});
    let video = json!({"type": "video_url", "video_url": video_url});
    let audio = json!({
        "type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"},
        "prompt_cache_breakpoint": {"mode": "explicit"},
    });
    let file = json!({
        "file_data": "data:,", "file_id": "f", "filename": "a.pdf", "format": "application/pdf",
        "detail": "high", "video_metadata": {"fps": 1},
    });
    let file_part = json!({"type": "file", "file": file});
    let document = json!({
        "type": "document", "title": "t", "context": "c", "citations": {"enabled": true},
        "source": {"type": "text", "media_type": "text/plain", "data": "d"},
    });
    let reference = json!({"type": "tool_reference", "tool_name": "Read"});
    let function = json!({
        "name": "bash", "arguments": "{}", "provider_specific_fields": {"x": 1},
    });
    let call = json!({"id": "1", "type": "function", "function": function});
    let thinking = json!({
        "type": "thinking", "thinking": "so", "signature": "s", "cache_control": cache(),
    });
    let redacted = json!({"type": "redacted_thinking", "data": "x", "cache_control": cache()});
    let summary = json!({"type": "summary_text", "text": "a"});
    let reasoning = json!({
        "type": "reasoning", "id": "rs_1", "encrypted_content": "e", "summary": [summary],
    });
    let annotation = json!({"type": "url_citation", "url_citation": {
        "start_index": 0, "end_index": 1, "title": "t", "url": "u",
    }});
    let said = |role| {
        json!({
            "role": role, "content": [text], "name": "n", "cache_control": cache(),
        })
    };
    let user = json!({
        "role": "user", "content": [text, image, audio, document, video, file_part],
        "cache_control": cache(),
    });
    let assistant = json!({
        "role": "assistant", "content": [text, thinking, redacted, image], "name": "n",
        "tool_calls": [call], "function_call": function, "reasoning_content": "so",
        "cache_control": cache(), "thinking_blocks": [thinking, redacted],
        "reasoning_items": [reasoning],
    });
    let response = json!({
        "role": "assistant", "content": "hi", "annotations": [annotation], "tool_calls": [call],
        "function_call": function, "provider_specific_fields": {"x": 1},
        "reasoning_content": "so", "thinking_blocks": [thinking],
    });
    let litellm = json!({
        "role": "assistant", "content": null, "tool_calls": [call], "function_call": function,
        "audio": {"id": "a"}, "images": [image], "reasoning_content": "so",
        "thinking_blocks": [redacted], "reasoning_items": [reasoning],
        "provider_specific_fields": {"x": 1}, "annotations": [annotation],
    });
    let tool = json!({"role": "tool", "content": [text, image, reference], "tool_call_id": "1"});
    let function_message = json!({
        "role": "function", "content": "42", "name": "f", "tool_call_id": "1",
    });
    use chat::{Message, Part};
    vec![
        entry::<Message>("chat", "ChatCompletionAssistantMessage", assistant),
        entry::<chat::ToolCall>("chat", "ChatCompletionAssistantToolCall", call),
        entry::<Part>("chat", "ChatCompletionAudioObject", audio),
        entry::<Message>("chat", "ChatCompletionDeveloperMessage", said("developer")),
        entry::<Part>("chat", "ChatCompletionDocumentObject", document),
        entry::<Part>("chat", "ChatCompletionFileObject", file_part),
        entry::<chat::File>("chat", "ChatCompletionFileObjectFile", file),
        entry::<Message>("chat", "ChatCompletionFunctionMessage", function_message),
        entry::<Part>("chat", "ChatCompletionImageObject", image),
        entry::<chat::ImageUrl>("chat", "ChatCompletionImageUrlObject", image_url),
        entry::<chat::ReasoningItem>("chat", "ChatCompletionReasoningItem", reasoning),
        entry::<chat::SummaryText>("chat", "ChatCompletionReasoningSummaryTextBlock", summary),
        entry::<chat::ThinkingBlock>("chat", "ChatCompletionRedactedThinkingBlock", redacted),
        entry::<Message>("chat", "ChatCompletionResponseMessage", response),
        entry::<Message>("chat", "ChatCompletionSystemMessage", said("system")),
        entry::<Part>("chat", "ChatCompletionTextObject", text),
        entry::<chat::ThinkingBlock>("chat", "ChatCompletionThinkingBlock", thinking),
        entry::<chat::FunctionCall>("chat", "ChatCompletionToolCallFunctionChunk", function),
        entry::<Message>("chat", "ChatCompletionToolMessage", tool),
        entry::<Part>("chat", "ChatCompletionToolReferenceObject", reference),
        entry::<Message>("chat", "ChatCompletionUserMessage", user),
        entry::<Part>("chat", "ChatCompletionVideoObject", video),
        entry::<chat::VideoUrl>("chat", "ChatCompletionVideoUrlObject", video_url),
        entry::<Message>("litellm", "Message", litellm),
    ]
}

fn responses() -> Vec<Entry> {
    let mark = json!({"mode": "explicit"});
    let text = json!({"type": "input_text", "text": "hi", "prompt_cache_breakpoint": mark});
    let image = json!({
        "type": "input_image", "image_url": "u", "file_id": "f", "detail": "auto",
        "prompt_cache_breakpoint": mark,
    });
    let file = json!({
        "type": "input_file", "file_data": "data:,", "file_id": "f", "file_url": "u",
        "filename": "a.pdf", "detail": "low", "prompt_cache_breakpoint": mark,
    });
    let output_text = json!({
        "type": "output_text", "text": "hi", "annotations": [{"type": "file_path"}],
        "logprobs": [{"token": "hi"}],
    });
    let refusal = json!({"type": "refusal", "refusal": "no"});
    let easy = json!({
        "type": "message", "role": "user", "content": [text, image, file], "phase": "commentary",
    });
    let message = json!({
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [output_text, refusal], "phase": "final_answer",
    });
    let call = json!({
        "type": "function_call", "id": "fc_1", "call_id": "1", "name": "bash", "arguments": "{}",
        "namespace": "n", "status": "completed", "caller": {"type": "direct"},
    });
    let output = json!({
        "type": "function_call_output", "id": "o", "call_id": "1", "output": [text, image, file],
        "name": "bash", "namespace": "n", "status": "completed", "caller": {"type": "direct"},
    });
    let reasoning = json!({
        "type": "reasoning", "id": "rs_1", "encrypted_content": "e", "status": "completed",
        "summary": [{"type": "summary_text", "text": "a"}],
        "content": [{"type": "reasoning_text", "text": "b"}],
    });
    use responses::{Item, Part};
    vec![
        entry::<Item>("responses", "EasyInputMessageParam", easy),
        entry::<Item>("responses", "ResponseOutputMessageParam", message),
        entry::<Item>("responses", "ResponseFunctionToolCallParam", call),
        entry::<Item>("responses", "FunctionCallOutput", output),
        entry::<Item>("responses", "ResponseReasoningItemParam", reasoning),
        entry::<Part>("responses", "ResponseInputTextParam", text),
        entry::<Part>("responses", "ResponseInputImageParam", image),
        entry::<Part>("responses", "ResponseInputFileParam", file),
        entry::<Part>("responses", "ResponseOutputTextParam", output_text),
        entry::<Part>("responses", "ResponseOutputRefusalParam", refusal),
    ]
}

fn entries() -> Vec<Entry> {
    let all = [openhands(), old_openhands(), chat(), responses()];
    all.into_iter().flatten().collect()
}

#[test]
fn every_member_is_a_typed_field() {
    for Entry {
        library,
        name,
        check,
        sample,
    } in entries()
    {
        let (written, untyped) = check(&sample);
        assert_eq!(untyped, Vec::<String>::new(), "{library} {name}");
        assert_eq!(written, sample, "{library} {name}");
    }
}

/// The samples above have the members that the libraries' types have, and no
/// others.
#[test]
fn the_list_is_the_libraries_own() {
    let mut ours: Map<String, Value> = Map::new();
    for Entry {
        library,
        name,
        sample,
        ..
    } in entries()
    {
        let members = sample.as_object().unwrap().keys();
        let is_wanted = |member: &&String| {
            library != "old_openhands" || !["role", "text"].contains(&member.as_str())
        };
        let mut members: Vec<&String> = members.filter(is_wanted).collect();
        members.sort();
        let types = ours.entry(library).or_insert_with(|| json!({}));
        types[name] = json!(members);
    }
    let oracle = Oracle {
        library: "openhands",
        record: "schema",
    };
    oracle.agrees(&[json!({"op": "schema"})], |_| Some(ours.clone().into()));
}
