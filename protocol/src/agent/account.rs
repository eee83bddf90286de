//! What the replies of the model take: tokens, and dollars.

use super::Agent;
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

impl Agent {
    /// The reply that the model is about to give takes so many tokens, costs
    /// so many dollars, and stops for this reason, if for another than that
    /// the model is done or calls tools.
    pub fn charge(&mut self, usage: Usage, cost_usd: f64, stop_reason: Option<StopReason>) {
        self.context.charge(&usage);
        self.spend(&usage, cost_usd);
        let account = &mut self.account;
        add(&mut account.turn, &usage);
        account.reply = usage;
        account.stop_reason = stop_reason;
    }

    /// A sub-agent's model gave a reply that took so many tokens, and cost so
    /// many dollars.
    pub fn charge_subagent(&mut self, usage: &Usage, cost_usd: f64) {
        self.spend(usage, cost_usd);
    }

    fn spend(&mut self, usage: &Usage, cost_usd: f64) {
        let account = &mut self.account;
        for models in [&mut account.session, &mut account.since_result] {
            let spent = models.entry(self.config.model.clone()).or_default();
            add(&mut spent.usage, usage);
            spent.cost_usd += cost_usd;
        }
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
