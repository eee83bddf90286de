//! Determines the author of messages that have the role of a user.

use super::entry::UserEntry;
use crate::content::Content;
use crate::json::Json;
use crate::message::{MessageOrigin, UserMessage};

/// The author of a message that has the role of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Author {
    /// The user, or the host.
    Person,
    /// A tool. The message is its result.
    Tool,
    /// A background task that reports, another agent, a channel or a schedule.
    Notification,
    /// The agent. The message is the summary of the compacted part of the
    /// conversation.
    Summary,
    /// A hook. The message is its feedback to the model.
    Hook,
    /// The agent. The message is a command of the user, or the output of a
    /// command.
    Command,
    /// The agent. The message is another text that it adds for the model.
    Agent,
    /// The parent agent. The message is the task of this sub-agent.
    Parent,
}

/// The beginning of the text with which an agent summarizes a compacted
/// conversation.
const SUMMARY: &str = "This session is being continued from a previous conversation";

/// The tags with which agents begin a command or its output.
const COMMANDS: [&str; 7] = [
    "command-name",
    "command-message",
    "local-command-stdout",
    "local-command-stderr",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
];

impl UserEntry {
    /// Returns the author of the record.
    #[must_use]
    pub fn author(&self) -> Author {
        let text = Opening::of(self.message.content.as_ref());
        if text.is_result {
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
        // Older agents do not write the origin. A prompt with a source other
        // than `system` is not from the agent, even if its text looks like it.
        let is_agents = matches!(self.prompt_source.as_deref(), None | Some("system"));
        if origin.is_none() && is_agents && text.is_in(&["task-notification"]) {
            return Author::Notification;
        }
        if self.is_meta == Some(true) {
            return text.note();
        }
        if is_agents && text.is_in(&COMMANDS) {
            return Author::Command;
        }
        if self.is_sidechain == Some(true) && self.parent_uuid.is_none() {
            return Author::Parent;
        }
        Author::Person
    }
}

impl UserMessage {
    /// Returns the author of the message. It is determined by `origin`, by
    /// `isSynthetic`, and for messages of the agent by the beginning of their
    /// text. The text of a user's prompt is not examined.
    ///
    /// ```
    /// use agentwire_protocol::message::UserMessage;
    /// use agentwire_protocol::transcript::Author;
    ///
    /// let feedback = UserMessage::text("Stop hook feedback:\nRun the tests.");
    /// assert_eq!(feedback.author(), Author::Person);
    /// assert_eq!(feedback.synthetic().author(), Author::Hook);
    /// ```
    #[must_use]
    pub fn author(&self) -> Author {
        let text = Opening::of(self.message.content.as_ref());
        if text.is_result {
            return Author::Tool;
        }
        let is_summary = self.extra.get("isCompactSummary").map(Json::get);
        if is_summary == Some("true") {
            return Author::Summary;
        }
        let origin = self.origin.as_ref().and_then(MessageOrigin::tag);
        match origin.as_deref() {
            Some("human") => return Author::Person,
            Some(_) => return Author::Notification,
            None => {}
        }
        if self.is_synthetic != Some(true) {
            // The agent sends the output of a command as an echo.
            let is_command = self.is_replay == Some(true) && text.is_in(&COMMANDS);
            return if is_command {
                Author::Command
            } else {
                Author::Person
            };
        }
        if text.is_in(&["task-notification"]) {
            Author::Notification
        } else if text.text.starts_with(SUMMARY) {
            Author::Summary
        } else if text.is_in(&COMMANDS) {
            Author::Command
        } else {
            text.note()
        }
    }
}

/// The beginning of a message's content.
struct Opening<'a> {
    text: &'a str,
    /// Whether the content has the result of a tool.
    is_result: bool,
}

impl<'a> Opening<'a> {
    fn of(content: Option<&'a Content>) -> Self {
        let mut texts = content.into_iter().flat_map(Content::texts);
        let text = texts.find(|text| !text.trim().is_empty());
        let mut results = content.into_iter().flat_map(Content::tool_results);
        Self {
            text: text.unwrap_or_default().trim_start(),
            is_result: results.next().is_some(),
        }
    }

    /// Returns whether the text begins with one of these tags.
    fn is_in(&self, tags: &[&str]) -> bool {
        let Some(text) = self.text.strip_prefix('<') else {
            return false;
        };
        tags.iter().any(|tag| {
            text.strip_prefix(tag)
                .is_some_and(|rest| rest.starts_with('>'))
        })
    }

    /// Returns the author of a note to the model.
    fn note(&self) -> Author {
        let first = self.text.lines().next().unwrap_or_default();
        match first.ends_with(" hook feedback:") {
            true => Author::Hook,
            false => Author::Agent,
        }
    }
}
