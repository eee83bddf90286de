//! The CLI's tools, commands, sub-agents, skills and capabilities.

use super::models;
use crate::agent::{Config, Declared};
use agentwire_protocol::model::ThinkingDisplay;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The tools, as `system/init` lists them.
const TOOLS: [&str; 25] = [
    "Task",
    "AskUserQuestion",
    "Bash",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "ListAgents",
    "Monitor",
    "NotebookEdit",
    "Read",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "TaskStop",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// The tools that change files.
const EDITS: [&str; 3] = ["Edit", "NotebookEdit", "Write"];

/// The sub-agents.
pub(super) const AGENTS: [&str; 5] = [
    "claude",
    "Explore",
    "general-purpose",
    "Plan",
    "statusline-setup",
];

/// The output styles.
pub(super) const STYLES: [&str; 5] = ["default", "Proactive", "Concise", "Explanatory", "Learning"];

/// The skills, which are commands too.
pub(super) const SKILLS: [&str; 13] = [
    "dataviz",
    "update-config",
    "keybindings-help",
    "code-review",
    "simplify",
    "fewer-permission-prompts",
    "loop",
    "claude-api",
    "workflow-authoring",
    "run",
    "plugin-authoring",
    "init",
    "security-review",
];

/// The commands that the CLI itself runs. It sends all others to the model.
const LOCAL: [&str; 27] = [
    "agents",
    "autocompact",
    "color",
    "config",
    "context",
    "cost",
    "doctor",
    "effort",
    "exit",
    "export",
    "fast",
    "focus",
    "help",
    "login",
    "logout",
    "mcp",
    "model",
    "output-style",
    "permissions",
    "reload-plugins",
    "reload-skills",
    "rename",
    "resume",
    "settings",
    "stats",
    "status",
    "usage",
];

/// The commands, their argument hints and their aliases.
const COMMANDS: [(&str, &str, &[&str]); 44] = [
    ("deep-research", "", &[]),
    ("dataviz", "", &[]),
    ("update-config", "", &[]),
    ("verify", "", &[]),
    ("debug", "[issue description]", &[]),
    ("code-review", "[low|medium|high|xhigh|max]", &["review"]),
    ("simplify", "[<target>]", &[]),
    ("batch", "<instruction>", &[]),
    ("fewer-permission-prompts", "", &[]),
    ("doctor", "", &["checkup"]),
    ("loop", "[interval] [prompt]", &["proactive"]),
    ("claude-api", "", &[]),
    ("workflow-authoring", "", &[]),
    ("run", "", &[]),
    ("run-skill-generator", "", &[]),
    ("plugin-authoring", "", &[]),
    ("agents", "", &[]),
    ("auto-mode-setup", "", &[]),
    ("autocompact", "[auto|<tokens>]", &[]),
    ("clear", "[name]", &["reset", "new"]),
    ("color", "", &[]),
    ("compact", "<instructions>", &[]),
    ("config", "key=value", &["settings"]),
    ("output-style", "[style]", &[]),
    ("context", "", &[]),
    ("effort", "<level>", &[]),
    ("fast", "[on|off]", &[]),
    ("focus", "[on|off]", &[]),
    ("heapdump", "", &[]),
    ("init", "", &[]),
    ("mcp", "[reconnect|enable|disable [<server>|all]]", &[]),
    ("model", "<model>", &[]),
    ("__remote-workflow", "", &[]),
    ("workflow-launch-exec", "", &[]),
    ("reload-plugins", "[--force]", &[]),
    ("reload-skills", "", &[]),
    ("rename", "[name]", &["name"]),
    ("security-review", "", &[]),
    ("usage", "", &["cost", "stats"]),
    ("insights", "", &[]),
    ("recap", "", &[]),
    ("goal", "", &[]),
    ("list-agents", "", &["peers"]),
    ("team-onboarding", "", &[]),
];

/// The capabilities in `system/init`, except those of the queue.
const CAPABILITIES: [&str; 19] = [
    "interrupt_send_now_v1",
    "interrupt_requeue_taken_v1",
    "request_marker_lists_v1",
    "ask_user_question_unanswered_v1",
    "lifecycle_wakeup_source_v1",
    "sdk_mcp_tools_list_changed",
    "sdk_mcp_manifests",
    "mcp_read_resource_v1",
    "mcp_tool_ui_meta_v1",
    "ui_surface_v1",
    "mcp_call_result_not_for_model_v1",
    "mcp_call_check_permissions_v1",
    "voice_call_talk_line_v1",
    "withdrawn_files_note_v2",
    "withdrawn_tools_v1",
    "ui_pane_widget_v1",
    "reload_plugins_refuse_if_busy_v1",
    "get_usage_detached_v1",
    "silent_resend_files_v1",
];

/// The capabilities in the response to `initialize`.
const EARLY_CAPABILITIES: [&str; 7] = [
    "ui_surface_v1",
    "mcp_call_result_not_for_model_v1",
    "mcp_call_check_permissions_v1",
    "voice_call_talk_line_v1",
    "ui_pane_widget_v1",
    "reload_plugins_refuse_if_busy_v1",
    "get_usage_detached_v1",
];

/// Returns the commands for `initialize`.
pub(super) fn commands() -> Value {
    COMMANDS.iter().map(command).collect()
}

/// Returns the skills for `reload_skills`.
pub(super) fn skills() -> Value {
    let of = |name: &&str| COMMANDS.iter().find(|it| it.0 == *name).map(command);
    SKILLS.iter().filter_map(of).collect()
}

fn command((name, hint, aliases): &(&str, &str, &[&str])) -> Value {
    let mut command = json!({
        "name": name,
        "description": format!("The command {name}"),
        "argumentHint": hint,
        "builtin": true,
    });
    if !aliases.is_empty() {
        command["aliases"] = json!(aliases);
    }
    command
}

/// Returns the CLI's built-in plugins.
pub(super) fn plugins() -> Value {
    let plugin =
        |name: &str| json!({"name": name, "path": "builtin", "source": format!("{name}@builtin")});
    let names = ["agents-md", "privacy", "plugin-authoring"];
    names
        .map(|it| plugin(&format!("cc-plugin-{it}")))
        .into_iter()
        .collect()
}

/// Returns the sub-agents for `initialize`.
pub(super) fn agents() -> Value {
    let agent = |name: &&str| json!({"name": name, "description": format!("The agent {name}")});
    AGENTS.iter().map(agent).collect()
}

/// Sets what the agent reports in `system/init` and in its response to
/// `initialize`, except for what is already set.
pub(super) fn declare(config: &mut Config) {
    let names: Vec<_> = COMMANDS.iter().map(|it| it.0).collect();
    let init = json!({
        "type": "system",
        "subtype": "init",
        "tools": TOOLS,
        "slash_commands": names,
        "terminal_slash_commands": ["doctor", "color", "focus", "reload-plugins"],
        "apiKeySource": "ANTHROPIC_API_KEY",
        "output_style": "default",
        "agents": AGENTS,
        "skills": SKILLS,
        "plugins": plugins(),
        "analytics_disabled": true,
        "product_feedback_disabled": true,
        "served_by_anthropic": false,
        "memory_paths": {"auto": format!("{}/memory/", config_folder())},
        "messaging_socket_path": format!("/tmp/fake-agent/{}.sock", config.pid),
        "original_cwd": config.cwd,
        "additional_directories": [],
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "per_turn_effort_active": true,
        "ultrathink_available": false,
        "ultrathink_typed_raises": false,
        "sandbox_enabled": false,
        "view_mode": "default",
        "capabilities": CAPABILITIES,
    });
    let initialize = json!({
        "commands": commands(),
        "agents": agents(),
        "output_style": "default",
        "available_output_styles": STYLES,
        "user_output_styles_dir": format!("{}/output-styles", config_folder()),
        "models": models::list(),
        "account": {
            "tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty",
        },
        "feedback_mode": {"kind": "disabled"},
        "analytics_disabled": true,
        "remote_control_auto_enable": false,
        "remote_control_auto_connect_default": false,
        "remote_control_available": false,
        "remote_control_auto_on_by_default": false,
        "ide_rc_auto_enable_gate": false,
        "sandbox_enabled": false,
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "capabilities": EARLY_CAPABILITIES,
    });
    let result = json!({
        "type": "result",
        "subtype": "success",
        "is_error": false,
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "safety_stops": 0,
        "ttft_ms": 0,
        "ttft_stream_ms": 0,
        "time_to_request_ms": 0,
        "first_content_frame_ms": 0,
        "request_sent_wall_ms": 0,
    });
    let usage = json!({
        "output_tokens_details": {"thinking_tokens": 0},
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": "standard",
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        "inference_geo": "",
        "iterations": [],
        "speed": "standard",
        "fallback_credit": null,
    });
    let model_usage = json!({
        "maxOutputTokens": 128_000,
        "thinkingTokens": 0,
        "cacheCreationEphemeral5mInputTokens": 0,
        "cacheCreationEphemeral1hInputTokens": 0,
        "provider": "firstParty",
        "costBasis": "list",
    });
    let previous = std::mem::take(&mut config.declared);
    config.declared = Declared {
        disabled_tools: previous.disabled_tools,
        init: read(init),
        initialize: read(initialize),
        result: read(result),
        usage: read(usage),
        model_usage: read(model_usage),
        thinking_display: Some(ThinkingDisplay::from("updates")),
        commands: LOCAL.map(str::to_owned).into(),
        edit_tools: EDITS.map(str::to_owned).into(),
        listed_names: [("Agent".to_owned(), "Task".to_owned())].into(),
    };
    let declared = &mut config.declared;
    let agents = previous.initialize.agents.unwrap_or_default();
    declared.add_agents(agents);
    if let Some(style) = previous.init.output_style {
        declared.initialize.output_style = Some(style.clone());
        declared.init.output_style = Some(style);
    }
}

/// Returns the tools that a list excludes. `default` means all tools, and
/// `Task` includes `Agent`.
pub(super) fn excluded_tools(listed: &[String]) -> BTreeSet<String> {
    let is_listed = |name: &str| listed.iter().any(|it| it == name || it == "default");
    let mut left_out: BTreeSet<_> = TOOLS.map(str::to_owned).into();
    left_out.retain(|name| !is_listed(name));
    if !is_listed("Task") {
        left_out.insert("Agent".to_owned());
    }
    left_out
}

/// Returns the path of the user's configuration. The fake agent reads nothing
/// from it.
fn config_folder() -> String {
    let config = std::env::var("CLAUDE_CONFIG_DIR");
    config.unwrap_or_else(|_| "/home/user/.claude".to_owned())
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("valid JSON in this file")
}
