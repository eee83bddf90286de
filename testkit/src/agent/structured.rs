//! Structured output: its tool, and the handling of invalid or missing output.

use super::answer::ToolAnswer;
use super::declared::STRUCTURED_OUTPUT;
use super::{Agent, Event};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::message::{
    CommandState, ResultMessage, ResultSubtype, TerminalReason, UserMessage,
};
use std::time::Instant;

/// The number of invalid outputs after which the turn ends.
const ATTEMPTS: u64 = 5;

impl Agent {
    /// Returns whether a tool is the one for structured output.
    pub(super) fn is_structured(&self, tool: &str) -> bool {
        self.config.has_output_schema && tool == STRUCTURED_OUTPUT
    }

    /// Replaces the result of the tool for structured output. An error means
    /// that the output does not match the schema.
    pub(super) fn structured(&mut self, id: &str, answer: ToolAnswer) -> ToolAnswer {
        let input = self.calls.get(id).map(|open| open.input.clone());
        let Some(turn) = &mut self.turn else {
            return answer;
        };
        if answer.is_error == Some(true) {
            turn.unstructured += 1;
            return ToolAnswer::error("The output does not match the schema.");
        }
        turn.structured = input;
        ToolAnswer::text("The structured output was accepted.", None)
    }

    /// Ends the turn if the model gave structured output. Returns whether the
    /// turn has ended.
    pub(super) fn end_structured(&mut self, now: Instant) -> bool {
        let is_structured = self.turn.as_ref().is_some_and(|it| it.structured.is_some());
        if is_structured {
            self.check_stop(now);
        }
        is_structured
    }

    /// Ends the turn if the model failed too often to give structured output.
    /// Returns whether the turn has ended.
    pub(super) fn end_unstructured(&mut self, now: Instant) -> bool {
        let failed = self.turn.as_ref().map_or(0, |turn| turn.unstructured);
        if failed < ATTEMPTS {
            return false;
        }
        let why = format!("The model gave {ATTEMPTS} outputs that do not match the schema.");
        let result = wire!(ResultMessage {
            subtype: ResultSubtype::ErrorMaxStructuredOutputRetries,
            is_error: true,
            errors: Some(vec![why]),
            terminal_reason: Some(TerminalReason::StructuredOutputRetryExhausted),
            stop_reason: Some("tool_use".to_owned()),
            ..ResultMessage::default()
        });
        self.end_turn(now, result, CommandState::Cancelled);
        true
    }

    /// Makes the model continue if it finished without structured output, at
    /// most once in a turn. Returns whether the model continues.
    pub(super) fn request_structured(&mut self, now: Instant) -> bool {
        if !self.config.has_output_schema {
            return false;
        }
        let Some(turn) = &mut self.turn else {
            return false;
        };
        if std::mem::replace(&mut turn.structured_was_requested, true) {
            return false;
        }
        let text = ContentBlock::text("Call the tool StructuredOutput to complete this request.");
        self.send_user_message(UserMessage::new(vec![text]).synthetic());
        self.request_model(now, Event::TurnContinued);
        true
    }
}
