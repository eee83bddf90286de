//! The model: which one, how hard it works, and for how long.

use super::{Set, set};
use agentwire::Thinking;
use agentwire::protocol::model::{EffortLevel, ThinkingDisplay};
use serde_json::json;

pub(super) fn sets() -> Vec<Set> {
    vec![
        set("nothing", json!({}), |options| options),
        set("model", json!({ "model": "sonnet" }), |options| {
            options.model("sonnet")
        }),
        set(
            "a model that looks like a flag",
            json!({ "model": "--verbose" }),
            |options| options.model("--verbose"),
        ),
        set(
            "model, fallback",
            json!({ "model": "opus", "fallbackModel": "sonnet,haiku" }),
            |options| options.model("opus").fallback_models(["sonnet", "haiku"]),
        ),
        set(
            "thinking adaptive",
            json!({ "thinking": { "type": "adaptive" } }),
            |options| options.thinking(Thinking::Adaptive),
        ),
        set(
            "thinking adaptive, shown",
            json!({ "thinking": { "type": "adaptive", "display": "summarized" } }),
            |options| {
                options
                    .thinking(Thinking::Adaptive)
                    .thinking_display(ThinkingDisplay::Summarized)
            },
        ),
        set(
            "thinking enabled",
            json!({ "thinking": { "type": "enabled", "budgetTokens": 2048 } }),
            |options| options.thinking(Thinking::Tokens(2048)),
        ),
        set(
            "thinking enabled, omitted",
            json!({ "thinking": {
                "type": "enabled", "budgetTokens": 2048, "display": "omitted",
            } }),
            |options| {
                options
                    .thinking(Thinking::Tokens(2048))
                    .thinking_display(ThinkingDisplay::Omitted)
            },
        ),
        set(
            "thinking enabled without a budget",
            json!({ "thinking": { "type": "enabled" } }),
            |options| options.thinking(Thinking::Adaptive),
        ),
        set(
            "thinking disabled",
            json!({ "thinking": { "type": "disabled" } }),
            |options| options.thinking(Thinking::Off),
        ),
        set(
            "thinking tokens",
            json!({ "maxThinkingTokens": 4096 }),
            |options| options.thinking(Thinking::Tokens(4096)),
        ),
        set(
            "no thinking tokens",
            json!({ "maxThinkingTokens": 0 }),
            |options| options.thinking(Thinking::Tokens(0)),
        ),
        set(
            "thinking before thinking tokens",
            json!({ "thinking": { "type": "disabled" }, "maxThinkingTokens": 4096 }),
            |options| options.thinking(Thinking::Off),
        ),
        set("effort", json!({ "effort": "xhigh" }), |options| {
            options.effort(EffortLevel::XHigh)
        }),
        set(
            "effort, thinking, betas",
            json!({
                "effort": "low",
                "thinking": { "type": "adaptive" },
                "betas": ["context-1m-2025-08-07", "other"],
            }),
            |options| {
                options
                    .effort(EffortLevel::Low)
                    .thinking(Thinking::Adaptive)
                    .betas(["context-1m-2025-08-07", "other"])
            },
        ),
        set("no betas", json!({ "betas": [] }), |options| {
            options.betas([])
        }),
        set("turns", json!({ "maxTurns": 3 }), |options| {
            options.max_turns(3)
        }),
        set("no turns", json!({ "maxTurns": 0 }), |options| {
            options.max_turns(0)
        }),
        set("budget", json!({ "maxBudgetUsd": 1.5 }), |options| {
            options.max_budget_usd(1.5)
        }),
        set(
            "task budget",
            json!({ "taskBudget": { "total": 50_000 } }),
            |options| options.task_budget(50_000),
        ),
        set(
            "turns, budget, model",
            json!({ "maxTurns": 2, "maxBudgetUsd": 0.25, "model": "haiku" }),
            |options| options.max_turns(2).max_budget_usd(0.25).model("haiku"),
        ),
    ]
}
