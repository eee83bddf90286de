//! A line of a session.

use crate::Message;
use crate::conversion::Outline;
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
        &self.json
    }

    /// The line as JSON.
    pub(super) fn into_json(self) -> Json {
        self.json
    }

    /// What is read of a line. Its JSON is kept by the caller.
    ///
    /// A line whose type is that of a message, but which cannot be read as
    /// one, is one of the other lines.
    pub(super) fn without_json(outline: &Outline) -> Self {
        let [kind, subtype, parent, agent, call, task] = outline.find([
            "type",
            "subtype",
            "parent_tool_use_id",
            "agent_id",
            "tool_use_id",
            "task_id",
        ]);
        let owned = |member| text(member).map(Cow::into_owned);
        let (mut is_said, mut event) = (false, None);
        match text(kind).as_deref() {
            Some("user" | "assistant" | "instructions") => is_said = true,
            Some("result") => {
                event = Some(Event {
                    ends_turn: true,
                    parent: owned(parent),
                    agent: owned(agent),
                });
            }
            Some("system") if text(subtype).as_deref() == Some("task_started") => {
                event = Some(Event {
                    ends_turn: false,
                    parent: owned(call),
                    agent: owned(task),
                });
            }
            _ => {}
        }
        Self {
            said: is_said.then(|| outline.json().read().ok()).flatten(),
            event: event.map(Box::new),
            json: Json::null(),
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
        let outline = Outline::from(json);
        let mut line = Self::without_json(&outline);
        line.json = outline.into_json();
        line
    }
}

impl From<Message> for Line {
    fn from(message: Message) -> Self {
        Self {
            json: Json::from_value(&message).unwrap_or_default(),
            said: Some(Box::new(message)),
            event: None,
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
