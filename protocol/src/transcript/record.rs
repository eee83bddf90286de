//! A line of a transcript.

use super::author::Author;
use super::entry::Entry;
use crate::json::Json;
use crate::message::{AssistantMessage, Message, UserMessage};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A line of a transcript, with its typed content and its text.
#[derive(Debug, Clone)]
pub struct Record {
    json: Json,
    entry: Box<Entry>,
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// If the line is not JSON. A record that does not match its type is read
    /// as [`Entry::Unknown`], with all its members.
    pub fn read(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line)
    }

    /// Returns the typed content.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the line as JSON.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Returns the ID of the record. Records outside the tree have none.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        self.entry.node().map(|node| node.uuid)
    }

    /// Returns the record as a message, if it is one. `call` is the tool call that
    /// started the sub-agent.
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
                let author = entry.author();
                message.is_synthetic = match author {
                    Author::Person | Author::Tool | Author::Parent => None,
                    _ => Some(true),
                };
                if author == Author::Summary {
                    message
                        .extra
                        .set("isCompactSummary", serde_json::Value::Bool(true));
                }
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
                Some(Message::Assistant(message))
            }
            _ => None,
        }
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
