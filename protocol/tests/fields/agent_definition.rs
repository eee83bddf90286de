//! The types of `agentwire_protocol::agent_definition`.

use crate::fields::table::{either, enums, objects};

objects! { agent_definition:
    AgentDefinition {
        description, tools, disallowed_tools = "disallowedTools", prompt, model,
        mcp_servers = "mcpServers",
        critical_system_reminder = "criticalSystemReminder_EXPERIMENTAL", skills,
        initial_prompt = "initialPrompt", max_turns = "maxTurns",
        auto_compact_window = "autoCompactWindow", background, omit_claude_md = "omitClaudeMd",
        memory, effort, permission_mode = "permissionMode", observer,
        observer_message = "observerMessage",
    }
    AgentInfo { name, description, model }
}

either! { agent_definition:
    AgentMcpServers { Named, Own }
}

enums! { agent_definition:
    AgentMemory { User = "user", Project = "project", Local = "local" }
}
