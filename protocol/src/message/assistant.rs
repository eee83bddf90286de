//! Assistant messages: what the model said, one content block at a time.

use super::api::{Container, ContextManagement, Diagnostics, InputTransformation, StopDetails};
use super::reports::{ContextReport, UsageReport};
use super::usage::Usage;
use crate::content::ContentBlock;
use crate::json::Number;
use crate::model::ThinkingDisplay;
use crate::open::{Loose, object, open_enum};

object! {
    /// A content block that the model finished.
    ///
    /// The agent sends one of these for each block, all with the same
    /// `message.id`; whoever wants whole messages merges them by it.
    #[derive(Default)]
    pub struct AssistantMessage: tolerant tags("type" = "assistant") {
        /// What was said.
        pub message: Box<AssistantBody>,
        /// The tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// Why the model could not answer.
        pub error: Option<AssistantError>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
        /// The first user message that it answers.
        pub user_message_uuid: Option<String>,
        /// All user messages that it answers.
        pub user_message_uuids: Option<Vec<String>>,
        /// Messages that this one takes the place of.
        pub supersedes: Option<Vec<String>>,
        /// Whether it goes on with the thinking in which the message before
        /// it was cut off.
        pub resumed_from_incomplete_thinking: Option<bool>,
        /// Why the turn takes up an earlier one that a restart of the agent
        /// cut off.
        pub resume_reason: Option<String>,
        /// Whether the model was cut off.
        pub aborted: Option<bool>,
        /// The API's request ID.
        pub request_id: Option<String>,
        /// Names for people of the tools that it calls.
        pub tool_use_meta: Option<Vec<ToolUseMeta>>,
        /// Milliseconds that the model thought.
        pub thinking_duration_ms: Option<Number>,
        /// What is shown of the thinking.
        pub thinking_display: Option<ThinkingDisplay>,
        /// What fills the context, when that was asked for.
        pub context_usage: Option<Box<ContextReport>>,
        /// What was used, when that was asked for.
        pub usage_report: Option<Box<UsageReport>>,
        /// When it was said, as RFC 3339.
        pub timestamp: Option<String>,
        /// The sub-agent it belongs to.
        pub agent_id: Option<String>,
        /// That sub-agent's kind.
        pub subagent_type: Option<String>,
        /// That sub-agent's task.
        pub task_description: Option<String>,
    }
}

object! {
    /// A message of the Messages API.
    #[derive(Default)]
    pub struct AssistantBody {
        /// The API's message ID.
        pub id: Option<String>,
        /// `message`.
        pub kind: Option<String> = "type",
        /// `assistant`.
        pub role: Option<String>,
        /// The name of the model.
        pub model: Option<String>,
        /// What it said.
        pub content: Vec<ContentBlock>,
        /// Why it stopped. Not known yet when the agent sends a block.
        pub stop_reason: Option<StopReason>,
        /// The sequence at which it stopped.
        pub stop_sequence: Option<String>,
        /// What the API says of why it stopped.
        pub stop_details: Option<Box<Loose<StopDetails>>>,
        /// What it used.
        pub usage: Option<Usage>,
        /// The API's container.
        pub container: Option<Box<Loose<Container>>>,
        /// What the API cut from the context.
        pub context_management: Option<Loose<ContextManagement>>,
        /// What the API found out about the request, when it was asked to.
        pub diagnostics: Option<Box<Loose<Diagnostics>>>,
        /// What the API did to the request because of thinking in it.
        pub input_transformations: Option<Vec<InputTransformation>>,
    }
}

open_enum! {
    /// Why a model stopped.
    pub enum StopReason {
        /// It was done.
        EndTurn = "end_turn",
        /// The limit of tokens was reached.
        MaxTokens = "max_tokens",
        /// A stop sequence came.
        StopSequence = "stop_sequence",
        /// It waits for tools.
        ToolUse = "tool_use",
        /// The API paused a long turn.
        PauseTurn = "pause_turn",
        /// The conversation was compacted.
        Compaction = "compaction",
        /// It refused.
        Refusal = "refusal",
        /// The context is full.
        ContextWindowExceeded = "model_context_window_exceeded",
    }
}

open_enum! {
    /// Why a model could not answer.
    pub enum AssistantError {
        /// The API does not know who asks.
        AuthenticationFailed = "authentication_failed",
        /// The organisation may not log in this way.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is on hold.
        AccountOnHold = "account_on_hold",
        /// The account has to be verified.
        VerificationRequired = "verification_required",
        /// There is no credit.
        BillingError = "billing_error",
        /// Too many requests.
        RateLimit = "rate_limit",
        /// The API is overloaded.
        Overloaded = "overloaded",
        /// The request was not valid.
        InvalidRequest = "invalid_request",
        /// There is no such model.
        ModelNotFound = "model_not_found",
        /// The API failed.
        ServerError = "server_error",
        /// Another or unknown reason.
        Other = "unknown",
        /// The answer was too long.
        MaxOutputTokens = "max_output_tokens",
        /// The cloud's credentials do not work.
        CloudCredentialError = "cloud_credential_error",
    }
}

impl AssistantError {
    /// Whether it is about the login or the account, so that trying again
    /// helps nobody before the user has done something.
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
    /// Names for people of a tool that is called.
    pub struct ToolUseMeta {
        /// The call.
        pub id: String,
        /// What to call the tool.
        pub display_name: Option<String>,
        /// What to call its MCP server.
        pub server_display_name: Option<String>,
        /// What the server itself calls the tool.
        pub tool_name: Option<String>,
    }
}
