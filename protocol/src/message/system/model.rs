//! Model requests: retries, refusals and thinking.

use crate::json::Number;
use crate::message::AssistantError;
use crate::open::{object, open_enum};

object! {
    /// The failure of an API request that is retried.
    #[derive(Default)]
    pub struct ApiRetry: tolerant tags("type" = "system", "subtype" = "api_retry") {
        /// The number of the attempt.
        pub attempt: Option<u64>,
        /// The maximum number of attempts.
        pub max_retries: Option<u64>,
        /// The delay before the next attempt, in milliseconds.
        pub retry_delay_ms: Option<Number>,
        /// The HTTP status of the last failure. `None` if there was no
        /// response.
        pub error_status: Option<u16>,
        /// The last error.
        pub error: Option<AssistantError>,
        /// The waiting times, if the API did not start to respond.
        pub no_response: Option<NoResponse>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// Waiting times for an API that does not start to respond.
    #[derive(Default)]
    pub struct NoResponse {
        /// The time waited, in milliseconds.
        pub waited_ms: Option<Number>,
        /// The delay before the next attempt, in milliseconds.
        pub retry_wait_ms: Option<Number>,
    }
}

object! {
    /// A model refused, and another model responds.
    #[derive(Default)]
    pub struct ModelRefusalFallback: tolerant tags("type" = "system", "subtype" = "model_refusal_fallback") {
        /// The cause of the change of model.
        pub trigger: Option<FallbackTrigger>,
        /// The direction of the change.
        pub direction: Option<FallbackDirection>,
        /// The scope of the change.
        pub scope: Option<FallbackScope>,
        /// The model that refused.
        pub original_model: Option<String>,
        /// The model that responds.
        pub fallback_model: Option<String>,
        /// Messages that are retracted and should be removed from display.
        pub retracted_message_uuids: Option<Vec<String>>,
        /// The API's request ID.
        pub request_id: Option<String>,
        /// The category of the refusal, from the API.
        pub api_refusal_category: Option<String>,
        /// The explanation of the refusal, from the API.
        pub api_refusal_explanation: Option<String>,
        /// The user message that was refused.
        pub refused_user_message_uuid: Option<String>,
        /// A message for the user.
        pub content: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// The cause of a change of model.
    pub enum FallbackTrigger {
        /// The model refused.
        Refusal = "refusal",
    }
}

open_enum! {
    /// The direction of a change of model.
    pub enum FallbackDirection {
        /// The request is retried with the other model.
        Retry = "retry",
        /// The session returns to the first model.
        Revert = "revert",
        /// The session stays with the other model.
        Sticky = "sticky",
    }
}

open_enum! {
    /// The scope of a change of model.
    pub enum FallbackScope {
        /// The session.
        Session = "session",
        /// A single response, for example of a sub-agent.
        Local = "local",
    }
}

object! {
    /// A model refused, and no other model responds.
    #[derive(Default)]
    pub struct ModelRefusalNoFallback: tolerant tags("type" = "system", "subtype" = "model_refusal_no_fallback") {
        /// The model that refused.
        pub original_model: Option<String>,
        /// The API's request ID.
        pub request_id: Option<String>,
        /// The category of the refusal, from the API.
        pub api_refusal_category: Option<String>,
        /// The explanation of the refusal, from the API.
        pub api_refusal_explanation: Option<String>,
        /// The user message that was refused.
        pub refused_user_message_uuid: Option<String>,
        /// A message for the user.
        pub content: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// The estimated size of the model's thinking, sent while the model is
    /// thinking and the thinking is not visible.
    #[derive(Default)]
    pub struct ThinkingTokens: tolerant tags("type" = "system", "subtype" = "thinking_tokens") {
        /// The number of thinking tokens so far.
        pub estimated_tokens: Option<u64>,
        /// The number of thinking tokens since the previous message of this
        /// kind.
        pub estimated_tokens_delta: Option<u64>,
        /// One of the user messages that the turn answers.
        pub user_message_uuid: Option<String>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}
