//! Plugins: those that a host wants to be loaded, and those that were.

use crate::open::{object, union};

union! {
    /// A plugin that is to be loaded.
    pub enum PluginConfig by "type" {
        /// One in a directory.
        "local" => Local(LocalPlugin),
    }
}

object! {
    /// A plugin in a directory.
    pub struct LocalPlugin tags("type" = "local") {
        /// The directory.
        pub path: String,
        /// Whether its MCP servers are left out, because the host has them.
        pub skip_mcp_discovery: Option<bool> = "skipMcpDiscovery",
    }
}

object! {
    /// A plugin that was loaded.
    pub struct LoadedPlugin {
        /// Its name.
        pub name: String,
        /// Its directory; `builtin` for the agent's own.
        pub path: Option<String>,
        /// Its name and its marketplace, as `name@marketplace`.
        pub source: Option<String>,
        /// Its version, in its author's words.
        pub version: Option<String>,
    }
}

impl LocalPlugin {
    /// The plugin in this directory.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            skip_mcp_discovery: None,
            extra: Default::default(),
        }
    }
}
