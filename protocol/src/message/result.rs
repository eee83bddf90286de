//! Results: the end of a turn.

use super::origin::MessageOrigin;
use super::usage::{ModelUsage, Usage};
use crate::json::{Json, Number};
use crate::model::{FastModeDisabledReason, FastModeState};
use crate::open::{object, open_enum};
use crate::text::contains;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

object! {
    /// The end of a turn.
    ///
    /// A result belongs to a turn, not to the session or to one user message. A
    /// turn may answer several messages, or none.
    /// [`ResultMessage::user_message_uuids`] lists the messages that the turn
    /// answered.
    #[derive(Default)]
    pub struct ResultMessage: tolerant tags("type" = "result") then find_out_error {
        /// The kind of result.
        pub subtype: ResultSubtype,
        /// Whether the turn failed. Also `true` with the subtype `success` if
        /// the API failed.
        pub is_error: bool,
        /// The text of the last response.
        pub result: Option<String>,
        /// The errors.
        pub errors: Option<Vec<String>>,
        /// The reason why the turn ended.
        pub terminal_reason: Option<TerminalReason>,
        /// The stop reason of the model's last reply.
        pub stop_reason: Option<String>,
        /// The HTTP status, if the API failed with one.
        pub api_error_status: Option<u16>,
        /// One, plus one for each user message that the agent added to the
        /// turn, such as a tool result, the note of an interrupt or the
        /// feedback of a hook. 0 if there was no model request.
        pub num_turns: Option<u64>,
        /// The duration of the turn in milliseconds.
        pub duration_ms: Option<Number>,
        /// The time spent in API requests in milliseconds.
        pub duration_api_ms: Option<Number>,
        /// Milliseconds until the first token.
        pub ttft_ms: Option<Number>,
        /// Milliseconds until the first event of the stream.
        pub ttft_stream_ms: Option<Number>,
        /// Milliseconds until the API request was sent.
        pub time_to_request_ms: Option<Number>,
        /// Milliseconds from the start of the process until the API request was
        /// sent.
        pub time_to_request_from_spawn_ms: Option<Number>,
        /// The time when the API request was sent, in milliseconds since 1970.
        pub request_sent_wall_ms: Option<Number>,
        /// Milliseconds until the first frame with content.
        pub first_content_frame_ms: Option<Number>,
        /// Milliseconds until the first event was posted, if events are posted
        /// to a server.
        pub first_stream_post_ms: Option<Number>,
        /// Milliseconds until the server acknowledged the first event.
        pub first_stream_post_ack_ms: Option<Number>,
        /// Milliseconds that the first event waited in the queue.
        pub first_stream_post_queue_wait_ms: Option<Number>,
        /// The cause of the first event's wait in the queue.
        pub first_stream_post_queued_behind: Option<QueuedBehind>,
        /// The time when the first event was posted, in milliseconds since
        /// 1970.
        pub first_stream_post_wall_ms: Option<Number>,
        /// Milliseconds until the first text was posted.
        pub first_text_post_ms: Option<Number>,
        /// Milliseconds that the first text waited in the queue.
        pub first_text_post_queue_wait_ms: Option<Number>,
        /// The cause of the first text's wait in the queue.
        pub first_text_post_queued_behind: Option<QueuedBehind>,
        /// The time when the first text was posted, in milliseconds since 1970.
        pub first_text_post_wall_ms: Option<Number>,
        /// Whether the session uses a process that was started in advance.
        pub warm_spare_claimed: Option<bool>,
        /// The time to which the relative times refer, in milliseconds since
        /// 1970.
        pub time_origin_ms: Option<Number>,
        /// Input tokens of the first API request.
        pub first_request_input_tokens: Option<u64>,
        /// Input tokens of the first API request that were read from the cache.
        pub first_request_cache_read_input_tokens: Option<u64>,
        /// The cost of the session so far, in US dollars.
        pub total_cost_usd: Option<Number>,
        /// The token usage of the turn.
        pub usage: Option<Usage>,
        /// The usage of the session so far, by model.
        pub model_usage: Option<BTreeMap<String, ModelUsage>> = "modelUsage",
        /// The usage since the last result, by model.
        pub model_usage_since_last_result: Option<BTreeMap<String, ModelUsage>>,
        /// The sub-agents of the session and their outcomes.
        pub subagent_stats: Option<SubagentStats>,
        /// The number of times that the turn was stopped for safety reasons.
        pub safety_stops: Option<u64>,
        /// The tool calls that were denied.
        pub permission_denials: Option<Vec<PermissionDenial>>,
        /// The structured output, if the session requested one.
        pub structured_output: Option<Json>,
        /// The tool call that was deferred and ended the turn.
        pub deferred_tool_use: Option<DeferredToolUse>,
        /// The command that responded in place of the model.
        pub local_command: Option<String>,
        /// The reason why the turn resumes an earlier one that a restart of the agent interrupted.
        pub resume_reason: Option<String>,
        /// The reason why the agent could not start, if that made the turn fail.
        pub startup_failure_reason: Option<StartupFailureReason>,
        /// The invalid configuration file, if it is the reason.
        pub invalid_config_file: Option<InvalidConfigFile>,
        /// The time when the login expires, as RFC 3339.
        pub credential_expires_at: Option<String>,
        /// The state of fast mode.
        pub fast_mode_state: Option<FastModeState>,
        /// The reason why fast mode is unavailable.
        pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
        /// The number of user messages that are still queued.
        pub queued_turn_count: Option<u64>,
        /// The index of this result in the session, from 0.
        pub result_index: Option<u64>,
        /// The API's IDs of the messages that the model started in the turn.
        /// The member is undeclared; CLI 2.1.330 sends it.
        pub begun_message_ids: Option<Vec<String>>,
        /// The origin of the turn, if it is not a user.
        pub origin: Option<MessageOrigin>,
        /// The first user message that the turn answered.
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
    /// The kind of a result.
    #[derive(Default)]
    pub enum ResultSubtype {
        /// The turn ran to its end. The API may still have failed.
        #[default]
        Success = "success",
        /// The turn was interrupted or failed.
        ErrorDuringExecution = "error_during_execution",
        /// The turn limit was reached.
        ErrorMaxTurns = "error_max_turns",
        /// The budget was exhausted.
        ErrorMaxBudgetUsd = "error_max_budget_usd",
        /// The model did not produce the requested structured output.
        ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}

open_enum! {
    /// The reason why a turn ended.
    pub enum TerminalReason {
        /// The model completed its response.
        Completed = "completed",
        /// The turn was interrupted while the model was streaming.
        AbortedStreaming = "aborted_streaming",
        /// The turn was interrupted while tools were running.
        AbortedTools = "aborted_tools",
        /// The API failed.
        ApiError = "api_error",
        /// The model failed.
        ModelError = "model_error",
        /// The turn limit was reached.
        MaxTurns = "max_turns",
        /// The budget was exhausted.
        BudgetExhausted = "budget_exhausted",
        /// The prompt was too long.
        PromptTooLong = "prompt_too_long",
        /// The context was too full to continue.
        BlockingLimit = "blocking_limit",
        /// The context was full again right after a compaction.
        RapidRefillBreaker = "rapid_refill_breaker",
        /// An image could not be used.
        ImageError = "image_error",
        /// The model made malformed tool calls too often.
        MalformedToolUseExhausted = "malformed_tool_use_exhausted",
        /// A tool call was deferred.
        ToolDeferred = "tool_deferred",
        /// A tool call was deferred, and its tool no longer exists.
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        /// The turn was requested to continue in the background.
        BackgroundRequested = "background_requested",
        /// The model did not produce the requested structured output.
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        /// The turn could not be set up.
        TurnSetupFailed = "turn_setup_failed",
        /// A hook stopped the turn.
        HookStopped = "hook_stopped",
        /// A stop hook prevented the end of the turn.
        StopHookPrevented = "stop_hook_prevented",
    }
}

object! {
    /// A tool call that was denied.
    pub struct PermissionDenial {
        /// The name of the tool.
        pub tool_name: String,
        /// The ID of the tool call.
        pub tool_use_id: String,
        /// The input of the tool.
        pub tool_input: Json,
    }
}

object! {
    /// A tool call that was deferred.
    pub struct DeferredToolUse {
        /// The ID of the tool call.
        pub id: String,
        /// The name of the tool.
        pub name: String,
        /// The input of the tool.
        pub input: Json,
    }
}

open_enum! {
    /// The cause of a delayed post to a server.
    pub enum QueuedBehind {
        /// A durable post was in front.
        DurablePost = "durable_post",
        /// An ephemeral post was in front.
        EphemeralPost = "ephemeral_post",
        /// The queue paused before the next attempt.
        RetryBackoff = "retry_backoff",
        /// The queue was on hold.
        Hold = "hold",
        /// There was no delay.
        None = "none",
    }
}

object! {
    /// The sub-agents of a session and their outcomes.
    #[derive(Default)]
    pub struct SubagentStats {
        /// The number of sub-agents that were started.
        pub spawned: Option<u64>,
        /// The number of sub-agents by the way in which they were requested.
        pub requested: Option<SubagentRequests>,
        /// The number of sub-agents that were started in the background.
        pub started_in_background: Option<u64>,
        /// The maximum nesting depth.
        pub max_depth: Option<u64>,
        /// The number of sub-agents that other sub-agents started.
        pub spawned_by_subagents: Option<u64>,
        /// The number of sub-agents that completed.
        pub completed: Option<u64>,
        /// The number of sub-agents that failed.
        pub failed: Option<u64>,
        /// The number of sub-agents that were stopped, by cause.
        pub killed: Option<SubagentsKilled>,
        /// The number of sub-agents that could not be started, by reason.
        pub refused: Option<SubagentsRefused>,
        /// The number of sub-agents that were started, by kind.
        pub by_type: Option<BTreeMap<String, u64>>,
    }
}

object! {
    /// The number of sub-agents by the way in which they were requested.
    #[derive(Default)]
    pub struct SubagentRequests {
        /// Sub-agents that were requested in the background.
        pub background: Option<u64>,
        /// Sub-agents that were requested in the foreground.
        pub foreground: Option<u64>,
        /// Sub-agents whose requests did not specify either.
        pub unset: Option<u64>,
    }
}

object! {
    /// The number of stopped sub-agents, by cause.
    #[derive(Default)]
    pub struct SubagentsKilled {
        /// Sub-agents that the user or the host stopped.
        pub user: Option<u64>,
        /// Sub-agents that their parent agent stopped.
        pub parent: Option<u64>,
        /// Sub-agents that the agent's process itself stopped.
        pub system: Option<u64>,
    }
}

object! {
    /// The number of sub-agents that could not be started, by reason.
    #[derive(Default)]
    pub struct SubagentsRefused {
        /// The budget was exhausted.
        pub budget: Option<u64>,
        /// Too many sub-agents were running already.
        pub concurrency_limit: Option<u64>,
        /// The sub-agents were nested too deeply.
        pub depth_limit: Option<u64>,
    }
}

object! {
    /// A configuration file that is invalid.
    pub struct InvalidConfigFile {
        /// The path of the file.
        pub path: String,
        /// Whether the file is the global one, which has backups.
        pub is_global: Option<bool>,
        /// Whether a backup was searched for.
        pub backup_searched: Option<bool>,
        /// The path of the backup that was found.
        pub backup_path: Option<String>,
    }
}

open_enum! {
    /// The reason why an agent could not start.
    pub enum StartupFailureReason {
        /// An API key is set, but the organisation requires a login.
        OrgPinApiKeyConflict = "org_pin_api_key_conflict",
        /// The provider is not allowed.
        ProviderNotAllowed = "provider_not_allowed",
        /// The organisation could not be determined.
        OrgVerifyFailed = "org_verify_failed",
        /// The organisation is not the required one.
        OrgPinMismatch = "org_pin_mismatch",
        /// The managed settings are invalid.
        ManagedSettingsInvalid = "managed_settings_invalid",
        /// Required remote settings could not be fetched.
        RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
        /// The gateway requires a login.
        GatewaySigninRequired = "gateway_signin_required",
        /// The gateway denied access.
        GatewayAccessDenied = "gateway_access_denied",
        /// The proxy settings are invalid.
        ProxyInvalid = "proxy_invalid",
        /// There is no usable directory for temporary files.
        TempDirUnusable = "temp_dir_unusable",
        /// The working directory no longer exists.
        CwdUnavailable = "cwd_unavailable",
        /// There is no shell.
        ShellToolMissing = "shell_tool_missing",
        /// The session is running in the background.
        SessionHeldByBackground = "session_held_by_background",
        /// The session's worktree must not be resumed.
        WorktreeResumeRefused = "worktree_resume_refused",
        /// The worktree could not be verified.
        WorktreeUnverified = "worktree_unverified",
        /// The agent is too old.
        CliVersionTooOld = "cli_version_too_old",
        /// Root must not use `bypassPermissions`.
        BypassRoot = "bypass_root",
        /// The organisation's configuration could not be fetched.
        OrgConfigRequiredUnavailable = "org_config_required_unavailable",
        /// The organisation's configuration was not accepted.
        OrgConfigRefused = "org_config_refused",
        /// A sandbox is required but unavailable.
        SandboxRequiredUnavailable = "sandbox_required_unavailable",
        /// A message arrived before `initialize`.
        InitializeNotFirst = "initialize_not_first",
        /// The configuration file is invalid.
        ConfigFileInvalid = "config_file_invalid",
        /// The managed settings did not arrive.
        ManagedSettingsNotDelivered = "managed_settings_not_delivered",
        /// Members of `initialize` did not arrive.
        InitializeFieldsNotDelivered = "initialize_fields_not_delivered",
        /// Managed settings forbid plugins, agents and MCP servers of the host.
        SideloadFlagsDisabled = "sideload_flags_disabled",
    }
}

/// The reason why there is no structured output of the requested type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StructuredError {
    /// There is no structured output, because none was requested or the turn
    /// failed first.
    #[error("the turn ended without structured output{}", why(.0))]
    Absent(
        /// The error of the turn, if it failed.
        Option<String>,
    ),
    /// The output does not have the requested type.
    #[error("the structured output does not have the requested type: {0}")]
    Unreadable(serde_json::Error),
}

// Not `#[from]`: the error text contains that of its cause, which a source would repeat.
impl From<serde_json::Error> for StructuredError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// A hint for the error about missing structured output, if there is no other
/// explanation.
const REQUEST_HINT: &str =
    "; either it was not requested (`Options::output_type`), or the model answered with text";

fn why(error: &Option<String>) -> String {
    error
        .as_ref()
        .map_or_else(|| REQUEST_HINT.to_owned(), |error| format!(": {error}"))
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

    /// Deserializes the structured output.
    ///
    /// # Errors
    ///
    /// [`StructuredError::Absent`] if there is no structured output,
    /// [`StructuredError::Unreadable`] if it is not a `T`.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, StructuredError> {
        match &self.structured_output {
            Some(output) => Ok(output.read()?),
            None => Err(StructuredError::Absent(self.error_text())),
        }
    }

    /// Returns one line that describes the error. Returns `None` if the turn
    /// succeeded. If the CLI's message suggests the command `/login`, which an
    /// application cannot run, the line continues with an alternative.
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
        // The CLI's advice is meant for a user at its prompt.
        if contains(&said, "/login") {
            text.push_str(LOGIN);
        }
        Some(text)
    }
}

/// A hint how an application gets an agent that is logged in.
pub(super) const LOGIN: &str = " (set ANTHROPIC_API_KEY in the agent's environment, or run `claude` once and \
                     log in there)";

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn missing_structured_output_is_an_error_with_a_reason() {
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
        assert!(error.ends_with("output: success: no budget"), "{error}");
    }
}
