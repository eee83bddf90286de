//! The request for the usage of the model's context.

use super::request::host_requests;
use crate::json::Number;
use crate::message::ContextCategoryKind;
use crate::open::{object, open_enum};

host_requests! {
    GetContextUsage = "get_context_usage" => ContextUsage,
}

object! {
    /// Requests the usage of the model's context.
    #[derive(Default)]
    pub struct GetContextUsage tags("subtype" = "get_context_usage") {
        /// The precision. The default is [`ContextDetail::Full`].
        pub detail: Option<ContextDetail>,
    }
}

open_enum! {
    /// The precision of token counts.
    pub enum ContextDetail {
        /// Counts are estimated, without an API request.
        Summary = "summary",
        /// The API counts each category.
        Full = "full",
    }
}

object! {
    /// The usage of the model's context.
    pub struct ContextUsage {
        /// The usage by category.
        pub categories: Vec<ContextCategory>,
        /// The number of tokens used.
        pub total_tokens: u64 = "totalTokens",
        /// The number of tokens available.
        pub max_tokens: u64 = "maxTokens",
        /// The size of the model's context window.
        pub raw_max_tokens: Option<u64> = "rawMaxTokens",
        /// The basis of `autoCompactThreshold`, such as `model-default`.
        pub autocompact_source: Option<String> = "autocompactSource",
        /// The percentage of the context in use, from 0 to 100.
        pub percentage: Option<Number>,
        /// A visualization, as rows of squares.
        pub grid_rows: Option<Vec<Vec<ContextSquare>>> = "gridRows",
        /// The name of the model.
        pub model: Option<String>,
        /// The instruction files.
        pub memory_files: Option<Vec<ContextMemoryFile>> = "memoryFiles",
        /// Tools of MCP servers.
        pub mcp_tools: Option<Vec<ContextMcpTool>> = "mcpTools",
        /// The instructions of MCP servers, estimated.
        pub mcp_instructions: Option<Vec<ContextMcpInstructions>> = "mcpInstructions",
        /// The agent's built-in tools that are loaded on demand.
        pub deferred_builtin_tools: Option<Vec<ContextDeferredTool>> = "deferredBuiltinTools",
        /// The agent's built-in tools.
        pub system_tools: Option<Vec<ContextItem>> = "systemTools",
        /// The sections of the system prompt.
        pub system_prompt_sections: Option<Vec<ContextItem>> = "systemPromptSections",
        /// The sub-agents that the model can start.
        pub agents: Option<Vec<ContextAgent>>,
        /// The available slash commands.
        pub slash_commands: Option<ContextCommands> = "slashCommands",
        /// The skills.
        pub skills: Option<ContextSkills>,
        /// The number of tokens at which the conversation is compacted
        /// automatically.
        pub auto_compact_threshold: Option<u64> = "autoCompactThreshold",
        /// Whether automatic compaction is enabled.
        pub is_auto_compact_enabled: Option<bool> = "isAutoCompactEnabled",
        /// The composition of the messages.
        pub message_breakdown: Option<ContextMessages> = "messageBreakdown",
        /// The API's token counts for its last response. `None` before the
        /// first response.
        pub api_usage: Option<ContextApiUsage> = "apiUsage",
    }
}

object! {
    /// A category of the context.
    pub struct ContextCategory {
        /// The category. Older agents do not send it.
        pub id: Option<ContextCategoryId>,
        /// The display name.
        pub name: String,
        /// The size of the category in tokens.
        pub tokens: u64,
        /// The name of the color for display.
        pub color: Option<String>,
        /// Whether the category is only loaded on demand.
        pub is_deferred: Option<bool> = "isDeferred",
        /// Whether the category is used, free or reserved.
        pub kind: Option<ContextCategoryKind>,
    }
}

open_enum! {
    /// A category of the context.
    pub enum ContextCategoryId {
        /// The system prompt.
        SystemPrompt = "system_prompt",
        /// The agent's built-in tools.
        SystemTools = "system_tools",
        /// Tools of MCP servers.
        McpTools = "mcp_tools",
        /// The instructions of MCP servers.
        McpInstructions = "mcp_instructions",
        /// Tools of MCP servers that are loaded on demand.
        McpToolsDeferred = "mcp_tools_deferred",
        /// The agent's built-in tools that are loaded on demand.
        SystemToolsDeferred = "system_tools_deferred",
        /// Sub-agents.
        CustomAgents = "custom_agents",
        /// Instruction files.
        MemoryFiles = "memory_files",
        /// Skills.
        Skills = "skills",
        /// The conversation.
        Messages = "messages",
        /// Space reserved for automatic compaction.
        AutocompactBuffer = "autocompact_buffer",
        /// Space reserved for manual compaction.
        CompactBuffer = "compact_buffer",
        /// Free space.
        FreeSpace = "free_space",
    }
}

object! {
    /// A square of the visualization.
    #[derive(Default)]
    pub struct ContextSquare {
        /// The name of the square's color.
        pub color: Option<String>,
        /// Whether the square is filled.
        pub is_filled: Option<bool> = "isFilled",
        /// The category that the square represents.
        pub category_name: Option<String> = "categoryName",
        /// The tokens of the square's category.
        pub tokens: Option<u64>,
        /// The share of the square's category in the context, from 0 to 100.
        pub percentage: Option<Number>,
        /// The filled fraction of the square, from 0 to 1.
        pub square_fullness: Option<Number> = "squareFullness",
    }
}

object! {
    /// An instruction file.
    pub struct ContextMemoryFile {
        /// The path of the file.
        pub path: String,
        /// The scope of the instructions.
        pub kind: Option<String> = "type",
        /// The size of the file in tokens.
        pub tokens: u64,
    }
}

object! {
    /// A tool of an MCP server.
    pub struct ContextMcpTool {
        /// The name of the tool.
        pub name: String,
        /// The name of the server. Characters that are invalid in tool names
        /// are replaced.
        pub server_name: Option<String> = "serverName",
        /// The size of the tool's definition in tokens.
        pub tokens: u64,
        /// Whether the tool's definition is in the context.
        pub is_loaded: Option<bool> = "isLoaded",
    }
}

object! {
    /// The instructions of an MCP server.
    pub struct ContextMcpInstructions {
        /// The name of the server, without replaced characters.
        pub server_name: String = "serverName",
        /// The estimated size in tokens.
        pub tokens: u64,
    }
}

object! {
    /// A built-in tool that is loaded on demand.
    pub struct ContextDeferredTool {
        /// The name of the tool.
        pub name: String,
        /// The size of the tool's definition in tokens.
        pub tokens: u64,
        /// Whether the tool's definition is in the context.
        pub is_loaded: Option<bool> = "isLoaded",
    }
}

object! {
    /// A named part of the context.
    pub struct ContextItem {
        /// The name.
        pub name: String,
        /// The size of the part in tokens.
        pub tokens: u64,
    }
}

object! {
    /// A sub-agent that the model can start.
    pub struct ContextAgent {
        /// The name of the sub-agent.
        pub agent_type: String = "agentType",
        /// The source of the definition.
        pub source: Option<String>,
        /// The plugin that defines the sub-agent, with the plugin's
        /// marketplace.
        pub plugin_id: Option<String> = "pluginId",
        /// The file of the definition, on the agent's machine.
        pub path: Option<String>,
        /// The size of the definition in tokens.
        pub tokens: u64,
    }
}

object! {
    /// The slash commands in the context.
    #[derive(Default)]
    pub struct ContextCommands {
        /// The number of commands.
        pub total_commands: Option<u64> = "totalCommands",
        /// The number of commands described to the model.
        pub included_commands: Option<u64> = "includedCommands",
        /// The size of the commands in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The skills in the context.
    #[derive(Default)]
    pub struct ContextSkills {
        /// The number of skills.
        pub total_skills: Option<u64> = "totalSkills",
        /// The number of skills described to the model.
        pub included_skills: Option<u64> = "includedSkills",
        /// The size of the skills in tokens.
        pub tokens: Option<u64>,
        /// The description of each skill that the model sees.
        pub skill_frontmatter: Option<Vec<ContextSkill>> = "skillFrontmatter",
    }
}

object! {
    /// The description of a skill that the model sees before it uses the skill.
    pub struct ContextSkill {
        /// The name of the skill.
        pub name: String,
        /// The source of the skill, such as `built-in`.
        pub source: Option<String>,
        /// The plugin that provides the skill. Two plugins can have the same
        /// name.
        pub plugin_name: Option<String> = "pluginName",
        /// The plugin that provides the skill, with its marketplace.
        pub plugin_id: Option<String> = "pluginId",
        /// The file of the skill, on the agent's machine.
        pub path: Option<String>,
        /// The size of the description in tokens.
        pub tokens: u64,
    }
}

object! {
    /// The composition of the messages, in tokens.
    #[derive(Default)]
    pub struct ContextMessages {
        /// The tokens of tool calls.
        pub tool_call_tokens: Option<u64> = "toolCallTokens",
        /// The tokens of tool results.
        pub tool_result_tokens: Option<u64> = "toolResultTokens",
        /// The tokens of the agent's attachments.
        pub attachment_tokens: Option<u64> = "attachmentTokens",
        /// The tokens of assistant messages.
        pub assistant_message_tokens: Option<u64> = "assistantMessageTokens",
        /// The tokens of user messages.
        pub user_message_tokens: Option<u64> = "userMessageTokens",
        /// The tokens of redirected context.
        pub redirected_context_tokens: Option<u64> = "redirectedContextTokens",
        /// The tokens that belong to none of the other categories.
        pub unattributed_tokens: Option<u64> = "unattributedTokens",
        /// Tool calls and results, by tool.
        pub tool_calls_by_type: Option<Vec<ContextToolCalls>> = "toolCallsByType",
        /// Attachments, by kind.
        pub attachments_by_type: Option<Vec<ContextItem>> = "attachmentsByType",
    }
}

object! {
    /// The calls of a tool.
    pub struct ContextToolCalls {
        /// The name of the tool.
        pub name: String,
        /// Tokens of the calls.
        pub call_tokens: u64 = "callTokens",
        /// Tokens of the results.
        pub result_tokens: u64 = "resultTokens",
    }
}

object! {
    /// The API's token counts for a response.
    #[derive(Default)]
    pub struct ContextApiUsage {
        /// Input tokens, not cached.
        pub input_tokens: Option<u64>,
        /// Output tokens.
        pub output_tokens: Option<u64>,
        /// Tokens written to the cache.
        pub cache_creation_input_tokens: Option<u64>,
        /// Tokens read from the cache.
        pub cache_read_input_tokens: Option<u64>,
    }
}

impl GetContextUsage {
    /// Requests estimated counts, which need no API request.
    #[must_use]
    pub fn summary() -> Self {
        Self {
            detail: Some(ContextDetail::Summary),
            ..Self::default()
        }
    }
}
