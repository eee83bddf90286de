//! Partial messages: the event stream of the Messages API, passed on.

use super::api::{ApiError, Container, ContextManagement, InputTransformation, StopDetails};
use super::assistant::{AssistantBody, StopReason};
use super::usage::Usage;
use crate::content::{Citation, ContentBlock};
use crate::json::{Json, Number};
use crate::model::ThinkingDisplay;
use crate::open::{Loose, object, union};

object! {
    /// A piece of what the model is saying, while it says it.
    pub struct StreamEventMessage: tolerant tags("type" = "stream_event") {
        /// The event.
        pub event: StreamEvent,
        /// The session ID.
        pub session_id: Option<String>,
        /// The tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The API's id of the message that is being said.
        pub api_message_id: Option<String>,
        /// Milliseconds until the first token.
        pub ttft_ms: Option<Number>,
        /// The first user message that it answers.
        pub user_message_uuid: Option<String>,
        /// All user messages that it answers.
        pub user_message_uuids: Option<Vec<String>>,
        /// Why the turn takes up an earlier one that a restart of the agent
        /// cut off.
        pub resume_reason: Option<String>,
        /// What is shown of the thinking.
        pub thinking_display: Option<ThinkingDisplay>,
        /// What the agent still owes; nobody says of what kind.
        pub owed_rows: Option<Vec<Json>>,
        /// Blocks of a message that was cut off and does not go on.
        pub abandoned_blocks: Option<AbandonedBlocks>,
    }
}

object! {
    /// Blocks of a message that was cut off and does not go on.
    pub struct AbandonedBlocks {
        /// The API's message ID.
        pub api_message_id: String,
        /// The first block that is void.
        pub from_block_index: Option<u64>,
    }
}

union! {
    /// An event of the Messages API's stream.
    pub enum StreamEvent by "type" {
        /// A message begins.
        "message_start" => MessageStart(MessageStart),
        /// A content block begins.
        "content_block_start" => ContentBlockStart(Box<ContentBlockStart>),
        /// A content block grows.
        "content_block_delta" => ContentBlockDelta(ContentBlockDelta),
        /// A content block is whole.
        "content_block_stop" => ContentBlockStop(ContentBlockStop),
        /// The message as a whole changes.
        "message_delta" => MessageDelta(Box<MessageDelta>),
        /// The message is whole.
        "message_stop" => MessageStop(MessageStop),
        /// The stream is alive.
        "ping" => Ping(Ping),
        /// The stream failed.
        "error" => Error(StreamError),
    }
}

object! {
    /// A message begins.
    pub struct MessageStart tags("type" = "message_start") {
        /// The message, still without content.
        pub message: Box<AssistantBody>,
    }
}

object! {
    /// A content block begins.
    pub struct ContentBlockStart tags("type" = "content_block_start") {
        /// The block's place in the message.
        pub index: u64,
        /// The block, still empty.
        pub content_block: ContentBlock,
    }
}

object! {
    /// A content block grows.
    pub struct ContentBlockDelta tags("type" = "content_block_delta") {
        /// The block's place in the message.
        pub index: u64,
        /// What is added to it.
        pub delta: BlockDelta,
    }
}

object! {
    /// A content block is whole.
    pub struct ContentBlockStop tags("type" = "content_block_stop") {
        /// The block's place in the message.
        pub index: u64,
    }
}

object! {
    /// The message as a whole changes.
    pub struct MessageDelta tags("type" = "message_delta") {
        /// What changes.
        pub delta: MessageChange,
        /// What the message has used so far.
        pub usage: Option<Usage>,
        /// What the API cut from the context.
        pub context_management: Option<Loose<ContextManagement>>,
        /// What the API did to the request because of thinking in it.
        pub input_transformations: Option<Vec<InputTransformation>>,
    }
}

object! {
    /// What changes in a message as a whole.
    pub struct MessageChange {
        /// Why the model stopped.
        pub stop_reason: Option<StopReason>,
        /// The sequence at which it stopped.
        pub stop_sequence: Option<String>,
        /// What the API says of why it stopped.
        pub stop_details: Option<Box<Loose<StopDetails>>>,
        /// The API's container.
        pub container: Option<Box<Loose<Container>>>,
    }
}

object! {
    /// The message is whole.
    pub struct MessageStop tags("type" = "message_stop") {}
}

object! {
    /// The stream is alive.
    pub struct Ping tags("type" = "ping") {}
}

object! {
    /// The stream failed.
    pub struct StreamError tags("type" = "error") {
        /// The API's error.
        pub error: Loose<ApiError>,
        /// The API's request ID.
        pub request_id: Option<String>,
    }
}

union! {
    /// What is added to a content block.
    pub enum BlockDelta by "type" {
        /// Text.
        "text_delta" => Text(TextDelta),
        /// A piece of a tool's input, as JSON text.
        "input_json_delta" => InputJson(InputJsonDelta),
        /// Thinking.
        "thinking_delta" => Thinking(ThinkingDelta),
        /// The signature of the thinking.
        "signature_delta" => Signature(SignatureDelta),
        /// A citation.
        "citations_delta" => Citations(CitationsDelta),
        /// The summary of a compacted conversation.
        "compaction_delta" => Compaction(CompactionDelta),
    }
}

object! {
    /// Text.
    pub struct TextDelta tags("type" = "text_delta") {
        /// The text.
        pub text: String,
    }
}

object! {
    /// A piece of a tool's input.
    pub struct InputJsonDelta tags("type" = "input_json_delta") {
        /// A piece of JSON text, which is JSON only when all pieces are there.
        pub partial_json: String,
    }
}

object! {
    /// Thinking.
    pub struct ThinkingDelta tags("type" = "thinking_delta") {
        /// The thinking.
        pub thinking: String,
        /// About how many tokens more the thinking has, where it is not shown.
        pub estimated_tokens: Option<u64>,
    }
}

object! {
    /// The signature of the thinking.
    pub struct SignatureDelta tags("type" = "signature_delta") {
        /// The signature.
        pub signature: String,
    }
}

object! {
    /// A citation.
    pub struct CitationsDelta tags("type" = "citations_delta") {
        /// The citation.
        pub citation: Citation,
    }
}

object! {
    /// The summary of a compacted conversation.
    pub struct CompactionDelta tags("type" = "compaction_delta") {
        /// The summary.
        pub content: Option<String>,
        /// The summary as only the API can read it.
        pub encrypted_content: Option<String>,
    }
}

impl StreamEvent {
    /// The text that the event adds, when it adds text.
    #[must_use]
    pub fn text_delta(&self) -> Option<&str> {
        match self {
            Self::ContentBlockDelta(ContentBlockDelta {
                delta: BlockDelta::Text(delta),
                ..
            }) => Some(&delta.text),
            _ => None,
        }
    }

    /// The thinking that the event adds, when it adds thinking.
    #[must_use]
    pub fn thinking_delta(&self) -> Option<&str> {
        match self {
            Self::ContentBlockDelta(ContentBlockDelta {
                delta: BlockDelta::Thinking(delta),
                ..
            }) => Some(&delta.thinking),
            _ => None,
        }
    }
}
