//! Messages to and from MCP servers inside the host. The response depends on
//! the direction.

use crate::json::Json;
use crate::open::object;
use serde_json::json;

object! {
    /// A JSON-RPC message to or from an MCP server inside the host.
    ///
    /// The agent sends requests and notifications, possibly before the response
    /// to `initialize`. The response to them is an [`McpReply`]. The host sends
    /// messages that its server initiates. The response to them is an empty
    /// object, even if the server does not exist.
    #[derive(Default)]
    pub struct McpMessage tags("subtype" = "mcp_message") {
        /// The name of the server.
        pub server_name: String,
        /// The JSON-RPC message.
        pub message: Json,
    }
}

object! {
    /// The response of the host, which contains the server's JSON-RPC response.
    #[derive(Default)]
    pub struct McpReply {
        /// The JSON-RPC response.
        pub mcp_response: Json,
    }
}

impl McpMessage {
    /// Creates a message to or from this server.
    pub fn new(server_name: impl Into<String>, message: impl Into<Json>) -> Self {
        Self {
            server_name: server_name.into(),
            message: message.into(),
            extra: Default::default(),
        }
    }
}

impl McpReply {
    /// Creates a response with this JSON-RPC response.
    pub fn new(mcp_response: impl Into<Json>) -> Self {
        Self {
            mcp_response: mcp_response.into(),
            extra: Default::default(),
        }
    }

    /// Creates the response to a notification, which has no JSON-RPC response.
    #[must_use]
    pub fn to_notification() -> Self {
        Self::new(json!({"jsonrpc": "2.0", "result": {}, "id": 0}))
    }
}
