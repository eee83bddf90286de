//! A line of a session.

use crate::Message;
use crate::conversion::Outline;
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::OnceLock;

/// A line of a session in either direction, which is a message or an event.
#[derive(Debug, Clone)]
pub struct Line {
    /// The JSON of the line. If unset, it is the JSON of the message.
    json: OnceLock<Json>,
    message: Option<Box<Message>>,
    /// The event of a line without a message.
    event: Option<Box<Event>>,
}

/// Members of a line that is not a message.
#[derive(Debug, Clone)]
struct Event {
    /// Whether the line ends a turn. Otherwise it starts a sub-agent.
    ends_turn: bool,
    parent: Option<String>,
    agent: Option<String>,
}

impl Line {
    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        self.message.as_deref()
    }

    /// Returns the line as JSON.
    #[must_use]
    pub fn json(&self) -> &Json {
        self.json.get_or_init(|| match &self.message {
            Some(message) => Json::from_value(message).unwrap_or_default(),
            None => Json::null(),
        })
    }

    /// Reads a line without its JSON. An invalid message is an event.
    #[must_use]
    pub fn of_outline(outline: &Outline) -> Self {
        let [kind] = outline.find(["type"]);
        let kind = text(kind);
        let is_message = matches!(kind.as_deref(), Some("user" | "assistant" | "instructions"));
        let owned = |member| text(member).map(Cow::into_owned);
        let event = match kind.as_deref() {
            Some("result") => {
                let [parent, agent] = outline.find(["parent_tool_use_id", "agent_id"]);
                Some(Event {
                    ends_turn: true,
                    parent: owned(parent),
                    agent: owned(agent),
                })
            }
            Some("system") => {
                let [subtype, call, task] = outline.find(["subtype", "tool_use_id", "task_id"]);
                let is_start = text(subtype).as_deref() == Some("task_started");
                is_start.then(|| Event {
                    ends_turn: false,
                    parent: owned(call),
                    agent: owned(task),
                })
            }
            _ => None,
        };
        Self {
            message: is_message.then(|| outline.read().ok()).flatten(),
            event: event.map(Box::new),
            json: OnceLock::new(),
        }
    }

    /// Returns the tool call that started the sub-agent of the line. Returns `None` for the main
    /// agent.
    #[must_use]
    pub fn thread(&self) -> Option<&str> {
        self.message().and_then(|_| self.parent())
    }

    /// Returns the tool call that started the sub-agent, as written in the line.
    pub(super) fn parent(&self) -> Option<&str> {
        match self.message() {
            Some(Message::User(message)) => message.parent_tool_use_id.as_deref(),
            Some(Message::Assistant(message)) => message.parent_tool_use_id.as_deref(),
            Some(Message::Instructions(_) | Message::Unknown(_)) => None,
            None => self.event.as_ref()?.parent.as_deref(),
        }
    }

    /// Returns the ID of the sub-agent.
    pub(super) fn agent(&self) -> Option<&str> {
        match self.message() {
            Some(Message::User(message)) => message.agent_id.as_deref(),
            Some(Message::Assistant(message)) => message.agent_id.as_deref(),
            Some(Message::Instructions(_) | Message::Unknown(_)) => None,
            None => self.event.as_ref()?.agent.as_deref(),
        }
    }

    /// Returns the ID of the line.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        match self.message()? {
            Message::User(message) => message.uuid.as_deref(),
            Message::Assistant(message) => message.uuid.as_deref(),
            Message::Instructions(_) | Message::Unknown(_) => None,
        }
    }

    /// Returns whether the line ends a turn of its agent.
    pub(super) fn ends_turn(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.ends_turn)
    }

    /// Returns whether the line is the agent's echo of a host's message.
    pub(super) fn is_echo(&self) -> bool {
        matches!(self.message(), Some(Message::User(message)) if message.is_replay == Some(true))
    }

    /// Returns the IDs of the lines that this line supersedes.
    pub(super) fn supersedes(&self) -> &[String] {
        match self.message() {
            Some(Message::Assistant(message)) => message.supersedes.as_deref().unwrap_or_default(),
            _ => &[],
        }
    }
}

/// Reads a member that is a text.
fn text(member: Option<&str>) -> Option<Cow<'_, str>> {
    let member = member.filter(|it| it.starts_with('"'))?;
    match member.contains('\\') {
        false => member.get(1..member.len() - 1).map(Cow::Borrowed),
        true => Json::of_text(member).read().ok().map(Cow::Owned),
    }
}

impl From<Json> for Line {
    fn from(json: Json) -> Self {
        let outline = Outline::from(json.clone());
        let line = Self::of_outline(&outline);
        Self {
            json: json.into(),
            ..line
        }
    }
}

impl From<Message> for Line {
    fn from(message: Message) -> Self {
        Self {
            json: OnceLock::new(),
            message: Some(Box::new(message)),
            event: None,
        }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.json.get(), &self.message) {
            (None, Some(message)) => message.serialize(serializer),
            _ => self.json().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(Self::from)
    }
}

/// Returns whether a block is a result.
pub(super) fn is_result(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::ToolResult(_))
}
