//! The limits of a session: model requests in a turn, and the total cost.

use super::{Agent, Event};
use agentwire_protocol::message::{CommandState, ResultMessage, ResultSubtype, TerminalReason};
use std::time::Instant;

impl Agent {
    /// Ends the turn if it has reached its limit of model requests. Returns
    /// whether the turn has ended.
    pub(super) fn end_at_turn_limit(&mut self, now: Instant) -> bool {
        let requests = self.turn.as_ref().map_or(0, |turn| turn.requests);
        let Some(limit) = self.config.max_turns.filter(|limit| requests >= *limit) else {
            return false;
        };
        let result = wire!(ResultMessage {
            subtype: ResultSubtype::ErrorMaxTurns,
            is_error: true,
            errors: Some(vec![format!(
                "The turn reached its limit of {limit} requests."
            )]),
            terminal_reason: Some(TerminalReason::MaxTurns),
            stop_reason: Some("tool_use".to_owned()),
            ..ResultMessage::default()
        });
        self.end_turn(now, result, CommandState::Completed);
        true
    }

    /// Returns whether the process has reached its budget. The cost of a resumed
    /// session does not count.
    pub(super) fn is_over_budget(&self) -> bool {
        let limit = self.config.max_budget_usd;
        limit.is_some_and(|limit| self.account.process_usd() >= limit)
    }

    /// Ends the turn because the session has reached its budget.
    pub(super) fn end_over_budget(&mut self, now: Instant) {
        let Some(turn) = &self.turn else { return };
        let stop_reason = turn.stop_reason.as_ref().map(|it| it.as_str().to_owned());
        let limit = self.config.max_budget_usd.unwrap_or_default();
        let result = wire!(ResultMessage {
            subtype: ResultSubtype::ErrorMaxBudgetUsd,
            is_error: true,
            errors: Some(vec![format!(
                "The session reached its budget of {limit} USD."
            )]),
            terminal_reason: Some(TerminalReason::BudgetExhausted),
            stop_reason,
            ..ResultMessage::default()
        });
        self.cancel_requests();
        self.events.push_back(Event::TurnAborted);
        self.end_turn(now, result, CommandState::Cancelled);
    }
}
