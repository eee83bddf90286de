//! Results: the end of a turn.

use super::origin::MessageOrigin;
use super::usage::{ModelUsage, Usage};
use crate::json::{Json, Number};
use crate::model::{FastModeDisabledReason, FastModeState};
use crate::open::{object, open_enum};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

object! {
    /// The end of a turn.
    ///
    /// It ends a turn, not the session, and not one user message: several
    /// messages may have been folded into the turn, and a turn may begin
    /// without any. [`ResultMessage::user_message_uuids`] says whose it is.
    #[derive(Default)]
    pub struct ResultMessage: tolerant tags("type" = "result") then find_out_error {
        /// How the turn ended, on the outside.
        pub subtype: ResultSubtype,
        /// Whether something went wrong. Also set on `success`, when the
        /// API failed.
        pub is_error: bool,
        /// The text of the last answer.
        pub result: Option<String>,
        /// The error.
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
        /// Milliseconds until the first event of the stream.
        pub ttft_stream_ms: Option<Number>,
        /// Milliseconds until the API was asked.
        pub time_to_request_ms: Option<Number>,
        /// Milliseconds from the start of the process until the API was
        /// asked.
        pub time_to_request_from_spawn_ms: Option<Number>,
        /// When the API was asked, in milliseconds since 1970.
        pub request_sent_wall_ms: Option<Number>,
        /// Milliseconds until the first frame with content.
        pub first_content_frame_ms: Option<Number>,
        /// Milliseconds until the first event was posted, where events are
        /// posted to a server.
        pub first_stream_post_ms: Option<Number>,
        /// Milliseconds until the server had acknowledged it.
        pub first_stream_post_ack_ms: Option<Number>,
        /// Milliseconds that it waited to be posted.
        pub first_stream_post_queue_wait_ms: Option<Number>,
        /// What it waited for.
        pub first_stream_post_queued_behind: Option<QueuedBehind>,
        /// When it was posted, in milliseconds since 1970.
        pub first_stream_post_wall_ms: Option<Number>,
        /// Milliseconds until the first text was posted.
        pub first_text_post_ms: Option<Number>,
        /// Milliseconds that it waited to be posted.
        pub first_text_post_queue_wait_ms: Option<Number>,
        /// What it waited for.
        pub first_text_post_queued_behind: Option<QueuedBehind>,
        /// When it was posted, in milliseconds since 1970.
        pub first_text_post_wall_ms: Option<Number>,
        /// Whether a process was used that had been started in advance.
        pub warm_spare_claimed: Option<bool>,
        /// What the other times are counted from, in milliseconds since
        /// 1970.
        pub time_origin_ms: Option<Number>,
        /// Tokens that the first question to the API had.
        pub first_request_input_tokens: Option<u64>,
        /// Tokens of it that came from the cache.
        pub first_request_cache_read_input_tokens: Option<u64>,
        /// US dollars that the session has cost.
        pub total_cost_usd: Option<Number>,
        /// Tokens that the turn used.
        pub usage: Option<Usage>,
        /// What the session used, by model.
        pub model_usage: Option<BTreeMap<String, ModelUsage>> = "modelUsage",
        /// What was used since the last result, by model.
        pub model_usage_since_last_result: Option<BTreeMap<String, ModelUsage>>,
        /// How many sub-agents the session had, and what became of them.
        pub subagent_stats: Option<SubagentStats>,
        /// How often the turn was stopped for safety.
        pub safety_stops: Option<u64>,
        /// Tool calls that were refused.
        pub permission_denials: Option<Vec<PermissionDenial>>,
        /// The answer in the shape that the session asked for.
        pub structured_output: Option<Json>,
        /// The tool call that was left for later, and ended the turn.
        pub deferred_tool_use: Option<DeferredToolUse>,
        /// The command that answered in place of the model.
        pub local_command: Option<String>,
        /// Why the turn takes up an earlier one that a restart of the agent
        /// cut off.
        pub resume_reason: Option<String>,
        /// Why the agent could not start, when that is why the turn failed.
        pub startup_failure_reason: Option<StartupFailureReason>,
        /// The configuration that could not be read, when it is that.
        pub invalid_config_file: Option<InvalidConfigFile>,
        /// When the login ends, as RFC 3339.
        pub credential_expires_at: Option<String>,
        /// The state of fast mode.
        pub fast_mode_state: Option<FastModeState>,
        /// Why fast mode is unavailable.
        pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
        /// User messages that still wait.
        pub queued_turn_count: Option<u64>,
        /// The session's results, counted from 0.
        pub result_index: Option<u64>,
        /// The messages that the model began in the turn, by the IDs that the
        /// API gave them. No declaration has it; CLI 2.1.330 does.
        pub begun_message_ids: Option<Vec<String>>,
        /// What started the turn, where it was not a user.
        pub origin: Option<MessageOrigin>,
        /// The first of the user messages that the turn answered.
        pub user_message_uuid: Option<String>,
        /// All user messages that the turn answered.
        pub user_message_uuids: Option<Vec<String>>,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
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
        /// The context was too full to go on.
        BlockingLimit = "blocking_limit",
        /// The context was full again right after it was compacted.
        RapidRefillBreaker = "rapid_refill_breaker",
        /// An image could not be used.
        ImageError = "image_error",
        /// The model called tools in a way that nobody could read, too often.
        MalformedToolUseExhausted = "malformed_tool_use_exhausted",
        /// A tool call was left for later.
        ToolDeferred = "tool_deferred",
        /// A tool call was left for later, and its tool is gone.
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        /// It was to go on in the background.
        BackgroundRequested = "background_requested",
        /// The model did not give the shape that was asked for.
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        /// It could not begin.
        TurnSetupFailed = "turn_setup_failed",
        /// A hook stopped it.
        HookStopped = "hook_stopped",
        /// A stop hook did not let it end.
        StopHookPrevented = "stop_hook_prevented",
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

object! {
    /// A tool call that was left for later.
    pub struct DeferredToolUse {
        /// The call.
        pub id: String,
        /// The tool.
        pub name: String,
        /// Its input.
        pub input: Json,
    }
}

open_enum! {
    /// What a post to a server waited for.
    pub enum QueuedBehind {
        /// A post that must not be lost.
        DurablePost = "durable_post",
        /// A post that may be lost.
        EphemeralPost = "ephemeral_post",
        /// The pause before the next attempt.
        RetryBackoff = "retry_backoff",
        /// It was held back.
        Hold = "hold",
        /// Nothing.
        None = "none",
    }
}

object! {
    /// How many sub-agents a session had, and what became of them.
    #[derive(Default)]
    pub struct SubagentStats {
        /// How many were started.
        pub spawned: Option<u64>,
        /// How they were asked for.
        pub requested: Option<SubagentRequests>,
        /// How many began in the background.
        pub started_in_background: Option<u64>,
        /// How deep they were nested.
        pub max_depth: Option<u64>,
        /// How many were started by other sub-agents.
        pub spawned_by_subagents: Option<u64>,
        /// How many are done.
        pub completed: Option<u64>,
        /// How many failed.
        pub failed: Option<u64>,
        /// How many were stopped.
        pub killed: Option<SubagentsKilled>,
        /// How many could not be started.
        pub refused: Option<SubagentsRefused>,
        /// How many were started, by kind.
        pub by_type: Option<BTreeMap<String, u64>>,
    }
}

object! {
    /// How sub-agents were asked for.
    #[derive(Default)]
    pub struct SubagentRequests {
        /// In the background.
        pub background: Option<u64>,
        /// In the foreground.
        pub foreground: Option<u64>,
        /// Either way.
        pub unset: Option<u64>,
    }
}

object! {
    /// Who stopped sub-agents.
    #[derive(Default)]
    pub struct SubagentsKilled {
        /// The user or the host.
        pub user: Option<u64>,
        /// The agent that started them.
        pub parent: Option<u64>,
        /// The agent's process by itself.
        pub system: Option<u64>,
    }
}

object! {
    /// Why sub-agents could not be started.
    #[derive(Default)]
    pub struct SubagentsRefused {
        /// The budget was spent.
        pub budget: Option<u64>,
        /// Too many ran already.
        pub concurrency_limit: Option<u64>,
        /// They were nested too deep.
        pub depth_limit: Option<u64>,
    }
}

object! {
    /// A configuration file that could not be read.
    pub struct InvalidConfigFile {
        /// The file.
        pub path: String,
        /// Whether it is the one for everything, which has backups.
        pub is_global: Option<bool>,
        /// Whether a backup was looked for.
        pub backup_searched: Option<bool>,
        /// The backup that was found.
        pub backup_path: Option<String>,
    }
}

open_enum! {
    /// Why an agent could not start.
    pub enum StartupFailureReason {
        /// An API key is set, and the organisation wants a login.
        OrgPinApiKeyConflict = "org_pin_api_key_conflict",
        /// This provider must not be used.
        ProviderNotAllowed = "provider_not_allowed",
        /// Nobody could say which organisation it is.
        OrgVerifyFailed = "org_verify_failed",
        /// It is another organisation than the one that must be used.
        OrgPinMismatch = "org_pin_mismatch",
        /// An administrator's settings are not valid.
        ManagedSettingsInvalid = "managed_settings_invalid",
        /// Settings that have to be fetched could not be.
        RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
        /// The gateway wants a login.
        GatewaySigninRequired = "gateway_signin_required",
        /// The gateway lets nobody in.
        GatewayAccessDenied = "gateway_access_denied",
        /// The proxy's settings are not valid.
        ProxyInvalid = "proxy_invalid",
        /// There is no directory for temporary files.
        TempDirUnusable = "temp_dir_unusable",
        /// The working directory is gone.
        CwdUnavailable = "cwd_unavailable",
        /// There is no shell.
        ShellToolMissing = "shell_tool_missing",
        /// The session runs in the background.
        SessionHeldByBackground = "session_held_by_background",
        /// The session's worktree may not be taken up again.
        WorktreeResumeRefused = "worktree_resume_refused",
        /// Nobody could say whether it is the right worktree.
        WorktreeUnverified = "worktree_unverified",
        /// The agent is too old.
        CliVersionTooOld = "cli_version_too_old",
        /// Root may not run without permissions being asked for.
        BypassRoot = "bypass_root",
        /// The organisation's configuration could not be fetched.
        OrgConfigRequiredUnavailable = "org_config_required_unavailable",
        /// The organisation's configuration was not accepted.
        OrgConfigRefused = "org_config_refused",
        /// There has to be a sandbox, and there is none.
        SandboxRequiredUnavailable = "sandbox_required_unavailable",
        /// Something came before `initialize`.
        InitializeNotFirst = "initialize_not_first",
        /// The configuration file could not be read.
        ConfigFileInvalid = "config_file_invalid",
        /// An administrator's settings did not arrive.
        ManagedSettingsNotDelivered = "managed_settings_not_delivered",
        /// Members of `initialize` did not arrive.
        InitializeFieldsNotDelivered = "initialize_fields_not_delivered",
    }
}

/// An answer does not have the shape that it was to have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StructuredError {
    /// There is no structured answer: none was asked for, or the turn failed
    /// before there was one.
    #[error("the turn ended without a structured answer{}", why(.0))]
    Absent(
        /// What went wrong, if something did.
        Option<String>,
    ),
    /// The answer is not of the type that it was to be read as.
    #[error("the structured answer cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

fn why(error: &Option<String>) -> String {
    error
        .as_ref()
        .map_or_else(String::new, |error| format!(": {error}"))
}

impl ResultMessage {
    /// Derives `is_error` from the subtype if it is missing or invalid.
    fn find_out_error(&mut self) {
        const NAME: &str = "is_error";
        let is_there = self.extra.get(NAME).is_none() && self.extra.missing().all(|it| it != NAME);
        if !is_there && self.subtype != ResultSubtype::Success {
            self.is_error = true;
            self.extra.push_given(NAME, Some(Json::of_text("true")));
        }
    }

    /// The answer in the shape that the session asked for, as a type of the
    /// caller's.
    ///
    /// # Errors
    ///
    /// When there is none, and when it is not of that type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, StructuredError> {
        match &self.structured_output {
            Some(output) => Ok(output.read()?),
            None => Err(StructuredError::Absent(self.error_text())),
        }
    }

    /// Returns one line that says what went wrong; `None` when nothing did.
    /// Where the CLI advises to run its command `/login`, which a program
    /// cannot, the line goes on with what to do instead.
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
        let mut text = why.to_owned();
        if !said.is_empty() {
            text = format!("{why}: {said}");
        }
        // The CLI's own advice is for those who sit in front of it.
        if said.contains("/login") {
            text.push_str(LOGIN);
        }
        Some(text)
    }
}

/// How a program gets an agent that is logged in.
const LOGIN: &str = " (set ANTHROPIC_API_KEY in the agent's environment, or run `claude` once and \
                     log in there)";

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_structured_answer_is_read_or_it_is_said_why_not() {
        let mut result = ResultMessage {
            structured_output: Some(serde_json::json!([1, 2]).into()),
            ..ResultMessage::default()
        };
        assert_eq!(result.structured::<[u8; 2]>().unwrap(), [1, 2]);
        let error = result.structured::<String>().unwrap_err();
        assert!(matches!(error, StructuredError::Unreadable(_)), "{error}");
        result.structured_output = None;
        result.is_error = true;
        result.errors = Some(vec!["no budget".to_owned()]);
        let error = result.structured::<String>().unwrap_err().to_string();
        assert!(error.ends_with("answer: success: no budget"), "{error}");
    }
}
