//! References to tools by their names.

use crate::json::Json;
use crate::open::object;

object! {
    /// A tool of an MCP server that the API connects to.
    pub struct ListedMcpTool {
        /// The name of the tool.
        pub name: String,
        /// The description.
        pub description: Option<String>,
        /// The JSON Schema of the tool's input.
        pub input_schema: Json,
    }
}

object! {
    /// A reference to a tool of the request by its name.
    pub struct NamedTool tags("type" = "tool_reference") {
        /// The name of the tool.
        pub name: String,
    }
}
