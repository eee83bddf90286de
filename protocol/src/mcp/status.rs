//! How MCP servers are, where they come from, and what tools they have.

use super::McpServerConfig;
use crate::json::Json;
use crate::open::{object, open_enum};

object! {
    /// An MCP server and how it is.
    pub struct McpServerStatus {
        /// The name that it was configured under.
        pub name: String,
        /// How it is.
        pub status: McpConnection,
        /// What it says of itself, once connected.
        pub server_info: Option<McpServerInfo> = "serverInfo",
        /// Why it failed.
        pub error: Option<String>,
        /// How it was configured. Not said of servers inside the host.
        pub config: Option<McpServerConfig>,
        /// How it is reached, such as `stdio` or `sdk`.
        pub transport: Option<String>,
        /// The scope of the configuration, such as `user` or `dynamic`.
        pub scope: Option<String>,
        /// Where it comes from.
        pub source: Option<McpServerSource>,
        /// Its tools, once connected.
        pub tools: Option<Vec<McpTool>>,
    }
}

open_enum! {
    /// How the connection to an MCP server is.
    pub enum McpConnection {
        /// It works.
        Connected = "connected",
        /// It could not be made, or broke.
        Failed = "failed",
        /// The user has to log in first.
        NeedsAuth = "needs-auth",
        /// It is being made.
        Pending = "pending",
        /// It was switched off.
        Disabled = "disabled",
    }
}

object! {
    /// What an MCP server says of itself.
    pub struct McpServerInfo {
        /// Its name, which need not be the configured one.
        pub name: String,
        /// Its version.
        pub version: Option<String>,
    }
}

object! {
    /// A tool of an MCP server.
    pub struct McpTool {
        /// The tool, as its server calls it.
        pub name: String,
        /// What it does.
        pub description: Option<String>,
        /// What its server promises of it.
        pub annotations: Option<McpToolAnnotations>,
        /// What a host needs to show the tool's own user interface.
        pub meta: Option<Json> = "_meta",
    }
}

object! {
    /// What an MCP server promises of a tool.
    #[derive(Default)]
    pub struct McpToolAnnotations {
        /// Whether it changes nothing.
        pub read_only: Option<bool> = "readOnly",
        /// Whether it may destroy something.
        pub destructive: Option<bool>,
        /// Whether it reaches beyond what the server holds.
        pub open_world: Option<bool> = "openWorld",
    }
}

object! {
    /// The MCP server that a tool belongs to.
    pub struct McpServerProvenance {
        /// The server.
        pub name: String,
        /// Where it comes from: what trust should go by, not the name.
        pub source: Option<McpServerSource>,
    }
}

open_enum! {
    /// Where an MCP server comes from. Only the host can make one that is
    /// `sdk`.
    pub enum McpServerSource {
        /// From the host: it runs there.
        Sdk = "sdk",
        /// From a plugin.
        Plugin = "plugin",
        /// From the user's configuration.
        User = "user",
        /// From the project's configuration.
        Project = "project",
        /// From the project's configuration that is not shared.
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
