//! Partial messages: forwarded stream events of the Messages API.

use super::api::{ApiError, Container, ContextManagement, InputTransformation, StopDetails};
use super::assistant::{AssistantBody, StopReason};
use super::usage::Usage;
use crate::content::{Citation, ContentBlock};
use crate::json::{Json, Number};
use crate::model::ThinkingDisplay;
use crate::open::{Loose, object, union};

object! {
    /// A partial message, sent while the model is streaming.
    pub struct StreamEventMessage: tolerant tags("type" = "stream_event") {
        /// The event.
        pub event: StreamEvent,
        /// The session ID.
        pub session_id: Option<String>,
        /// The ID of the tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The API's ID of the message that is being streamed.
        pub api_message_id: Option<String>,
        /// Milliseconds until the first token.
        pub ttft_ms: Option<Number>,
        /// The first user message that this message answers.
        pub user_message_uuid: Option<String>,
        /// All user messages that this message answers.
        pub user_message_uuids: Option<Vec<String>>,
        /// The reason why the turn resumes an earlier one that a restart of the
        /// agent interrupted.
        pub resume_reason: Option<String>,
        /// The display of the thinking.
        pub thinking_display: Option<ThinkingDisplay>,
        /// Rows that the agent has not sent yet. Their format is undocumented.
        pub owed_rows: Option<Vec<Json>>,
        /// Blocks of an interrupted message that is not continued.
        pub abandoned_blocks: Option<AbandonedBlocks>,
    }
}

object! {
    /// Blocks of an interrupted message that is not continued.
    pub struct AbandonedBlocks {
        /// The API's message ID.
        pub api_message_id: String,
        /// The index of the first abandoned block.
        pub from_block_index: Option<u64>,
    }
}

union! {
    /// A stream event of the Messages API.
    pub enum StreamEvent by "type" {
        /// A message starts.
        "message_start" => MessageStart(MessageStart),
        /// A content block starts.
        "content_block_start" => ContentBlockStart(Box<ContentBlockStart>),
        /// Content is added to a content block.
        "content_block_delta" => ContentBlockDelta(ContentBlockDelta),
        /// A content block is complete.
        "content_block_stop" => ContentBlockStop(ContentBlockStop),
        /// The message as a whole changes.
        "message_delta" => MessageDelta(Box<MessageDelta>),
        /// The message is complete.
        "message_stop" => MessageStop(MessageStop),
        /// A heartbeat.
        "ping" => Ping(Ping),
        /// The stream failed.
        "error" => Error(StreamError),
    }
}

object! {
    /// The start of a message.
    pub struct MessageStart tags("type" = "message_start"); boxed {
        /// The message, which has no content yet.
        pub message: Box<AssistantBody>,
    }
}

object! {
    /// The start of a content block.
    pub struct ContentBlockStart tags("type" = "content_block_start") {
        /// The index of the block in the message.
        pub index: u64,
        /// The block, which is still empty.
        pub content_block: ContentBlock,
    }
}

object! {
    /// Content that is added to a content block.
    pub struct ContentBlockDelta tags("type" = "content_block_delta") {
        /// The index of the block in the message.
        pub index: u64,
        /// The added content.
        pub delta: BlockDelta,
    }
}

object! {
    /// The end of a content block, which is complete.
    pub struct ContentBlockStop tags("type" = "content_block_stop") {
        /// The index of the block in the message.
        pub index: u64,
    }
}

object! {
    /// Changes of the message as a whole.
    pub struct MessageDelta tags("type" = "message_delta") {
        /// The changes.
        pub delta: MessageChange,
        /// The usage of the message so far.
        pub usage: Option<Usage>,
        /// The content that the API removed from the context.
        pub context_management: Option<Loose<ContextManagement>>,
        /// Changes that the API made to the thinking in the request.
        pub input_transformations: Option<Vec<InputTransformation>>,
    }
}

object! {
    /// The changes to a message as a whole.
    pub struct MessageChange {
        /// The reason why the model stopped.
        pub stop_reason: Option<StopReason>,
        /// The sequence at which the model stopped.
        pub stop_sequence: Option<String>,
        /// Details of why the model stopped.
        pub stop_details: Option<Box<Loose<StopDetails>>>,
        /// The API's container.
        pub container: Option<Box<Loose<Container>>>,
    }
}

object! {
    /// The end of a message, which is complete.
    pub struct MessageStop tags("type" = "message_stop") {}
}

object! {
    /// A heartbeat.
    pub struct Ping tags("type" = "ping") {}
}

object! {
    /// A failure of the stream.
    pub struct StreamError tags("type" = "error") {
        /// The API's error.
        pub error: Loose<ApiError>,
        /// The API's request ID.
        pub request_id: Option<String>,
    }
}

union! {
    /// An addition to a content block.
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
    /// A piece of text.
    pub struct TextDelta tags("type" = "text_delta") {
        /// The added text.
        pub text: String,
    }
}

object! {
    /// A piece of a tool's input.
    pub struct InputJsonDelta tags("type" = "input_json_delta") {
        /// A piece of JSON text. Only all pieces together are valid JSON.
        pub partial_json: String,
    }
}

object! {
    /// A piece of thinking.
    pub struct ThinkingDelta tags("type" = "thinking_delta") {
        /// The added thinking.
        pub thinking: String,
        /// The estimated number of added thinking tokens, if the thinking is
        /// not displayed.
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
        /// The summary, encrypted so that only the API can read it.
        pub encrypted_content: Option<String>,
    }
}

impl StreamEvent {
    /// Returns the text that the event adds, if it adds text.
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

    /// Returns the thinking that the event adds, if it adds thinking.
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
