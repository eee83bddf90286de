//! In-process MCP servers.

use super::Options;
use crate::mcp::SharedServer;
use rmcp::{RoleServer, Service};

impl Options {
    /// Adds an MCP server that runs in this process, under the name that the agent sees. It is
    /// [`Tools`](crate::mcp::Tools) or any server made with [`rmcp`]. If a name is added twice, the
    /// last one counts. See the [module](crate::mcp).
    ///
    /// The server is cloned for each handshake. Other servers in an [`Options::initialize`] request
    /// are unchanged.
    pub fn mcp_server(
        mut self,
        name: impl Into<String>,
        server: impl Service<RoleServer> + Clone,
    ) -> Self {
        (self.mcp_servers).insert(name.into(), SharedServer::new(server));
        self
    }
}
