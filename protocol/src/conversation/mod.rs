//! A conversation, put together from the messages of a session.
//!
//! The agent sends an assistant message in pieces: one message for each content
//! block, all with the same `message.id`, and while the model writes, if the
//! session asked for it, the events of the API's stream. [`Assembler`] makes
//! whole messages of both, and [`Conversation`] is what a user interface shows:
//! it can be written as JSON and read again.

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
    /// What was said in a session, as far as it has come.
    #[derive(Default)]
    pub struct Conversation {
        /// The session ID.
        pub session_id: Option<String>,
        /// What was said to the main agent and by it, in order.
        pub entries: Vec<Entry>,
        /// What sub-agents said, by the id of the tool call that started them.
        pub subagents: BTreeMap<String, Subagent>,
    }
}

object! {
    /// What was said to a sub-agent and by it.
    ///
    /// The agent does not stream what sub-agents say. Of one that the turn
    /// waits for it says the tool calls and their results only, unless
    /// [`Initialize::forward_subagent_text`] asks for texts and thinking; of
    /// one in the background it says everything but the prompt. One that is
    /// spoken to again goes on under the tool call that started it.
    ///
    /// [`Initialize::forward_subagent_text`]:
    ///     crate::control::Initialize::forward_subagent_text
    #[derive(Default)]
    pub struct Subagent {
        /// The sub-agent's id.
        pub agent_id: Option<String>,
        /// Its kind.
        pub subagent_type: Option<String>,
        /// Its task.
        pub task_description: Option<String>,
        /// What was said, in order.
        pub entries: Vec<Entry>,
    }
}

union! {
    /// One thing that was said, or that happened between two such things.
    pub enum Entry by "type" {
        /// What a user said, a tool answered, or the agent put in a user's
        /// mouth.
        "user" => User(Box<UserMessage>),
        /// What the model said.
        "reply" => Reply(Box<Reply>),
        /// What the agent says besides: the conversation was compacted, a
        /// command printed something.
        "system" => Notice(Box<SystemMessage>),
        /// The end of a turn.
        "result" => Result(Box<ResultMessage>),
    }
}

object! {
    /// What the model said, put together.
    pub struct Reply tags("type" = "reply") {
        /// The message with all its blocks. What comes with every block but is
        /// not the same each time, such as its `uuid`, is that of the last one.
        pub message: AssistantMessage,
        /// Where each of the message's blocks stands.
        pub blocks: Vec<ReplyBlock>,
        /// Where the message stands.
        pub state: ReplyState,
    }
}

object! {
    /// Where a block of a reply stands.
    pub struct ReplyBlock {
        /// How far it has come.
        pub state: BlockState,
        /// The id of the message in which it came whole.
        pub uuid: Option<String>,
    }
}

open_enum! {
    /// How far a block has come.
    pub enum BlockState {
        /// The model is writing it. What there is of a tool's input is made
        /// whole: strings may be cut, and what comes last may be missing.
        Streaming = "streaming",
        /// The model has written it. The agent has not said it yet, and may
        /// never do so: it passes over texts of nothing but white space.
        Written = "written",
        /// The agent has said it.
        Whole = "whole",
    }
}

open_enum! {
    /// How far a reply has come.
    pub enum ReplyState {
        /// The model is writing it.
        Streaming = "streaming",
        /// It is all there, as far as is known: without partial messages the
        /// agent does not say which block is the last.
        Done = "done",
        /// It was cut off and does not go on. The last text may end in the
        /// middle of a word.
        Aborted = "aborted",
    }
}

impl Conversation {
    /// The entries of the main agent, or those of the sub-agent that a tool
    /// call started.
    #[must_use]
    pub fn thread(&self, parent_tool_use_id: Option<&str>) -> &[Entry] {
        match parent_tool_use_id {
            None => &self.entries,
            Some(id) => self.subagents.get(id).map_or(&[], |it| &it.entries),
        }
    }

    /// What a tool call was answered, by whichever agent made it.
    #[must_use]
    pub fn tool_result(&self, tool_use_id: &str) -> Option<&ToolResultBlock> {
        self.threads()
            .flat_map(|(_, entries)| entries.iter().rev())
            .filter_map(|entry| match entry {
                Entry::User(message) => message.message.content.as_ref(),
                _ => None,
            })
            .flat_map(Content::blocks)
            .find_map(|block| match block {
                ContentBlock::ToolResult(result) if result.tool_use_id == tool_use_id => {
                    Some(result)
                }
                _ => None,
            })
    }

    /// The entries of the main agent and of each sub-agent, with the tool call
    /// that started it.
    fn threads(&self) -> impl Iterator<Item = (Option<&str>, &[Entry])> {
        let subagents = self.subagents.iter();
        std::iter::once((None, &self.entries[..]))
            .chain(subagents.map(|(call, it)| (Some(&call[..]), &it.entries[..])))
    }
}

impl Entry {
    /// The reply, when it is one.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            _ => None,
        }
    }
}

impl Reply {
    /// What was said, without thinking and tool calls.
    #[must_use]
    pub fn text(&self) -> String {
        self.content()
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect()
    }

    /// The blocks, in the order in which the model wrote them.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        &self.message.message.content
    }
}
