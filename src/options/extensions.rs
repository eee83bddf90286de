//! External MCP servers and plugins.

use super::Options;
use agentwire_protocol::mcp::McpServerConfig;
use agentwire_protocol::plugin::PluginConfig;

/// External MCP servers, and plugins. Both are sent over the pipe in the first
/// request, so other users of the machine cannot read headers and environments.
/// CLIs before 2.1.261 get the servers in a private file (`--mcp-config`) and
/// the plugins as arguments (`--plugin-dir`).
impl Options {
    /// Sets the MCP servers that the agent starts or connects to, by name.
    ///
    /// ```
    /// use agentwire::Options;
    /// use agentwire::protocol::mcp::{McpHttpServer, McpServerConfig, McpStdioServer};
    ///
    /// let servers: [(&str, McpServerConfig); 2] = [
    ///     ("files", McpStdioServer::new("mcp-files", ["--read-only"]).into()),
    ///     ("wiki", McpHttpServer::new("https://example.com/mcp").header("X-Key", "…").into()),
    /// ];
    /// let options = Options::new().mcp_servers(servers).strict_mcp_config(true);
    /// # drop(options);
    /// ```
    pub fn mcp_servers<N: Into<String>, C: Into<McpServerConfig>>(
        mut self,
        servers: impl IntoIterator<Item = (N, C)>,
    ) -> Self {
        let servers = (servers.into_iter()).map(|(name, it)| (name.into(), it.into()));
        self.initialize.mcp_servers = Some(servers.collect());
        self
    }

    /// Sets whether the agent uses only the MCP servers of these options (`--strict-mcp-config`),
    /// and not those of the project, the user or plugins.
    pub fn strict_mcp_config(self, wanted: bool) -> Self {
        self.switch("--strict-mcp-config", wanted)
    }

    /// Sets the plugins of this session.
    ///
    /// ```
    /// use agentwire::Options;
    /// use agentwire::protocol::plugin::LocalPlugin;
    ///
    /// let options = Options::new().plugins([LocalPlugin::new("plugins/crabs")]);
    /// # drop(options);
    /// ```
    pub fn plugins<P: Into<PluginConfig>>(mut self, plugins: impl IntoIterator<Item = P>) -> Self {
        self.initialize.plugins = Some(plugins.into_iter().map(Into::into).collect());
        self
    }
}
