//! The thinking blocks of the Messages API.

use agentwire_protocol::content::CacheControl;
use agentwire_protocol::open::{object, union};

union! {
    /// A thinking block of the Messages API.
    pub enum ThinkingBlock by "type" {
        /// Thinking.
        "thinking" => Thinking(Thinking),
        /// Redacted thinking.
        "redacted_thinking" => Redacted(RedactedThinking),
    }
}

object! {
    /// Thinking.
    pub struct Thinking tags("type" = "thinking") {
        /// The thinking.
        pub thinking: String,
        /// The signature. The API accepts only signed thinking.
        pub signature: Option<String>,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// Redacted thinking.
    pub struct RedactedThinking tags("type" = "redacted_thinking") {
        /// The encrypted data.
        pub data: String,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
    }
}
