//! The ends of turns and of the session.

use crate::change::Change;
use crate::entry::{
    Activity, Body, Delivery, Entry, EntryId, NoticeKind, Outcome, Tokens, TurnEnd,
};
use crate::fold::Fold;
use crate::text::lines;
use crate::view::View;
use agentwire_protocol::message::{
    ConversationReset, ResultMessage, ResultSubtype, TerminalReason,
};

impl View {
    pub(super) fn result(&mut self, result: &ResultMessage) {
        self.retried();
        let outcome = outcome(result);
        let ended = match outcome {
            Outcome::Interrupted => "The turn was interrupted before the result.",
            _ => "The turn ended before the result.",
        };
        self.end_calls(false, ended);
        let is_failure = matches!(outcome, Outcome::Failed | Outcome::LimitReached);
        let message = is_failure.then(|| result.error_text()).flatten();
        let end = TurnEnd {
            outcome,
            message: message.map(|it| lines(&it).into_owned()),
            session_cost_usd: (result.total_cost_usd.as_ref()).map(ToString::to_string),
            duration_ms: (result.duration_ms.as_ref()).map(|it| it.as_f64() as u64),
            tokens: result.usage.as_ref().map(|it| Tokens {
                input: it.input_tokens.unwrap_or_default(),
                cache_write: it.cache_creation_input_tokens.unwrap_or_default(),
                cache_read: it.cache_read_input_tokens.unwrap_or_default(),
                output: it.output_tokens.unwrap_or_default(),
            }),
        };
        let id = self.id_or_number(result.uuid.as_ref(), "turn");
        self.insert(id, None, Body::TurnEnd(Box::new(end)));
    }

    /// Starts a new conversation: removes all entries except the prompt that caused it and pending
    /// prompts.
    pub(super) fn clear(&mut self, reset: &ConversationReset) {
        let remain = |entry: &&Entry| {
            entry.body.is_last() || Some(entry.id.as_str()) == reset.user_message_uuid.as_deref()
        };
        let pending: Vec<_> = self.entries.of(None).filter(remain).cloned().collect();
        self.change(Change::Clear);
        self.fold = Fold {
            numbered: self.fold.numbered,
            ..Fold::default()
        };
        for entry in pending {
            if matches!(entry.body, Body::Prompt(_)) {
                self.insert(entry.id, None, entry.body);
            }
        }
    }

    /// Handles the end of the session.
    pub(super) fn ended(&mut self, error: Option<&str>) {
        self.retried();
        self.settle_all();
        let why = "The session ended before the result.";
        self.end_calls(true, why);
        #[cfg(feature = "acp")]
        self.acp_calls_end(true, crate::entry::FailureReason::NoResult, why);
        let pending = self.entries.of(None).filter(|entry| entry.body.is_last());
        let pending: Vec<EntryId> = pending.map(|entry| entry.id.clone()).collect();
        for id in pending {
            self.delivered(&id, Delivery::Cancelled);
        }
        self.end_tasks();
        if let Some(error) = error {
            let id = self.numbered("problem");
            self.notice(id, None, NoticeKind::Warning, error, None);
        }
        self.activity(Activity::Ended);
    }
}

fn outcome(result: &ResultMessage) -> Outcome {
    use TerminalReason as Reason;
    match &result.terminal_reason {
        Some(Reason::AbortedStreaming | Reason::AbortedTools) => Outcome::Interrupted,
        Some(Reason::MaxTurns | Reason::BudgetExhausted) => Outcome::LimitReached,
        _ => match result.subtype {
            ResultSubtype::ErrorMaxTurns | ResultSubtype::ErrorMaxBudgetUsd => {
                Outcome::LimitReached
            }
            _ if result.is_error => Outcome::Failed,
            _ => Outcome::Completed,
        },
    }
}
