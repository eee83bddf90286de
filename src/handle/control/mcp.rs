//! Requests about MCP servers.

use crate::handle::{Handle, Pending};
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
/// Those that the agent talks to, and those that run inside the host.
impl Handle {
    /// Asks how the MCP servers are, and which tools they have. The CLI sends
    /// nothing when that changes; [`Handle::await_mcp_ready`] asks until none
    /// is being connected to any more.
    #[doc(alias = "get_mcp_status")]
    #[doc(alias = "mcpServerStatus")]
    pub fn mcp_status(&self) -> Pending<McpStatusAnswer> {
        self.request(&McpStatus::default())
    }

    /// Sets which MCP servers the session has, beside those of its settings
    /// and its command line. Those that were set before and are not among them
    /// go.
    ///
    /// The agent would drop the servers inside the host as well: those that
    /// `initialize` named are listed again with the others, unless one of
    /// `servers` has the same name. [`McpSetServers`] as a
    /// [request](Handle::request) is sent as it is, and drops them.
    ///
    /// The answer comes when the servers are connected, or have failed, for
    /// which CLI 2.1.329 gives each of them 30 s; in all that time it answers
    /// no other control request either. A server that failed is named in
    /// `added` and in `errors`.
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
    ) -> Pending<McpSetServersAnswer> {
        let mut request = McpSetServers::to(servers);
        for name in self.link().declared().in_process_servers() {
            let config = McpSdkServer::new(&*name);
            request.servers.entry(name).or_insert_with(|| config.into());
        }
        self.request(&request)
    }

    /// Connects to an MCP server again. Refused for those inside the host, and
    /// for unknown ones.
    #[doc(alias = "reconnectMcpServer")]
    #[doc(alias = "reconnect_mcp_server")]
    pub fn mcp_reconnect(&self, server_name: &str) -> Pending<Empty> {
        self.request(&McpReconnect::new(server_name))
    }

    /// Switches an MCP server on or off. Refused for unknown ones.
    #[doc(alias = "toggleMcpServer")]
    #[doc(alias = "toggle_mcp_server")]
    pub fn mcp_toggle(&self, server_name: &str, enabled: bool) -> Pending<Empty> {
        self.request(&if enabled {
            McpToggle::on(server_name)
        } else {
            McpToggle::off(server_name)
        })
    }

    /// Sets how permissions are decided for the tools of one server:
    /// [`PermissionMode::Default`] or [`PermissionMode::Auto`] where the
    /// session's own mode would let them run without asking, and as the rest
    /// for `None`.
    ///
    /// No declaration has it; CLI 2.1.329 does.
    pub fn set_mcp_permission_mode_override(
        &self,
        server_name: &str,
        mode: Option<PermissionMode>,
    ) -> Pending<SetMcpPermissionModeOverrideAnswer> {
        self.request(&match mode {
            Some(mode) => SetMcpPermissionModeOverride::to(server_name, mode),
            None => SetMcpPermissionModeOverride::clear(server_name),
        })
    }

    /// Reads a resource of an MCP server. Only `ui://` is taken.
    ///
    /// For agents with the capability `mcp_read_resource_v1`.
    #[doc(alias = "readMcpResource")]
    pub fn mcp_read_resource(
        &self,
        server_name: &str,
        uri: &str,
    ) -> Pending<McpReadResourceAnswer> {
        self.request(&McpReadResource::new(server_name, uri))
    }

    /// Calls a tool of an MCP server without the model. Refused for servers
    /// inside the host.
    ///
    /// [`McpCall::check_permissions`] needs the capability
    /// `mcp_call_check_permissions_v1`, and [`McpCall::result_not_for_model`]
    /// needs `mcp_call_result_not_for_model_v1`. Agents without them would run
    /// the tool unasked, or give the result in another form: such a call is
    /// not sent, and fails with
    /// [`Error::NotSupported`](crate::Error::NotSupported).
    pub fn mcp_call(&self, call: &McpCall) -> Pending<McpCallAnswer> {
        self.request(call)
    }

    /// Sends what an MCP server inside the host begins by itself, as JSON-RPC:
    /// for whoever serves MCP by hand. It is answered for servers that do not
    /// exist, too.
    pub fn mcp_message(&self, server_name: &str, message: impl Into<Json>) -> Pending<Empty> {
        self.request(&McpMessage::new(server_name, message))
    }
}
