//! Google's Gemini API. Redacted thinking is left out.

use super::super::message::{Block, Content, Event, Message};
use crate::scenario::ApiError;
use serde_json::{Value, json};

/// Returns the contents of a request in the form of the Messages API.
pub(super) fn messages(body: &Value) -> Vec<Value> {
    let contents = body["contents"].as_array().into_iter().flatten();
    let convert = |content: &Value| {
        let role = match content["role"].as_str() {
            Some("model") => "assistant",
            _ => "user",
        };
        let parts = content["parts"].as_array().into_iter().flatten();
        json!({ "role": role, "content": parts.map(block).collect::<Vec<_>>() })
    };
    contents.map(convert).collect()
}

fn block(part: &Value) -> Value {
    if let Some(text) = part["text"].as_str() {
        return json!({ "type": "text", "text": text });
    }
    let Some(response) = part.pointer("/functionResponse/response") else {
        return json!({ "type": "media" });
    };
    let output = ["output", "error"]
        .iter()
        .find_map(|name| response[name].as_str());
    let output = output.map_or_else(|| response.to_string(), str::to_owned);
    json!({ "type": "tool_result", "content": output })
}

pub(super) fn events(message: &Message, event: Event<'_>) -> Vec<Value> {
    match event {
        Event::Start | Event::Open(..) => Vec::new(),
        Event::Piece(_, block, piece) => match block.content {
            // A call is sent as a whole.
            Content::Tool { .. } => Vec::new(),
            _ => vec![chunk(message, vec![text(block, piece)])],
        },
        Event::Close(_, block) => match &block.content {
            Content::Tool { .. } => vec![chunk(message, parts(block))],
            Content::Thinking {
                signature: Some(signature),
            } => {
                let part = json!({ "text": "", "thought": true, "thoughtSignature": signature });
                vec![chunk(message, vec![part])]
            }
            _ => Vec::new(),
        },
        Event::End => vec![finished(message, Vec::new())],
    }
}

pub(super) fn whole(message: &Message) -> Value {
    finished(message, message.blocks.iter().flat_map(parts).collect())
}

fn finished(message: &Message, parts: Vec<Value>) -> Value {
    let mut chunk = chunk(message, parts);
    chunk["candidates"][0]["finishReason"] = json!(match message.stop_reason.as_str() {
        "end_turn" | "stop_sequence" | "tool_use" => "STOP",
        "max_tokens" | "model_context_window_exceeded" => "MAX_TOKENS",
        "refusal" => "SAFETY",
        other => other,
    });
    let (input, output) = (message.input_tokens(), message.output_tokens());
    chunk["usageMetadata"] = json!({
        "promptTokenCount": input,
        "cachedContentTokenCount": message.cached_tokens(),
        "candidatesTokenCount": output,
        "totalTokenCount": input + output,
    });
    chunk
}

fn chunk(message: &Message, parts: Vec<Value>) -> Value {
    let content = json!({ "role": "model", "parts": parts });
    json!({
        "candidates": [{ "index": 0, "content": content }],
        "modelVersion": message.model,
        "responseId": message.id_as("resp_"),
    })
}

/// Returns a whole block. Redacted thinking has no parts.
fn parts(block: &Block) -> Vec<Value> {
    match &block.content {
        Content::Redacted(_) => Vec::new(),
        Content::Tool { id, name, input } => {
            vec![json!({ "functionCall": { "id": id, "name": name, "args": input } })]
        }
        Content::Text | Content::Thinking { signature: None } => vec![text(block, &block.text())],
        Content::Thinking { signature } => {
            let mut part = text(block, &block.text());
            part["thoughtSignature"] = json!(signature);
            vec![part]
        }
    }
}

fn text(block: &Block, text: &str) -> Value {
    match block.content {
        Content::Text => json!({ "text": text }),
        _ => json!({ "text": text, "thought": true }),
    }
}

pub(super) fn error(error: &ApiError) -> Value {
    let status = match error.status {
        400 | 413 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        500 => "INTERNAL",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "UNKNOWN",
    };
    json!({ "error": { "code": error.status, "message": error.message, "status": status } })
}
