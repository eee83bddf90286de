//! What the Messages API says of an answer beside its content.

use crate::content::RefusalCategory;
use crate::open::{object, open_enum, union};

object! {
    /// A container, in which the API runs code.
    pub struct Container {
        /// The container's id at the API.
        pub id: String,
        /// When it goes, as RFC 3339.
        pub expires_at: Option<String>,
        /// The skills that it has.
        pub skills: Option<Vec<ContainerSkill>>,
    }
}

object! {
    /// A skill in a container.
    pub struct ContainerSkill {
        /// The skill's id at the API.
        pub skill_id: String,
        /// Whose it is.
        pub kind: SkillOwner = "type",
        /// Its version.
        pub version: Option<String>,
    }
}

open_enum! {
    /// Whose skill it is.
    pub enum SkillOwner {
        /// Anthropic's.
        Anthropic = "anthropic",
        /// The user's own.
        Custom = "custom",
    }
}

union! {
    /// What the API says of why the model stopped.
    pub enum StopDetails by "type" {
        /// It refused.
        "refusal" => Refusal(RefusalDetails),
    }
}

object! {
    /// The model refused.
    #[derive(Default)]
    pub struct RefusalDetails tags("type" = "refusal") {
        /// What it refused; `None` when it is in no category.
        pub category: Option<RefusalCategory>,
        /// The same in words, for people.
        pub explanation: Option<String>,
        /// With this a second try on another model pays no more for the cache
        /// than if it had been the first. It holds for five minutes.
        pub fallback_credit_token: Option<String>,
        /// Whether the second try may go on behind what was said before the
        /// refusal.
        pub fallback_has_prefill_claim: Option<bool>,
        /// The model to try.
        pub recommended_model: Option<String>,
    }
}

object! {
    /// What the API cut from the context.
    #[derive(Default)]
    pub struct ContextManagement {
        /// The cuts.
        pub applied_edits: Option<Vec<AppliedEdit>>,
    }
}

union! {
    /// Something that the API cut from the context.
    pub enum AppliedEdit by "type" {
        /// Tool calls and their answers.
        "clear_tool_uses_20250919" => ClearToolUses(ClearedToolUses),
        /// Thinking.
        "clear_thinking_20251015" => ClearThinking(ClearedThinking),
    }
}

object! {
    /// Tool calls were cut, and their answers.
    #[derive(Default)]
    pub struct ClearedToolUses tags("type" = "clear_tool_uses_20250919") {
        /// The count.
        pub cleared_tool_uses: Option<u64>,
        /// Their tokens.
        pub cleared_input_tokens: Option<u64>,
    }
}

object! {
    /// Thinking was cut.
    #[derive(Default)]
    pub struct ClearedThinking tags("type" = "clear_thinking_20251015") {
        /// That of how many turns.
        pub cleared_thinking_turns: Option<u64>,
        /// Its size in tokens.
        pub cleared_input_tokens: Option<u64>,
    }
}

object! {
    /// What the API found out about a request.
    #[derive(Default)]
    pub struct Diagnostics {
        /// Why the cache did not have all of the prompt; `None` when that is
        /// not known yet.
        pub cache_miss_reason: Option<CacheMissReason>,
    }
}

union! {
    /// Why the cache did not have all of a prompt.
    pub enum CacheMissReason by "type" {
        /// It is for another model.
        "model_changed" => ModelChanged(CacheMissModelChanged),
        /// The system prompt is another one.
        "system_changed" => SystemChanged(CacheMissSystemChanged),
        /// The tools are others.
        "tools_changed" => ToolsChanged(CacheMissToolsChanged),
        /// Earlier messages are others.
        "messages_changed" => MessagesChanged(CacheMissMessagesChanged),
        /// The message with which it was compared is gone.
        "previous_message_not_found" => PreviousMessageNotFound(CacheMissPreviousMessageNotFound),
        /// Nobody can say.
        "unavailable" => Unavailable(CacheMissUnavailable),
    }
}

/// Four reasons differ in their tag alone.
macro_rules! cache_misses {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("type" = $tag) {
                /// The tokens that the cache did not have.
                pub cache_missed_input_tokens: Option<u64>,
            }
        }
    )*};
}

cache_misses! {
    /// The request is for another model.
    CacheMissModelChanged = "model_changed",
    /// The system prompt is another one.
    CacheMissSystemChanged = "system_changed",
    /// The tools are others.
    CacheMissToolsChanged = "tools_changed",
    /// Earlier messages are others.
    CacheMissMessagesChanged = "messages_changed",
}

object! {
    /// The message with which a request was compared is gone.
    #[derive(Default)]
    pub struct CacheMissPreviousMessageNotFound tags("type" = "previous_message_not_found") {}
}

object! {
    /// Nobody can say why the cache did not have all of a prompt.
    #[derive(Default)]
    pub struct CacheMissUnavailable tags("type" = "unavailable") {}
}

union! {
    /// What the API did to a request because thinking in it is bound to
    /// something else.
    pub enum InputTransformation by "type" {
        /// It took the thinking out.
        "thinking_dropped" => ThinkingDropped(ThinkingDropped),
        /// It left the thinking in.
        "thinking_mismatch_allowed" => ThinkingMismatchAllowed(ThinkingMismatchAllowed),
    }
}

object! {
    /// Thinking was taken out of a request.
    pub struct ThinkingDropped tags("type" = "thinking_dropped") {
        /// The block, as `messages.1.content.0`.
        pub path: String,
        /// Why.
        pub reason: Option<BindingMismatch>,
    }
}

object! {
    /// Thinking was left in a request although it is bound to something else.
    pub struct ThinkingMismatchAllowed tags("type" = "thinking_mismatch_allowed") {
        /// The block, as `messages.1.content.0`.
        pub path: String,
        /// What it is bound to.
        pub reason: Option<BindingMismatch>,
    }
}

open_enum! {
    /// What thinking is bound to, and does not find in a request.
    pub enum BindingMismatch {
        /// Another model.
        Model = "model_binding_mismatch",
        /// What was said before it.
        Prefix = "prefix_binding_mismatch",
        /// Another organisation.
        Organization = "organization_binding_mismatch",
        /// Another end user.
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
        /// The request was not valid.
        InvalidRequest = "invalid_request_error",
        /// The API does not know who asks.
        Authentication = "authentication_error",
        /// The account does not pay.
        Billing = "billing_error",
        /// Whoever asks may not.
        Permission = "permission_error",
        /// There is no such thing.
        NotFound = "not_found_error",
        /// Too many requests.
        RateLimit = "rate_limit_error",
        /// It took too long.
        Timeout = "timeout_error",
        /// The API failed.
        Api = "api_error",
        /// The API is overloaded.
        Overloaded = "overloaded_error",
    }
}
