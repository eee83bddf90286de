//! A line of a session.

use crate::Message;
use crate::conversion::Outline;
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::OnceLock;

/// A line of a session, in either direction: what was said, or anything else
/// that is on the wire.
#[derive(Debug, Clone)]
pub struct Line {
    /// If it is not known, it is what was said.
    json: OnceLock<Json>,
    said: Option<Box<Message>>,
    /// What a line that says nothing is about.
    event: Option<Box<Event>>,
}

/// What is read of a line that is not a message.
#[derive(Debug, Clone)]
struct Event {
    /// Whether it is the end of a turn; otherwise, a sub-agent starts.
    ends_turn: bool,
    parent: Option<String>,
    agent: Option<String>,
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
        self.json.get_or_init(|| match &self.said {
            Some(said) => Json::from_value(said).unwrap_or_default(),
            None => Json::null(),
        })
    }

    /// Reads a line, without its JSON.
    ///
    /// A line whose type is that of a message, but which cannot be read as
    /// one, is one of the other lines.
    #[must_use]
    pub fn of_outline(outline: &Outline) -> Self {
        let [kind] = outline.find(["type"]);
        let kind = text(kind);
        let is_said = matches!(kind.as_deref(), Some("user" | "assistant" | "instructions"));
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
            said: is_said.then(|| outline.read().ok()).flatten(),
            event: event.map(Box::new),
            json: OnceLock::new(),
        }
    }

    /// The sub-agent that said it or heard it, by the tool call that started
    /// it, as the line has it; nothing, for the main agent.
    #[must_use]
    pub fn thread(&self) -> Option<&str> {
        self.said().and_then(|_| self.parent())
    }

    /// The tool call that the line names as the start of its sub-agent.
    pub(super) fn parent(&self) -> Option<&str> {
        match self.said() {
            Some(Message::User(message)) => message.parent_tool_use_id.as_deref(),
            Some(Message::Assistant(message)) => message.parent_tool_use_id.as_deref(),
            Some(Message::Instructions(_) | Message::Unknown(_)) => None,
            None => self.event.as_ref()?.parent.as_deref(),
        }
    }

    /// The ID of the sub-agent that the line names.
    pub(super) fn agent(&self) -> Option<&str> {
        match self.said() {
            Some(Message::User(message)) => message.agent_id.as_deref(),
            Some(Message::Assistant(message)) => message.agent_id.as_deref(),
            Some(Message::Instructions(_) | Message::Unknown(_)) => None,
            None => self.event.as_ref()?.agent.as_deref(),
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

    /// Whether a turn of the agent that the line names ends here.
    pub(super) fn ends_turn(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.ends_turn)
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

/// A member that is a text.
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
            said: Some(Box::new(message)),
            event: None,
        }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.json.get(), &self.said) {
            (None, Some(said)) => said.serialize(serializer),
            _ => self.json().serialize(serializer),
        }
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
