//! Records in the transcripts of a session and its sub-agents.

use super::claude;
use agentwire_protocol::content::{Content, ContentBlock};
use serde_json::{Map, Value, json};

/// A message in a transcript.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The ID of the session.
    pub session_id: String,
    /// The ID of the sub-agent, for a record in a sub-agent's transcript.
    pub agent_id: Option<String>,
    /// The type of the record: `user` or `assistant`.
    pub kind: String,
    /// The UUID of the message.
    pub uuid: Option<String>,
    /// The message, as on the wire.
    pub message: Value,
    /// Further members: the result of a tool as data, why the tool did not run, or
    /// the error of a model request.
    pub about: Map<String, Value>,
}

/// The start or the end of a sub-agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SubagentRecord {
    /// The sub-agent has started.
    Started {
        /// The ID of the session.
        session_id: String,
        /// The ID of the sub-agent.
        agent_id: String,
        /// The sub-agent's type and description, and the tool call that started
        /// it.
        metadata: Value,
    },
    /// The sub-agent has ended.
    Ended {
        /// The ID of the sub-agent.
        agent_id: String,
    },
}

impl Record {
    /// Creates the record of a user's prompt.
    pub(super) fn prompt(session_id: &str, uuid: Option<String>, content: &Content) -> Self {
        Self::user(session_id, None, uuid, json!(content))
    }

    /// Creates the record of a sub-agent's content that the host does not
    /// receive.
    pub(super) fn unforwarded(
        session_id: &str,
        agent_id: &str,
        message_id: &str,
        block: &ContentBlock,
    ) -> Self {
        Self {
            session_id: session_id.to_owned(),
            agent_id: Some(agent_id.to_owned()),
            kind: "assistant".to_owned(),
            uuid: None,
            message: json!({
                "id": message_id, "type": "message", "role": "assistant", "content": [block],
            }),
            about: Map::new(),
        }
    }

    /// Creates the record of a message that the agent wrote as a line.
    pub(super) fn from_line(line: &[u8]) -> Option<Self> {
        let mut line: Value = serde_json::from_slice(line).ok()?;
        let mut message = line["message"].take();
        let agent_id = line["agent_id"].as_str().map(str::to_owned);
        if agent_id.is_none() && !line["parent_tool_use_id"].is_null() {
            return None;
        }
        // On the wire, the prompt of a sub-agent is a content block.
        if agent_id.is_some()
            && let Some([block]) = message["content"].as_array().map(Vec::as_slice)
            && line["type"] == "user"
            && block["type"] == "text"
        {
            message["content"] = block["text"].clone();
        }
        Some(Self {
            session_id: line["session_id"].as_str()?.to_owned(),
            agent_id,
            kind: line["type"].as_str()?.to_owned(),
            uuid: line["uuid"].as_str().map(str::to_owned),
            message,
            about: further_members(&mut line),
        })
    }

    /// Creates the record of the prompt of a background sub-agent.
    pub(super) fn background_prompt(line: &[u8]) -> Option<Self> {
        let line: Value = serde_json::from_slice(line).ok()?;
        if line["is_backgrounded"] == false {
            return None;
        }
        let agent_id = line["task_id"].as_str().map(str::to_owned);
        let prompt = line.get("prompt")?.clone();
        Some(Self::user(
            line["session_id"].as_str()?,
            agent_id,
            None,
            prompt,
        ))
    }

    /// Creates the tool results and replies that are missing in the transcript
    /// of a killed process.
    pub(super) fn repairs(session_id: &str, records: &[Value]) -> Vec<Self> {
        let mut messages = records
            .iter()
            .filter(|it| it["type"] == "user" || it["type"] == "assistant");
        let blocks = |it: &Value| {
            let content = it["message"]["content"].as_array();
            content.cloned().unwrap_or_default()
        };
        let mut pending: Vec<String> = vec![];
        for record in messages.clone() {
            for block in blocks(record) {
                match (block["type"].as_str(), block["tool_use_id"].as_str()) {
                    (Some("tool_use"), _) => {
                        pending.extend(block["id"].as_str().map(str::to_owned));
                    }
                    (Some("tool_result"), Some(id)) => pending.retain(|it| it != id),
                    _ => {}
                }
            }
        }
        let is_answered = messages
            .next_back()
            .is_none_or(|it| it["type"] == "assistant");
        if is_answered && pending.is_empty() {
            return vec![];
        }
        let result = |id: &String| {
            let block = json!({
                "type": "tool_result", "tool_use_id": id, "is_error": true,
                "content": "The session ended before this tool call.",
            });
            Self::user(session_id, None, None, json!([block]))
        };
        let mut repairs: Vec<_> = pending.iter().map(result).collect();
        repairs.push(Self {
            kind: "assistant".to_owned(),
            message: json!({
                "type": "message", "role": "assistant", "model": "<synthetic>",
                "content": [{"type": "text", "text": "(There was no answer.)"}],
                "stop_reason": "stop_sequence", "stop_sequence": "",
            }),
            ..Self::user(session_id, None, None, Value::Null)
        });
        repairs
    }

    fn user(
        session_id: &str,
        agent_id: Option<String>,
        uuid: Option<String>,
        content: Value,
    ) -> Self {
        Self {
            session_id: session_id.to_owned(),
            agent_id,
            kind: "user".to_owned(),
            uuid,
            message: json!({"role": "user", "content": content}),
            about: Map::new(),
        }
    }
}

/// Returns the further members of a record, which have other names on the wire.
fn further_members(line: &mut Value) -> Map<String, Value> {
    let mut meta = (line.pointer_mut("/tool_result_meta/0")).map_or(Value::Null, Value::take);
    let mut decision = meta["permission_decision"].take();
    if let Some(decision) = decision.as_object_mut()
        && let Some(kind) = decision.remove("reason_type")
    {
        decision.insert("reasonType".to_owned(), kind);
    }
    let error = line["error"].take();
    let members = [
        ("toolUseResult", line["tool_use_result"].take()),
        ("toolDenialKind", meta["non_execution_kind"].take()),
        ("permissionDecision", decision),
        (
            "isApiErrorMessage",
            if error.is_null() {
                Value::Null
            } else {
                true.into()
            },
        ),
        ("error", error),
    ];
    let members = members.into_iter().filter(|(_, value)| !value.is_null());
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

impl SubagentRecord {
    /// Reads a sub-agent's start or end from a `system` line of the agent.
    pub(super) fn from_line(line: &[u8]) -> Option<Self> {
        let mut line: Value = serde_json::from_slice(line).ok()?;
        let agent_id = line["task_id"].as_str()?.to_owned();
        match line["subtype"].as_str()? {
            "task_started" if line["task_type"] == "local_agent" => {
                let is_background = line["is_backgrounded"] == true;
                let kind = line["subagent_type"].as_str();
                let is_built_in = kind.is_some_and(claude::has_agent);
                Some(Self::Started {
                    session_id: line["session_id"].as_str()?.to_owned(),
                    agent_id,
                    metadata: json!({
                        "agentType": line["subagent_type"].take(),
                        "isBuiltIn": is_built_in,
                        "description": line["description"].take(),
                        "toolUseId": line["tool_use_id"].take(),
                        "spawnDepth": line["spawn_depth"].take(),
                        "requestShape": if is_background { "background" } else { "foreground" },
                        "requestNonInteractive": true,
                    }),
                })
            }
            "task_notification" => Some(Self::Ended { agent_id }),
            _ => None,
        }
    }
}
