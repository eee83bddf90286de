//! What a line of a host's means, whatever its ids and however it is put.

use super::difference::Difference;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What a line is, as far as matching it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing that an agent minds: an empty line, or a sign of life.
    Nothing,
    /// A control request.
    Request,
    /// An answer to one of the agent's.
    Answer,
    /// A user message, and all the rest.
    Other,
    /// No JSON.
    Raw,
}

/// What the agent asked, for what the answer may leave out.
#[derive(Debug)]
pub(super) struct Asked {
    subtype: String,
    input: Value,
    tool_use_id: Value,
    /// Whether it was a notification to an MCP server, to which there is
    /// nothing to say.
    is_notification: bool,
}

/// A line of a host's.
#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) kind: Kind,
    pub(super) request_id: Option<String>,
    /// The id of a user message.
    pub(super) uuid: Option<String>,
    /// The hooks that are registered, and under which ids.
    pub(super) hook_ids: Vec<(Value, String)>,
    /// The line as it was written.
    pub(super) whole: Value,
    /// What it means, without ids of its own.
    said: Value,
}

impl Asked {
    /// What a line of the agent's asks, and under which id.
    pub(super) fn read(line: &[u8]) -> Option<(String, Self)> {
        let mut line: Value = serde_json::from_slice(line).ok()?;
        if line["type"] != "control_request" {
            return None;
        }
        let id = line["request_id"].as_str()?.to_owned();
        let request = &mut line["request"];
        let message = &request["message"];
        let asked = Self {
            subtype: request["subtype"].as_str()?.to_owned(),
            is_notification: message.is_object() && message.get("id").is_none(),
            input: request["input"].take(),
            tool_use_id: request["tool_use_id"].take(),
        };
        Some((id, asked))
    }
}

impl Meaning {
    pub(super) fn of(line: &[u8], asked: &HashMap<String, Asked>) -> Self {
        let line = line.trim_ascii();
        let read = serde_json::from_slice::<Value>(line).ok();
        let whole = read.unwrap_or_else(|| String::from_utf8_lossy(line).into());
        let kind = match whole["type"].as_str() {
            _ if line.is_empty() => Kind::Nothing,
            Some("keep_alive") => Kind::Nothing,
            Some("control_request") => Kind::Request,
            Some("control_response") => Kind::Answer,
            _ if whole.is_string() => Kind::Raw,
            _ => Kind::Other,
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut meaning = Self {
            kind,
            request_id: match kind {
                Kind::Answer => text(&whole["response"]["request_id"]),
                _ => text(&whole["request_id"]),
            },
            uuid: text(&whole["uuid"]).filter(|_| whole["type"] == "user"),
            hook_ids: Vec::new(),
            said: whole.clone(),
            whole,
        };
        meaning.simplify(asked);
        meaning
    }

    /// The same, with other names in it for the ids that have one.
    pub(super) fn renamed<'a>(mut self, name: impl Fn(&str) -> Option<&'a str>) -> Self {
        rename(&mut self.said, &name);
        self
    }

    pub(super) fn is_answer(&self) -> bool {
        self.kind == Kind::Answer
    }

    pub(super) fn is_same_type(&self, other: &Self) -> bool {
        let subtype = |it: &Self| it.whole["request"]["subtype"].clone();
        self.kind == other.kind
            && self.whole["type"] == other.whole["type"]
            && subtype(self) == subtype(other)
    }

    /// Whether it may be that line, said otherwise.
    pub(super) fn is_same_kind(&self, other: &Self) -> bool {
        let is_same_answer = !self.is_answer() || self.request_id == other.request_id;
        self.is_same_type(other) && is_same_answer
    }

    /// The first difference, if there is one.
    pub(super) fn differs_from(&self, heard: &Self) -> Option<Difference> {
        Difference::first(&self.said, &heard.said)
    }

    /// The line that tells a host that its request will not be answered.
    pub(super) fn refusal(&self) -> Option<Vec<u8>> {
        let id = (self.request_id.as_ref()).filter(|_| self.kind == Kind::Request)?;
        let line = json!({"type": "control_response", "response": {
            "subtype": "error",
            "request_id": id,
            "error": "The recording does not have this request.",
        }});
        Some(format!("{line}\n").into_bytes())
    }

    /// Leaves out what makes no difference.
    fn simplify(&mut self, asked: &HashMap<String, Asked>) {
        let id = self.request_id.as_deref();
        let Value::Object(said) = &mut self.said else {
            return;
        };
        match self.kind {
            Kind::Request => {
                said.remove("request_id");
                let request = said.get_mut("request").and_then(Value::as_object_mut);
                if let Some(request) = request
                    && request.get("subtype").is_some_and(|it| it == "initialize")
                {
                    self.hook_ids = simplify_initialize(request);
                }
            }
            Kind::Answer => {
                let asked = id.and_then(|id| asked.get(id));
                let response = said.get_mut("response").and_then(Value::as_object_mut);
                if let Some(response) = response {
                    simplify_answer(response, asked);
                }
            }
            _ if said.get("type").is_some_and(|it| it == "user") => simplify_user(said),
            _ => {}
        }
    }
}

fn rename<'a>(value: &mut Value, name: &impl Fn(&str) -> Option<&'a str>) {
    match value {
        Value::String(text) => {
            if let Some(name) = name(text) {
                name.clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, name)),
        Value::Object(members) => members.values_mut().for_each(|it| rename(it, name)),
        _ => {}
    }
}

/// A user message says the same with a text and with one block of text, without
/// a priority and with that of `next`, and in whatever session it says it is.
fn simplify_user(message: &mut Map<String, Value>) {
    message.remove("uuid");
    message.remove("session_id");
    remove_if(message, "parent_tool_use_id", &Value::Null);
    remove_if(message, "priority", &"next".into());
    if let Some(content) = message
        .get_mut("message")
        .and_then(|it| it.get_mut("content"))
        && content.is_string()
    {
        let text = content.take();
        *content = json!([{"type": "text", "text": text}]);
    }
}

/// What is `null` is not set; lists of servers and hooks have no order; and
/// what the host found out from its own MCP servers beforehand is no wish of
/// its user's.
fn simplify_initialize(request: &mut Map<String, Value>) -> Vec<(Value, String)> {
    request.retain(|_, value| !value.is_null());
    request.remove("sdkMcpServerManifests");
    request.remove("sdkMcpServerManifestsOrigin");
    if let Some(Value::Array(servers)) = request.get_mut("sdkMcpServers") {
        servers.sort_by_key(ToString::to_string);
    }
    let mut ids = Vec::new();
    let hooks = request.remove("hooks");
    for (event, matchers) in hooks.iter().filter_map(Value::as_object).flatten() {
        for matcher in matchers.as_array().into_iter().flatten() {
            let mut what = matcher.clone();
            let Some(members) = what.as_object_mut() else {
                continue;
            };
            let hooks = members.remove("hookCallbackIds").unwrap_or_default();
            members.retain(|_, value| !value.is_null());
            members.insert("event".to_owned(), event.as_str().into());
            // So that 20 and 20.0 are the same.
            if let Some(timeout) = members.get("timeout").and_then(Value::as_f64) {
                members.insert("timeout".to_owned(), timeout.into());
            }
            for id in hooks.as_array().into_iter().flatten() {
                ids.extend(id.as_str().map(|id| (what.clone(), id.to_owned())));
            }
        }
    }
    if !ids.is_empty() {
        let mut registered: Vec<Value> = ids.iter().map(|(what, _)| what.clone()).collect();
        registered.sort_by_key(ToString::to_string);
        request.insert("hooks".to_owned(), registered.into());
    }
    ids
}

/// An answer says the same with and without what goes without saying.
fn simplify_answer(response: &mut Map<String, Value>, asked: Option<&Asked>) {
    response.remove("request_id");
    if response.get("subtype").is_some_and(|it| it == "error") {
        // An error is an error, whatever it says.
        response.retain(|key, _| key == "subtype");
        return;
    }
    let Some(asked) = asked else {
        return;
    };
    match asked.subtype.as_str() {
        "mcp_message" if asked.is_notification => {
            response.remove("response");
        }
        "can_use_tool" => {
            if let Some(answer) = response.get_mut("response").and_then(Value::as_object_mut) {
                remove_if(answer, "updatedInput", &asked.input);
                remove_if(answer, "updatedPermissions", &json!([]));
                remove_if(answer, "interrupt", &false.into());
                remove_if(answer, "toolUseID", &asked.tool_use_id);
            }
        }
        "hook_callback" => {
            // An answer without anything in it is no answer at all.
            let answer = response.entry("response").or_insert_with(|| json!({}));
            if let Some(answer) = answer.as_object_mut() {
                remove_if(answer, "continue", &true.into());
                remove_if(answer, "suppressOutput", &false.into());
            }
        }
        _ => {}
    }
}

fn remove_if(members: &mut Map<String, Value>, key: &str, value: &Value) {
    if members.get(key) == Some(value) {
        members.remove(key);
    }
}
