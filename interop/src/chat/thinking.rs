//! What a model thought, as the Messages API has it.

use agentwire_protocol::content::CacheControl;
use agentwire_protocol::open::{object, union};

union! {
    /// What a model thought, as the Messages API has it.
    pub enum ThinkingBlock by "type" {
        /// Thinking.
        "thinking" => Thinking(Thinking),
        /// Encrypted thinking.
        "redacted_thinking" => Redacted(RedactedThinking),
    }
}

object! {
    /// Thinking.
    pub struct Thinking tags("type" = "thinking") {
        /// The thinking.
        pub thinking: String,
        /// The API's signature, without which it does not take thinking back.
        pub signature: Option<String>,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// Encrypted thinking.
    pub struct RedactedThinking tags("type" = "redacted_thinking") {
        /// The encrypted thinking.
        pub data: String,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
    }
}
