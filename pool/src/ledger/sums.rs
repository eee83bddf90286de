//! Costs, and their sums.

use agentwire_protocol::Number;
use agentwire_protocol::message::{ModelUsage, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Tokens, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Input tokens that were neither read from the cache nor written to it.
    pub input: u64,
    /// Output tokens, including thinking.
    pub output: u64,
    /// Input tokens that were read from the cache.
    pub cache_read: u64,
    /// Input tokens that were written to the cache.
    pub cache_creation: u64,
}

impl Tokens {
    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the number of tokens of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        let input = self.input.saturating_add(self.cache_read);
        let input = input.saturating_add(self.cache_creation);
        input.saturating_add(self.output)
    }

    /// Combines each kind of both.
    pub(super) fn zip(self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: combine(self.input, other.input),
            output: combine(self.output, other.output),
            cache_read: combine(self.cache_read, other.cache_read),
            cache_creation: combine(self.cache_creation, other.cache_creation),
        }
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = self.zip(other, u64::saturating_add);
    }
}

impl From<&Usage> for Tokens {
    fn from(usage: &Usage) -> Self {
        Self {
            input: usage.input_tokens.unwrap_or(0),
            output: usage.output_tokens.unwrap_or(0),
            cache_read: usage.cache_read_input_tokens.unwrap_or(0),
            cache_creation: usage.cache_creation_input_tokens.unwrap_or(0),
        }
    }
}

/// A cost and the tokens that it is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The cost in US dollars, as the agent computes it.
    pub usd: f64,
    /// The tokens.
    pub tokens: Tokens,
}

impl Cost {
    /// Returns whether there is none.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.usd == 0.0 && self.tokens.is_empty()
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.usd += other.usd;
        self.tokens += other.tokens;
    }
}

impl From<&ModelUsage> for Cost {
    fn from(usage: &ModelUsage) -> Self {
        let usd = usage.cost_usd.as_ref().map_or(0.0, Number::as_f64);
        Self {
            // A budget must not be raised by a malformed line.
            usd: if usd.is_finite() { usd.max(0.0) } else { 0.0 },
            tokens: Tokens {
                input: usage.input_tokens.unwrap_or(0),
                output: usage.output_tokens.unwrap_or(0),
                cache_read: usage.cache_read_input_tokens.unwrap_or(0),
                cache_creation: usage.cache_creation_input_tokens.unwrap_or(0),
            },
        }
    }
}

/// Costs by the name of the model.
pub(super) type Models = BTreeMap<String, Cost>;

/// Sums of many turns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// The cost that results have reported.
    pub cost: Cost,
    /// The cost, by the name of the model.
    pub models: BTreeMap<String, Cost>,
    /// The number of results.
    pub turns: u64,
    /// Tokens that no result has priced, as in [`Turn::unreported`]. A lower bound; they are
    /// not part of `cost`.
    pub unreported: Tokens,
}

impl AddAssign<&Turn> for Totals {
    fn add_assign(&mut self, turn: &Turn) {
        self.cost += turn.cost;
        for (model, cost) in &turn.models {
            match self.models.get_mut(model) {
                Some(sum) => *sum += *cost,
                None => drop(self.models.insert(model.clone(), *cost)),
            }
        }
        self.turns += u64::from(turn.result.is_some());
        self.unreported += turn.unreported;
    }
}

/// The usage of a result since the previous one, or the usage after the last result of a process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The number of this entry in the ledger, from 1.
    pub number: u64,
    /// The tenant.
    pub tenant: String,
    /// The session ID. The result of `/clear` belongs to the session that it has ended.
    pub session: String,
    /// The UUID of the result, empty if it has none. `None` if the process exited without one.
    pub result: Option<String>,
    /// The UUIDs of the user messages that the turn answered, if the agent reports them.
    pub messages: Vec<String>,
    /// Whether the turn failed.
    pub is_error: bool,
    /// The cost. Includes sub-agents, and background work between this result and the one
    /// before it.
    pub cost: Cost,
    /// The cost, by the name of the model.
    pub models: BTreeMap<String, Cost>,
    /// The part of each sub-agent, as far as its messages were delivered.
    pub subagents: Vec<SubAgent>,
    /// Tokens without a cost, from the messages of the model: those of a process that has
    /// exited after its last result, and those of a turn of an older agent without a
    /// baseline (see [`Ledger::follow`](super::Ledger::follow)). A lower bound.
    pub unreported: Tokens,
}

/// The part of a sub-agent in a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubAgent {
    /// The ID of the tool call that started it.
    pub tool_use_id: String,
    /// The ID of the sub-agent, if the agent reports it.
    pub agent_id: Option<String>,
    /// The tokens in the messages that the host has received. A lower bound, and a part of
    /// the turn's tokens: the agent prices only whole turns, and delivers text of an awaited
    /// sub-agent only with
    /// [`Options::forward_subagent_text`](agentwire::Options::forward_subagent_text).
    pub tokens: Tokens,
}
