//! Tools that are added or removed within a conversation.

use super::{CacheControl, NamedTool, ToolDefinition};
use crate::open::{object, union};

object! {
    /// The addition of a tool that the model can call.
    pub struct ToolAdditionBlock tags("type" = "tool_addition") {
        /// The tool.
        pub tool: ChangedTool,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The removal of a tool that the model could call.
    pub struct ToolRemovalBlock tags("type" = "tool_removal") {
        /// The tool, by its name.
        pub tool: ChangedTool,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

union! {
    /// A tool that is added or removed.
    pub enum ChangedTool by "type" {
        /// A tool of the request.
        "tool_reference" => Tool(NamedTool),
        /// A tool of an MCP server.
        "mcp_tool_reference" => McpTool(ChangedMcpTool),
        /// All tools of an MCP server.
        "mcp_toolset_reference" => McpToolset(ChangedMcpToolset),
        /// A new tool with its definition, which is not in the request. Only an
        /// addition can have it.
        "tool_definition" => Definition(AddedTool),
    }
}

object! {
    /// A tool of an MCP server.
    pub struct ChangedMcpTool tags("type" = "mcp_tool_reference") {
        /// The name of the tool.
        pub name: String,
        /// The name of the server.
        pub server_name: String,
    }
}

object! {
    /// All tools of an MCP server.
    pub struct ChangedMcpToolset tags("type" = "mcp_toolset_reference") {
        /// The name of the server.
        pub server_name: String,
    }
}

object! {
    /// A new tool with its definition, which is not in the request.
    pub struct AddedTool tags("type" = "tool_definition"); boxed {
        /// The definition of the tool.
        pub definition: Box<ToolDefinition>,
    }
}
