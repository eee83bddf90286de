//! What the model is asked, and which requests the script answers.

use axum::http::{HeaderMap, Method};
use serde::Serialize;
use serde_json::Value;

/// A request that reached the scripted model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The body, if it is JSON. Not any more, when a quarter of a gigabyte came
    /// after it.
    pub body: Option<Value>,
    /// What it was answered.
    pub answer: Answer,
    /// Where the reply that it got is in the scenario, among
    /// [`Scenario::replies`](crate::Scenario::replies) or
    /// [`Scenario::subagents`](crate::Scenario::subagents).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
}

impl ModelRequest {
    /// Which reply of the script this request got, in the order in which they
    /// were taken, counted from 0. Several requests can have got the same
    /// refusal.
    #[must_use]
    pub fn reply(&self) -> Option<usize> {
        match self.answer {
            Answer::Reply(number) => Some(number),
            _ => None,
        }
    }
}

/// What answered a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// A reply of the script: how many were taken before, which is its place
    /// where all are taken in order.
    Reply(usize),
    /// What the script has a sub-agent say: how many such were taken before.
    Subagent(usize),
    /// An error, since the script had no reply left for the main loop, or was
    /// asked too often about one prompt.
    EndOfScript,
    /// A fixed text: a request of the CLI beside the main loop, such as a
    /// title, a summary for `/compact`, a side question, a prompt suggestion,
    /// a web search, a hook that asks a model, a try of a new model, or a
    /// sub-agent for which the script has nothing left.
    Side,
    /// Something other than a message: a count of tokens, a sign of life, or
    /// an error 400 or 404.
    Other,
}

/// What a request wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    MainLoop,
    Subagent,
    Side,
    CountTokens,
    /// A request for a message whose body is no JSON.
    NoMessage,
    Other,
}

impl Kind {
    pub(super) fn of(
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        body: Option<&Value>,
    ) -> Self {
        match (method, path, body) {
            (&Method::POST, "/v1/messages", Some(_))
                if headers.contains_key("x-claude-code-agent-id") =>
            {
                Self::Subagent
            }
            (&Method::POST, "/v1/messages", Some(body)) if is_main_loop(body) => Self::MainLoop,
            (&Method::POST, "/v1/messages", Some(_)) => Self::Side,
            (&Method::POST, "/v1/messages", None) => Self::NoMessage,
            (&Method::POST, "/v1/messages/count_tokens", _) => Self::CountTokens,
            _ => Self::Other,
        }
    }
}

/// Tells the main loop's requests from the CLI's side requests. Sub-agents name
/// themselves in a header.
///
/// Model, tools and system prompt do not: a side question, a suggestion and a
/// summary repeat the main loop's request to the letter and add a message,
/// while a main loop may have no tools and any system prompt. What does
/// (measured on 2.1.329):
///
/// - titles and hooks ask for a JSON schema, a web search chooses its tool;
/// - `set_model` tries the new model with a request for a single token;
/// - 2.0.77 fills the cache for its sub-agents with the prompt `Warmup`;
/// - CLIs up to there ask, without any tools, what a shell command begins with
///   and which files it was about, in a text with a line `Command: …`;
/// - the main loop has the prompt cached up to what is new, for its next
///   request begins so. Nothing follows a side request, so it leaves its own
///   message uncached.
///
/// It is wrong in two cases: a hook of the type `agent` looks like the main
/// loop, and so does everything else under `DISABLE_PROMPT_CACHING=1`. A
/// client that never caches is taken for a main loop.
fn is_main_loop(body: &Value) -> bool {
    body.get("tool_choice").is_none()
        && body["max_tokens"] != 1
        && body.pointer("/output_config/format").is_none()
        && !is_warmup(body)
        && !is_about_command(body)
        && caches_its_news(body)
}

/// Whether it is asked only for the sake of the cache.
fn is_warmup(body: &Value) -> bool {
    let content = body
        .pointer("/messages/0/content")
        .and_then(Value::as_array);
    let last = content.and_then(|blocks| blocks.last());
    last.is_some_and(|block| block["text"] == "Warmup") && body.pointer("/messages/1").is_none()
}

/// Whether it asks about a shell command that the main loop runs.
fn is_about_command(body: &Value) -> bool {
    let has_tools = body["tools"].as_array().is_some_and(|it| !it.is_empty());
    let content = body.pointer("/messages/0/content");
    let text = content.and_then(|it| it.as_str().or_else(|| it.pointer("/0/text")?.as_str()));
    let is_alone = body.pointer("/messages/1").is_none();
    let is_about = |text: &str| text.lines().any(|line| line.starts_with("Command: "));
    !has_tools && is_alone && text.is_some_and(is_about)
}

/// Whether something after the model's last message is marked for the cache,
/// or the request does not use the cache.
fn caches_its_news(body: &Value) -> bool {
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.map(Vec::as_slice).unwrap_or_default();
    let news = messages
        .rsplit(|message| message["role"] == "assistant")
        .next()
        .unwrap_or_default();
    news.iter().any(is_cached) || !is_cached(body)
}

/// Whether a value has a mark for the cache anywhere inside.
fn is_cached(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key("cache_control") || members.values().any(is_cached)
        }
        Value::Array(items) => items.iter().any(is_cached),
        _ => false,
    }
}
