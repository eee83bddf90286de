//! API failures. Some are retried, the others end the turn.

use super::Agent;
use super::hooks::Occasion;
use super::task::Task;
use super::turn::representative_uuid;
use agentwire_protocol::codec::encode;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::hook::StopFailure;
use agentwire_protocol::json::{Json, Number};
use agentwire_protocol::message::{
    ApiRetry, AssistantError, AssistantMessage, CommandState, ResultMessage, ResultSubtype,
    StopReason, SubagentRetry, TerminalReason, ToolProgress,
};
use serde_json::json;
use std::time::{Duration, Instant};

/// The number of failures in a row after which an overloaded model is replaced.
const FALLBACK_AFTER: u64 = 3;

/// Returns the error that the agent reports for an HTTP status.
fn error_for_status(status: u16, message: &str) -> AssistantError {
    match status {
        400 if message.contains("credit balance") => AssistantError::BillingError,
        401 | 403 => AssistantError::AuthenticationFailed,
        404 => AssistantError::ModelNotFound,
        413 => AssistantError::InvalidRequest,
        429 => AssistantError::RateLimit,
        500.. => AssistantError::ServerError,
        _ => AssistantError::Other,
    }
}

/// Returns the error that the agent reports for a retry. `status` is `None` if
/// the connection broke.
fn retry_error(status: Option<u16>) -> AssistantError {
    match status {
        None => AssistantError::Other,
        Some(529) => AssistantError::Overloaded,
        Some(status) => error_for_status(status, ""),
    }
}

/// The reason why a turn ends without a reply of the model, as reported to
/// the host.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) error: AssistantError,
    /// The text for the user.
    pub(super) text: String,
    pub(super) stop_reason: StopReason,
    pub(super) terminal_reason: TerminalReason,
    /// The HTTP status.
    pub(super) status: Option<u16>,
    /// The API's error type.
    pub(super) kind: Option<String>,
    /// The agent's error type.
    pub(super) cause: Option<&'static str>,
    /// Additional members of the failure's message.
    pub(super) members: Vec<(&'static str, Json)>,
}

impl Failure {
    pub(super) fn new(error: AssistantError, text: String) -> Self {
        Self {
            error,
            text,
            stop_reason: StopReason::StopSequence,
            terminal_reason: TerminalReason::ApiError,
            status: None,
            kind: None,
            cause: None,
            members: vec![],
        }
    }

    /// Creates the failure of an API request, from its HTTP status, error type
    /// and message.
    pub(super) fn api(status: u16, kind: &str, message: &str) -> Self {
        let error = error_for_status(status, message);
        let text = match error {
            AssistantError::Other | AssistantError::ServerError => message.to_owned(),
            _ => format!("The API refused: {error}."),
        };
        Self {
            // The real CLI reports this as an image that is too large.
            terminal_reason: match status {
                413 => TerminalReason::ImageError,
                _ => TerminalReason::ApiError,
            },
            status: Some(status),
            kind: Some(kind.to_owned()),
            ..Self::new(error, text)
        }
    }

    /// Creates the failure of an agent without an API key, which does not call
    /// the API.
    pub(super) fn no_key() -> Self {
        let text = "There is no key, so the API was not asked.";
        Self::new(AssistantError::AuthenticationFailed, text.to_owned())
    }
}

impl Agent {
    /// Reports that the API failed with this HTTP status. `failed` is the
    /// number of failed attempts so far.
    ///
    /// Returns the delay before the next attempt, which is reported to the
    /// host. Returns `None` if there is no further attempt; then end the turn
    /// with
    /// [`Agent::finish_turn`].
    pub fn retry(&mut self, status: u16, failed: u64) -> Option<Duration> {
        self.ask_model();
        self.retry_after(Some(status), failed)
    }

    /// Like [`Agent::retry`]. `status` is `None` if the connection broke.
    pub(super) fn retry_after(&mut self, status: Option<u16>, failed: u64) -> Option<Duration> {
        if status == Some(529) && self.try_fallback(failed) {
            return Some(Duration::ZERO);
        }
        let earlier = self
            .turn
            .as_ref()
            .map_or(0, |turn| turn.failed_before_fallback);
        let failed = failed.saturating_sub(earlier);
        let wait = self.retry_delay(status, failed)?;
        let mut retry = wire!(ApiRetry {
            attempt: Some(failed),
            max_retries: Some(self.config.max_retries),
            retry_delay_ms: Some(Number::from(
                u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            )),
            error_status: status,
            error: Some(retry_error(status)),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        if status.is_none() {
            retry.extra.set("error_status", Json::null());
        }
        self.send(encode(&retry));
        // A retry is not a new request.
        if let Some(turn) = &mut self.turn {
            turn.is_requested = true;
        }
        Some(wait)
    }

    /// Switches to the fallback model for the rest of the turn if the model was
    /// overloaded often enough. Returns whether the model was switched.
    fn try_fallback(&mut self, failed: u64) -> bool {
        let original = self.config.model.clone();
        let Some(fallback) = self.config.fallback_model.clone() else {
            return false;
        };
        let Some(turn) = &mut self.turn else {
            return false;
        };
        if failed < FALLBACK_AFTER || turn.fallback.is_some() {
            return false;
        }
        turn.fallback = Some(fallback.clone());
        turn.requested_model = Some(fallback.clone());
        turn.failed_before_fallback = failed;
        let message = json!({
            "type": "system",
            "subtype": "model_fallback",
            "trigger": "overloaded",
            "original_model": original,
            "fallback_model": fallback,
            "content": format!("{fallback} replaces {original}, which is overloaded."),
            "uuid": (self.ids)(),
            "session_id": self.session_id,
        });
        self.send(encode(&message));
        true
    }

    /// Reports that the API failed with this HTTP status for a sub-agent.
    /// `failed` is the number of failures in a row.
    ///
    /// Returns the delay before the next attempt, or `None` if there is no
    /// further attempt. The retry is reported to the host only for an
    /// [awaited](Task::awaited) sub-agent.
    pub fn retry_subagent(&mut self, task_id: &str, status: u16, failed: u64) -> Option<Duration> {
        let wait = self.retry_delay(Some(status), failed)?;
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let retry = wire!(SubagentRetry {
            agent_id: Some(task_id.to_owned()),
            attempt: Some(failed),
            max_retries: Some(self.config.max_retries),
            retry_delay_ms: Some(Number::from(millis)),
            error_status: Some(status),
            error_category: Some(retry_error(Some(status)).as_str().to_owned()),
        });
        self.send_subagent_retry(task_id, Some(retry));
        Some(wait)
    }

    /// Reports that the API responds to a sub-agent again.
    pub fn subagent_recovers(&mut self, task_id: &str) {
        self.send_subagent_retry(task_id, None);
    }

    fn send_subagent_retry(&mut self, task_id: &str, subagent_retry: Option<SubagentRetry>) {
        let task = self.task(task_id).filter(|task| task.is_awaited);
        let Some(Task {
            tool_use_id, agent, ..
        }) = task.cloned()
        else {
            return;
        };
        let call = tool_use_id.as_ref().and_then(|id| self.calls.get(id));
        let message_id = call.map(|open| open.message_id.clone());
        let id = format!("agent_{}", message_id.unwrap_or_default());
        let progress = wire!(ToolProgress {
            parent_tool_use_id: tool_use_id,
            elapsed_time_seconds: Some(Number::from(0)),
            subagent_type: agent.map(|agent| agent.kind),
            subagent_retry,
            ..self.progress(id, "Agent".to_owned())
        });
        self.send(encode(&progress));
    }

    /// Returns the delay before the next attempt, or `None` if there is no
    /// further attempt.
    fn retry_delay(&self, status: Option<u16>, failed: u64) -> Option<Duration> {
        let limit = match status {
            // A rejected key may have been replaced since the last attempt.
            None | Some(401 | 408 | 409 | 429 | 500..) => self.config.max_retries,
            Some(_) => 0,
        };
        let factor = 1 << failed.saturating_sub(1).min(6);
        (failed <= limit).then(|| self.config.retry_after * factor)
    }

    /// Ends the turn because the API failed or was not called.
    pub(super) fn end_failed(&mut self, now: Instant, failure: Failure) {
        self.ask_model();
        self.send_failure(&failure);
        self.end_with(now, failure);
    }

    /// Ends the turn with this failure, after the `StopFailure` hooks.
    pub(super) fn end_with(&mut self, now: Instant, failure: Failure) {
        let mut result = wire!(ResultMessage {
            is_error: true,
            terminal_reason: Some(failure.terminal_reason),
            api_error_status: failure.status,
            stop_reason: Some(failure.stop_reason.as_str().to_owned()),
            result: Some(failure.text),
            ..ResultMessage::default()
        });
        if let Some(kind) = &failure.kind {
            result.extra.set("api_error_type", kind.as_str());
        }
        if let Some(cause) = failure.cause {
            result.extra.set("api_error", cause);
        }
        let event = wire!(StopFailure {
            error: Some(failure.error.clone()),
            last_assistant_message: result.result.clone(),
        });
        if let Some(turn) = &mut self.turn {
            turn.fail(result);
        }
        let about = failure.error.as_str();
        self.raise(now, Occasion::StopFailure, Some(about), event, None);
    }

    /// Ends the turn after the `StopFailure` hooks.
    pub(super) fn end_after_failure(&mut self, now: Instant) {
        let failure = self.turn.as_mut().and_then(|turn| turn.failure.take());
        if let Some(result) = failure {
            self.end_turn(now, *result, CommandState::Cancelled);
        }
    }

    /// Ends the process with an error. The real CLI does so when a
    /// `PostToolBatch` hook times out.
    pub(super) fn exit_with_error(&mut self) {
        let why = "A PostToolBatch hook did not answer in time.";
        let template = self.model_template();
        let mut result = wire!(ResultMessage {
            subtype: ResultSubtype::ErrorDuringExecution,
            is_error: true,
            errors: Some(vec![String::new(), why.to_owned()]),
            num_turns: Some(0),
            duration_ms: Some(Number::from(0)),
            duration_api_ms: Some(Number::from(0)),
            total_cost_usd: Some(Number::from(0)),
            usage: Some(self.config.declared.usage.clone()),
            model_usage: Some(Default::default()),
            model_usage_since_last_result: Some(self.account.take_models(&template)),
            permission_denials: Some(vec![]),
            result_index: Some(self.results),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..ResultMessage::default()
        });
        result.extra.set("stop_reason", Json::null());
        self.send(encode(&result));
        self.exit(1, Some(why.to_owned()));
    }

    /// Sends the text of a failure as an assistant message.
    pub(super) fn send_failure(&mut self, failure: &Failure) {
        let Some(turn) = &mut self.turn else { return };
        let is_first = !std::mem::replace(&mut turn.has_spoken, true);
        let uuids = if is_first { turn.uuids.clone() } else { vec![] };
        let is_batch = turn.is_batch();
        let id = (self.ids)();
        let mut body = self.body(id, vec![ContentBlock::text(&*failure.text)]);
        body.stop_reason = Some(failure.stop_reason.clone());
        // The real CLI sends this member even if there is no stop sequence.
        if failure.stop_reason != StopReason::ToolUse {
            body.stop_sequence = Some(String::new());
        }
        for member in [
            "container",
            "context_management",
            "diagnostics",
            "stop_details",
        ] {
            body.extra.set(member, Json::null());
        }
        let mut message = wire!(AssistantMessage {
            message: body.into(),
            error: Some(failure.error.clone()),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            user_message_uuid: representative_uuid(&uuids, is_batch),
            user_message_uuids: (!uuids.is_empty()).then_some(uuids),
            timestamp: (self.config.timestamp)(),
        });
        let extra = &mut message.extra;
        extra.set("parent_tool_use_id", Json::null());
        extra.set("is_api_error_message", json!(true));
        if let Some(status) = failure.status {
            extra.set("api_error_status", json!(status));
        }
        if let Some(kind) = &failure.kind {
            extra.set("api_error_type", kind.as_str());
        }
        if let Some(cause) = failure.cause {
            extra.set("api_error", cause);
        }
        for (member, value) in &failure.members {
            extra.set(*member, value.clone());
        }
        self.send(encode(&message));
    }
}
