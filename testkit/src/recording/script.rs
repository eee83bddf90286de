//! Converts a recorded session to an editable scenario.

#[cfg(test)]
mod tests;

use super::{Entry, EntryKind, RecordedLine};
use crate::scenario::{ApiError, Scenario, Step, Streamed, ToolCall};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// Delays between chunks and durations of tools that are shorter than this
/// count as zero.
const NEGLIGIBLE_MS: u64 = 20;

/// The duration in milliseconds of an interrupted action. It is longer than any
/// host waits before the interrupt.
const INTERRUPTED_MS: u64 = 60_000;

/// The decision for a permission request without a response.
const NO_RESPONSE: &str = "hold";

/// Members of a permission request that its tool call does not contain.
const REQUEST_MEMBERS: [&str; 2] = ["permission_suggestions", "blocked_path"];

/// Returns the replies of the model and the results of the tools of a session as
/// a scenario. `host` contains the host's `prompts` in order and its `decisions`
/// by tool name: one decision if all are the same, otherwise a list with one for
/// each request.
///
/// Delays between chunks and durations of slow tools are preserved. An
/// interrupted action lasts until it is interrupted again. The CLI's own
/// behavior (its queue, hooks, background tasks) is not part of a scenario.
#[must_use]
pub fn scenario(session: &[Entry]) -> Scenario {
    let mut script = Script::default();
    for entry in session {
        let now = (entry.t.unwrap_or(0.0) * 1000.0).max(0.0) as u64;
        match &entry.kind {
            EntryKind::Sent(RecordedLine::Json(json)) => {
                script.add_sent(now, &json.read().unwrap_or_default());
            }
            EntryKind::Received(RecordedLine::Json(json)) => {
                script.add_received(now, &json.read().unwrap_or_default());
            }
            _ => {}
        }
    }
    script.finish()
}

/// The scenario under construction.
#[derive(Debug, Default)]
struct Script {
    messages: Vec<Message>,
    /// The time and text of each chunk of the current block.
    pieces: Vec<(u64, String)>,
    prompts: Vec<Value>,
    /// The decisions for each tool, in the order of the requests.
    decisions: BTreeMap<String, Vec<Value>>,
    /// The pending permission requests, by ID.
    pending: HashMap<String, PendingRequest>,
}

/// A pending permission request.
#[derive(Debug)]
struct PendingRequest {
    tool_use_id: String,
    tool: String,
    /// The index of the decision among those for the tool.
    index: usize,
}

/// A reply of the model.
#[derive(Debug, Default)]
struct Message {
    id: String,
    is_subagent: bool,
    steps: Vec<Step>,
    /// The tools without a result.
    tools: Vec<OpenTool>,
}

#[derive(Debug)]
struct OpenTool {
    tool_use_id: String,
    step: usize,
    started: u64,
}

impl Script {
    fn add_sent(&mut self, now: u64, line: &Value) {
        match line["type"].as_str() {
            Some("user") => self
                .prompts
                .push(text_of(&line["message"]["content"]).into()),
            Some("control_response") => self.add_decision(now, &line["response"]),
            _ => {}
        }
    }

    fn add_received(&mut self, now: u64, line: &Value) {
        match line["type"].as_str() {
            Some("stream_event") if line["parent_tool_use_id"].is_null() => {
                self.add_stream_event(now, &line["event"]);
            }
            Some("assistant") => self.add_message(now, line),
            Some("user") => {
                for block in line["message"]["content"].as_array().into_iter().flatten() {
                    if block["type"] == "tool_result" {
                        self.end_tool(now, block);
                    }
                }
            }
            Some("control_request") => self.add_request(line),
            Some("result") => self.end_turn(line),
            _ => {}
        }
    }

    fn add_stream_event(&mut self, now: u64, event: &Value) {
        match event["type"].as_str() {
            Some("message_start") => {
                self.message(&event["message"]["id"], false);
            }
            Some("content_block_start") => self.pieces.clear(),
            Some("content_block_delta") => {
                let delta = &event["delta"];
                let piece = delta["text"].as_str().or(delta["thinking"].as_str());
                self.pieces
                    .extend(piece.map(|piece| (now, piece.to_owned())));
            }
            _ => {}
        }
    }

    /// Adds a message of the model, which has one line for each of its blocks.
    fn add_message(&mut self, now: u64, line: &Value) {
        let message = &line["message"];
        let text = text_of(&message["content"]);
        if message["model"] == "<synthetic>" {
            // The CLI itself wrote this message. The result repeats its error.
            if line["error"].is_string() {
                let error = Step::Error(api_error(line["error"].as_str(), &text));
                self.message(&message["id"], false).steps = vec![error];
            }
            return;
        }
        let is_subagent = !line["parent_tool_use_id"].is_null();
        let pieces = if is_subagent {
            Vec::new()
        } else {
            std::mem::take(&mut self.pieces)
        };
        let reply = self.message(&message["id"], is_subagent);
        for block in message["content"].as_array().into_iter().flatten() {
            let text = |key: &str| block[key].as_str().unwrap_or_default();
            match text("type") {
                "text" => reply
                    .steps
                    .push(Step::Text(streamed(&pieces, text("text")))),
                "thinking" => {
                    let thought = streamed(&pieces, text("thinking"));
                    reply.steps.push(Step::Thinking(thought.into()));
                }
                "tool_use" => {
                    reply.tools.push(OpenTool {
                        tool_use_id: text("id").to_owned(),
                        step: reply.steps.len(),
                        started: now,
                    });
                    let mut call = ToolCall::new(text("name"), block["input"].clone(), "");
                    call.ask = false;
                    if call.input.is_null() {
                        call.input = json!({});
                    }
                    reply.steps.push(Step::Tool(call));
                }
                _ => {}
            }
        }
    }

    /// Returns the reply with this ID, and creates it if it is new.
    fn message(&mut self, id: &Value, is_subagent: bool) -> &mut Message {
        let id = id.as_str().unwrap_or_default();
        let index = self.messages.iter().rposition(|message| message.id == id);
        let index = index.unwrap_or_else(|| {
            self.messages.push(Message {
                id: id.to_owned(),
                is_subagent,
                ..Message::default()
            });
            self.messages.len() - 1
        });
        &mut self.messages[index]
    }

    fn add_request(&mut self, line: &Value) {
        let request = &line["request"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match request["subtype"].as_str() {
            Some("can_use_tool") => {
                let (tool_use_id, tool) =
                    (text(&request["tool_use_id"]), text(&request["tool_name"]));
                let decisions = self.decisions.entry(tool.clone()).or_default();
                let index = decisions.len();
                decisions.push(NO_RESPONSE.into());
                let pending = PendingRequest {
                    tool_use_id: tool_use_id.clone(),
                    tool,
                    index,
                };
                self.pending.insert(text(&line["request_id"]), pending);
                let members = REQUEST_MEMBERS.iter().filter_map(|name| {
                    let value = request.get(*name)?;
                    Some(((*name).to_owned(), value.clone()))
                });
                let question: Map<_, _> = members.collect();
                if let Some((call, _)) = self.open_tool(&tool_use_id) {
                    call.ask = true;
                    if !question.is_empty() {
                        call.question = question.into();
                    }
                }
            }
            Some("elicitation" | "request_user_dialog") => {
                if let Some(message) = self.messages.last_mut() {
                    message.steps.push(Step::Ask(request.clone()));
                }
            }
            _ => {}
        }
    }

    /// Records the host's decision about a tool, which then starts.
    fn add_decision(&mut self, now: u64, response: &Value) {
        let id = response["request_id"].as_str().unwrap_or_default();
        let Some(request) = self.pending.remove(id) else {
            return;
        };
        let mut input = Value::Null;
        if let Some((call, started)) = self.open_tool(&request.tool_use_id) {
            *started = now;
            input = call.input.clone();
        }
        let decisions = self.decisions.get_mut(&request.tool);
        if let Some(slot) = decisions.and_then(|list| list.get_mut(request.index)) {
            *slot = decision(response, &input);
        }
    }

    fn end_tool(&mut self, now: u64, block: &Value) {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        if let Some((call, started)) = self.open_tool(id) {
            let took = now.saturating_sub(*started);
            call.takes_ms = if took < NEGLIGIBLE_MS { 0 } else { took };
            call.result = text_of(&block["content"]);
            call.is_error = block["is_error"] == true;
        }
        if let Some((message, index)) = self.find_tool(id) {
            message.tools.remove(index);
        }
    }

    fn end_turn(&mut self, line: &Value) {
        self.pieces.clear();
        let Some(message) = self.messages.iter_mut().rev().find(|it| !it.is_subagent) else {
            return;
        };
        match line["terminal_reason"].as_str() {
            Some("aborted_streaming") => message.steps.push(Step::WaitMs(INTERRUPTED_MS)),
            // Interrupted tools have a result with an error.
            Some("aborted_tools") if line["is_error"] == true => {
                if let Some(Step::Tool(call)) = message.steps.last_mut() {
                    call.takes_ms = INTERRUPTED_MS;
                }
            }
            Some("api_error") => {
                if let (Some(Step::Error(error)), Some(status)) =
                    (message.steps.last_mut(), line["api_error_status"].as_u64())
                {
                    error.status = u16::try_from(status).unwrap_or(error.status);
                }
            }
            _ => {}
        }
    }

    fn find_tool(&mut self, tool_use_id: &str) -> Option<(&mut Message, usize)> {
        self.messages.iter_mut().rev().find_map(|message| {
            let mut tools = message.tools.iter();
            let index = tools.position(|tool| tool.tool_use_id == tool_use_id)?;
            Some((message, index))
        })
    }

    /// Returns a tool without a result, and its start time.
    fn open_tool(&mut self, tool_use_id: &str) -> Option<(&mut ToolCall, &mut u64)> {
        let (message, index) = self.find_tool(tool_use_id)?;
        let tool = &mut message.tools[index];
        match &mut message.steps[tool.step] {
            Step::Tool(call) => Some((call, &mut tool.started)),
            _ => None,
        }
    }

    fn finish(self) -> Scenario {
        let mut scenario = Scenario {
            about: Some("Converted from a recording.".to_owned()),
            ..Scenario::default()
        };
        for message in self.messages {
            if message.is_subagent {
                scenario.subagents.push(message.steps.into());
            } else {
                scenario.replies.push(message.steps.into());
            }
        }
        let mut host = Map::new();
        host.insert("prompts".to_owned(), self.prompts.into());
        if !self.decisions.is_empty() {
            let decisions = self.decisions.into_iter();
            let decisions = decisions.map(|(tool, each)| (tool, one_or_all(each)));
            host.insert("decisions".to_owned(), decisions.collect());
        }
        scenario.host = Some(host.into());
        scenario
    }
}

/// Returns the host's decision about a tool, in the form of a scenario.
fn decision(response: &Value, input: &Value) -> Value {
    let answer = &response["response"];
    match (response["subtype"].as_str(), answer["behavior"].as_str()) {
        (Some("error"), _) => json!({"fail": response["error"]}),
        (_, Some("allow")) => match &answer["updatedInput"] {
            Value::Null => "allow".into(),
            same if same == input => "allow".into(),
            other => json!({"allow_with": other}),
        },
        (_, Some("deny")) if answer["interrupt"] == true => {
            json!({"deny_and_interrupt": answer["message"]})
        }
        (_, Some("deny")) => json!({"deny": answer["message"]}),
        _ => json!({"raw": answer}),
    }
}

/// Returns a single decision if all are the same.
fn one_or_all(mut decisions: Vec<Value>) -> Value {
    let first = decisions.first();
    if decisions.iter().all(|it| Some(it) == first) {
        return decisions.pop().unwrap_or_default();
    }
    decisions.into()
}

/// Returns a text in its recorded chunks, if there are any.
fn streamed(pieces: &[(u64, String)], text: &str) -> Streamed {
    let chunks: Vec<String> = pieces.iter().map(|(_, piece)| piece.clone()).collect();
    let ([(first, _), ..], [.., (last, _)]) = (pieces, pieces) else {
        return Streamed::Words(text.to_owned());
    };
    let words = Streamed::Words(chunks.concat());
    let delay_ms = last.saturating_sub(*first) / (pieces.len() as u64 - 1).max(1);
    let is_at_once = delay_ms < NEGLIGIBLE_MS;
    if is_at_once && words.chunks() == chunks {
        return words;
    }
    Streamed::Chunks {
        chunks,
        delay_ms: if is_at_once { 0 } else { delay_ms },
    }
}

/// Returns the error of the model's server from the CLI's message. The result
/// has the HTTP status.
fn api_error(kind: Option<&str>, text: &str) -> ApiError {
    let (status, kind) = match kind {
        Some("authentication_failed") => (401, "authentication_error"),
        Some("model_not_found") => (404, "not_found_error"),
        Some("rate_limit") => (429, "rate_limit_error"),
        Some("server_error") => (529, "overloaded_error"),
        _ => (400, "invalid_request_error"),
    };
    let prefix = format!("API Error: {status} ");
    ApiError {
        status,
        kind: kind.to_owned(),
        message: text.strip_prefix(&prefix).unwrap_or(text).to_owned(),
    }
}

/// Returns the text of content, which may be a list of blocks.
fn text_of(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    content
        .as_str()
        .map_or_else(|| texts.join("\n"), str::to_owned)
}
