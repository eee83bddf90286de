//! The request for what fills the model's context.

use super::request::host_requests;
use crate::json::Number;
use crate::message::ContextCategoryKind;
use crate::open::{object, open_enum};

host_requests! {
    GetContextUsage = "get_context_usage" => ContextUsage,
}

object! {
    /// Asks what fills the model's context.
    #[derive(Default)]
    pub struct GetContextUsage tags("subtype" = "get_context_usage") {
        /// How exactly; [`ContextDetail::Full`], when absent.
        pub detail: Option<ContextDetail>,
    }
}

open_enum! {
    /// How exactly tokens are counted.
    pub enum ContextDetail {
        /// By estimate, without asking the API.
        Summary = "summary",
        /// By the API, for each category.
        Full = "full",
    }
}

object! {
    /// What fills the model's context.
    pub struct ContextUsage {
        /// What it is made of.
        pub categories: Vec<ContextCategory>,
        /// Tokens that are used.
        pub total_tokens: u64 = "totalTokens",
        /// Tokens that there is room for.
        pub max_tokens: u64 = "maxTokens",
        /// Tokens that the model itself has room for.
        pub raw_max_tokens: Option<u64> = "rawMaxTokens",
        /// What `autoCompactThreshold` goes by, such as `model-default`.
        pub autocompact_source: Option<String> = "autocompactSource",
        /// How full it is, from 0 to 100.
        pub percentage: Option<Number>,
        /// A picture of it, in rows of squares.
        pub grid_rows: Option<Vec<Vec<ContextSquare>>> = "gridRows",
        /// The name of the model.
        pub model: Option<String>,
        /// Files with instructions.
        pub memory_files: Option<Vec<ContextMemoryFile>> = "memoryFiles",
        /// Tools of MCP servers.
        pub mcp_tools: Option<Vec<ContextMcpTool>> = "mcpTools",
        /// What MCP servers say of themselves, by estimate.
        pub mcp_instructions: Option<Vec<ContextMcpInstructions>> = "mcpInstructions",
        /// The agent's own tools that can be loaded when needed.
        pub deferred_builtin_tools: Option<Vec<ContextDeferredTool>> = "deferredBuiltinTools",
        /// The agent's own tools.
        pub system_tools: Option<Vec<ContextItem>> = "systemTools",
        /// The pieces of the system prompt.
        pub system_prompt_sections: Option<Vec<ContextItem>> = "systemPromptSections",
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<ContextAgent>>,
        /// The commands that a prompt can begin with.
        pub slash_commands: Option<ContextCommands> = "slashCommands",
        /// The skills.
        pub skills: Option<ContextSkills>,
        /// Tokens at which the conversation is compacted.
        pub auto_compact_threshold: Option<u64> = "autoCompactThreshold",
        /// Whether it is compacted on its own.
        pub is_auto_compact_enabled: Option<bool> = "isAutoCompactEnabled",
        /// What the messages are made of.
        pub message_breakdown: Option<ContextMessages> = "messageBreakdown",
        /// What the API counted for its last answer; `null` before the first.
        pub api_usage: Option<ContextApiUsage> = "apiUsage",
    }
}

object! {
    /// One part of the context.
    pub struct ContextCategory {
        /// Which part it is. Older agents do not say.
        pub id: Option<ContextCategoryId>,
        /// Its name, as people are to read it.
        pub name: String,
        /// Its size in tokens.
        pub tokens: u64,
        /// The name of the colour that it is shown in.
        pub color: Option<String>,
        /// Whether it is outside the context until it is needed.
        pub is_deferred: Option<bool> = "isDeferred",
        /// Whether it is used, free or kept back.
        pub kind: Option<ContextCategoryKind>,
    }
}

open_enum! {
    /// A part of the context.
    pub enum ContextCategoryId {
        /// The system prompt.
        SystemPrompt = "system_prompt",
        /// The agent's own tools.
        SystemTools = "system_tools",
        /// Tools of MCP servers.
        McpTools = "mcp_tools",
        /// What MCP servers say of themselves.
        McpInstructions = "mcp_instructions",
        /// Tools of MCP servers that can be loaded when needed.
        McpToolsDeferred = "mcp_tools_deferred",
        /// The agent's own tools that can be loaded when needed.
        SystemToolsDeferred = "system_tools_deferred",
        /// Sub-agents.
        CustomAgents = "custom_agents",
        /// Files with instructions.
        MemoryFiles = "memory_files",
        /// Skills.
        Skills = "skills",
        /// The conversation.
        Messages = "messages",
        /// Room kept back for compacting on its own.
        AutocompactBuffer = "autocompact_buffer",
        /// Room kept back for compacting by hand.
        CompactBuffer = "compact_buffer",
        /// Room that is left.
        FreeSpace = "free_space",
    }
}

object! {
    /// A square in the picture of the context.
    #[derive(Default)]
    pub struct ContextSquare {
        /// The name of its colour.
        pub color: Option<String>,
        /// Whether something is in it.
        pub is_filled: Option<bool> = "isFilled",
        /// The name of the category that it shows.
        pub category_name: Option<String> = "categoryName",
        /// The tokens of that category.
        pub tokens: Option<u64>,
        /// That category's share of the context, from 0 to 100.
        pub percentage: Option<Number>,
        /// How full the square is, from 0 to 1.
        pub square_fullness: Option<Number> = "squareFullness",
    }
}

object! {
    /// A file with instructions.
    pub struct ContextMemoryFile {
        /// The file.
        pub path: String,
        /// Whose instructions they are.
        pub kind: Option<String> = "type",
        /// Its size in tokens.
        pub tokens: u64,
    }
}

object! {
    /// A tool of an MCP server.
    pub struct ContextMcpTool {
        /// The tool.
        pub name: String,
        /// The server, with what tool names cannot have replaced.
        pub server_name: Option<String> = "serverName",
        /// Its size in tokens.
        pub tokens: u64,
        /// Whether it is in the context.
        pub is_loaded: Option<bool> = "isLoaded",
    }
}

object! {
    /// What an MCP server says of itself.
    pub struct ContextMcpInstructions {
        /// The server, under its own name.
        pub server_name: String = "serverName",
        /// Its tokens, by estimate.
        pub tokens: u64,
    }
}

object! {
    /// One of the agent's own tools that can be loaded when needed.
    pub struct ContextDeferredTool {
        /// The tool.
        pub name: String,
        /// Its size in tokens.
        pub tokens: u64,
        /// Whether it is in the context.
        pub is_loaded: Option<bool> = "isLoaded",
    }
}

object! {
    /// Something in the context, by its name.
    pub struct ContextItem {
        /// The name.
        pub name: String,
        /// Its size in tokens.
        pub tokens: u64,
    }
}

object! {
    /// A sub-agent that the model can start.
    pub struct ContextAgent {
        /// The sub-agent.
        pub agent_type: String = "agentType",
        /// Where it comes from.
        pub source: Option<String>,
        /// The plugin it comes from, with its marketplace.
        pub plugin_id: Option<String> = "pluginId",
        /// Its file, where the agent runs.
        pub path: Option<String>,
        /// Its size in tokens.
        pub tokens: u64,
    }
}

object! {
    /// The commands that a prompt can begin with.
    #[derive(Default)]
    pub struct ContextCommands {
        /// How many there are.
        pub total_commands: Option<u64> = "totalCommands",
        /// How many of them the model knows of.
        pub included_commands: Option<u64> = "includedCommands",
        /// Their tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The skills.
    #[derive(Default)]
    pub struct ContextSkills {
        /// How many there are.
        pub total_skills: Option<u64> = "totalSkills",
        /// How many of them the model knows of.
        pub included_skills: Option<u64> = "includedSkills",
        /// Their tokens.
        pub tokens: Option<u64>,
        /// What the model knows of each.
        pub skill_frontmatter: Option<Vec<ContextSkill>> = "skillFrontmatter",
    }
}

object! {
    /// What the model knows of a skill before it is used.
    pub struct ContextSkill {
        /// The skill.
        pub name: String,
        /// Where it comes from, such as `built-in`.
        pub source: Option<String>,
        /// The plugin it comes from. Two can have the same name.
        pub plugin_name: Option<String> = "pluginName",
        /// That plugin, with its marketplace.
        pub plugin_id: Option<String> = "pluginId",
        /// Its file, where the agent runs.
        pub path: Option<String>,
        /// Its size in tokens.
        pub tokens: u64,
    }
}

object! {
    /// What the messages are made of, in tokens.
    #[derive(Default)]
    pub struct ContextMessages {
        /// Tool calls.
        pub tool_call_tokens: Option<u64> = "toolCallTokens",
        /// What tools answered.
        pub tool_result_tokens: Option<u64> = "toolResultTokens",
        /// What the agent attached.
        pub attachment_tokens: Option<u64> = "attachmentTokens",
        /// What the model said.
        pub assistant_message_tokens: Option<u64> = "assistantMessageTokens",
        /// What users said.
        pub user_message_tokens: Option<u64> = "userMessageTokens",
        /// Context that was put elsewhere.
        pub redirected_context_tokens: Option<u64> = "redirectedContextTokens",
        /// What belongs to none of these.
        pub unattributed_tokens: Option<u64> = "unattributedTokens",
        /// Tool calls and their answers, by tool.
        pub tool_calls_by_type: Option<Vec<ContextToolCalls>> = "toolCallsByType",
        /// Attachments, by kind.
        pub attachments_by_type: Option<Vec<ContextItem>> = "attachmentsByType",
    }
}

object! {
    /// The calls of a tool.
    pub struct ContextToolCalls {
        /// The tool.
        pub name: String,
        /// Tokens of the calls.
        pub call_tokens: u64 = "callTokens",
        /// Tokens of the answers.
        pub result_tokens: u64 = "resultTokens",
    }
}

object! {
    /// What the API counted for an answer, in tokens.
    #[derive(Default)]
    pub struct ContextApiUsage {
        /// Read and not cached.
        pub input_tokens: Option<u64>,
        /// Written.
        pub output_tokens: Option<u64>,
        /// Put into the cache.
        pub cache_creation_input_tokens: Option<u64>,
        /// Read from the cache.
        pub cache_read_input_tokens: Option<u64>,
    }
}

impl GetContextUsage {
    /// By estimate, which is cheap.
    #[must_use]
    pub fn summary() -> Self {
        Self {
            detail: Some(ContextDetail::Summary),
            ..Self::default()
        }
    }
}
