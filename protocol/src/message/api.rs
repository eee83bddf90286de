//! Details of an API response, except for its content.

use crate::content::RefusalCategory;
use crate::open::{object, open_enum, union};

object! {
    /// A container in which the API runs code.
    pub struct Container {
        /// The API's ID of the container.
        pub id: String,
        /// The time when the container expires, as RFC 3339.
        pub expires_at: Option<String>,
        /// The skills loaded in the container.
        pub skills: Option<Vec<ContainerSkill>>,
    }
}

object! {
    /// A skill in a container.
    pub struct ContainerSkill {
        /// The API's ID of the skill.
        pub skill_id: String,
        /// The owner of the skill.
        pub kind: SkillOwner = "type",
        /// The version of the skill.
        pub version: Option<String>,
    }
}

open_enum! {
    /// The owner of a skill.
    pub enum SkillOwner {
        /// Anthropic.
        Anthropic = "anthropic",
        /// The user.
        Custom = "custom",
    }
}

union! {
    /// Details of why the model stopped.
    pub enum StopDetails by "type" {
        /// The model refused.
        "refusal" => Refusal(RefusalDetails),
    }
}

object! {
    /// Details of a refusal of the model.
    #[derive(Default)]
    pub struct RefusalDetails tags("type" = "refusal") {
        /// The category of the refusal. `None` if it has no category.
        pub category: Option<RefusalCategory>,
        /// An explanation for display.
        pub explanation: Option<String>,
        /// A token for a retry on another model. With it, the retry pays no
        /// more for the cache than if it had been the first request. Valid for
        /// five minutes.
        pub fallback_credit_token: Option<String>,
        /// Whether the retry may continue after the text that was generated
        /// before the refusal.
        pub fallback_has_prefill_claim: Option<bool>,
        /// The recommended model for a retry.
        pub recommended_model: Option<String>,
    }
}

object! {
    /// The content that the API removed from the context.
    #[derive(Default)]
    pub struct ContextManagement {
        /// The edits.
        pub applied_edits: Option<Vec<AppliedEdit>>,
    }
}

union! {
    /// An edit of the context by the API.
    pub enum AppliedEdit by "type" {
        /// Tool calls and results were removed.
        "clear_tool_uses_20250919" => ClearToolUses(ClearedToolUses),
        /// Thinking was removed.
        "clear_thinking_20251015" => ClearThinking(ClearedThinking),
    }
}

object! {
    /// The removal of tool calls and results from the context.
    #[derive(Default)]
    pub struct ClearedToolUses tags("type" = "clear_tool_uses_20250919") {
        /// The number of removed tool calls.
        pub cleared_tool_uses: Option<u64>,
        /// The size of the removed tool calls and results in tokens.
        pub cleared_input_tokens: Option<u64>,
    }
}

object! {
    /// The removal of thinking from the context.
    #[derive(Default)]
    pub struct ClearedThinking tags("type" = "clear_thinking_20251015") {
        /// The number of turns whose thinking was removed.
        pub cleared_thinking_turns: Option<u64>,
        /// The size of the removed thinking in tokens.
        pub cleared_input_tokens: Option<u64>,
    }
}

object! {
    /// Diagnostics of an API request.
    #[derive(Default)]
    pub struct Diagnostics {
        /// The reason why the cache did not contain the whole prompt. `None` if
        /// this is not yet known.
        pub cache_miss_reason: Option<CacheMissReason>,
    }
}

union! {
    /// The reason why the cache did not contain the whole prompt.
    pub enum CacheMissReason by "type" {
        /// The model changed.
        "model_changed" => ModelChanged(CacheMissModelChanged),
        /// The system prompt changed.
        "system_changed" => SystemChanged(CacheMissSystemChanged),
        /// The tools changed.
        "tools_changed" => ToolsChanged(CacheMissToolsChanged),
        /// Earlier messages changed.
        "messages_changed" => MessagesChanged(CacheMissMessagesChanged),
        /// The previous message no longer exists.
        "previous_message_not_found" => PreviousMessageNotFound(CacheMissPreviousMessageNotFound),
        /// The reason is unknown.
        "unavailable" => Unavailable(CacheMissUnavailable),
    }
}

/// Declares the four reasons that differ only in their tag.
macro_rules! cache_misses {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("type" = $tag) {
                /// The number of tokens that were not in the cache.
                pub cache_missed_input_tokens: Option<u64>,
            }
        }
    )*};
}

cache_misses! {
    /// The model changed.
    CacheMissModelChanged = "model_changed",
    /// The system prompt changed.
    CacheMissSystemChanged = "system_changed",
    /// The tools changed.
    CacheMissToolsChanged = "tools_changed",
    /// Earlier messages changed.
    CacheMissMessagesChanged = "messages_changed",
}

object! {
    /// The reason that the previous message no longer exists.
    #[derive(Default)]
    pub struct CacheMissPreviousMessageNotFound tags("type" = "previous_message_not_found") {}
}

object! {
    /// The reason is unknown.
    #[derive(Default)]
    pub struct CacheMissUnavailable tags("type" = "unavailable") {}
}

union! {
    /// How the API handled a thinking block that is bound to another context
    /// than the request's.
    pub enum InputTransformation by "type" {
        /// The thinking was removed.
        "thinking_dropped" => ThinkingDropped(ThinkingDropped),
        /// The thinking was retained.
        "thinking_mismatch_allowed" => ThinkingMismatchAllowed(ThinkingMismatchAllowed),
    }
}

object! {
    /// Thinking was removed from a request.
    pub struct ThinkingDropped tags("type" = "thinking_dropped") {
        /// The path of the block, such as `messages.1.content.0`.
        pub path: String,
        /// The reason.
        pub reason: Option<BindingMismatch>,
    }
}

object! {
    /// Thinking was retained in a request although its binding does not match.
    pub struct ThinkingMismatchAllowed tags("type" = "thinking_mismatch_allowed") {
        /// The path of the block, such as `messages.1.content.0`.
        pub path: String,
        /// The binding that does not match.
        pub reason: Option<BindingMismatch>,
    }
}

open_enum! {
    /// A binding of thinking that does not match the request.
    pub enum BindingMismatch {
        /// The thinking is bound to another model.
        Model = "model_binding_mismatch",
        /// The thinking is bound to other preceding messages.
        Prefix = "prefix_binding_mismatch",
        /// The thinking is bound to another organization.
        Organization = "organization_binding_mismatch",
        /// The thinking is bound to another end user.
        EndUser = "end_user_binding_mismatch",
    }
}

object! {
    /// An error of the API.
    #[derive(Default)]
    pub struct ApiError {
        /// The kind of error.
        pub kind: Option<ApiErrorKind> = "type",
        /// The error message.
        pub message: Option<String>,
    }
}

open_enum! {
    /// A kind of error of the API.
    pub enum ApiErrorKind {
        /// The request is invalid.
        InvalidRequest = "invalid_request_error",
        /// Authentication failed.
        Authentication = "authentication_error",
        /// A billing problem occurred.
        Billing = "billing_error",
        /// Permission was denied.
        Permission = "permission_error",
        /// The resource was not found.
        NotFound = "not_found_error",
        /// The rate limit was exceeded.
        RateLimit = "rate_limit_error",
        /// The request timed out.
        Timeout = "timeout_error",
        /// The API failed.
        Api = "api_error",
        /// The API is overloaded.
        Overloaded = "overloaded_error",
    }
}
