//! The model and its limits.

use super::Options;
use agentwire_protocol::StringList;
use agentwire_protocol::model::{EffortLevel, ThinkingDisplay};

/// How much the model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thinking {
    /// The model decides.
    Adaptive,
    /// At most this many tokens, for models that do not decide themselves. For other models, 0
    /// means [`Thinking::Off`] and any other number [`Thinking::Adaptive`].
    Tokens(u64),
    /// No thinking.
    Off,
}

/// The model and its limits.
impl Options {
    /// Sets the model (`--model`).
    pub fn model(self, model: impl Into<String>) -> Self {
        self.set("--model", model.into())
    }

    /// Sets the models to use, in order, when the model is overloaded or
    /// unavailable (`--fallback-model`). Each turn tries the main model first.
    #[doc(alias = "fallbackModel")]
    #[doc(alias = "fallback_model")]
    pub fn fallback_models(self, models: impl Into<StringList>) -> Self {
        self.list("--fallback-model", models)
    }

    /// Sets how much the model thinks (`--thinking`, `--max-thinking-tokens`).
    #[doc(alias = "maxThinkingTokens")]
    #[doc(alias = "max_thinking_tokens")]
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.unset("--thinking");
        self.unset("--max-thinking-tokens");
        match thinking {
            Thinking::Adaptive => self.set("--thinking", "adaptive"),
            Thinking::Tokens(0) | Thinking::Off => self.set("--thinking", "disabled"),
            Thinking::Tokens(tokens) => self.set("--max-thinking-tokens", tokens.to_string()),
        }
    }

    /// Sets how the model's thinking is shown (`--thinking-display`).
    pub fn thinking_display(self, display: ThinkingDisplay) -> Self {
        self.set("--thinking-display", display.as_str())
    }

    /// Sets the effort level (`--effort`). The CLI ignores an unsupported level
    /// and logs a line to standard error.
    pub fn effort(self, level: EffortLevel) -> Self {
        self.set("--effort", level.as_str())
    }

    /// Sets how many requests to the model a turn may make (`--max-turns`). 0 means no limit.
    pub fn max_turns(self, turns: u32) -> Self {
        self.set("--max-turns", turns.to_string())
    }

    /// Sets the maximum cost of the session, in US dollars (`--max-budget-usd`). A turn that
    /// exceeds it ends with [`ErrorMaxBudgetUsd`](agentwire_protocol::message::ResultSubtype).
    pub fn max_budget_usd(self, dollars: f64) -> Self {
        self.set("--max-budget-usd", dollars.to_string())
    }

    /// Sets the token budget that the model should finish within (`--task-budget`).
    pub fn task_budget(self, tokens: u64) -> Self {
        self.set("--task-budget", tokens.to_string())
    }

    /// Enables API beta features by name (`--betas`). An empty list is the same
    /// as unset.
    pub fn betas(mut self, betas: impl Into<StringList>) -> Self {
        let betas: Vec<String> = betas.into().into();
        self.unset("--betas");
        match betas.is_empty() {
            true => self,
            false => self.list("--betas", betas),
        }
    }
}
