//! What the API's failures look like: one that is tried again, and one that
//! ends the turn.

use super::hooks::Occasion;
use super::speech::named;
use super::turn::Phase;
use super::{Agent, Ending};
use crate::codec::encode;
use crate::content::ContentBlock;
use crate::hook::StopFailure;
use crate::json::{Json, Number};
use crate::message::{
    ApiRetry, AssistantError, AssistantMessage, CommandState, ResultMessage, ResultSubtype,
    StopReason, TerminalReason,
};
use serde_json::json;
use std::time::{Duration, Instant};

/// How often an API that fails is asked again, unless it is told otherwise.
pub const MAX_RETRIES: u64 = 10;

/// What an HTTP status means.
fn meaning(status: u16, message: &str) -> AssistantError {
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

impl Agent {
    /// The API failed with this HTTP status, and the model was asked `failed`
    /// times by now. When it is asked again, this is how long to wait for
    /// that, and the host is told; [`Agent::finish_turn`] ends the turn where
    /// it is not.
    pub fn retry(&mut self, status: u16, failed: u64) -> Option<Duration> {
        let most = match status {
            // A key that is refused may have been exchanged meanwhile.
            401 => self.config.max_retries.min(1),
            408 | 409 | 429 | 500.. => self.config.max_retries,
            _ => 0,
        };
        if failed > most {
            return None;
        }
        self.ask_model();
        let factor = 1 << (failed - 1).min(6);
        let wait = self.config.retry_after * factor;
        let error = match status {
            529 => AssistantError::Overloaded,
            _ => meaning(status, ""),
        };
        let retry = ApiRetry {
            attempt: Some(failed),
            max_retries: Some(self.config.max_retries),
            retry_delay_ms: Some(Number::from(
                u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            )),
            error_status: Some(status),
            error: Some(error),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..ApiRetry::default()
        };
        self.send(encode(&retry));
        Some(wait)
    }

    /// The turn ends because the API failed, or was never asked.
    pub(super) fn end_failed(&mut self, now: Instant, ending: &Ending) {
        let (error, status, kind, text) = match ending {
            Ending::Completed => return,
            Ending::ApiError {
                status,
                kind,
                message,
            } => {
                let error = meaning(*status, message);
                let text = match error {
                    AssistantError::Other | AssistantError::ServerError => message.clone(),
                    _ => format!("The API refused: {error}."),
                };
                (error, Some(*status), Some(kind.clone()), text)
            }
            Ending::NoKey => {
                let text = "There is no key, so the API was not asked.".to_owned();
                (AssistantError::AuthenticationFailed, None, None, text)
            }
        };
        self.ask_model();
        self.send_api_error(error.clone(), status, kind.as_deref(), &text);
        let mut result = ResultMessage {
            is_error: true,
            terminal_reason: Some(match status {
                // The real one takes it for a picture that is too large.
                Some(413) => TerminalReason::ImageError,
                _ => TerminalReason::ApiError,
            }),
            api_error_status: status,
            stop_reason: Some("stop_sequence".to_owned()),
            result: Some(text),
            ..ResultMessage::default()
        };
        if let Some(kind) = kind {
            result.extra.set("api_error_type", kind.as_str());
        }
        let event = StopFailure {
            error: Some(error.clone()),
            last_assistant_message: result.result.clone(),
            ..StopFailure::default()
        };
        if let Some(turn) = &mut self.turn {
            turn.phase = Phase::Stopping;
            turn.failure = Some(Box::new(result));
        }
        self.raise(
            now,
            Occasion::StopFailure,
            Some(error.as_str()),
            event,
            None,
        );
    }

    /// The hooks have heard of it.
    pub(super) fn end_after_failure(&mut self, now: Instant) {
        let failure = self.turn.as_mut().and_then(|turn| turn.failure.take());
        if let Some(result) = failure {
            self.end_turn(now, *result, CommandState::Cancelled);
        }
    }

    /// The agent breaks: that is how the real one takes a hook after all tools
    /// that does not answer in time.
    pub(super) fn break_down(&mut self) {
        let why = "A PostToolBatch hook did not answer in time.";
        let mut result = ResultMessage {
            subtype: ResultSubtype::ErrorDuringExecution,
            is_error: true,
            errors: Some(vec![String::new(), why.to_owned()]),
            num_turns: Some(0),
            permission_denials: Some(vec![]),
            result_index: Some(self.results),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..ResultMessage::default()
        };
        result.extra.set("stop_reason", Json::null());
        self.send(encode(&result));
        self.exit(1, Some(why.to_owned()));
    }

    fn send_api_error(
        &mut self,
        error: AssistantError,
        status: Option<u16>,
        kind: Option<&str>,
        text: &str,
    ) {
        let Some(turn) = &mut self.turn else { return };
        let is_first = !std::mem::replace(&mut turn.has_spoken, true);
        let uuids = if is_first { turn.uuids.clone() } else { vec![] };
        let is_batch = turn.is_batch();
        let id = (self.ids)();
        let mut body = self.body(id, vec![ContentBlock::text(text)]);
        body.stop_reason = Some(StopReason::StopSequence);
        body.stop_sequence = Some(String::new());
        for member in ["container", "diagnostics", "stop_details"] {
            body.extra.set(member, Json::null());
        }
        let mut message = AssistantMessage {
            message: body,
            error: Some(error),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            user_message_uuid: named(&uuids, is_batch),
            user_message_uuids: (!uuids.is_empty()).then_some(uuids),
            ..AssistantMessage::default()
        };
        message.extra.set("parent_tool_use_id", Json::null());
        message.extra.set("is_api_error_message", json!(true));
        if let Some(status) = status {
            message.extra.set("api_error_status", json!(status));
        }
        if let Some(kind) = kind {
            message.extra.set("api_error_type", kind);
        }
        self.send(encode(&message));
    }
}
