//! The meaning of a host's line: a normal form without its IDs.

use super::difference::Difference;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The kind of a line, for matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An empty line or a `keep_alive`.
    Ignored,
    /// A control request.
    Request,
    /// A control response.
    Response,
    /// A user message or another one.
    Other,
    /// A line that is not JSON.
    Raw,
}

/// A request of the agent, which determines the defaults of its response.
#[derive(Debug)]
pub(super) struct AgentRequest {
    subtype: String,
    input: Value,
    tool_use_id: Value,
    /// Whether the request passes a notification to an MCP server. A
    /// notification has no response.
    is_notification: bool,
}

/// A line of a host.
#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) kind: Kind,
    pub(super) request_id: Option<String>,
    /// The UUID of a user message.
    pub(super) uuid: Option<String>,
    /// The registered hooks and the IDs of their callbacks.
    pub(super) hook_ids: Vec<(Value, String)>,
    /// The line as it was written.
    pub(super) whole: Value,
    /// The normal form of the line, without the host's IDs.
    normal: Value,
}

impl AgentRequest {
    /// Reads a request of the agent. Returns its ID and the request.
    pub(super) fn read(line: &[u8]) -> Option<(String, Self)> {
        let mut line: Value = serde_json::from_slice(line).ok()?;
        if line["type"] != "control_request" {
            return None;
        }
        let id = line["request_id"].as_str()?.to_owned();
        let request = &mut line["request"];
        let message = &request["message"];
        let request = Self {
            subtype: request["subtype"].as_str()?.to_owned(),
            is_notification: message.is_object() && message.get("id").is_none(),
            input: request["input"].take(),
            tool_use_id: request["tool_use_id"].take(),
        };
        Some((id, request))
    }
}

impl Meaning {
    pub(super) fn parse(line: &[u8], requests: &HashMap<String, AgentRequest>) -> Self {
        let line = line.trim_ascii();
        let read = serde_json::from_slice::<Value>(line).ok();
        let whole = read.unwrap_or_else(|| String::from_utf8_lossy(line).into());
        let kind = match whole["type"].as_str() {
            _ if line.is_empty() => Kind::Ignored,
            Some("keep_alive") => Kind::Ignored,
            Some("control_request") => Kind::Request,
            Some("control_response") => Kind::Response,
            _ if whole.is_string() => Kind::Raw,
            _ => Kind::Other,
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut meaning = Self {
            kind,
            request_id: match kind {
                Kind::Response => text(&whole["response"]["request_id"]),
                _ => text(&whole["request_id"]),
            },
            uuid: text(&whole["uuid"]).filter(|_| whole["type"] == "user"),
            hook_ids: Vec::new(),
            normal: whole.clone(),
            whole,
        };
        meaning.simplify(requests);
        meaning
    }

    /// Replaces the strings of [`normal`](Self::normal) for which `name`
    /// returns a text, such as message IDs.
    pub(super) fn renamed<'a>(mut self, name: impl Fn(&str) -> Option<&'a str>) -> Self {
        rename(&mut self.normal, &name);
        self
    }

    pub(super) fn is_response(&self) -> bool {
        self.kind == Kind::Response
    }

    pub(super) fn is_same_type(&self, other: &Self) -> bool {
        let subtype = |it: &Self| it.whole["request"]["subtype"].clone();
        self.kind == other.kind
            && self.whole["type"] == other.whole["type"]
            && subtype(self) == subtype(other)
    }

    /// Returns whether the lines may be the same in different forms.
    pub(super) fn is_same_kind(&self, other: &Self) -> bool {
        let is_same_response = !self.is_response() || self.request_id == other.request_id;
        self.is_same_type(other) && is_same_response
    }

    /// Returns the first difference between this line and the host's, if there
    /// is one.
    pub(super) fn difference(&self, actual: &Self) -> Option<Difference> {
        Difference::first(&self.normal, &actual.normal)
    }

    /// Returns an error response to a request that is not in the recording.
    pub(super) fn refusal(&self) -> Option<Vec<u8>> {
        let id = (self.request_id.as_ref()).filter(|_| self.kind == Kind::Request)?;
        let line = json!({"type": "control_response", "response": {
            "subtype": "error",
            "request_id": id,
            "error": "The recording does not have this request.",
        }});
        Some(format!("{line}\n").into_bytes())
    }

    /// Converts the line to its normal form, which lacks irrelevant
    /// differences.
    fn simplify(&mut self, requests: &HashMap<String, AgentRequest>) {
        let id = self.request_id.as_deref();
        let Value::Object(normal) = &mut self.normal else {
            return;
        };
        match self.kind {
            Kind::Request => {
                normal.remove("request_id");
                let request = normal.get_mut("request").and_then(Value::as_object_mut);
                if let Some(request) = request
                    && request.get("subtype").is_some_and(|it| it == "initialize")
                {
                    self.hook_ids = simplify_initialize(request);
                }
            }
            Kind::Response => {
                let request = id.and_then(|id| requests.get(id));
                let response = normal.get_mut("response").and_then(Value::as_object_mut);
                if let Some(response) = response {
                    simplify_response(response, request);
                }
            }
            _ if normal.get("type").is_some_and(|it| it == "user") => simplify_user(normal),
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

/// Normalizes a user message. A text becomes a block of text, the priority
/// `next` is the default, and the session ID is ignored.
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

/// Normalizes `initialize`, and returns its hooks with their IDs. `null` counts
/// as unset, lists of servers and hooks have no order, and the manifests of MCP
/// servers are ignored, because the host derives them.
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
            let mut hook = matcher.clone();
            let Some(members) = hook.as_object_mut() else {
                continue;
            };
            let hooks = members.remove("hookCallbackIds").unwrap_or_default();
            members.retain(|_, value| !value.is_null());
            members.insert("event".to_owned(), event.as_str().into());
            // A timeout of 20 equals a timeout of 20.0.
            if let Some(timeout) = members.get("timeout").and_then(Value::as_f64) {
                members.insert("timeout".to_owned(), timeout.into());
            }
            for id in hooks.as_array().into_iter().flatten() {
                ids.extend(id.as_str().map(|id| (hook.clone(), id.to_owned())));
            }
        }
    }
    if !ids.is_empty() {
        let mut registered: Vec<Value> = ids.iter().map(|(hook, _)| hook.clone()).collect();
        registered.sort_by_key(ToString::to_string);
        request.insert("hooks".to_owned(), registered.into());
    }
    ids
}

/// Normalizes a response by removing members with default values.
fn simplify_response(response: &mut Map<String, Value>, request: Option<&AgentRequest>) {
    response.remove("request_id");
    if response.get("subtype").is_some_and(|it| it == "error") {
        // The message of an error is ignored.
        response.retain(|key, _| key == "subtype");
        return;
    }
    let Some(request) = request else {
        return;
    };
    match request.subtype.as_str() {
        "mcp_message" if request.is_notification => {
            response.remove("response");
        }
        "can_use_tool" => {
            if let Some(answer) = response.get_mut("response").and_then(Value::as_object_mut) {
                remove_if(answer, "updatedInput", &request.input);
                remove_if(answer, "updatedPermissions", &json!([]));
                remove_if(answer, "interrupt", &false.into());
                remove_if(answer, "toolUseID", &request.tool_use_id);
            }
        }
        "hook_callback" => {
            // An empty response is the default.
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
