//! What the replies of the model take: tokens, and dollars.

use super::Agent;
use crate::json::Number;
use crate::message::{StopReason, Usage};

/// What replies took so far.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// The reply that is being said.
    reply: Usage,
    stop_reason: Option<StopReason>,
    /// All replies of the turn.
    turn: Usage,
    /// All replies of the session.
    cost_usd: f64,
}

impl Agent {
    /// The reply that the model is about to give takes so many tokens, costs
    /// so many dollars, and stops for this reason, if for another than that
    /// the model is done or calls tools.
    pub fn charge(&mut self, usage: Usage, cost_usd: f64, stop_reason: Option<StopReason>) {
        self.context.charge(&usage);
        let account = &mut self.account;
        for (sum, tokens) in members(&mut account.turn).into_iter().zip(counts(&usage)) {
            if let Some(tokens) = tokens {
                *sum = Some(sum.unwrap_or(0).saturating_add(tokens));
            }
        }
        account.cost_usd += cost_usd;
        account.reply = usage;
        account.stop_reason = stop_reason;
    }
}

impl Account {
    /// What is known when a reply begins: nothing is written yet.
    pub(super) fn read(&self) -> Usage {
        Usage {
            input_tokens: self.reply.input_tokens.or(Some(0)),
            output_tokens: Some(0),
            ..self.reply.clone()
        }
    }

    /// What is known when it ends.
    pub(super) fn written(&self) -> Usage {
        Usage {
            output_tokens: self.reply.output_tokens.or(Some(0)),
            ..Usage::default()
        }
    }

    /// Why the reply will stop, if something is known of that.
    pub(super) fn stop_reason(&self) -> Option<&StopReason> {
        self.stop_reason.as_ref()
    }

    /// Why the reply stopped, if something is known of that.
    pub(super) fn take_stop_reason(&mut self) -> Option<StopReason> {
        self.stop_reason.take()
    }

    /// The tokens of the turn, which is over.
    pub(super) fn take_turn(&mut self) -> Usage {
        let turn = std::mem::take(&mut self.turn);
        Usage {
            input_tokens: turn.input_tokens.or(Some(0)),
            output_tokens: turn.output_tokens.or(Some(0)),
            ..turn
        }
    }

    /// What the session cost so far.
    pub(super) fn cost_usd(&self) -> Number {
        if self.cost_usd == 0.0 {
            Number::from(0)
        } else {
            Number::from(self.cost_usd)
        }
    }
}

fn counts(usage: &Usage) -> [Option<u64>; 4] {
    [
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
    ]
}

fn members(usage: &mut Usage) -> [&mut Option<u64>; 4] {
    [
        &mut usage.input_tokens,
        &mut usage.output_tokens,
        &mut usage.cache_creation_input_tokens,
        &mut usage.cache_read_input_tokens,
    ]
}
