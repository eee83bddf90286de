//! The data plane: what the agent says, and what the host says to it.

mod assistant;
mod result;
mod stream_event;
mod system;
mod user;

pub use assistant::{AssistantBody, AssistantError, AssistantMessage, StopReason, Usage};
pub use result::{ModelUsage, PermissionDenial, ResultMessage, ResultSubtype, TerminalReason};
pub use stream_event::{
    BlockDelta, CitationsDelta, CompactionDelta, ContentBlockDelta, ContentBlockStart,
    ContentBlockStop, InputJsonDelta, MessageChange, MessageDelta, MessageStart, MessageStop, Ping,
    SignatureDelta, StreamError, StreamEvent, StreamEventMessage, TextDelta, ThinkingDelta,
};
pub use system::{
    ControlRequestProgress, Init, McpServerState, SessionState, SessionStateChanged, Status,
    SystemMessage,
};
pub use user::{Priority, UserBody, UserMessage};

use crate::open::{object, open_enum, union};

union! {
    /// A message of the data plane, in either direction.
    pub enum Message by "type" {
        /// What a user said, a tool answered, or the agent put in a user's
        /// mouth.
        "user" => User(UserMessage),
        /// A content block that the model finished.
        "assistant" => Assistant(AssistantMessage),
        /// A piece of what the model is saying, while it says it. Older
        /// documents call it `partial_assistant`.
        "partial_assistant" | "stream_event" => StreamEvent(StreamEventMessage),
        /// The end of a turn.
        "result" => Result(ResultMessage),
        /// What the agent says of itself.
        "system" => System(SystemMessage),
        /// What became of a message that the host sent.
        "command_lifecycle" => CommandLifecycle(CommandLifecycle),
    }
}

object! {
    /// What became of a user message that the host sent with a `uuid`.
    pub struct CommandLifecycle tags("type" = "command_lifecycle") {
        /// The `uuid` of that message.
        pub command_uuid: String,
        /// How far it has come.
        pub state: CommandState,
        /// This message's own id.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How far a user message has come in the agent's queue.
    pub enum CommandState {
        /// It waits in the agent's queue.
        Queued = "queued",
        /// A turn has taken it up.
        Started = "started",
        /// That turn is over.
        Completed = "completed",
        /// It was withdrawn before it started, or interrupted afterwards.
        Cancelled = "cancelled",
    }
}

impl CommandState {
    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled)
    }
}

impl Message {
    /// The text that a partial message adds to the answer of the main agent.
    /// `None` for every other message, and for what a sub-agent says.
    #[must_use]
    pub fn text_delta(&self) -> Option<&str> {
        match self {
            Self::StreamEvent(partial) if partial.parent_tool_use_id.is_none() => {
                partial.event.text_delta()
            }
            _ => None,
        }
    }
}
