//! The model, and what a turn may take of it.

use super::Options;
use agentwire_protocol::model::{EffortLevel, ThinkingDisplay};

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thinking {
    /// As much as the model finds right.
    Adaptive,
    /// So many tokens at most, for models that cannot decide for themselves.
    /// For those that can, 0 is [`Thinking::Off`] and everything else
    /// [`Thinking::Adaptive`].
    Tokens(u64),
    /// Not at all.
    Off,
}

/// The model, and what it may take.
impl Options {
    /// The model (`--model`).
    pub fn model(self, model: impl Into<String>) -> Self {
        self.set("--model", model.into())
    }

    /// Models to take when the model is overloaded or cannot be had, in order
    /// (`--fallback-model`). Each turn tries the model itself first.
    pub fn fallback_models<S: ToString>(self, models: impl IntoIterator<Item = S>) -> Self {
        self.list("--fallback-model", models)
    }

    /// How much the model thinks (`--thinking`, `--max-thinking-tokens`).
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.unset("--thinking");
        self.unset("--max-thinking-tokens");
        match thinking {
            Thinking::Adaptive => self.set("--thinking", "adaptive"),
            Thinking::Tokens(0) | Thinking::Off => self.set("--thinking", "disabled"),
            Thinking::Tokens(tokens) => self.set("--max-thinking-tokens", tokens.to_string()),
        }
    }

    /// What is shown of the model's thinking (`--thinking-display`).
    pub fn thinking_display(self, display: ThinkingDisplay) -> Self {
        self.set("--thinking-display", display.as_str())
    }

    /// How hard the model works (`--effort`). The CLI passes over a level that
    /// it does not know, with a line on standard error.
    pub fn effort(self, level: EffortLevel) -> Self {
        self.set("--effort", level.as_str())
    }

    /// How many times the model may be asked in a turn (`--max-turns`); 0 is no
    /// limit.
    pub fn max_turns(self, turns: u32) -> Self {
        self.set("--max-turns", turns.to_string())
    }

    /// US dollars that the session may cost (`--max-budget-usd`); more than
    /// that ends a turn with
    /// [`ErrorMaxBudgetUsd`](agentwire_protocol::message::ResultSubtype).
    pub fn max_budget_usd(self, dollars: f64) -> Self {
        self.set("--max-budget-usd", dollars.to_string())
    }

    /// Tokens that the model is told it has for its task, so that it comes to
    /// an end in time (`--task-budget`).
    pub fn task_budget(self, tokens: u64) -> Self {
        self.set("--task-budget", tokens.to_string())
    }

    /// Features of the API that are switched on by name (`--betas`). None at
    /// all is as if it were not set.
    pub fn betas<S: ToString>(mut self, betas: impl IntoIterator<Item = S>) -> Self {
        let mut betas = betas.into_iter().peekable();
        self.unset("--betas");
        match betas.peek() {
            Some(_) => self.list("--betas", betas),
            None => self,
        }
    }
}
