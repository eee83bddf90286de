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
        /// The server's description of itself, once connected.
        pub server_info: Option<McpServerInfo> = "serverInfo",
        /// The error, if the connection failed.
        pub error: Option<String>,
        /// The configuration. Not sent for servers inside the host.
        pub config: Option<McpServerConfig>,
        /// The transport, such as `stdio` or `sdk`.
        pub transport: Option<String>,
        /// The scope of the configuration, such as `user` or `dynamic`.
        pub scope: Option<String>,
        /// The source of the configuration.
        pub source: Option<McpServerSource>,
        /// Its tools, once connected.
        pub tools: Option<Vec<McpTool>>,
    }
}

open_enum! {
    /// The state of the connection to an MCP server.
    pub enum McpConnection {
        /// Connected.
        Connected = "connected",
        /// The connection could not be made, or broke.
        Failed = "failed",
        /// The user has to log in first.
        NeedsAuth = "needs-auth",
        /// Connecting.
        Pending = "pending",
        /// Disabled.
        Disabled = "disabled",
    }
}

object! {
    /// The description that an MCP server sends of itself.
    pub struct McpServerInfo {
        /// Its name, which may differ from the configured one.
        pub name: String,
        /// Its version.
        pub version: Option<String>,
    }
}

object! {
    /// A tool of an MCP server.
    pub struct McpTool {
        /// The name of the tool on its server.
        pub name: String,
        /// What it does.
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
        /// Whether it makes no changes.
        pub read_only: Option<bool> = "readOnly",
        /// Whether it may be destructive.
        pub destructive: Option<bool>,
        /// Whether it reaches beyond the data of the server.
        pub open_world: Option<bool> = "openWorld",
    }
}

object! {
    /// The MCP server that provides a tool.
    pub struct McpServerProvenance {
        /// The server.
        pub name: String,
        /// The source of the server. Base trust on this, not on the name.
        pub source: Option<McpServerSource>,
    }
}

open_enum! {
    /// The source of an MCP server. Only the host can provide servers of source
    /// `sdk`.
    pub enum McpServerSource {
        /// The host, which runs the server.
        Sdk = "sdk",
        /// From a plugin.
        Plugin = "plugin",
        /// From the user's configuration.
        User = "user",
        /// From the project's configuration.
        Project = "project",
        /// The project's local configuration, which is not shared.
        Local = "local",
        /// From the command line, or from a control request.
        Dynamic = "dynamic",
        /// From managed settings.
        Managed = "managed",
        /// From the enterprise's configuration.
        Enterprise = "enterprise",
        /// From claude.ai.
        ClaudeAi = "claudeai",
        /// From the definition of a sub-agent.
        Agent = "agent",
    }
}
