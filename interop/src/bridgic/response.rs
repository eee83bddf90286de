//! The types of models' responses (`bridgic.core.model.types`).

use super::Message;
use agentwire_protocol::Json;
use agentwire_protocol::open::object;

object! {
    /// A response.
    #[derive(Default)]
    pub struct Response {
        /// The message.
        pub message: Option<Message>,
        /// The usage.
        pub usage: Option<TokenUsage>,
        /// The response of the API, unchanged.
        pub raw: Option<Json>,
    }
}

object! {
    /// A chunk of a streamed response.
    #[derive(Default)]
    pub struct MessageChunk {
        /// The added text.
        pub delta: Option<String>,
        /// The chunk of the API, unchanged.
        pub raw: Option<Json>,
    }
}

object! {
    /// The usage of a request.
    pub struct TokenUsage {
        /// The name of the model.
        pub model: String,
        /// The number of tokens of the prompt. Default: 0.
        pub prompt_tokens: Option<u64>,
        /// The number of tokens of the response. Default: 0.
        pub completion_tokens: Option<u64>,
        /// The total number of tokens. Default: 0.
        pub total_tokens: Option<u64>,
        /// The time as ISO 8601 without a time zone.
        pub timestamp: Option<String>,
    }
}
