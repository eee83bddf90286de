//! What happens between the agent and the model.

use crate::json::Number;
use crate::message::AssistantError;
use crate::open::{object, open_enum};

object! {
    /// The API failed, and is asked again.
    #[derive(Default)]
    pub struct ApiRetry: tolerant tags("type" = "system", "subtype" = "api_retry") {
        /// The number of the attempt.
        pub attempt: Option<u64>,
        /// The maximum number of attempts.
        pub max_retries: Option<u64>,
        /// The delay before the next attempt, in milliseconds.
        pub retry_delay_ms: Option<Number>,
        /// The HTTP status with which the last one failed; `None` when there
        /// was no answer.
        pub error_status: Option<u16>,
        /// Why the last one failed.
        pub error: Option<AssistantError>,
        /// How long was waited, when the API did not even begin to answer.
        pub no_response: Option<NoResponse>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// How long was waited for an API that did not begin to answer.
    #[derive(Default)]
    pub struct NoResponse {
        /// Milliseconds that were waited.
        pub waited_ms: Option<Number>,
        /// Milliseconds that the next attempt will wait.
        pub retry_wait_ms: Option<Number>,
    }
}

object! {
    /// A model refused, and another one answers.
    #[derive(Default)]
    pub struct ModelRefusalFallback: tolerant tags("type" = "system", "subtype" = "model_refusal_fallback") {
        /// What made the agent change the model.
        pub trigger: Option<FallbackTrigger>,
        /// Which way it changes.
        pub direction: Option<FallbackDirection>,
        /// How far the change reaches.
        pub scope: Option<FallbackScope>,
        /// The model that refused.
        pub original_model: Option<String>,
        /// The model that answers.
        pub fallback_model: Option<String>,
        /// Messages that are void now, to be taken away.
        pub retracted_message_uuids: Option<Vec<String>>,
        /// The API's request ID.
        pub request_id: Option<String>,
        /// What kind of refusal the API says it is.
        pub api_refusal_category: Option<String>,
        /// Why the API says it refused, for people.
        pub api_refusal_explanation: Option<String>,
        /// The user message that was refused.
        pub refused_user_message_uuid: Option<String>,
        /// What to tell the user.
        pub content: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// What makes an agent change the model.
    pub enum FallbackTrigger {
        /// The model refused.
        Refusal = "refusal",
    }
}

open_enum! {
    /// Which way the model changes.
    pub enum FallbackDirection {
        /// The same is asked of the other model.
        Retry = "retry",
        /// Back to the first model.
        Revert = "revert",
        /// The other model stays.
        Sticky = "sticky",
    }
}

open_enum! {
    /// How far a change of the model reaches.
    pub enum FallbackScope {
        /// The session has another model from now on.
        Session = "session",
        /// Just this answer, of a sub-agent say, comes from another model.
        Local = "local",
    }
}

object! {
    /// A model refused, and nobody answers in its place.
    #[derive(Default)]
    pub struct ModelRefusalNoFallback: tolerant tags("type" = "system", "subtype" = "model_refusal_no_fallback") {
        /// The model that refused.
        pub original_model: Option<String>,
        /// The API's request ID.
        pub request_id: Option<String>,
        /// What kind of refusal the API says it is.
        pub api_refusal_category: Option<String>,
        /// Why the API says it refused, for people.
        pub api_refusal_explanation: Option<String>,
        /// The user message that was refused.
        pub refused_user_message_uuid: Option<String>,
        /// What to tell the user.
        pub content: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// How much the model has thought. An estimate, while it thinks where
    /// nobody can read it.
    #[derive(Default)]
    pub struct ThinkingTokens: tolerant tags("type" = "system", "subtype" = "thinking_tokens") {
        /// Tokens of the thinking so far.
        pub estimated_tokens: Option<u64>,
        /// Tokens since the last of these messages.
        pub estimated_tokens_delta: Option<u64>,
        /// One of the user messages that the turn answers.
        pub user_message_uuid: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}
