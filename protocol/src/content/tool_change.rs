//! Tools that come and go within a conversation.

use super::{CacheControl, NamedTool, ToolDefinition};
use crate::open::{object, union};

object! {
    /// From here on the model has a tool.
    pub struct ToolAdditionBlock tags("type" = "tool_addition") {
        /// The tool.
        pub tool: ChangedTool,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// From here on the model does not have a tool.
    pub struct ToolRemovalBlock tags("type" = "tool_removal") {
        /// The tool, by its name.
        pub tool: ChangedTool,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

union! {
    /// A tool that comes or goes.
    pub enum ChangedTool by "type" {
        /// A tool of the request.
        "tool_reference" => Tool(NamedTool),
        /// A tool of an MCP server.
        "mcp_tool_reference" => McpTool(ChangedMcpTool),
        /// All tools of an MCP server.
        "mcp_toolset_reference" => McpToolset(ChangedMcpToolset),
        /// A tool that the request does not have. It can only come.
        "tool_definition" => Definition(AddedTool),
    }
}

object! {
    /// A tool of an MCP server.
    pub struct ChangedMcpTool tags("type" = "mcp_tool_reference") {
        /// The tool.
        pub name: String,
        /// The server.
        pub server_name: String,
    }
}

object! {
    /// All tools of an MCP server.
    pub struct ChangedMcpToolset tags("type" = "mcp_toolset_reference") {
        /// The server.
        pub server_name: String,
    }
}

object! {
    /// A tool that the request does not have.
    pub struct AddedTool tags("type" = "tool_definition") {
        /// The tool.
        pub definition: Box<ToolDefinition>,
    }
}
