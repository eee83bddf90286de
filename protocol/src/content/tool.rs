//! Calls of tools, and what they answered.

use super::{CacheControl, Content, ListedMcpTool};
use crate::json::Json;
use crate::open::{Loose, object, union};

object! {
    /// The model calls a tool.
    pub struct ToolUseBlock tags("type" = "tool_use") {
        /// The id that the result refers to.
        pub id: String,
        /// The tool.
        pub name: String,
        /// The tool's input, an object.
        pub input: Json,
        /// Who called: the model, or code that the API runs.
        pub caller: Option<Loose<Caller>>,
        /// The family of tools that it belongs to, where it belongs to one.
        pub toolset_name: Option<String>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What a tool answered.
    pub struct ToolResultBlock tags("type" = "tool_result") {
        /// The call that it answers.
        pub tool_use_id: String,
        /// The answer.
        pub content: Option<Content>,
        /// Whether the tool failed or was refused.
        pub is_error: Option<bool>,
        /// The family of tools that the tool belongs to, where it belongs to
        /// one.
        pub toolset_name: Option<String>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

impl ToolResultBlock {
    /// The answer to the call with this id, of a tool that did not fail.
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

    /// Says that the tool failed, or was refused.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = Some(true);
        self
    }
}

union! {
    /// Who called a tool.
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
    /// The model itself.
    #[derive(Default)]
    pub struct DirectCaller tags("type" = "direct") {}
}

/// The versions of the tool that runs code differ in their tag alone.
macro_rules! code_execution_callers {
    ($($name:ident = $tag:literal,)*) => {$(
        object! {
            /// Code that the API ran.
            pub struct $name tags("type" = $tag) {
                /// The call of the tool that ran the code.
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
    /// The model calls a tool of an MCP server that the API talks to.
    pub struct McpToolUseBlock tags("type" = "mcp_tool_use") {
        /// The id that the result refers to.
        pub id: String,
        /// The tool.
        pub name: String,
        /// The server that has it.
        pub server_name: String,
        /// The tool's input, an object.
        pub input: Json,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What a tool of such a server answered.
    pub struct McpToolResultBlock tags("type" = "mcp_tool_result") {
        /// The call that it answers.
        pub tool_use_id: String,
        /// The answer.
        pub content: Option<Content>,
        /// Whether the tool failed.
        pub is_error: Option<bool>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The tools of an MCP server that the API talks to.
    pub struct McpToolListingBlock tags("type" = "mcp_tool_listing") {
        /// The server.
        pub mcp_server_name: String,
        /// Its tools.
        pub tools: Vec<ListedMcpTool>,
    }
}

object! {
    /// A tool, by its name.
    pub struct ToolReferenceBlock tags("type" = "tool_reference") {
        /// The tool.
        pub tool_name: String,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}
