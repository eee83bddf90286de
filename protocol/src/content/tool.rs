//! Tool calls and their results.

use super::{CacheControl, Content, ListedMcpTool};
use crate::json::Json;
use crate::open::{Loose, object, union};

object! {
    /// A tool call of the model.
    pub struct ToolUseBlock tags("type" = "tool_use") {
        /// The ID of the call. The result refers to it.
        pub id: String,
        /// The name of the tool.
        pub name: String,
        /// The tool's input, an object.
        pub input: Json,
        /// The caller: the model, or code that the API runs.
        pub caller: Option<Loose<Caller>>,
        /// The toolset of the tool, if any.
        pub toolset_name: Option<String>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A tool result.
    pub struct ToolResultBlock tags("type" = "tool_result") {
        /// The ID of the tool call.
        pub tool_use_id: String,
        /// The content of the result.
        pub content: Option<Content>,
        /// Whether the call failed or was denied.
        pub is_error: Option<bool>,
        /// The toolset of the tool, if any.
        pub toolset_name: Option<String>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

impl ToolResultBlock {
    /// Creates a successful result of the tool call with this ID.
    pub fn new(tool_use_id: impl Into<String>, content: Option<Content>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content,
            is_error: None,
            toolset_name: None,
            cache_control: None,
            extra: Default::default(),
        }
    }

    /// Marks the call as failed or denied.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = Some(true);
        self
    }
}

union! {
    /// The caller of a tool.
    pub enum Caller by "type" {
        /// The model itself.
        "direct" => Direct(DirectCaller),
        /// Code that the API ran.
        "code_execution_20250825" => CodeExecution20250825(CodeExecutionCaller20250825),
        /// Code that the API ran, in a later version of that tool.
        "code_execution_20260120" => CodeExecution20260120(CodeExecutionCaller20260120),
    }
}

object! {
    /// The model itself as the caller.
    #[derive(Default)]
    pub struct DirectCaller tags("type" = "direct") {}
}

/// The callers of each version of the code execution tool, which differ only in
/// their tag.
macro_rules! code_execution_callers {
    ($($name:ident = $tag:literal,)*) => {$(
        object! {
            /// Code that the API ran as the caller.
            pub struct $name tags("type" = $tag) {
                /// The ID of the call that ran the code.
                pub tool_id: String,
            }
        }
    )*};
}

code_execution_callers! {
    CodeExecutionCaller20250825 = "code_execution_20250825",
    CodeExecutionCaller20260120 = "code_execution_20260120",
}

object! {
    /// A call of a tool of an MCP server that the API connects to.
    pub struct McpToolUseBlock tags("type" = "mcp_tool_use") {
        /// The ID of the call. The result refers to it.
        pub id: String,
        /// The name of the tool.
        pub name: String,
        /// The name of the server.
        pub server_name: String,
        /// The tool's input, an object.
        pub input: Json,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The result of a tool of an MCP server that the API connects to.
    pub struct McpToolResultBlock tags("type" = "mcp_tool_result") {
        /// The ID of the tool call.
        pub tool_use_id: String,
        /// The content of the result.
        pub content: Option<Content>,
        /// Whether the tool failed.
        pub is_error: Option<bool>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The tools of an MCP server that the API connects to.
    pub struct McpToolListingBlock tags("type" = "mcp_tool_listing") {
        /// The name of the server.
        pub mcp_server_name: String,
        /// The tools of the server.
        pub tools: Vec<ListedMcpTool>,
    }
}

object! {
    /// A reference to a tool by its name.
    pub struct ToolReferenceBlock tags("type" = "tool_reference") {
        /// The name of the tool.
        pub tool_name: String,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}
