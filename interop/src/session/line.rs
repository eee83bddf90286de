//! A line of a session.

use crate::Message;
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A line of a session, in either direction: what was said, or anything else
/// that is on the wire.
#[derive(Debug, Clone)]
pub struct Line {
    json: Json,
    said: Option<Box<Message>>,
    ends_turn: bool,
}

impl Line {
    /// What was said, where something was.
    #[must_use]
    pub fn said(&self) -> Option<&Message> {
        self.said.as_deref()
    }

    /// The line as JSON.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// The sub-agent that said it or heard it, by the tool call that started
    /// it; nothing, for the main agent.
    #[must_use]
    pub fn thread(&self) -> Option<&str> {
        match self.said()? {
            Message::User(message) => message.parent_tool_use_id.as_deref(),
            Message::Assistant(message) => message.parent_tool_use_id.as_deref(),
            Message::Instructions(_) | Message::Unknown(_) => None,
        }
    }

    /// The line's id.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        match self.said()? {
            Message::User(message) => message.uuid.as_deref(),
            Message::Assistant(message) => message.uuid.as_deref(),
            Message::Instructions(_) | Message::Unknown(_) => None,
        }
    }

    /// Whether a turn of the main agent ends here.
    pub(super) fn ends_turn(&self) -> bool {
        self.ends_turn
    }

    /// Whether the agent says again what the host said.
    pub(super) fn is_echo(&self) -> bool {
        matches!(self.said(), Some(Message::User(message)) if message.is_replay == Some(true))
    }

    /// The lines whose place it takes.
    pub(super) fn supersedes(&self) -> &[String] {
        match self.said() {
            Some(Message::Assistant(message)) => message.supersedes.as_deref().unwrap_or_default(),
            _ => &[],
        }
    }
}

/// What tells lines apart: only two kinds are read further.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Cow<'a, str>>,
}

impl From<Json> for Line {
    /// A line whose type is that of a message, but which cannot be read as
    /// one, is one of the other lines.
    fn from(json: Json) -> Self {
        let kind: Option<Cow<'_, str>> = serde_json::from_str(json.get())
            .ok()
            .and_then(|Kind { kind }| kind);
        let said = match kind.as_deref() {
            Some("user" | "assistant" | "instructions") => json.read().ok(),
            _ => None,
        };
        let ends_turn = kind.as_deref() == Some("result");
        Self {
            json,
            said,
            ends_turn,
        }
    }
}

impl From<Message> for Line {
    fn from(message: Message) -> Self {
        Self {
            json: Json::from_value(&message).unwrap_or_default(),
            said: Some(Box::new(message)),
            ends_turn: false,
        }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(Self::from)
    }
}

/// Whether a block is a tool's answer.
pub(super) fn is_answer(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::ToolResult(_))
}
