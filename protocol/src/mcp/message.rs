//! The traffic of MCP servers that run inside the host, and its answers,
//! which differ by direction.

use crate::json::Json;
use crate::open::object;
use serde_json::json;

object! {
    /// A JSON-RPC message for or from an MCP server that runs inside the host.
    ///
    /// The agent sends requests and notifications, before `initialize` is
    /// answered as well, and is answered with an [`McpReply`]. The host sends
    /// what its server begins, and is answered with an empty object, for
    /// servers that do not exist, too.
    #[derive(Default)]
    pub struct McpMessage tags("subtype" = "mcp_message") {
        /// The server.
        pub server_name: String,
        /// The message, as MCP has it.
        pub message: Json,
    }
}

object! {
    /// What the host answers: the server's own answer.
    #[derive(Default)]
    pub struct McpReply {
        /// The answer, as MCP has it.
        pub mcp_response: Json,
    }
}

impl McpMessage {
    /// A message from this server.
    pub fn new(server_name: impl Into<String>, message: impl Into<Json>) -> Self {
        Self {
            server_name: server_name.into(),
            message: message.into(),
            extra: Default::default(),
        }
    }
}

impl McpReply {
    /// The server answered this.
    pub fn new(mcp_response: impl Into<Json>) -> Self {
        Self {
            mcp_response: mcp_response.into(),
            extra: Default::default(),
        }
    }

    /// The server took a notification, to which MCP has no answer.
    #[must_use]
    pub fn to_notification() -> Self {
        Self::new(json!({"jsonrpc": "2.0", "result": {}, "id": 0}))
    }
}
