//! Sets of options with system prompts, structured output and sub-agents.

use super::Set;
use agentwire::Options;
use agentwire::options::DYNAMIC_BOUNDARY;
use agentwire::protocol::agent_definition::{AgentDefinition, AgentMemory};
use agentwire::protocol::mcp::McpStdioServer;
use agentwire::protocol::model::EffortLevel;
use agentwire::protocol::permission::PermissionMode;
use serde_json::json;

pub(super) fn sets() -> Vec<Set> {
    sets! {
        "prompt": { "systemPrompt": "You are terse." } => |it| it.system_prompt("You are terse.");
        "empty prompt": { "systemPrompt": "" } => |it| it.system_prompt("");
        "prompt in blocks": { "systemPrompt": [
            "Always so.", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "Today so.",
        ] } => |it| it.system_prompt_blocks(["Always so.", DYNAMIC_BOUNDARY, "Today so."]);
        "prompt, not kept": { "systemPrompt": {
            "type": "custom", "prompt": "You are terse.", "snapshot": false,
        } } => |it| it.system_prompt("You are terse.").system_prompt_snapshot(false);
        "preset prompt": { "systemPrompt": { "type": "preset", "preset": "claude_code" } }
            => |it| it;
        "appended": { "systemPrompt": {
            "type": "preset", "preset": "claude_code", "append": "Say why.",
        } } => |it| it.append_system_prompt("Say why.");
        "appended, the same for all users, kept": { "systemPrompt": {
            "type": "preset",
            "preset": "claude_code",
            "append": "A \"quote\",\na line.",
            "excludeDynamicSections": true,
            "snapshot": true,
        } } => |it| it.exclude_dynamic_sections(true)
            .system_prompt_snapshot(true)
            .append_system_prompt("A \"quote\",\na line.");
        "agents": {
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
        } => |it| {
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
            it
                .agents([("reviewer", reviewer), ("writer", writer)])
                .agent("reviewer")
        };
        "no agents": { "agents": {} } => |it| it.agents::<&str>([]);
        "what agents do": {
            "agentProgressSummaries": true,
            "forwardSubagentText": true,
            "perTaskStopAffordance": true,
            "promptSuggestions": true,
        } => |it| it.agent_progress_summaries(true)
            .forward_subagent_text(true)
            .per_task_stop(true)
            .prompt_suggestions(true);
        "what agents do not": {
            "agentProgressSummaries": false,
            "forwardSubagentText": false,
            "perTaskStopAffordance": false,
            "promptSuggestions": false,
        } => |it| it.agent_progress_summaries(false)
            .forward_subagent_text(false)
            .per_task_stop(false)
            .prompt_suggestions(false);
        "output format": { "outputFormat": {
            "type": "json_schema",
            "schema": { "type": "object", "properties": { "day": { "type": "string" } } },
        } } => |it| {
            let schema = json!({
                "type": "object", "properties": { "day": { "type": "string" } },
            });
            it.output_format(schema)
        };
        "skills": { "skills": ["pdf", "desk:mail"] } => |it| it.skills(["pdf", "desk:mail"]);
        "all skills": { "skills": "all" } => Options::all_skills;
        "no skills": { "skills": [] } => |it| it.skills([]);
        "skills, allowed tools": { "skills": ["pdf"], "allowedTools": ["Read", "Skill(pdf)"] }
            => |it| it.skills(["pdf"]).allowed_tools(["Read", "Skill(pdf)"]);
    }
}
