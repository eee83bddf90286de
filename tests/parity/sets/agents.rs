//! What the model is told, what it is to answer, and who works for it.

use super::{Set, set};
use agentwire::options::DYNAMIC_BOUNDARY;
use agentwire::protocol::agent_definition::{AgentDefinition, AgentMemory};
use agentwire::protocol::mcp::McpStdioServer;
use agentwire::protocol::model::EffortLevel;
use agentwire::protocol::permission::PermissionMode;
use serde_json::json;

pub(super) fn sets() -> Vec<Set> {
    vec![
        set(
            "prompt",
            json!({ "systemPrompt": "You are terse." }),
            |options| options.system_prompt("You are terse."),
        ),
        set("empty prompt", json!({ "systemPrompt": "" }), |options| {
            options.system_prompt("")
        }),
        set(
            "prompt in blocks",
            json!({ "systemPrompt": [
"Always so.", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "Today so.",
] }),
            |options| options.system_prompt_blocks(["Always so.", DYNAMIC_BOUNDARY, "Today so."]),
        ),
        set(
            "prompt, not kept",
            json!({ "systemPrompt": {
                "type": "custom", "prompt": "You are terse.", "snapshot": false,
            } }),
            |options| {
                options
                    .system_prompt("You are terse.")
                    .system_prompt_snapshot(false)
            },
        ),
        set(
            "preset prompt",
            json!({ "systemPrompt": { "type": "preset", "preset": "claude_code" } }),
            |options| options,
        ),
        set(
            "appended",
            json!({ "systemPrompt": {
                "type": "preset", "preset": "claude_code", "append": "Say why.",
            } }),
            |options| options.append_system_prompt("Say why."),
        ),
        set(
            "appended, the same for all users, kept",
            json!({ "systemPrompt": {
                "type": "preset",
                "preset": "claude_code",
                "append": "A \"quote\",\na line.",
                "excludeDynamicSections": true,
                "snapshot": true,
            } }),
            |options| {
                options
                    .exclude_dynamic_sections(true)
                    .system_prompt_snapshot(true)
                    .append_system_prompt("A \"quote\",\na line.")
            },
        ),
        set(
            "agents",
            json!({
                "agents": {
                    "reviewer": {
                        "description": "Reviews.",
                        "prompt": "You review.",
                        "tools": ["Read"],
                        "disallowedTools": ["Bash"],
                        "model": "haiku",
                        "skills": ["pdf"],
                        "maxTurns": 4,
                        "background": true,
                        "memory": "project",
                        "effort": "high",
                        "permissionMode": "plan",
                        "mcpServers": [
                            "calc",
                            { "files": { "type": "stdio", "command": "mcp-files", "args": [] } },
                        ],
                    },
                    "writer": { "description": "Writes.", "prompt": "You write." },
                },
                "agent": "reviewer",
            }),
            |options| {
                let reviewer = AgentDefinition::new("Reviews.", "You review.")
                    .tools(["Read"])
                    .disallowed_tools(["Bash"])
                    .model("haiku")
                    .skills(["pdf"])
                    .max_turns(4)
                    .background()
                    .memory(AgentMemory::Project)
                    .effort(EffortLevel::High)
                    .permission_mode(PermissionMode::Plan)
                    .mcp_server("calc")
                    .own_mcp_server("files", McpStdioServer::new("mcp-files", [""; 0]));
                let writer = AgentDefinition::new("Writes.", "You write.");
                options
                    .agents([("reviewer", reviewer), ("writer", writer)])
                    .agent("reviewer")
            },
        ),
        set("no agents", json!({ "agents": {} }), |options| {
            options.agents::<&str>([])
        }),
        set(
            "what agents do",
            json!({
                "agentProgressSummaries": true,
                "forwardSubagentText": true,
                "perTaskStopAffordance": true,
                "promptSuggestions": true,
            }),
            |options| {
                options
                    .agent_progress_summaries(true)
                    .forward_subagent_text(true)
                    .per_task_stop(true)
                    .prompt_suggestions(true)
            },
        ),
        set(
            "what agents do not",
            json!({
                "agentProgressSummaries": false,
                "forwardSubagentText": false,
                "perTaskStopAffordance": false,
                "promptSuggestions": false,
            }),
            |options| {
                options
                    .agent_progress_summaries(false)
                    .forward_subagent_text(false)
                    .per_task_stop(false)
                    .prompt_suggestions(false)
            },
        ),
        set(
            "output format",
            json!({ "outputFormat": {
                "type": "json_schema",
                "schema": { "type": "object", "properties": { "day": { "type": "string" } } },
            } }),
            |options| {
                let schema = json!({
                    "type": "object", "properties": { "day": { "type": "string" } },
                });
                options.output_format(schema)
            },
        ),
        set(
            "skills",
            json!({ "skills": ["pdf", "desk:mail"] }),
            |options| options.skills(["pdf", "desk:mail"]),
        ),
        set("all skills", json!({ "skills": "all" }), |options| {
            options.all_skills()
        }),
        set("no skills", json!({ "skills": [] }), |options| {
            options.skills([])
        }),
        set(
            "skills, allowed tools",
            json!({ "skills": ["pdf"], "allowedTools": ["Read", "Skill(pdf)"] }),
            |options| {
                options
                    .skills(["pdf"])
                    .allowed_tools(["Read", "Skill(pdf)"])
            },
        ),
    ]
}
