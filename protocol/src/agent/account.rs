//! What the replies of the model take: tokens, and dollars.

use crate::json::Number;
use crate::message::{ModelUsage, StopReason, Usage};
use std::collections::BTreeMap;

/// What replies took so far.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// The reply that is being said.
    reply: Usage,
    stop_reason: Option<StopReason>,
    /// All replies of the turn; those of sub-agents are none of them.
    turn: Usage,
    /// All replies of the session, by the model that gave them.
    session: BTreeMap<String, Spent>,
    /// Those since the last result.
    since_result: BTreeMap<String, Spent>,
}

/// What replies of one model took.
#[derive(Debug, Clone, Default)]
struct Spent {
    usage: Usage,
    cost_usd: f64,
}

impl Account {
    /// Adds the tokens and the cost of the reply that this model is about to
    /// give, and keeps the reason for which it will stop.
    pub(super) fn charge(
        &mut self,
        model: &str,
        usage: Usage,
        cost_usd: f64,
        stop_reason: Option<StopReason>,
    ) {
        self.spend(model, &usage, cost_usd);
        add(&mut self.turn, &usage);
        self.reply = usage;
        self.stop_reason = stop_reason;
    }

    /// Adds the tokens and the cost of a reply to the session's, not to the
    /// turn's.
    pub(super) fn spend(&mut self, model: &str, usage: &Usage, cost_usd: f64) {
        for models in [&mut self.session, &mut self.since_result] {
            let spent = models.entry(model.to_owned()).or_default();
            add(&mut spent.usage, usage);
            spent.cost_usd += cost_usd;
        }
    }

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
        dollars(self.session.values().map(|spent| spent.cost_usd).sum())
    }

    /// What each model took since the session began.
    pub(super) fn models(&self, window: u64) -> BTreeMap<String, ModelUsage> {
        report(&self.session, window)
    }

    /// What each model took since the last result, which this is.
    pub(super) fn take_models(&mut self, window: u64) -> BTreeMap<String, ModelUsage> {
        report(&std::mem::take(&mut self.since_result), window)
    }
}

fn report(models: &BTreeMap<String, Spent>, window: u64) -> BTreeMap<String, ModelUsage> {
    let report = |spent: &Spent| {
        let [input, output, created, read] = counts(&spent.usage).map(|it| it.or(Some(0)));
        ModelUsage {
            input_tokens: input,
            output_tokens: output,
            cache_creation_input_tokens: created,
            cache_read_input_tokens: read,
            web_search_requests: Some(0),
            cost_usd: Some(dollars(spent.cost_usd)),
            context_window: Some(window),
            ..ModelUsage::default()
        }
    };
    let models = models.iter();
    models
        .map(|(name, spent)| (name.clone(), report(spent)))
        .collect()
}

fn dollars(dollars: f64) -> Number {
    if dollars == 0.0 {
        Number::from(0)
    } else {
        Number::from(dollars)
    }
}

/// Adds what another reply took.
fn add(sum: &mut Usage, usage: &Usage) {
    for (sum, tokens) in members(sum).into_iter().zip(counts(usage)) {
        if let Some(tokens) = tokens {
            *sum = Some(sum.unwrap_or(0).saturating_add(tokens));
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
