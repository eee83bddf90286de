//! The model: which one, how hard it works, and for how long.

use super::{Set, set};
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
            |options| {
                options
                    .model("opus")
                    .flag_value("--fallback-model", "sonnet,haiku")
            },
        ),
        set(
            "thinking adaptive",
            json!({ "thinking": { "type": "adaptive" } }),
            |options| options.flag_value("--thinking", "adaptive"),
        ),
        set(
            "thinking adaptive, shown",
            json!({ "thinking": { "type": "adaptive", "display": "summarized" } }),
            |options| {
                options
                    .flag_value("--thinking", "adaptive")
                    .flag_value("--thinking-display", "summarized")
            },
        ),
        set(
            "thinking enabled",
            json!({ "thinking": { "type": "enabled", "budgetTokens": 2048 } }),
            |options| options.flag_value("--max-thinking-tokens", "2048"),
        ),
        set(
            "thinking enabled, omitted",
            json!({ "thinking": {
                "type": "enabled", "budgetTokens": 2048, "display": "omitted",
            } }),
            |options| {
                options
                    .flag_value("--max-thinking-tokens", "2048")
                    .flag_value("--thinking-display", "omitted")
            },
        ),
        set(
            "thinking enabled without a budget",
            json!({ "thinking": { "type": "enabled" } }),
            |options| options.flag_value("--thinking", "adaptive"),
        ),
        set(
            "thinking disabled",
            json!({ "thinking": { "type": "disabled" } }),
            |options| options.flag_value("--thinking", "disabled"),
        ),
        set(
            "thinking tokens",
            json!({ "maxThinkingTokens": 4096 }),
            |options| options.flag_value("--max-thinking-tokens", "4096"),
        ),
        set(
            "no thinking tokens",
            json!({ "maxThinkingTokens": 0 }),
            |options| options.flag_value("--thinking", "disabled"),
        ),
        set(
            "thinking before thinking tokens",
            json!({ "thinking": { "type": "disabled" }, "maxThinkingTokens": 4096 }),
            |options| options.flag_value("--thinking", "disabled"),
        ),
        set("effort", json!({ "effort": "xhigh" }), |options| {
            options.flag_value("--effort", "xhigh")
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
                    .flag_value("--effort", "low")
                    .flag_value("--thinking", "adaptive")
                    .flag_value("--betas", "context-1m-2025-08-07,other")
            },
        ),
        set("no betas", json!({ "betas": [] }), |options| options),
        set("turns", json!({ "maxTurns": 3 }), |options| {
            options.max_turns(3)
        }),
        set("no turns", json!({ "maxTurns": 0 }), |options| {
            options.max_turns(0)
        }),
        set("budget", json!({ "maxBudgetUsd": 1.5 }), |options| {
            options.flag_value("--max-budget-usd", "1.5")
        }),
        set("no budget", json!({ "maxBudgetUsd": 0 }), |options| {
            options.flag_value("--max-budget-usd", "0")
        }),
        set(
            "task budget",
            json!({ "taskBudget": { "total": 50_000 } }),
            |options| options.flag_value("--task-budget", "50000"),
        ),
        set(
            "turns, budget, model",
            json!({ "maxTurns": 2, "maxBudgetUsd": 0.25, "model": "haiku" }),
            |options| {
                options
                    .max_turns(2)
                    .flag_value("--max-budget-usd", "0.25")
                    .model("haiku")
            },
        ),
    ]
}
