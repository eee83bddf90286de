//! What the model is told, what it is to answer, and who works for it.

use super::{Set, introduce, set};
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
            |options| {
                introduce(options, |request| {
                    request.system_prompt = Some(vec!["You are terse.".to_owned()]);
                })
            },
        ),
        set("empty prompt", json!({ "systemPrompt": "" }), |options| {
            introduce(options, |request| {
                request.system_prompt = Some(vec![String::new()]);
            })
        }),
        set(
            "prompt in blocks",
            json!({ "systemPrompt": ["Always so.", "Today so."] }),
            |options| {
                introduce(options, |request| {
                    request.system_prompt =
                        Some(vec!["Always so.".to_owned(), "Today so.".to_owned()]);
                })
            },
        ),
        set(
            "prompt, not kept",
            json!({ "systemPrompt": {
                "type": "custom", "prompt": "You are terse.", "snapshot": false,
            } }),
            |options| {
                introduce(options, |request| {
                    request.system_prompt = Some(vec!["You are terse.".to_owned()]);
                    request.system_prompt_snapshot = Some(false);
                })
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
                introduce(options, |request| {
                    request.exclude_dynamic_sections = Some(true);
                    request.system_prompt_snapshot = Some(true);
                })
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
                let agents = [
                    ("reviewer".to_owned(), reviewer),
                    ("writer".to_owned(), writer),
                ];
                introduce(options, |request| request.agents = Some(agents.into()))
                    .flag_value("--agent", "reviewer")
            },
        ),
        set("no agents", json!({ "agents": {} }), |options| {
            introduce(options, |request| request.agents = Some([].into()))
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
                introduce(options, |request| {
                    request.agent_progress_summaries = Some(true);
                    request.forward_subagent_text = Some(true);
                    request.per_task_stop_affordance = Some(true);
                    request.prompt_suggestions = Some(true);
                })
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
                introduce(options, |request| {
                    request.agent_progress_summaries = Some(false);
                    request.forward_subagent_text = Some(false);
                    request.per_task_stop_affordance = Some(false);
                    request.prompt_suggestions = Some(false);
                })
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
                introduce(options, |request| {
                    request.json_schema = Some(schema.clone().into());
                })
                .flag_value("--json-schema", schema.to_string())
            },
        ),
        set(
            "skills",
            json!({ "skills": ["pdf", "desk:mail"] }),
            |options| {
                introduce(options, |request| {
                    request.skills = Some(vec!["pdf".to_owned(), "desk:mail".to_owned()]);
                })
                .flag_value("--allowedTools", "Skill(pdf),Skill(desk:mail)")
            },
        ),
        set("all skills", json!({ "skills": "all" }), |options| {
            options.flag_value("--allowedTools", "Skill")
        }),
        set("no skills", json!({ "skills": [] }), |options| {
            introduce(options, |request| request.skills = Some(Vec::new()))
        }),
        set(
            "skills, allowed tools",
            json!({ "skills": ["pdf"], "allowedTools": ["Read", "Skill(pdf)"] }),
            |options| {
                introduce(options, |request| {
                    request.skills = Some(vec!["pdf".to_owned()]);
                })
                .flag_value("--allowedTools", "Read,Skill(pdf)")
            },
        ),
    ]
}
