//! Tools that are added or removed within a conversation.

use super::{CacheControl, NamedTool, ToolDefinition};
use crate::open::{object, union};

object! {
    /// A tool becomes available to the model.
    pub struct ToolAdditionBlock tags("type" = "tool_addition") {
        /// The tool.
        pub tool: ChangedTool,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A tool becomes unavailable to the model.
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
        /// A tool that is not in the request. It can only be added.
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
    /// A tool that is not in the request.
    pub struct AddedTool tags("type" = "tool_definition"); boxed {
        /// The tool.
        pub definition: Box<ToolDefinition>,
    }
}
