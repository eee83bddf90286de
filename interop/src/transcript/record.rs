//! A line of a transcript.

use super::entry::{Entry, UserEntry};
use crate::Message;
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::{AssistantMessage, MessageOrigin, UserMessage};
use agentwire_protocol::{Json, Members};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A line of a transcript: what it says, and its text.
#[derive(Debug, Clone)]
pub struct Record {
    json: Json,
    entry: Box<Entry>,
}

/// Who made the record of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Author {
    /// A person, or the host.
    Person,
    /// A tool: it is an answer.
    Tool,
    /// The agent: a task that ran in the background tells how it went, or
    /// another agent or a schedule speaks.
    Notification,
    /// The agent: the summary that stands for what was said before.
    Summary,
    /// The agent: a command that a person gave it, or what it printed.
    Command,
    /// The agent: something else that it wants the model to know.
    Agent,
    /// The agent that started this sub-agent: it is its task.
    Parent,
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// When it is not JSON. A record that is otherwise than its type has it is
    /// [`Entry::Unknown`], with all its members.
    pub fn read(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line)
    }

    /// What it says.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The line as JSON.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Its id; records beside the tree have none.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        self.entry.node().map(|node| node.uuid)
    }

    /// The message of the conversation that it is, where it is one. `call` is
    /// the tool call that started the sub-agent.
    #[must_use]
    pub fn message(&self, call: Option<&str>) -> Option<Message> {
        match self.entry() {
            Entry::User(entry) => {
                let mut message = UserMessage::default();
                message.message.clone_from(&entry.message);
                message.uuid.clone_from(&entry.uuid);
                message.session_id.clone_from(&entry.session_id);
                message.timestamp.clone_from(&entry.timestamp);
                message.tool_use_result.clone_from(&entry.tool_use_result);
                message.origin.clone_from(&entry.origin);
                message.agent_id.clone_from(&entry.agent_id);
                message.parent_tool_use_id = call.map(str::to_owned);
                message.is_synthetic = match entry.author() {
                    Author::Person | Author::Tool | Author::Parent => None,
                    _ => Some(true),
                };
                Some(Message::User(Box::new(message)))
            }
            Entry::Assistant(entry) => {
                let mut message = AssistantMessage::default();
                (*message.message).clone_from(&entry.message);
                message.uuid.clone_from(&entry.uuid);
                message.session_id.clone_from(&entry.session_id);
                message.timestamp.clone_from(&entry.timestamp);
                message.request_id.clone_from(&entry.request_id);
                message.error = entry.error.as_deref().map(Into::into);
                message.agent_id.clone_from(&entry.agent_id);
                message.parent_tool_use_id = call.map(str::to_owned);
                Some(Message::Assistant(Box::new(message)))
            }
            _ => None,
        }
    }

    /// The record that a message is, as far as it says it.
    pub(super) fn of_message(message: &Message) -> Option<Self> {
        let (kind, body) = match message {
            Message::User(message) => ("user", Json::from_value(&message.message)),
            Message::Assistant(message) => ("assistant", Json::from_value(&message.message)),
            _ => return None,
        };
        let mut members = Members::default();
        members.set("parentUuid", Json::null());
        members.set("isSidechain", serde_json::Value::Bool(false));
        members.set("type", kind);
        members.set("message", body.ok()?);
        Json::from_value(&members).ok().map(Self::from)
    }
}

impl UserEntry {
    /// Who made it.
    #[must_use]
    pub fn author(&self) -> Author {
        let content = self.message.content.as_ref();
        let blocks = content.map_or(&[][..], |content| content.blocks());
        if blocks
            .iter()
            .any(|block| matches!(block, ContentBlock::ToolResult(_)))
        {
            return Author::Tool;
        }
        if self.is_compact_summary == Some(true) {
            return Author::Summary;
        }
        let origin = self.origin.as_ref().and_then(MessageOrigin::tag);
        match origin.as_deref() {
            Some("human") | None => {}
            Some(_) => return Author::Notification,
        }
        let text = content.map(Content::text).unwrap_or_default();
        let starts = |names: &[&str]| {
            let text = text.trim_start().strip_prefix('<').unwrap_or_default();
            names.iter().any(|name| {
                text.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('>'))
            })
        };
        // Older agents do not say what made a message.
        if starts(&["task-notification"]) {
            return Author::Notification;
        }
        if self.is_meta == Some(true) {
            return Author::Agent;
        }
        let commands = [
            "command-name",
            "command-message",
            "local-command-stdout",
            "local-command-stderr",
            "bash-input",
            "bash-stdout",
            "bash-stderr",
        ];
        if starts(&commands) {
            return Author::Command;
        }
        if self.is_sidechain == Some(true) && self.parent_uuid.is_none() {
            return Author::Parent;
        }
        Author::Person
    }
}

impl From<Json> for Record {
    fn from(json: Json) -> Self {
        let read = json.read::<Entry>();
        let entry = read.unwrap_or_else(|_| Entry::Unknown(json.read().unwrap_or_default()));
        Self {
            json,
            entry: Box::new(entry),
        }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(Self::from)
    }
}
