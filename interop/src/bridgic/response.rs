//! What models answer Bridgic with: `bridgic.core.model.types`.

use super::Message;
use agentwire_protocol::Json;
use agentwire_protocol::open::object;

object! {
    /// What a model answered.
    #[derive(Default)]
    pub struct Response {
        /// The message.
        pub message: Option<Message>,
        /// What it used.
        pub usage: Option<TokenUsage>,
        /// The answer as the model's API gave it.
        pub raw: Option<Json>,
    }
}

object! {
    /// A piece of an answer that is streamed.
    #[derive(Default)]
    pub struct MessageChunk {
        /// The text that was added.
        pub delta: Option<String>,
        /// The piece as the model's API gave it.
        pub raw: Option<Json>,
    }
}

object! {
    /// What one call of a model used.
    pub struct TokenUsage {
        /// The model.
        pub model: String,
        /// Tokens in the prompt; 0, when absent.
        pub prompt_tokens: Option<u64>,
        /// Tokens in the answer; 0, when absent.
        pub completion_tokens: Option<u64>,
        /// Both; 0, when absent.
        pub total_tokens: Option<u64>,
        /// When that was, as ISO 8601, without a time zone.
        pub timestamp: Option<String>,
    }
}
