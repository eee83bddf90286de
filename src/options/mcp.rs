//! MCP servers that run inside this program.

use super::Options;
use crate::mcp::SharedServer;
use rmcp::{RoleServer, Service};

impl Options {
    /// An MCP server that runs inside this program, by the name that the agent
    /// is to know it by: [`Tools`](crate::mcp::Tools), or any server made with
    /// [`rmcp`](crate::mcp::rmcp). Of two with one name the second counts. See
    /// the [module](crate::mcp).
    ///
    /// The server is cloned for each handshake. What an own
    /// [`Options::initialize`] says of other servers stays.
    pub fn mcp_server(
        mut self,
        name: impl Into<String>,
        server: impl Service<RoleServer> + Clone,
    ) -> Self {
        (self.mcp_servers).insert(name.into(), SharedServer::new(server));
        self
    }
}
