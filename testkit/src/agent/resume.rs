//! Incomplete replies. The agent asks the model to continue them, a limited
//! number of times.

use super::answer::ToolAnswer;
use super::failure::Failure;
use super::notice::line;
use super::tools::tool_result;
use super::unfinished::IncompleteReason;
use super::{Agent, Event};
use agentwire_protocol::codec::encode;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{
    AssistantError, ContentBlockStop, InformationalLevel, ModelRefusalNoFallback, StopReason,
    ToolResultMeta, UserMessage,
};
use serde_json::json;
use std::time::{Duration, Instant};

const TOO_LONG: &str = "The answer grew too long. Go on where it stops.";
const CUT_OFF: &str = "The answer was cut off. Go on where it stops.";
const REFUSED: &str = "The answer above was refused. Do not give it again.";
const LOST: &str = "API Error: The connection was lost. The answer above may not be whole.";

/// The required action after the connection to the model broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// No block was complete: repeat the request after this delay.
    Retry(Duration),
    /// No block was complete, and no retries remain: repeat the request
    /// at once, without streaming.
    RetryWithoutStreaming,
    /// The received blocks are preserved, and their tool calls run. Continue with
    /// [`Agent::finish_tools`] or [`Agent::finish_turn`].
    Continue,
}

impl Agent {
    /// Reports that the connection to the model broke, before a message began
    /// or in the middle of one. `failed` is the number of failures in a row.
    pub fn lose_connection(&mut self, failed: u64) -> Broken {
        let Some(turn) = &self.turn else {
            return Broken::Continue;
        };
        let Some(open) = &turn.message else {
            return self.repeat_request(failed);
        };
        let (index, calls_tools) = (open.index, open.calls_tools);
        let is_in_block = open.block.is_some();
        if is_in_block {
            let stop = wire!(ContentBlockStop { index });
            self.send_event(stop.into());
        }
        self.send_message_stop(Some(index));
        if index == 0 {
            return self.repeat_request(failed);
        }
        if calls_tools {
            let failure = Failure {
                stop_reason: StopReason::ToolUse,
                ..connection_failure()
            };
            self.send_failure(&failure);
        } else if let Some(turn) = &mut self.turn {
            turn.unfinished.cut_off();
        }
        Broken::Continue
    }

    fn repeat_request(&mut self, failed: u64) -> Broken {
        match self.retry_after(None, failed) {
            Some(wait) => Broken::Retry(wait),
            None => {
                self.request_unstreamed();
                Broken::RetryWithoutStreaming
            }
        }
    }

    /// Handles the stop reason of a message that is about to end.
    pub(super) fn note_stop(&mut self, message_id: &str, reason: &StopReason) {
        let Some(turn) = &mut self.turn else { return };
        turn.unfinished.note_stop(message_id, reason);
        if *reason == StopReason::Refusal && turn.unfinished.is_refused_again() {
            self.send_refusal(message_id);
        }
    }

    /// Continues after an incomplete reply, or ends the turn after too many
    /// attempts. Returns `false` if the reply is complete.
    pub(super) fn resume(&mut self, now: Instant) -> bool {
        let Some(turn) = &mut self.turn else {
            return false;
        };
        let Some(why) = turn.unfinished.take() else {
            return false;
        };
        if let IncompleteReason::Refused(id) = &why {
            if turn.unfinished.is_refused_again() {
                self.end_with(now, refused(id));
            } else {
                self.resume_refused(now, id);
            }
            return true;
        }
        if !turn.unfinished.may_resume() {
            let failure = match why {
                IncompleteReason::TooLong => too_long(),
                _ => connection_failure(),
            };
            self.send_failure(&failure);
            self.end_with(now, failure);
            return true;
        }
        let text = match why {
            IncompleteReason::TooLong => TOO_LONG,
            _ => CUT_OFF,
        };
        let text = vec![ContentBlock::text(text)];
        self.send_user_message(UserMessage::new(text).synthetic());
        self.request_model(now, Event::TurnContinued);
        true
    }

    /// Lets the model continue once after a refusal, with a message about it.
    fn resume_refused(&mut self, now: Instant, message_id: &str) {
        let Some(turn) = &mut self.turn else { return };
        for id in std::mem::take(&mut turn.tools).into_keys() {
            let answer = ToolAnswer::error("The answer that calls this tool was refused.");
            let meta = wire!(ToolResultMeta {
                id: id.clone(),
                permission_decision: None,
                non_execution_kind: Some("interrupted".to_owned()),
            });
            let mut message = tool_result(&id, answer, Some(meta));
            message.extra.set("refusal_retry", json!(true));
            self.send_user_message(message);
        }
        let notice = "The answer above was refused. The model continues once.";
        self.send_notice(line(InformationalLevel::Notice, notice.to_owned()));
        let mut message = UserMessage::new(vec![ContentBlock::text(REFUSED)]).synthetic();
        message.extra.set("refusal_retry", json!(true));
        message.extra.set("refused_message_id", message_id);
        self.send_user_message(message);
        self.request_model(now, Event::TurnContinued);
    }

    /// Reports a refusal when no fallback model is set.
    fn send_refusal(&mut self, message_id: &str) {
        let turn = self.turn.as_ref();
        let mut refusal = wire!(ModelRefusalNoFallback {
            original_model: Some(self.config.model.clone()),
            refused_user_message_uuid: turn.and_then(|turn| turn.uuids.first().cloned()),
            content: Some(String::new()),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        for member in [
            "request_id",
            "api_refusal_category",
            "api_refusal_explanation",
        ] {
            refusal.extra.set(member, Json::null());
        }
        self.send(encode(&refusal));
        self.send_failure(&refused(message_id));
    }
}

/// Creates the failure for replies that are too long.
fn too_long() -> Failure {
    let text = "API Error: The answer is longer than the model may give.";
    Failure {
        cause: Some("max_output_tokens"),
        members: vec![("api_error_params", json!({"cut": "output_limit"}).into())],
        ..Failure::new(AssistantError::MaxOutputTokens, text.to_owned())
    }
}

/// Creates the failure for a broken connection.
fn connection_failure() -> Failure {
    Failure {
        cause: Some("connection_failed"),
        ..Failure::new(AssistantError::ServerError, LOST.to_owned())
    }
}

/// Creates the failure for a refusal.
fn refused(message_id: &str) -> Failure {
    let text = format!("API Error: The model refused this ({message_id}).");
    Failure {
        stop_reason: StopReason::Refusal,
        members: vec![("refused_message_id", message_id.into())],
        ..Failure::new(AssistantError::InvalidRequest, text)
    }
}
