//! Plugins that a host wants to be loaded.

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
