//! Token usage and cost of the model's replies.

use agentwire_protocol::json::Number;
use agentwire_protocol::message::{ModelUsage, StopReason, Usage};
use std::collections::BTreeMap;

/// The usage and cost so far.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// The usage of the current reply.
    reply: Usage,
    stop_reason: Option<StopReason>,
    /// The usage of all replies of the turn, excluding those of sub-agents.
    turn: Usage,
    /// The usage and cost of all replies of the session, by model.
    session: BTreeMap<String, ModelTotal>,
    /// The usage and cost of all replies since the last result, by model.
    since_result: BTreeMap<String, ModelTotal>,
    /// The usage of the first reply of the turn.
    first: Option<Usage>,
    /// The cost of all replies of the process, in dollars.
    process_usd: f64,
}

/// The usage and cost of one model.
#[derive(Debug, Clone, Default)]
struct ModelTotal {
    usage: Usage,
    cost_usd: f64,
}

impl Account {
    /// Creates the account of a session that continues with this usage.
    pub(super) fn resumed(models: &BTreeMap<String, ModelUsage>) -> Self {
        let total = |it: &ModelUsage| ModelTotal {
            usage: wire!(Usage {
                input_tokens: it.input_tokens,
                output_tokens: it.output_tokens,
                cache_creation_input_tokens: it.cache_creation_input_tokens,
                cache_read_input_tokens: it.cache_read_input_tokens,
            }),
            cost_usd: it.cost_usd.as_ref().map_or(0.0, Number::as_f64),
        };
        let models = models.iter().map(|(name, it)| (name.clone(), total(it)));
        Self {
            session: models.collect(),
            ..Self::default()
        }
    }

    /// Begins a new session. The next result still reports all replies since the last one.
    pub(super) fn clear(&mut self) {
        self.session.clear();
    }

    /// Adds the usage and cost of the next reply of this model, and stores its
    /// stop reason.
    pub(super) fn charge(
        &mut self,
        model: &str,
        usage: Usage,
        cost_usd: f64,
        stop_reason: Option<StopReason>,
    ) {
        self.spend(model, &usage, cost_usd);
        add(&mut self.turn, &usage);
        self.first.get_or_insert_with(|| usage.clone());
        self.reply = usage;
        self.stop_reason = stop_reason;
    }

    /// Adds the usage and cost of a reply to the session, but not to the turn.
    pub(super) fn spend(&mut self, model: &str, usage: &Usage, cost_usd: f64) {
        for models in [&mut self.session, &mut self.since_result] {
            let total = models.entry(model.to_owned()).or_default();
            add(&mut total.usage, usage);
            total.cost_usd += cost_usd;
        }
        self.process_usd += cost_usd;
    }

    /// Returns the usage to report at the start of a reply. Its output tokens
    /// are 0.
    pub(super) fn usage_at_start(&self) -> Usage {
        usage_at_start(&self.reply)
    }

    /// Returns the usage of the current reply.
    pub(super) fn reply(&self) -> Usage {
        let mut usage = self.reply.clone();
        zero_unknown_counts(&mut usage);
        usage
    }

    /// Returns the usage to report at the end of a reply. It contains only the
    /// output tokens.
    pub(super) fn usage_at_end(&self) -> Usage {
        wire!(Usage {
            output_tokens: self.reply.output_tokens.or(Some(0)),
        })
    }

    /// Returns the stop reason of the current reply, if one is set.
    pub(super) fn stop_reason(&self) -> Option<&StopReason> {
        self.stop_reason.as_ref()
    }

    /// Takes the stop reason of the current reply, if one is set.
    pub(super) fn take_stop_reason(&mut self) -> Option<StopReason> {
        self.stop_reason.take()
    }

    /// Takes the usage of the turn, which has ended.
    pub(super) fn take_turn(&mut self) -> Usage {
        let mut turn = std::mem::take(&mut self.turn);
        zero_unknown_counts(&mut turn);
        turn
    }

    /// Takes the usage of the first reply of the turn, which has ended.
    pub(super) fn take_first(&mut self) -> Option<Usage> {
        self.first.take()
    }

    /// Returns the cost of the session so far in US dollars, as a JSON number.
    pub(super) fn cost_usd(&self) -> Number {
        dollars(self.total_usd())
    }

    /// Returns the cost of the session so far, in US dollars.
    pub(super) fn total_usd(&self) -> f64 {
        // The sum of an empty iterator is -0.0.
        let costs = self.session.values().map(|total| total.cost_usd);
        costs.fold(0.0, |sum, cost| sum + cost)
    }

    /// Returns the cost of the process so far, in US dollars.
    pub(super) fn process_usd(&self) -> f64 {
        self.process_usd
    }

    /// Returns the usage of each model since the start of the session.
    pub(super) fn models(&self, template: &ModelUsage) -> BTreeMap<String, ModelUsage> {
        report(&self.session, template)
    }

    /// Takes the usage of each model since the last result, for a new result.
    pub(super) fn take_models(&mut self, template: &ModelUsage) -> BTreeMap<String, ModelUsage> {
        report(&std::mem::take(&mut self.since_result), template)
    }
}

fn report(
    models: &BTreeMap<String, ModelTotal>,
    template: &ModelUsage,
) -> BTreeMap<String, ModelUsage> {
    let report = |total: &ModelTotal| {
        let [input, output, created, read] = counts(&total.usage).map(|it| it.or(Some(0)));
        wire!(ModelUsage {
            input_tokens: input,
            output_tokens: output,
            cache_creation_input_tokens: created,
            cache_read_input_tokens: read,
            web_search_requests: Some(0),
            cost_usd: Some(dollars(total.cost_usd)),
            ..template.clone()
        })
    };
    let models = models.iter();
    models
        .map(|(name, total)| (name.clone(), report(total)))
        .collect()
}

/// Returns the usage to report at the start of a reply with this usage.
pub(super) fn usage_at_start(reply: &Usage) -> Usage {
    let mut usage = reply.clone();
    zero_unknown_counts(&mut usage);
    usage.output_tokens = Some(0);
    usage
}

fn dollars(dollars: f64) -> Number {
    if dollars == 0.0 {
        Number::from(0)
    } else {
        Number::from(dollars)
    }
}

/// Sets unknown counts to 0.
fn zero_unknown_counts(usage: &mut Usage) {
    for count in members(usage) {
        count.get_or_insert(0);
    }
}

/// Adds the token counts of `usage` to `sum`.
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
