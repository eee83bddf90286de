//! A conversation, assembled from the messages of a session.
//!
//! The agent sends an assistant message in pieces: one message for each content
//! block, all with the same `message.id`. If the session enabled partial
//! messages, the agent also sends the API's stream events while the model is
//! streaming.
//! [`Assembler`] builds whole messages from both. [`Conversation`] is the state
//! for a user interface. It can be serialized and restored.

mod assembler;
mod blocks;
mod change;
mod numbers;
mod partial_json;
mod places;
mod reply;

pub use assembler::Assembler;
pub use change::{Change, Place};
pub use partial_json::PartialJson;

use crate::content::{Content, ContentBlock, ToolResultBlock};
use crate::message::{AssistantMessage, ResultMessage, SystemMessage, UserMessage};
use crate::open::{object, open_enum, union};
use std::collections::BTreeMap;

object! {
    /// The conversation of a session so far.
    #[derive(Default)]
    pub struct Conversation {
        /// The session ID.
        pub session_id: Option<String>,
        /// The entries of the main agent, in order.
        pub entries: Vec<Entry>,
        /// The conversations of sub-agents, by the ID of their parent tool
        /// call.
        pub subagents: BTreeMap<String, Subagent>,
        /// The number of messages that were omitted because the conversation
        /// has too many sub-agents. `None` if it is complete.
        pub omitted: Option<u64>,
    }
}

object! {
    /// The conversation of a sub-agent.
    ///
    /// The agent does not stream messages of sub-agents. For a foreground
    /// sub-agent it sends only tool calls and results, unless
    /// [`Initialize::forward_subagent_text`] enables text and thinking. For a
    /// background sub-agent it sends everything except for the prompt. A
    /// sub-agent that is resumed continues under its original parent tool call.
    ///
    /// [`Initialize::forward_subagent_text`]:
    ///     crate::control::Initialize::forward_subagent_text
    #[derive(Default)]
    pub struct Subagent {
        /// The ID of the sub-agent.
        pub agent_id: Option<String>,
        /// The kind of the sub-agent.
        pub subagent_type: Option<String>,
        /// The description of the sub-agent's task.
        pub task_description: Option<String>,
        /// The entries, in order.
        pub entries: Vec<Entry>,
    }
}

union! {
    /// An entry of a conversation: a message, or an event between messages.
    pub enum Entry by "type" {
        /// A prompt of the user, a tool result, or a message that the agent
        /// inserted for the user.
        "user" => User(Box<UserMessage>),
        /// A reply of the model.
        "reply" => Reply(Box<Reply>),
        /// A system message, which reports a compaction or the output of a
        /// command.
        "system" => Notice(Box<SystemMessage>),
        /// The end of a turn.
        "result" => Result(Box<ResultMessage>),
    }
}

object! {
    /// An assembled reply of the model.
    pub struct Reply tags("type" = "reply"); boxed {
        /// The message with all its blocks. Fields that differ between the
        /// pieces, such as `uuid`, are those of the last piece.
        pub message: AssistantMessage,
        /// The state of each block.
        pub blocks: Vec<ReplyBlock>,
        /// The state of the message.
        pub state: ReplyState,
    }
}

object! {
    /// The state of a block of a reply.
    pub struct ReplyBlock {
        /// The state.
        pub state: BlockState,
        /// The ID of the message that carried the completed block.
        pub uuid: Option<String>,
    }
}

open_enum! {
    /// The state of a content block.
    pub enum BlockState {
        /// The model is streaming the block. A partial tool input is closed to
        /// valid JSON: strings may be truncated, and the last value may be
        /// missing.
        Streaming = "streaming",
        /// The model has completed the block, but the agent has not sent it.
        /// The agent never sends texts that are only whitespace.
        Written = "written",
        /// The agent has sent the block in full.
        Whole = "whole",
    }
}

open_enum! {
    /// The state of a reply.
    pub enum ReplyState {
        /// The model is streaming the reply.
        Streaming = "streaming",
        /// The reply is complete, as far as is known. Without partial messages,
        /// the agent does not mark the last block.
        Done = "done",
        /// The reply was cut off and is not continued. Its last text may end
        /// within a word.
        Aborted = "aborted",
    }
}

impl Conversation {
    /// Returns the entries of the main agent, or of the sub-agent with this
    /// parent tool call.
    #[must_use]
    pub fn thread(&self, parent_tool_use_id: Option<&str>) -> &[Entry] {
        match parent_tool_use_id {
            None => &self.entries,
            Some(id) => self.subagents.get(id).map_or(&[], |it| &it.entries),
        }
    }

    /// Returns the result of a tool call, of any agent.
    #[must_use]
    pub fn tool_result(&self, tool_use_id: &str) -> Option<&ToolResultBlock> {
        self.threads()
            .flat_map(|(_, entries)| entries.iter().rev())
            .filter_map(|entry| match entry {
                Entry::User(message) => message.message.content.as_ref(),
                _ => None,
            })
            .flat_map(Content::tool_results)
            .find(|result| result.tool_use_id == tool_use_id)
    }

    /// Returns the entries of the main agent and of each sub-agent, by the
    /// parent tool call.
    fn threads(&self) -> impl Iterator<Item = (Option<&str>, &[Entry])> {
        let subagents = self.subagents.iter();
        std::iter::once((None, &self.entries[..]))
            .chain(subagents.map(|(call, it)| (Some(&call[..]), &it.entries[..])))
    }
}

impl Entry {
    /// Returns the reply, if the entry is one.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            _ => None,
        }
    }
}

impl Reply {
    /// Returns the text of the reply, without thinking and tool calls.
    #[must_use]
    pub fn text(&self) -> String {
        self.content()
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect()
    }

    /// Returns the blocks of the reply, in the order in which the model wrote
    /// them.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        &self.message.message.content
    }
}
