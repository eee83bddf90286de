//! Sets of options about the model, its effort and its limits.

use super::Set;
use agentwire::Thinking;
use agentwire::protocol::model::{EffortLevel, ThinkingDisplay};

pub(super) fn sets() -> Vec<Set> {
    sets! {
        "nothing": {} => |it| it;
        "model": { "model": "sonnet" } => |it| it.model("sonnet");
        "a model that looks like a flag": { "model": "--verbose" } => |it| it.model("--verbose");
        "model, fallback": { "model": "opus", "fallbackModel": "sonnet,haiku" }
            => |it| it.model("opus").fallback_models(["sonnet", "haiku"]);
        "thinking adaptive": { "thinking": { "type": "adaptive" } }
            => |it| it.thinking(Thinking::Adaptive);
        "thinking adaptive, shown": { "thinking": { "type": "adaptive", "display": "summarized" } }
            => |it| it.thinking(Thinking::Adaptive).thinking_display(ThinkingDisplay::Summarized);
        "thinking enabled": { "thinking": { "type": "enabled", "budgetTokens": 2048 } }
            => |it| it.thinking(Thinking::Tokens(2048));
        "thinking enabled, omitted": { "thinking": {
            "type": "enabled", "budgetTokens": 2048, "display": "omitted",
        } } => |it| it.thinking(Thinking::Tokens(2048)).thinking_display(ThinkingDisplay::Omitted);
        "thinking enabled without a budget": { "thinking": { "type": "enabled" } }
            => |it| it.thinking(Thinking::Adaptive);
        "thinking disabled": { "thinking": { "type": "disabled" } }
            => |it| it.thinking(Thinking::Off);
        "thinking tokens": { "maxThinkingTokens": 4096 }
            => |it| it.thinking(Thinking::Tokens(4096));
        "no thinking tokens": { "maxThinkingTokens": 0 } => |it| it.thinking(Thinking::Tokens(0));
        "thinking before thinking tokens": { "thinking": { "type": "disabled" }, "maxThinkingTokens": 4096 }
            => |it| it.thinking(Thinking::Off);
        "effort": { "effort": "xhigh" } => |it| it.effort(EffortLevel::XHigh);
        "effort, thinking, betas": {
            "effort": "low",
            "thinking": { "type": "adaptive" },
            "betas": ["context-1m-2025-08-07", "other"],
        } => |it| it.effort(EffortLevel::Low)
            .thinking(Thinking::Adaptive)
            .betas(["context-1m-2025-08-07", "other"]);
        "no betas": { "betas": [] } => |it| it.betas([]);
        "turns": { "maxTurns": 3 } => |it| it.max_turns(3);
        "no turns": { "maxTurns": 0 } => |it| it.max_turns(0);
        "budget": { "maxBudgetUsd": 1.5 } => |it| it.max_budget_usd(1.5);
        "task budget": { "taskBudget": { "total": 50_000 } } => |it| it.task_budget(50_000);
        "turns, budget, model": { "maxTurns": 2, "maxBudgetUsd": 0.25, "model": "haiku" }
            => |it| it.max_turns(2).max_budget_usd(0.25).model("haiku");
    }
}
