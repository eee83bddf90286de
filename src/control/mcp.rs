//! Requests about MCP servers.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::Json;
use agentwire_protocol::control::{
    Empty, McpCall, McpCallAnswer, McpReadResource, McpReadResourceAnswer, McpReconnect,
    McpSetServers, McpSetServersAnswer, McpStatus, McpStatusAnswer, McpToggle,
    SetMcpPermissionModeOverride, SetMcpPermissionModeOverrideAnswer,
};
use agentwire_protocol::mcp::{McpMessage, McpSdkServer, McpServerConfig};
use agentwire_protocol::permission::PermissionMode;

/// # MCP servers
///
/// Both external servers and those inside the host.
impl Handle {
    /// Returns the status of the MCP servers, with their tools. The CLI does
    /// not report changes; [`Handle::await_mcp_ready`] polls until no server is
    /// connecting.
    #[doc(alias = "get_mcp_status")]
    #[doc(alias = "mcpServerStatus")]
    pub fn mcp_status(&self) -> ResponseFuture<McpStatusAnswer> {
        self.request(&McpStatus::default())
    }

    /// Sets the MCP servers of the session, in addition to those of its
    /// settings and its command line. Servers that an earlier call set and that
    /// are not in `servers` are removed.
    ///
    /// The agent would also remove the servers inside the host. Therefore the
    /// servers that `initialize` declared are added to the request, unless one
    /// of `servers` has the same name. To send the request unchanged and remove
    /// them, pass [`McpSetServers`] to [`Handle::request`].
    ///
    /// The response arrives once the servers have connected or failed. CLI
    /// 2.1.329 allows each of them 30 s, and answers no other control request
    /// meanwhile. A server that failed is in both `added` and `errors`.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use agentwire::protocol::mcp::McpStdioServer;
    ///
    /// let files = McpStdioServer::new("mcp-files", ["--read-only"]);
    /// let answer = client.mcp_set_servers([("files", files)]).await?;
    /// for (server, why) in answer.errors.unwrap_or_default() {
    ///     println!("{server}: {why}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "setMcpServers")]
    pub fn mcp_set_servers<N: Into<String>, C: Into<McpServerConfig>>(
        &self,
        servers: impl IntoIterator<Item = (N, C)>,
    ) -> ResponseFuture<McpSetServersAnswer> {
        let mut request = McpSetServers::to(servers);
        let configured = &self.link().declared().configured;
        for (name, ()) in configured.in_process_servers().into_entries() {
            let config = McpSdkServer::new(&*name);
            request.servers.entry(name).or_insert_with(|| config.into());
        }
        let pending = self.request(&request);
        configured.set_servers(request.servers.into_keys().map(|name| (name, ())).collect());
        pending
    }

    /// Reconnects to an MCP server. Refused for servers inside the host and for
    /// unknown ones.
    #[doc(alias = "reconnectMcpServer")]
    #[doc(alias = "reconnect_mcp_server")]
    pub fn mcp_reconnect(&self, server_name: &str) -> ResponseFuture<Empty> {
        self.request(&McpReconnect::new(server_name))
    }

    /// Enables or disables an MCP server. Refused for unknown servers.
    #[doc(alias = "toggleMcpServer")]
    #[doc(alias = "toggle_mcp_server")]
    pub fn mcp_toggle(&self, server_name: &str, enabled: bool) -> ResponseFuture<Empty> {
        self.request(&if enabled {
            McpToggle::on(server_name)
        } else {
            McpToggle::off(server_name)
        })
    }

    /// Sets the permission mode for the tools of one server:
    /// [`PermissionMode::Default`] or [`PermissionMode::Auto`], for sessions
    /// whose own mode would run these tools without a permission request.
    /// `None` removes the override.
    ///
    /// Not in the type declarations of the official SDK; CLI 2.1.329 supports it.
    pub fn set_mcp_permission_mode_override(
        &self,
        server_name: &str,
        mode: Option<PermissionMode>,
    ) -> ResponseFuture<SetMcpPermissionModeOverrideAnswer> {
        self.request(&match mode {
            Some(mode) => SetMcpPermissionModeOverride::to(server_name, mode),
            None => SetMcpPermissionModeOverride::clear(server_name),
        })
    }

    /// Reads a resource of an MCP server. Only `ui://` addresses are accepted.
    ///
    /// Requires the capability `mcp_read_resource_v1`.
    #[doc(alias = "readMcpResource")]
    pub fn mcp_read_resource(
        &self,
        server_name: &str,
        uri: &str,
    ) -> ResponseFuture<McpReadResourceAnswer> {
        self.request(&McpReadResource::new(server_name, uri))
    }

    /// Calls a tool of an MCP server without the model. Refused for servers
    /// inside the host.
    ///
    /// [`McpCall::check_permissions`] requires the capability
    /// `mcp_call_check_permissions_v1`, and [`McpCall::result_not_for_model`]
    /// requires `mcp_call_result_not_for_model_v1`. Agents without them would
    /// run the tool without checking permissions, or return the result in
    /// another form. The call is then not sent, and fails with
    /// [`Error::NotSupported`](crate::Error::NotSupported).
    pub fn mcp_call(&self, call: &McpCall) -> ResponseFuture<McpCallAnswer> {
        self.request(call)
    }

    /// Sends a JSON-RPC message that an MCP server inside the host initiates.
    /// Only needed if you implement MCP without the feature `mcp`. The agent
    /// confirms the message even if the server does not exist.
    pub fn mcp_message(
        &self,
        server_name: &str,
        message: impl Into<Json>,
    ) -> ResponseFuture<Empty> {
        self.request(&McpMessage::new(server_name, message))
    }
}
