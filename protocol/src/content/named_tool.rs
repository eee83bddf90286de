//! Tools that something else is about, by their names.

use crate::json::Json;
use crate::open::object;

object! {
    /// A tool of an MCP server that the API talks to.
    pub struct ListedMcpTool {
        /// The tool.
        pub name: String,
        /// The description.
        pub description: Option<String>,
        /// The JSON Schema of its input.
        pub input_schema: Json,
    }
}

object! {
    /// A tool of the request, by its name.
    pub struct NamedTool tags("type" = "tool_reference") {
        /// The tool.
        pub name: String,
    }
}
