//! Requests to the scripted model, and their classification.

use super::format::{Format, gemini_call};
use super::user_content::UserContent;
use axum::http::{HeaderMap, Method, Uri};
use serde::Serialize;
use serde_json::Value;

/// The beginnings of side requests of other agents than the Claude CLI. They
/// repeat the main loop's request, or have no other mark.
const SIDE_PROMPTS: [&str; 5] = [
    // A title: OpenCode, and Codex through ACP.
    "Generate a title for this conversation",
    "Your task is to generate a very short title for a conversation",
    // A prompt suggestion, and the extraction of memories: Qwen Code.
    "[SUGGESTION MODE:",
    "Managed memory has TWO directories",
    // The review of a tool call, and its continuation: Codex.
    "The following is the Codex agent history",
];

/// A request to the scripted model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The body, if it is JSON. Old bodies are removed when all of them exceed
    /// 256 MiB.
    pub body: Option<Value>,
    /// The source of the response.
    pub answer: Answer,
    /// The index of the taken reply in
    /// [`Scenario::replies`](crate::Scenario::replies) or
    /// [`Scenario::subagents`](crate::Scenario::subagents).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
}

impl ModelRequest {
    /// Returns the number of the reply, in the order in which replies are
    /// taken, counted from 0. Retries after a permanent error have the same
    /// number.
    #[must_use]
    pub fn reply(&self) -> Option<usize> {
        match self.answer {
            Answer::Reply(number) => Some(number),
            _ => None,
        }
    }
}

/// The source of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// A reply of the script, with the number of replies taken before.
    Reply(usize),
    /// A reply of a sub-agent, with the number of such replies taken before.
    Subagent(usize),
    /// An error: no reply remains for the main loop, or the prompt has exceeded
    /// its number of requests.
    EndOfScript,
    /// A fixed text for a side request of the agent: a title, a summary for
    /// `/compact`, a side question, a prompt suggestion, a web search, a hook
    /// that calls a model, a test of a new model, a review of a tool call, or a
    /// sub-agent without a remaining reply.
    Side,
    /// A response that is not a message: a token count, a health check, or an
    /// error 400 or 404.
    Other,
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    MainLoop,
    Subagent,
    Side,
    CountTokens,
    /// A request for a message whose body is not JSON.
    NoMessage,
    Other,
}

/// The kind, format and model of the response that a request wants.
#[derive(Debug)]
pub(super) struct WantedResponse {
    pub(super) kind: Kind,
    pub(super) format: Format,
    pub(super) model: String,
    /// Whether the response is a stream of events.
    pub(super) stream: bool,
}

impl WantedResponse {
    pub(super) fn new(
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        body: Option<&Value>,
    ) -> Self {
        let path = uri.path();
        let null = Value::Null;
        let members = body.unwrap_or(&null);
        let format = Format::new(path, members);
        let gemini = gemini_call(path);
        let model = gemini.map(|(model, _)| model);
        let model = model.or_else(|| members["model"].as_str());
        let streams = |(_, method)| method == "streamGenerateContent";
        Self {
            kind: Kind::classify(method, uri, headers, &format, body),
            format,
            model: model.unwrap_or("scripted").to_owned(),
            stream: gemini.is_some_and(streams) || members["stream"] == true,
        }
    }
}

impl Kind {
    fn classify(
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        format: &Format,
        body: Option<&Value>,
    ) -> Self {
        let path = uri.path();
        let is_message = match format {
            _ if method != Method::POST => false,
            Format::Messages if path == "/v1/messages/count_tokens" => return Self::CountTokens,
            Format::Messages => path == "/v1/messages",
            Format::Chat { .. } | Format::Responses { .. } => true,
            Format::Gemini => match gemini_call(path) {
                Some((_, "countTokens")) => return Self::CountTokens,
                Some((_, "generateContent")) => true,
                Some((_, "streamGenerateContent")) => {
                    let query = uri.query().unwrap_or_default();
                    query.split('&').any(|pair| pair == "alt=sse")
                }
                _ => false,
            },
        };
        match body {
            _ if !is_message => Self::Other,
            None => Self::NoMessage,
            Some(_) if headers.contains_key("x-claude-code-agent-id") => Self::Subagent,
            Some(body) if is_main_loop(format, body) => Self::MainLoop,
            Some(_) => Self::Side,
        }
    }
}

fn is_main_loop(format: &Format, body: &Value) -> bool {
    if *format == Format::Messages {
        return is_main_loop_of_claude(body);
    }
    let forces_tool = match &body["tool_choice"] {
        Value::String(choice) => choice == "required",
        choice => choice.is_object(),
    };
    !forces_tool && !UserContent::parse(&format.read(body)).asks(&SIDE_PROMPTS)
}

/// Distinguishes requests of the Claude CLI's main loop from its side requests.
/// Sub-agents have a header.
///
/// Model, tools and system prompt do not distinguish the two kinds. A side
/// question, a suggestion and a summary repeat the main loop's request and add
/// a message, and a main loop may have no tools and any system prompt. These
/// facts do (measured on 2.1.329):
///
/// - Titles and hooks request a JSON schema. A web search selects its tool.
/// - `set_model` tests the new model with a request for a single token.
/// - 2.0.77 fills the cache for its sub-agents with a request whose prompt is
///   `Warmup`.
/// - CLIs up to 2.0.77 classify a shell command with a request without tools and
///   with a line `Command: …`.
/// - The main loop marks its new content for the cache, because its next
///   request begins with that content. A side request leaves its own message
///   uncached.
///
/// Two kinds of side requests are misclassified as main loop: a hook of the
/// type `agent`, and every side request under `DISABLE_PROMPT_CACHING=1`. A
/// client that never caches counts as a main loop.
fn is_main_loop_of_claude(body: &Value) -> bool {
    body.get("tool_choice").is_none()
        && body["max_tokens"] != 1
        && body.pointer("/output_config/format").is_none()
        && !is_warmup(body)
        && !is_about_command(body)
        && caches_new_content(body)
}

/// Returns whether the request only fills the cache.
fn is_warmup(body: &Value) -> bool {
    let content = body
        .pointer("/messages/0/content")
        .and_then(Value::as_array);
    let last = content.and_then(|blocks| blocks.last());
    last.is_some_and(|block| block["text"] == "Warmup") && body.pointer("/messages/1").is_none()
}

/// Returns whether the request classifies a shell command of the main loop.
fn is_about_command(body: &Value) -> bool {
    let has_tools = body["tools"].as_array().is_some_and(|it| !it.is_empty());
    let content = body.pointer("/messages/0/content");
    let text = content.and_then(|it| it.as_str().or_else(|| it.pointer("/0/text")?.as_str()));
    let is_alone = body.pointer("/messages/1").is_none();
    let is_about = |text: &str| text.lines().any(|line| line.starts_with("Command: "));
    !has_tools && is_alone && text.is_some_and(is_about)
}

/// Returns whether content after the model's last message is marked for the
/// cache, or the request does not use the cache.
fn caches_new_content(body: &Value) -> bool {
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.map(Vec::as_slice).unwrap_or_default();
    let new_messages = messages
        .rsplit(|message| message["role"] == "assistant")
        .next()
        .unwrap_or_default();
    new_messages.iter().any(is_cached) || !is_cached(body)
}

/// Returns whether a value contains a cache mark.
fn is_cached(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key("cache_control") || members.values().any(is_cached)
        }
        Value::Array(items) => items.iter().any(is_cached),
        _ => false,
    }
}
