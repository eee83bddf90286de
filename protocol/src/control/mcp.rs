//! Requests about MCP servers, and messages of the servers inside the host.

use super::request::{Empty, HostRequest, host_requests};
use crate::json::{Json, Number};
use crate::mcp::{McpMessage, McpServerConfig, McpServerStatus};
use crate::open::object;
use crate::permission::PermissionMode;
use std::collections::BTreeMap;

host_requests! {
    McpStatus = "mcp_status" => McpStatusAnswer,
    McpSetServers = "mcp_set_servers" => McpSetServersAnswer,
    McpReconnect = "mcp_reconnect" => Empty,
    McpToggle = "mcp_toggle" => Empty,
    McpMessage = "mcp_message" => Empty,
    SetMcpPermissionModeOverride =
        "set_mcp_permission_mode_override" => SetMcpPermissionModeOverrideAnswer,
}

impl HostRequest for McpCall {
    const SUBTYPE: &'static str = "mcp_call";
    type Response = McpCallAnswer;

    fn relies_on(&self) -> Vec<&'static str> {
        let check = self.check_permissions == Some(true);
        let raw = self.result_not_for_model == Some(true);
        let needs = [
            check.then_some("mcp_call_check_permissions_v1"),
            raw.then_some("mcp_call_result_not_for_model_v1"),
        ];
        needs.into_iter().flatten().collect()
    }
}

impl HostRequest for McpReadResource {
    const SUBTYPE: &'static str = "mcp_read_resource";
    const CAPABILITY: Option<&'static str> = Some("mcp_read_resource_v1");
    type Response = McpReadResourceAnswer;
}

object! {
    /// Requests the status of the MCP servers.
    #[derive(Default)]
    pub struct McpStatus tags("subtype" = "mcp_status") {
        /// Whether only current listeners receive the response, which is then
        /// not stored. This has no effect on stdio.
        pub live_reply: Option<bool> = "liveReply",
    }
}

object! {
    /// The status of the MCP servers.
    pub struct McpStatusAnswer {
        /// The servers.
        pub mcp_servers: Vec<McpServerStatus> = "mcpServers",
    }
}

object! {
    /// Replaces the session's MCP servers, except for those of its settings.
    /// Servers inside the host are also removed unless they are listed.
    #[derive(Default)]
    pub struct McpSetServers tags("subtype" = "mcp_set_servers") {
        /// The configurations of the servers, by name.
        pub servers: BTreeMap<String, McpServerConfig>,
    }
}

object! {
    /// The MCP servers that were added and removed.
    #[derive(Default)]
    pub struct McpSetServersAnswer {
        /// The added servers, including those that failed.
        pub added: Option<Vec<String>>,
        /// The removed servers.
        pub removed: Option<Vec<String>>,
        /// The errors of failed servers, by name.
        pub errors: Option<BTreeMap<String, String>>,
    }
}

object! {
    /// Reconnects an MCP server. This fails for servers inside the host.
    #[derive(Default)]
    pub struct McpReconnect tags("subtype" = "mcp_reconnect") {
        /// The name of the server.
        pub server_name: String = "serverName",
    }
}

object! {
    /// Enables or disables an MCP server.
    #[derive(Default)]
    pub struct McpToggle tags("subtype" = "mcp_toggle") {
        /// The name of the server.
        pub server_name: String = "serverName",
        /// Whether to enable the server.
        pub enabled: bool,
    }
}

object! {
    /// Calls a tool of an MCP server without the model. This fails for servers
    /// inside the host.
    #[derive(Default)]
    pub struct McpCall tags("subtype" = "mcp_call") {
        /// The full name of the tool: `mcp__server__tool`.
        pub tool: String,
        /// The input of the tool, an object.
        pub arguments: Option<Json>,
        /// The time after which the call must not be made, as RFC 3339.
        /// Required with `output_files`.
        pub expires_at: Option<String>,
        /// The timeout of the tool in milliseconds. If this timeout,
        /// `expires_at` or files are set, the call is staged, and the response
        /// contains `staging`.
        pub timeout_ms: Option<Number>,
        /// Whether to return the result as the server sent it, because no model
        /// sees it.
        pub result_not_for_model: Option<bool>,
        /// Whether to check permissions and run hooks, as for a call of the
        /// model. Agents without the capability `mcp_call_check_permissions_v1`
        /// ignore this member and run the tool.
        pub check_permissions: Option<bool>,
        /// Whether to return an error result of the tool as an
        /// [`McpCallAnswer`] with `is_error`. Otherwise it is an error response
        /// that contains only its text. Agents without the capability
        /// `mcp_call_soft_error_result_v1` ignore this member.
        pub soft_error_result: Option<bool>,
        /// Files that the tool reads.
        pub input_files: Option<Vec<McpInputFile>>,
        /// Files that the tool writes.
        pub output_files: Option<Vec<McpOutputFile>>,
    }
}

object! {
    /// A file that a tool reads.
    #[derive(Default)]
    pub struct McpInputFile {
        /// The name of the file, used as `{{in:NAME}}` in the arguments.
        pub name: String,
        /// The path of the file among the synced files.
        pub lane_path: String,
    }
}

object! {
    /// A file that a tool writes.
    #[derive(Default)]
    pub struct McpOutputFile {
        /// The name of the file, used as `{{out:NAME}}` in the arguments.
        pub name: String,
        /// The path of the file among the synced files.
        pub lane_path: String,
        /// The etag that the existing file must have. Without an etag, the file
        /// is always overwritten.
        pub if_match: Option<String>,
    }
}

object! {
    /// The result of a tool call.
    #[derive(Default)]
    pub struct McpCallAnswer {
        /// The content, in content blocks of MCP or of the model.
        pub content: Option<Json>,
        /// The structured content, if the tool returns any.
        pub structured_content: Option<Json> = "structuredContent",
        /// Metadata of the server.
        pub meta: Option<Json> = "_meta",
        /// Whether the tool reported an error. Set only with
        /// `soft_error_result`.
        pub is_error: Option<bool> = "isError",
        /// The state of a staged call.
        pub staging: Option<Json>,
    }
}

object! {
    /// Reads a resource of an MCP server.
    #[derive(Default)]
    pub struct McpReadResource tags("subtype" = "mcp_read_resource") {
        /// The name of the server.
        pub server_name: String = "serverName",
        /// The URI of the resource. Only `ui://` URIs are accepted.
        pub uri: String,
    }
}

object! {
    /// The contents of a resource.
    pub struct McpReadResourceAnswer {
        /// The parts.
        pub contents: Vec<McpResourceContents>,
    }
}

object! {
    /// A part of a resource, as text or as bytes.
    pub struct McpResourceContents {
        /// The URI of the resource.
        pub uri: String,
        /// The media type, such as `text/html`.
        pub mime_type: Option<String> = "mimeType",
        /// The text.
        pub text: Option<String>,
        /// The bytes as base64.
        pub blob: Option<String>,
        /// Metadata of the server.
        pub meta: Option<Json> = "_meta",
    }
}

object! {
    /// Overrides the permission mode for the tools of one MCP server. The
    /// request was measured; the CLI does not declare it. The override can only
    /// make a session stricter: it applies where the session's own mode would
    /// run a tool without permission.
    #[derive(Default)]
    pub struct SetMcpPermissionModeOverride tags("subtype" = "set_mcp_permission_mode_override") {
        /// The name of the server, which may be added later.
        pub server_name: String = "serverName",
        /// The mode: `default` or `auto`. The member is required on the wire,
        /// so `None` is only for reading. To write `null`, use
        /// [`SetMcpPermissionModeOverride::clear`].
        pub mode: Option<PermissionMode>,
    }
}

object! {
    /// The response to a permission mode override.
    #[derive(Default)]
    pub struct SetMcpPermissionModeOverrideAnswer {
        /// A warning that no server with this name exists yet.
        pub warning: Option<String>,
    }
}

impl McpSetServers {
    /// Sets these servers and removes all others.
    pub fn to<N: Into<String>, C: Into<McpServerConfig>>(
        servers: impl IntoIterator<Item = (N, C)>,
    ) -> Self {
        Self {
            servers: servers
                .into_iter()
                .map(|(name, config)| (name.into(), config.into()))
                .collect(),
            ..Self::default()
        }
    }
}

impl McpReconnect {
    /// Reconnects this server.
    pub fn new(server_name: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            ..Self::default()
        }
    }
}

impl McpToggle {
    /// Enables this server.
    pub fn on(server_name: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            enabled: true,
            ..Self::default()
        }
    }

    /// Disables this server.
    pub fn off(server_name: impl Into<String>) -> Self {
        Self {
            enabled: false,
            ..Self::on(server_name)
        }
    }
}

impl McpCall {
    /// Calls this tool with this input, an object.
    pub fn new(tool: impl Into<String>, arguments: impl Into<Json>) -> Self {
        Self {
            tool: tool.into(),
            arguments: Some(arguments.into()),
            ..Self::default()
        }
    }

    /// Checks permissions and runs hooks, as for a call of the model.
    #[must_use]
    pub fn check_permissions(mut self) -> Self {
        self.check_permissions = Some(true);
        self
    }

    /// Returns an error result of the tool as an answer with
    /// [`McpCallAnswer::is_error`].
    #[must_use]
    pub fn soft_error_result(mut self) -> Self {
        self.soft_error_result = Some(true);
        self
    }

    /// Returns the result as the server sent it, because no model sees it.
    #[must_use]
    pub fn result_not_for_model(mut self) -> Self {
        self.result_not_for_model = Some(true);
        self
    }
}

impl SetMcpPermissionModeOverride {
    /// Sets the permission mode for this server.
    pub fn to(server_name: impl Into<String>, mode: PermissionMode) -> Self {
        Self {
            server_name: server_name.into(),
            mode: Some(mode),
            ..Self::default()
        }
    }

    /// Removes the override for this server.
    pub fn clear(server_name: impl Into<String>) -> Self {
        let mut request = Self {
            server_name: server_name.into(),
            ..Self::default()
        };
        request.extra.set("mode", Json::null());
        request
    }
}

impl McpReadResource {
    /// Reads the resource of a server with this URI.
    pub fn new(server_name: impl Into<String>, uri: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            uri: uri.into(),
            ..Self::default()
        }
    }
}
