//! OpenAI's Responses API.

use super::super::message::{Block, Content, Event, Message};
use serde_json::{Value, json};

/// Returns the input of a request in the form of the Messages API.
pub(super) fn messages(body: &Value) -> Vec<Value> {
    let Some(items) = body["input"].as_array() else {
        return vec![json!({ "role": "user", "content": body["input"] })];
    };
    items.iter().map(message).collect()
}

fn message(item: &Value) -> Value {
    let kind = item["type"].as_str().unwrap_or("message");
    if kind == "message" {
        return json!({ "role": item["role"], "content": blocks(&item["content"]) });
    }
    if kind.ends_with("_output") {
        let result = json!({ "type": "tool_result", "content": blocks(&item["output"]) });
        return json!({ "role": "user", "content": [result] });
    }
    // Reasoning and calls.
    json!({ "role": "assistant", "content": [] })
}

fn blocks(content: &Value) -> Value {
    let Value::Array(blocks) = content else {
        return content.clone();
    };
    let convert = |block: &Value| match &block["text"] {
        Value::Null => json!({ "type": "media" }),
        text => json!({ "type": "text", "text": text }),
    };
    blocks.iter().map(convert).collect()
}

/// The tools of a request that are called in a way of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct DeclaredTools {
    /// The tools whose input is a text, not JSON.
    custom: Vec<String>,
    /// The other tools.
    functions: Vec<String>,
}

impl DeclaredTools {
    /// Reads the tools of a request. Codex also has tools in its input.
    pub(super) fn new(body: &Value) -> Self {
        let mut declared = Self::default();
        let items = body["input"].as_array().into_iter().flatten();
        for group in items.chain([body]) {
            declared.add(group);
        }
        declared
    }

    fn add(&mut self, group: &Value) {
        for tool in group["tools"].as_array().into_iter().flatten() {
            let name = tool["name"].as_str().unwrap_or_default().to_owned();
            match tool["type"].as_str() {
                Some("custom") => self.custom.push(name),
                Some("function") => self.functions.push(name),
                _ => self.add(tool),
            }
        }
    }

    fn is_custom(&self, name: &str) -> bool {
        self.custom.iter().any(|it| it == name)
    }

    /// Returns the namespace of an MCP tool and its name there. Codex does not
    /// declare such tools, and expects the namespace apart.
    fn split<'a>(&self, name: &'a str) -> Option<(&'a str, &'a str)> {
        let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
        let is_declared = self.functions.iter().any(|it| it == name);
        (!is_declared).then(|| (&name[.."mcp__".len() + server.len()], tool))
    }
}

pub(super) fn events(message: &Message, event: Event<'_>, tools: &DeclaredTools) -> Vec<Value> {
    let item = |index, block, is_done| {
        let item = item(message, index, block, tools, is_done);
        let name = if is_done { "done" } else { "added" };
        let name = format!("response.output_item.{name}");
        json!({ "type": name, "output_index": index, "item": item })
    };
    match event {
        Event::Start => {
            let created = |name| json!({ "type": name, "response": begun(message) });
            ["response.created", "response.in_progress"]
                .map(created)
                .into()
        }
        Event::Open(index, block) => {
            let parts = Parts::new(message, index, block, tools);
            let part = parts.and_then(|parts| parts.part("added", ""));
            [item(index, block, false)]
                .into_iter()
                .chain(part)
                .collect()
        }
        Event::Piece(index, block, piece) => match Parts::new(message, index, block, tools) {
            Some(parts) if parts.has_pieces => vec![parts.text("delta", "delta", piece)],
            _ => Vec::new(),
        },
        Event::Close(index, block) => {
            let mut events = Vec::new();
            if let Some(parts) = Parts::new(message, index, block, tools) {
                let text = text_of(block, tools);
                if !parts.has_pieces {
                    events.push(parts.text("delta", "delta", &text));
                }
                events.push(parts.text("done", parts.member, &text));
                events.extend(parts.part("done", &text));
            }
            events.push(item(index, block, true));
            events
        }
        Event::End => {
            let name = format!("response.{}", status(message));
            vec![json!({ "type": name, "response": whole(message, tools) })]
        }
    }
}

/// The names of the events about the text of an item.
struct Parts {
    id: String,
    index: usize,
    /// The names of a part's events and of its index, if the item has parts.
    part: Option<(&'static str, &'static str)>,
    text: &'static str,
    /// The member with the whole text.
    member: &'static str,
    /// Whether the pieces of the block are pieces of the text.
    has_pieces: bool,
}

impl Parts {
    fn new(message: &Message, index: usize, block: &Block, tools: &DeclaredTools) -> Option<Self> {
        let content = Some(("content_part", "content_index"));
        let summary = Some(("reasoning_summary_part", "summary_index"));
        let (part, text, member) = match &block.content {
            Content::Text => (content, "output_text", "text"),
            Content::Thinking { .. } => (summary, "reasoning_summary_text", "text"),
            Content::Tool { name, .. } if tools.is_custom(name) => {
                (None, "custom_tool_call_input", "input")
            }
            Content::Tool { .. } => (None, "function_call_arguments", "arguments"),
            Content::Redacted(_) => return None,
        };
        let has_pieces = text != "custom_tool_call_input";
        let id = item_id(message, index);
        Some(Self {
            id,
            index,
            part,
            text,
            member,
            has_pieces,
        })
    }

    fn text(&self, event: &str, member: &str, text: &str) -> Value {
        let mut value = self.event(self.text, event);
        value[member] = text.into();
        value
    }

    fn part(&self, event: &str, text: &str) -> Option<Value> {
        let (name, _) = self.part?;
        let mut value = self.event(name, event);
        value["part"] = match name {
            "content_part" => output_text(text),
            _ => json!({ "type": "summary_text", "text": text }),
        };
        Some(value)
    }

    fn event(&self, name: &str, event: &str) -> Value {
        let name = format!("response.{name}.{event}");
        let mut value = json!({ "type": name, "item_id": self.id, "output_index": self.index });
        if let Some((_, index)) = self.part {
            value[index] = json!(0);
        }
        value
    }
}

pub(super) fn whole(message: &Message, tools: &DeclaredTools) -> Value {
    let mut response = begun(message);
    let blocks = message.blocks.iter().enumerate();
    let items = blocks.map(|(index, block)| item(message, index, block, tools, true));
    response["output"] = items.collect();
    response["status"] = json!(status(message));
    if status(message) == "incomplete" {
        let reason = match message.stop_reason.as_str() {
            "refusal" => "content_filter",
            _ => "max_output_tokens",
        };
        response["incomplete_details"] = json!({ "reason": reason });
    }
    let (input, output) = (message.input_tokens(), message.output_tokens());
    response["usage"] = json!({
        "input_tokens": input,
        "input_tokens_details": { "cached_tokens": message.cached_tokens() },
        "output_tokens": output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": input + output,
    });
    response
}

/// Returns a response without its output.
fn begun(message: &Message) -> Value {
    json!({
        "id": message.id_as("resp_"),
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "model": message.model,
        "output": [],
        "error": null,
        "incomplete_details": null,
        "usage": null,
    })
}

fn status(message: &Message) -> &str {
    match message.stop_reason.as_str() {
        "max_tokens" | "model_context_window_exceeded" | "refusal" => "incomplete",
        _ => "completed",
    }
}

/// Returns an item, complete or as it begins.
fn item(
    message: &Message,
    index: usize,
    block: &Block,
    tools: &DeclaredTools,
    is_done: bool,
) -> Value {
    let text = is_done.then(|| text_of(block, tools));
    let shown = text.as_deref().unwrap_or_default();
    let status = if is_done { "completed" } else { "in_progress" };
    let mut item = match &block.content {
        Content::Text => {
            let content: Vec<_> = text.iter().map(|text| output_text(text)).collect();
            json!({ "type": "message", "role": "assistant", "status": status, "content": content })
        }
        Content::Thinking { signature } => {
            let summary = |text: &String| json!({ "type": "summary_text", "text": text });
            let summary: Vec<_> = text.iter().map(summary).collect();
            json!({ "type": "reasoning", "summary": summary, "encrypted_content": signature })
        }
        Content::Redacted(data) => {
            json!({ "type": "reasoning", "summary": [], "encrypted_content": data })
        }
        Content::Tool { id, name, .. } if tools.is_custom(name) => {
            json!({ "type": "custom_tool_call", "call_id": id, "name": name, "input": shown, "status": status })
        }
        Content::Tool { id, name, .. } => {
            let mut call = json!({ "type": "function_call", "call_id": id, "name": name, "arguments": shown, "status": status });
            if let Some((group, name)) = tools.split(name) {
                call["namespace"] = group.into();
                call["name"] = name.into();
            }
            call
        }
    };
    item["id"] = item_id(message, index).into();
    item
}

fn item_id(message: &Message, index: usize) -> String {
    format!("{}_{index}", message.id_as("item_"))
}

fn output_text(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [] })
}

/// Returns the text of a block. The input of a tool without JSON is the `input`
/// of the scripted call.
fn text_of(block: &Block, tools: &DeclaredTools) -> String {
    match &block.content {
        Content::Tool { name, input, .. } if tools.is_custom(name) => {
            input["input"].as_str().unwrap_or_default().to_owned()
        }
        _ => block.text(),
    }
}
