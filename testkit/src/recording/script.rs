//! Turns a recorded session into a scenario that can be edited.

#[cfg(test)]
mod tests;

use super::{Entry, Said, What};
use crate::scenario::{ApiError, Scenario, Step, Streamed, ToolCall};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// Pieces that come faster than this, and tools that take less, take no time.
const AT_ONCE_MS: u64 = 20;

/// How long something goes on that was cut off, in milliseconds: longer than
/// anybody waits who wants to cut it off again.
const CUT_OFF_MS: u64 = 60_000;

/// The decision about an ask that the host did not answer.
const HELD: &str = "hold";

/// Members of an ask that its tool call does not tell.
const OF_ASKS: [&str; 2] = ["permission_suggestions", "blocked_path"];

/// What the model and the tools of a session did, as a scenario. What the host
/// did is in `host`: its `prompts` in order, and its `decisions` about tools,
/// by their names: one, if they are all the same, or a list with one for each
/// ask.
///
/// Times are kept where they matter: between pieces of text, for tools that
/// took a while, and for what was cut off, which goes on until it is cut off
/// again. What the CLI does of itself (its queue, hooks, background tasks) is
/// no part of a scenario.
#[must_use]
pub fn scenario(session: &[Entry]) -> Scenario {
    let mut script = Script::default();
    for entry in session {
        let now = (entry.t.unwrap_or(0.0) * 1000.0).max(0.0) as u64;
        match &entry.what {
            What::Sent(Said::Json(json)) => {
                script.sent(now, &json.read().unwrap_or_default());
            }
            What::Received(Said::Json(json)) => {
                script.received(now, &json.read().unwrap_or_default());
            }
            _ => {}
        }
    }
    script.finish()
}

/// What has been found so far.
#[derive(Debug, Default)]
struct Script {
    messages: Vec<Message>,
    /// When each piece of text of the block that streams came.
    pieces: Vec<(u64, String)>,
    prompts: Vec<Value>,
    /// For each ask about a tool what was decided, by the tool's name.
    decisions: BTreeMap<String, Vec<Value>>,
    /// What the agent asked about, by the id of the ask.
    asked: HashMap<String, Asked>,
}

/// An ask that has not been answered.
#[derive(Debug)]
struct Asked {
    tool_use_id: String,
    tool: String,
    /// Where its decision is among those about the tool.
    place: usize,
}

/// One reply of the model's.
#[derive(Debug, Default)]
struct Message {
    id: String,
    is_subagent: bool,
    steps: Vec<Step>,
    /// Its tools that have no result yet: where in it they are, and when they
    /// could begin.
    tools: Vec<OpenTool>,
}

#[derive(Debug)]
struct OpenTool {
    tool_use_id: String,
    step: usize,
    began: u64,
}

impl Script {
    fn sent(&mut self, now: u64, line: &Value) {
        match line["type"].as_str() {
            Some("user") => self
                .prompts
                .push(text_of(&line["message"]["content"]).into()),
            Some("control_response") => self.decided(now, &line["response"]),
            _ => {}
        }
    }

    fn received(&mut self, now: u64, line: &Value) {
        match line["type"].as_str() {
            Some("stream_event") if line["parent_tool_use_id"].is_null() => {
                self.streamed(now, &line["event"]);
            }
            Some("assistant") => self.spoke(now, line),
            Some("user") => {
                for block in line["message"]["content"].as_array().into_iter().flatten() {
                    if block["type"] == "tool_result" {
                        self.tool_ended(now, block);
                    }
                }
            }
            Some("control_request") => self.asks(line),
            Some("result") => self.turn_ended(line),
            _ => {}
        }
    }

    fn streamed(&mut self, now: u64, event: &Value) {
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

    /// A message of the model's, which comes once for each of its blocks.
    fn spoke(&mut self, now: u64, line: &Value) {
        let message = &line["message"];
        let text = text_of(&message["content"]);
        if message["model"] == "<synthetic>" {
            // What the CLI says in the model's place; an error is told by the
            // result as well.
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
                        began: now,
                    });
                    let mut call = ToolCall {
                        name: text("name").to_owned(),
                        input: block["input"].clone(),
                        result: String::new(),
                        is_error: false,
                        takes_ms: 0,
                        ask: false,
                        question: Value::Null,
                        writes: false,
                        gate: None,
                    };
                    if call.input.is_null() {
                        call.input = json!({});
                    }
                    reply.steps.push(Step::Tool(call));
                }
                _ => {}
            }
        }
    }

    /// The reply with this id, which may be a new one.
    fn message(&mut self, id: &Value, is_subagent: bool) -> &mut Message {
        let id = id.as_str().unwrap_or_default();
        let place = self.messages.iter().rposition(|message| message.id == id);
        let place = place.unwrap_or_else(|| {
            self.messages.push(Message {
                id: id.to_owned(),
                is_subagent,
                ..Message::default()
            });
            self.messages.len() - 1
        });
        &mut self.messages[place]
    }

    fn asks(&mut self, line: &Value) {
        let request = &line["request"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match request["subtype"].as_str() {
            Some("can_use_tool") => {
                let (tool_use_id, tool) =
                    (text(&request["tool_use_id"]), text(&request["tool_name"]));
                let decisions = self.decisions.entry(tool.clone()).or_default();
                let place = decisions.len();
                decisions.push(HELD.into());
                let asked = Asked {
                    tool_use_id: tool_use_id.clone(),
                    tool,
                    place,
                };
                self.asked.insert(text(&line["request_id"]), asked);
                let members = OF_ASKS.iter().filter_map(|name| {
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

    /// The host has decided about a tool: from now on it runs.
    fn decided(&mut self, now: u64, response: &Value) {
        let id = response["request_id"].as_str().unwrap_or_default();
        let Some(asked) = self.asked.remove(id) else {
            return;
        };
        let mut input = Value::Null;
        if let Some((call, began)) = self.open_tool(&asked.tool_use_id) {
            *began = now;
            input = call.input.clone();
        }
        let decisions = self.decisions.get_mut(&asked.tool);
        if let Some(place) = decisions.and_then(|it| it.get_mut(asked.place)) {
            *place = decision(response, &input);
        }
    }

    fn tool_ended(&mut self, now: u64, block: &Value) {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        if let Some((call, began)) = self.open_tool(id) {
            let took = now.saturating_sub(*began);
            call.takes_ms = if took < AT_ONCE_MS { 0 } else { took };
            call.result = text_of(&block["content"]);
            call.is_error = block["is_error"] == true;
        }
        if let Some((message, place)) = self.find_tool(id) {
            message.tools.remove(place);
        }
    }

    fn turn_ended(&mut self, line: &Value) {
        self.pieces.clear();
        let Some(message) = self.messages.iter_mut().rev().find(|it| !it.is_subagent) else {
            return;
        };
        match line["terminal_reason"].as_str() {
            Some("aborted_streaming") => message.steps.push(Step::WaitMs(CUT_OFF_MS)),
            // The tools that were cut off have a result, which says so.
            Some("aborted_tools") if line["is_error"] == true => {
                if let Some(Step::Tool(call)) = message.steps.last_mut() {
                    call.takes_ms = CUT_OFF_MS;
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
            let place = tools.position(|tool| tool.tool_use_id == tool_use_id)?;
            Some((message, place))
        })
    }

    /// A tool that has no result, and when it could begin.
    fn open_tool(&mut self, tool_use_id: &str) -> Option<(&mut ToolCall, &mut u64)> {
        let (message, place) = self.find_tool(tool_use_id)?;
        let tool = &mut message.tools[place];
        match &mut message.steps[tool.step] {
            Step::Tool(call) => Some((call, &mut tool.began)),
            _ => None,
        }
    }

    fn finish(self) -> Scenario {
        let mut scenario = Scenario {
            about: Some("From a recording.".to_owned()),
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

/// What the host decided about a tool, as the scenarios of this project have
/// it.
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

/// The decision, if all are the same.
fn one_or_all(mut decisions: Vec<Value>) -> Value {
    let first = decisions.first();
    if decisions.iter().all(|it| Some(it) == first) {
        return decisions.pop().unwrap_or_default();
    }
    decisions.into()
}

/// A text in the pieces in which it came, if there are any.
fn streamed(pieces: &[(u64, String)], text: &str) -> Streamed {
    let chunks: Vec<String> = pieces.iter().map(|(_, piece)| piece.clone()).collect();
    let ([(first, _), ..], [.., (last, _)]) = (pieces, pieces) else {
        return Streamed::Words(text.to_owned());
    };
    let words = Streamed::Words(chunks.concat());
    let delay_ms = last.saturating_sub(*first) / (pieces.len() as u64 - 1).max(1);
    let is_at_once = delay_ms < AT_ONCE_MS;
    if is_at_once && words.chunks() == chunks {
        return words;
    }
    Streamed::Chunks {
        chunks,
        delay_ms: if is_at_once { 0 } else { delay_ms },
    }
}

/// The error of the model's server, from what the CLI made of it. The result
/// has the status, where there was one.
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

/// The text of some content, which may be a list of blocks.
fn text_of(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    content
        .as_str()
        .map_or_else(|| texts.join("\n"), str::to_owned)
}
