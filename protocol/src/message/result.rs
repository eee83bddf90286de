//! Results: the end of a turn.

use super::assistant::Usage;
use crate::json::{Json, Number};
use crate::open::{object, open_enum};
use std::collections::BTreeMap;

object! {
    /// The end of a turn.
    ///
    /// It ends a turn, not the session, and not one user message: several
    /// messages may have been folded into the turn, and a turn may begin
    /// without any. [`ResultMessage::user_message_uuids`] says whose it is.
    #[derive(Default)]
    pub struct ResultMessage tags("type" = "result") {
        /// How the turn ended, on the outside.
        pub subtype: ResultSubtype,
        /// Whether something went wrong. Also set on `success`, when the
        /// API failed.
        pub is_error: bool,
        /// The text of the last answer.
        pub result: Option<String>,
        /// What went wrong.
        pub errors: Option<Vec<String>>,
        /// Why the turn ended.
        pub terminal_reason: Option<TerminalReason>,
        /// Why the model stopped last.
        pub stop_reason: Option<String>,
        /// The HTTP status with which the API failed.
        pub api_error_status: Option<u16>,
        /// How many times the model was asked.
        pub num_turns: Option<u64>,
        /// Milliseconds that the turn took.
        pub duration_ms: Option<Number>,
        /// Milliseconds that the API took.
        pub duration_api_ms: Option<Number>,
        /// Milliseconds until the first token.
        pub ttft_ms: Option<Number>,
        /// US dollars that the session has cost.
        pub total_cost_usd: Option<Number>,
        /// Tokens that the turn used.
        pub usage: Option<Usage>,
        /// What the session used, by model.
        pub model_usage: Option<BTreeMap<String, ModelUsage>> = "modelUsage",
        /// Tool calls that were refused.
        pub permission_denials: Option<Vec<PermissionDenial>>,
        /// The answer in the shape that the session asked for.
        pub structured_output: Option<Json>,
        /// User messages that still wait.
        pub queued_turn_count: Option<u64>,
        /// The session's results, counted from 0.
        pub result_index: Option<u64>,
        /// What started the turn, where it was not a user.
        pub origin: Option<Json>,
        /// The first of the user messages that the turn answered.
        pub user_message_uuid: Option<String>,
        /// All user messages that the turn answered.
        pub user_message_uuids: Option<Vec<String>>,
        /// The message's id.
        pub uuid: Option<String>,
        /// The session.
        pub session_id: Option<String>,
    }
}

open_enum! {
    /// How a turn ended, on the outside.
    #[derive(Default)]
    pub enum ResultSubtype {
        /// It ran to its end. The API may have failed all the same.
        #[default]
        Success = "success",
        /// It was interrupted, or failed.
        ErrorDuringExecution = "error_during_execution",
        /// The limit of turns was reached.
        ErrorMaxTurns = "error_max_turns",
        /// The budget was spent.
        ErrorMaxBudgetUsd = "error_max_budget_usd",
        /// The model did not give the shape that was asked for.
        ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}

open_enum! {
    /// Why a turn ended.
    pub enum TerminalReason {
        /// The model was done.
        Completed = "completed",
        /// It was interrupted while the model spoke.
        AbortedStreaming = "aborted_streaming",
        /// It was interrupted while tools ran.
        AbortedTools = "aborted_tools",
        /// The API failed.
        ApiError = "api_error",
        /// The model failed.
        ModelError = "model_error",
        /// The limit of turns was reached.
        MaxTurns = "max_turns",
        /// The budget was spent.
        BudgetExhausted = "budget_exhausted",
        /// The prompt was too long.
        PromptTooLong = "prompt_too_long",
        /// A hook stopped it.
        HookStopped = "hook_stopped",
        /// A stop hook did not let it end.
        StopHookPrevented = "stop_hook_prevented",
    }
}

object! {
    /// What a model used in a session.
    pub struct ModelUsage {
        /// Tokens read and not cached.
        pub input_tokens: Option<u64> = "inputTokens",
        /// Tokens written.
        pub output_tokens: Option<u64> = "outputTokens",
        /// Tokens read from the cache.
        pub cache_read_input_tokens: Option<u64> = "cacheReadInputTokens",
        /// Tokens put into the cache.
        pub cache_creation_input_tokens: Option<u64> = "cacheCreationInputTokens",
        /// Web searches.
        pub web_search_requests: Option<u64> = "webSearchRequests",
        /// US dollars.
        pub cost_usd: Option<Number> = "costUSD",
        /// Tokens that the model can hold.
        pub context_window: Option<u64> = "contextWindow",
        /// Tokens that it can write.
        pub max_output_tokens: Option<u64> = "maxOutputTokens",
    }
}

object! {
    /// A tool call that was refused.
    pub struct PermissionDenial {
        /// The tool.
        pub tool_name: String,
        /// The call.
        pub tool_use_id: String,
        /// Its input.
        pub tool_input: Json,
    }
}

impl ResultMessage {
    /// One line that says what went wrong; `None` when nothing did.
    #[must_use]
    pub fn error_text(&self) -> Option<String> {
        if !self.is_error {
            return None;
        }
        let said = match (&self.errors, &self.result) {
            (Some(errors), _) if !errors.is_empty() => errors.join("; "),
            (_, Some(result)) if !result.is_empty() => result.clone(),
            _ => String::new(),
        };
        let why = self
            .terminal_reason
            .as_ref()
            .map_or(self.subtype.as_str(), |why| why.as_str());
        Some(if said.is_empty() {
            why.to_owned()
        } else {
            format!("{why}: {said}")
        })
    }
}
