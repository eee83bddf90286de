//! The status, source and tools of MCP servers.

use super::McpServerConfig;
use crate::json::Json;
use crate::open::{object, open_enum};

object! {
    /// The status of an MCP server.
    pub struct McpServerStatus {
        /// The configured name.
        pub name: String,
        /// The state of the connection.
        pub status: McpConnection,
        /// The server's description of itself, after it has connected.
        pub server_info: Option<McpServerInfo> = "serverInfo",
        /// The error, if the connection failed.
        pub error: Option<String>,
        /// The configuration. The agent does not send it for servers inside the
        /// host.
        pub config: Option<McpServerConfig>,
        /// The transport, such as `stdio` or `sdk`.
        pub transport: Option<String>,
        /// The scope of the configuration, such as `user` or `dynamic`.
        pub scope: Option<String>,
        /// The source of the configuration.
        pub source: Option<McpServerSource>,
        /// The server's tools, after it has connected.
        pub tools: Option<Vec<McpTool>>,
    }
}

open_enum! {
    /// The state of the connection to an MCP server.
    pub enum McpConnection {
        /// The server is connected.
        Connected = "connected",
        /// The connection could not be made, or broke.
        Failed = "failed",
        /// The user must log in first.
        NeedsAuth = "needs-auth",
        /// The server is connecting.
        Pending = "pending",
        /// The server is disabled.
        Disabled = "disabled",
    }
}

object! {
    /// The description that an MCP server sends about itself.
    pub struct McpServerInfo {
        /// The server's own name, which may differ from the configured name.
        pub name: String,
        /// The version of the server.
        pub version: Option<String>,
    }
}

object! {
    /// A tool of an MCP server.
    pub struct McpTool {
        /// The tool's name on its server.
        pub name: String,
        /// The description of the tool.
        pub description: Option<String>,
        /// Hints of the server about the tool.
        pub annotations: Option<McpToolAnnotations>,
        /// Data for a host that shows the tool's own user interface.
        pub meta: Option<Json> = "_meta",
    }
}

object! {
    /// Hints of an MCP server about a tool.
    #[derive(Default)]
    pub struct McpToolAnnotations {
        /// Whether the tool makes no changes.
        pub read_only: Option<bool> = "readOnly",
        /// Whether the tool may be destructive.
        pub destructive: Option<bool>,
        /// Whether the tool reaches beyond the data of the server.
        pub open_world: Option<bool> = "openWorld",
    }
}

object! {
    /// The MCP server that provides a tool.
    pub struct McpServerProvenance {
        /// The name of the server.
        pub name: String,
        /// The source of the server. Base trust on the source, not on the name.
        pub source: Option<McpServerSource>,
    }
}

open_enum! {
    /// The source of an MCP server. Only the host can provide servers with the
    /// source `sdk`.
    pub enum McpServerSource {
        /// The host, which runs the server.
        Sdk = "sdk",
        /// A plugin.
        Plugin = "plugin",
        /// The user's configuration.
        User = "user",
        /// The project's configuration.
        Project = "project",
        /// The project's local configuration, which is not shared.
        Local = "local",
        /// The command line, or a control request.
        Dynamic = "dynamic",
        /// The managed settings.
        Managed = "managed",
        /// The enterprise's configuration.
        Enterprise = "enterprise",
        /// The service claude.ai.
        ClaudeAi = "claudeai",
        /// The definition of a sub-agent.
        Agent = "agent",
    }
}
