//! Reports about the session: context, cost, status, hooks.

use super::models;
use crate::agent::Agent;
use serde_json::{Map, Value, json};

/// The hook events, and whether they support matchers.
const HOOK_EVENTS: [(&str, bool); 34] = [
    ("PreToolUse", true),
    ("PostToolUse", true),
    ("PostToolUseFailure", true),
    ("PostToolBatch", false),
    ("PermissionDenied", true),
    ("Notification", true),
    ("UserPromptSubmit", false),
    ("UserPromptExpansion", true),
    ("SessionStart", true),
    ("Stop", false),
    ("StopFailure", true),
    ("SubagentStart", true),
    ("SubagentStop", true),
    ("PreCompact", true),
    ("PostCompact", true),
    ("PreModelSwitch", true),
    ("PostModelSwitch", true),
    ("SessionEnd", true),
    ("PermissionRequest", true),
    ("Setup", true),
    ("TeammateIdle", false),
    ("TaskCreated", false),
    ("TaskCompleted", false),
    ("Elicitation", true),
    ("ElicitationResult", true),
    ("ConfigChange", true),
    ("InstructionsLoaded", true),
    ("WorktreeCreate", false),
    ("WorktreeRemove", false),
    ("CwdChanged", false),
    ("FileChanged", true),
    ("DirectoryAdded", true),
    ("MessageDisplay", false),
    ("PreSkillShellCommand", true),
];

/// The tokens that automatic compaction reserves.
const COMPACT_BUFFER: u64 = 33_000;

/// The categories of the context, each with its ID, name and color.
const CATEGORIES: [(&str, &str, &str); 4] = [
    ("system_prompt", "System prompt", "promptBorder"),
    ("system_tools", "System tools", "inactive"),
    ("skills", "Skills", "warning"),
    ("messages", "Messages", "purple_FOR_SUBAGENTS_ONLY"),
];

/// Returns the response to `get_context_usage`. All tokens count as messages,
/// because the fake agent sends no prompts to a model.
pub(super) fn context(agent: &Agent) -> Value {
    let window = agent.config().context_window;
    let used = agent.context_tokens();
    let threshold = window.saturating_sub(COMPACT_BUFFER);
    let mut categories = categories(agent);
    let compacts = agent.config().compacts;
    if compacts {
        categories.push(category(
            "autocompact_buffer",
            "Autocompact buffer",
            "inactive",
            "buffer",
            COMPACT_BUFFER,
        ));
    }
    let free =
        window
            .saturating_sub(used)
            .saturating_sub(if compacts { COMPACT_BUFFER } else { 0 });
    let free = category("free_space", "Free space", "promptBorder", "free", free);
    categories.push(free);
    json!({
        "categories": categories,
        "totalTokens": used,
        "maxTokens": window,
        "rawMaxTokens": window,
        "autocompactSource": "model-default",
        "percentage": used * 100 / window.max(1),
        "gridRows": [],
        "model": agent.model(),
        "memoryFiles": [],
        "mcpTools": [],
        "mcpInstructions": [],
        "agents": [],
        "slashCommands": {"totalCommands": 0, "includedCommands": 0, "tokens": 0},
        "skills": {"totalSkills": 0, "includedSkills": 0, "tokens": 0, "skillFrontmatter": []},
        "autoCompactThreshold": threshold,
        "isAutoCompactEnabled": compacts,
        "messageBreakdown": {
            "toolCallTokens": 0, "toolResultTokens": 0, "attachmentTokens": 0,
            "assistantMessageTokens": 0, "userMessageTokens": used,
            "redirectedContextTokens": 0, "unattributedTokens": 0,
            "toolCallsByType": [], "attachmentsByType": [],
        },
        "apiUsage": agent.last_usage(),
    })
}

fn categories(agent: &Agent) -> Vec<Value> {
    let used = agent.context_tokens();
    let tokens = |id: &str| if id == "messages" { used } else { 0 };
    CATEGORIES
        .iter()
        .map(|(id, name, color)| category(id, name, color, "used", tokens(id)))
        .collect()
}

fn category(id: &str, name: &str, color: &str, kind: &str, tokens: u64) -> Value {
    json!({"id": id, "name": name, "tokens": tokens, "color": color, "kind": kind})
}

/// Returns the `context_usage` of the output of `/context`.
pub(super) fn context_of_command(agent: &Agent) -> Value {
    let window = agent.config().context_window;
    let used = agent.context_tokens();
    let category = |(id, name, _): &(&str, &str, &str)| {
        let tokens = if *id == "messages" { used } else { 0 };
        json!({"name": name, "tokens": tokens, "kind": "used"})
    };
    json!({
        "model": agent.model(),
        "total_tokens": used,
        "raw_max_tokens": window,
        "percentage": used * 100 / window.max(1),
        "categories": CATEGORIES.iter().map(category).collect::<Vec<_>>(),
        "memory_files": [],
        "mcp_tools": [],
        "agents": [],
        "skills": [],
    })
}

/// Returns the text of `/context`.
pub(super) fn context_text(agent: &Agent) -> String {
    let mut text = format!(
        "Context of {}: {} of {} tokens",
        agent.model(),
        agent.context_tokens(),
        agent.config().context_window
    );
    // A tool of an MCP server is in the context after its first use.
    for tool in agent.used_tools().filter(|it| it.starts_with("mcp__")) {
        text.extend(["\n", tool]);
    }
    text
}

/// Returns the text of `/cost` and of `get_session_cost`.
pub(super) fn cost(agent: &Agent) -> String {
    let mut lines = vec![format!("Cost: {} USD", agent.cost_usd())];
    for (model, usage) in agent.model_usage() {
        let count = |count: Option<u64>| count.unwrap_or(0);
        lines.push(format!(
            "{model}: {} input, {} output",
            count(usage.input_tokens),
            count(usage.output_tokens)
        ));
    }
    lines.join("\n")
}

/// Returns the response to `get_usage`.
pub(super) fn usage(agent: &Agent) -> Value {
    json!({
        "session": {
            "total_cost_usd": agent.cost_usd(),
            "total_api_duration_ms": 0,
            "total_duration_ms": 0,
            "total_lines_added": 0,
            "total_lines_removed": 0,
            "model_usage": agent.model_usage(),
        },
        "subscription_type": null,
        "rate_limits_available": false,
        "rate_limits": null,
        "behaviors": null,
    })
}

/// Returns the response to `get_status`.
pub(super) fn status(agent: &Agent) -> Value {
    let config = agent.config();
    let row = |label: &str, value: &str| json!({"label": label, "value": value});
    json!({"sections": [
        {"title": "Session", "rows": [
            row("Version", &config.version),
            row("Session ID", agent.session_id()),
            row("Session kind", "interactive"),
            row("cwd", &config.cwd),
            row("API key", "ANTHROPIC_API_KEY"),
        ]},
        {"title": "Environment", "rows": [
            row("Model", agent.model()),
            row("Setting sources", "Command line arguments"),
        ]},
    ]})
}

/// Returns the response to `get_hooks_listing`.
pub(super) fn hooks() -> Value {
    let event = |(name, has_matcher): &(&str, bool)| json!({"name": name, "summary": format!("The event {name}"), "supportsMatcher": has_matcher});
    json!({
        "events": [],
        "hooks": [],
        "eventCatalog": HOOK_EVENTS.iter().map(event).collect::<Vec<_>>(),
        "policy": {
            "disabledByPolicy": false, "managedOnly": false, "pluginOnly": false,
            "allDisabled": false, "policyHookCount": 0,
        },
    })
}

/// Returns the response to `list_permission_rules`.
pub(super) fn rules(agent: &Agent) -> Value {
    let rule = |it: &crate::agent::SessionRule| {
        let source = it.destination.as_str();
        json!({
            "behavior": it.behavior.as_str(),
            "source": source,
            "rule": it.rule.to_string(),
            "description": {"prefix": "Calls of ", "emphasis": it.rule.tool_name},
            "editability": if source == "session" { "session" } else { "readonly" },
        })
    };
    json!({"state": {
        "rules": agent.rules().iter().map(rule).collect::<Vec<_>>(),
        "workspaceDirectories": [],
        "originalCwd": agent.config().cwd,
        "managedOnly": false,
    }})
}

/// Returns the response to `get_settings`.
pub(super) fn settings(agent: &Agent, settings: &Map<String, Value>) -> Value {
    let sources = if settings.is_empty() {
        json!([])
    } else {
        json!([{"source": "flagSettings", "settings": settings}])
    };
    json!({
        "effective": settings,
        "sources": sources,
        "served_settings_state": "ineligible",
        "applied": {
            "model": agent.model(),
            "effort": "medium",
            "advisor": null,
            "ultracode": false,
            "ultracodeRequested": false,
            "ultracodeAvailable": true,
            "ultrathinkAvailable": false,
            "outsideFileToolReadsBlocked": false,
            "outsideFileToolWritesBlocked": false,
            "outsideBlocksCountLaunchFoldersOnly": false,
            "launchEnvLeftOwnFilesInPlace": false,
        },
    })
}

/// Returns the response to `list_models`.
pub(super) fn list_models() -> Value {
    json!({ "models": models::list() })
}
