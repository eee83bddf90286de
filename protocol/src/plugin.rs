//! Plugins that are requested, and plugins that are loaded.

use crate::open::{object, union};

union! {
    /// A plugin to load.
    pub enum PluginConfig by "type" {
        /// A plugin in a directory.
        "local" => Local(LocalPlugin),
    }
}

object! {
    /// A plugin in a directory.
    pub struct LocalPlugin tags("type" = "local") {
        /// The path of the directory.
        pub path: String,
        /// Whether to skip the plugin's MCP servers, because the host provides
        /// them.
        pub skip_mcp_discovery: Option<bool> = "skipMcpDiscovery",
    }
}

object! {
    /// A plugin that was loaded.
    pub struct LoadedPlugin {
        /// The name.
        pub name: String,
        /// The path of the directory. `builtin` for built-in plugins.
        pub path: Option<String>,
        /// The name and the marketplace, as `name@marketplace`.
        pub source: Option<String>,
        /// The version that the plugin's author set.
        pub version: Option<String>,
    }
}

impl LocalPlugin {
    /// Creates a configuration for the plugin in this directory.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            skip_mcp_discovery: None,
            extra: Default::default(),
        }
    }
}
