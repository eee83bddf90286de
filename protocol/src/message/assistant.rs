//! Assistant messages: the content blocks of the model.

use super::api::{Container, ContextManagement, Diagnostics, InputTransformation, StopDetails};
use super::reports::{ContextReport, UsageReport};
use super::usage::Usage;
use crate::content::ContentBlock;
use crate::json::Number;
use crate::model::ThinkingDisplay;
use crate::open::{Loose, object, open_enum};

object! {
    /// A completed content block of the model.
    ///
    /// The agent sends one such message for each block. All blocks of a message
    /// have the same `message.id`. Merge the blocks by this ID to get the whole
    /// message.
    #[derive(Default)]
    pub struct AssistantMessage: tolerant tags("type" = "assistant"); boxed {
        /// The message, with this block as content.
        pub message: Box<AssistantBody>,
        /// The ID of the tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// The reason why the model request failed.
        pub error: Option<AssistantError>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
        /// The first user message that this message answers.
        pub user_message_uuid: Option<String>,
        /// All user messages that this message answers.
        pub user_message_uuids: Option<Vec<String>>,
        /// The IDs of messages that this one replaces.
        pub supersedes: Option<Vec<String>>,
        /// Whether this message continues the thinking in which the previous
        /// message was cut off.
        pub resumed_from_incomplete_thinking: Option<bool>,
        /// The reason why the turn resumes an earlier one that a restart of the
        /// agent interrupted.
        pub resume_reason: Option<String>,
        /// Whether the model was interrupted.
        pub aborted: Option<bool>,
        /// The API's request ID.
        pub request_id: Option<String>,
        /// Display names of the tools that this message calls.
        pub tool_use_meta: Option<Vec<ToolUseMeta>>,
        /// The thinking time in milliseconds.
        pub thinking_duration_ms: Option<Number>,
        /// The display of the thinking.
        pub thinking_display: Option<ThinkingDisplay>,
        /// The context usage, if requested.
        pub context_usage: Option<Box<ContextReport>>,
        /// The usage report, if requested.
        pub usage_report: Option<Box<UsageReport>>,
        /// The time of the message, as RFC 3339.
        pub timestamp: Option<String>,
        /// The ID of the sub-agent of this message.
        pub agent_id: Option<String>,
        /// The kind of the sub-agent of this message.
        pub subagent_type: Option<String>,
        /// The task of the sub-agent of this message.
        pub task_description: Option<String>,
    }
}

object! {
    /// A message of the Messages API.
    #[derive(Default)]
    pub struct AssistantBody {
        /// The API's message ID.
        pub id: Option<String>,
        /// The type, `message`.
        pub kind: Option<String> = "type",
        /// The role, `assistant`.
        pub role: Option<String>,
        /// The name of the model.
        pub model: Option<String>,
        /// The content blocks.
        pub content: Vec<ContentBlock>,
        /// The stop reason. It is not yet known when the agent sends a block.
        pub stop_reason: Option<StopReason>,
        /// The stop sequence that was generated.
        pub stop_sequence: Option<String>,
        /// Details of why the model stopped.
        pub stop_details: Option<Box<Loose<StopDetails>>>,
        /// The token usage.
        pub usage: Option<Usage>,
        /// The API's container.
        pub container: Option<Box<Loose<Container>>>,
        /// The content that the API removed from the context.
        pub context_management: Option<Loose<ContextManagement>>,
        /// Diagnostics of the request, if enabled.
        pub diagnostics: Option<Box<Loose<Diagnostics>>>,
        /// Changes that the API made to the thinking in the request.
        pub input_transformations: Option<Vec<InputTransformation>>,
    }
}

open_enum! {
    /// The reason why a model stopped.
    pub enum StopReason {
        /// The response is complete.
        EndTurn = "end_turn",
        /// The token limit was reached.
        MaxTokens = "max_tokens",
        /// A stop sequence was generated.
        StopSequence = "stop_sequence",
        /// The model calls tools.
        ToolUse = "tool_use",
        /// The API paused a long turn.
        PauseTurn = "pause_turn",
        /// The conversation was compacted.
        Compaction = "compaction",
        /// The model refused to respond.
        Refusal = "refusal",
        /// The context window of the model is full.
        ContextWindowExceeded = "model_context_window_exceeded",
    }
}

open_enum! {
    /// The reason why a model request failed.
    pub enum AssistantError {
        /// Authentication failed.
        AuthenticationFailed = "authentication_failed",
        /// The organisation does not allow this login method.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is on hold.
        AccountOnHold = "account_on_hold",
        /// The account must be verified.
        VerificationRequired = "verification_required",
        /// The account has no credit.
        BillingError = "billing_error",
        /// The rate limit was exceeded.
        RateLimit = "rate_limit",
        /// The API is overloaded.
        Overloaded = "overloaded",
        /// The request is invalid.
        InvalidRequest = "invalid_request",
        /// The model does not exist.
        ModelNotFound = "model_not_found",
        /// The API failed.
        ServerError = "server_error",
        /// Another or unknown reason.
        Other = "unknown",
        /// The response was too long.
        MaxOutputTokens = "max_output_tokens",
        /// The cloud credentials are invalid.
        CloudCredentialError = "cloud_credential_error",
    }
}

impl AssistantError {
    /// Returns whether the error is about the login or the account. A retry
    /// then fails until the user takes action.
    #[must_use]
    pub fn is_about_login(&self) -> bool {
        matches!(
            self,
            Self::AuthenticationFailed
                | Self::OauthOrgNotAllowed
                | Self::AccountOnHold
                | Self::VerificationRequired
                | Self::BillingError
                | Self::CloudCredentialError
        )
    }
}

object! {
    /// Display names for a tool call.
    pub struct ToolUseMeta {
        /// The ID of the call.
        pub id: String,
        /// The display name of the tool.
        pub display_name: Option<String>,
        /// The display name of the tool's MCP server.
        pub server_display_name: Option<String>,
        /// The name of the tool on its MCP server.
        pub tool_name: Option<String>,
    }
}
