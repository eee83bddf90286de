//! Requests about MCP servers: about those that the agent talks to, and what
//! those begin that run inside the host.

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
    type Answer = McpCallAnswer;

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
    type Answer = McpReadResourceAnswer;
}

object! {
    /// Asks how the MCP servers are.
    #[derive(Default)]
    pub struct McpStatus tags("subtype" = "mcp_status") {
        /// Whether the answer goes only to who listens now, and is not kept.
        /// Of no effect on stdio.
        pub live_reply: Option<bool> = "liveReply",
    }
}

object! {
    /// How the MCP servers are.
    pub struct McpStatusAnswer {
        /// The servers.
        pub mcp_servers: Vec<McpServerStatus> = "mcpServers",
    }
}

object! {
    /// Sets which MCP servers the session has, beside those of its settings.
    /// Servers that run inside the host go as well unless they are listed.
    #[derive(Default)]
    pub struct McpSetServers tags("subtype" = "mcp_set_servers") {
        /// How to reach them, by name.
        pub servers: BTreeMap<String, McpServerConfig>,
    }
}

object! {
    /// Which MCP servers came and went.
    #[derive(Default)]
    pub struct McpSetServersAnswer {
        /// Servers that came, those that failed among them.
        pub added: Option<Vec<String>>,
        /// Servers that went.
        pub removed: Option<Vec<String>>,
        /// Why servers failed, by name.
        pub errors: Option<BTreeMap<String, String>>,
    }
}

object! {
    /// Connects to an MCP server again. Refused for those inside the host.
    #[derive(Default)]
    pub struct McpReconnect tags("subtype" = "mcp_reconnect") {
        /// The server.
        pub server_name: String = "serverName",
    }
}

object! {
    /// Switches an MCP server on or off.
    #[derive(Default)]
    pub struct McpToggle tags("subtype" = "mcp_toggle") {
        /// The server.
        pub server_name: String = "serverName",
        /// Whether it is on.
        pub enabled: bool,
    }
}

object! {
    /// Calls a tool of an MCP server without the model. Refused for servers
    /// inside the host.
    #[derive(Default)]
    pub struct McpCall tags("subtype" = "mcp_call") {
        /// The tool, as the model knows it: `mcp__server__tool`.
        pub tool: String,
        /// Its input, an object.
        pub arguments: Option<Json>,
        /// When the call is not to be made any more, as RFC 3339. Needed with
        /// `output_files`.
        pub expires_at: Option<String>,
        /// Milliseconds that the tool may take. Where they are set, or files
        /// or `expires_at` are, the call is staged, and the answer has
        /// `staging`.
        pub timeout_ms: Option<Number>,
        /// Whether no model will see the result: it is then left as the
        /// server gave it.
        pub result_not_for_model: Option<bool>,
        /// Whether permissions are checked and hooks are run, as if the model
        /// had called. Agents without `mcp_call_check_permissions_v1` among
        /// their capabilities ignore it, and run the tool.
        pub check_permissions: Option<bool>,
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
        /// Its name, as `{{in:NAME}}` in the arguments.
        pub name: String,
        /// Where it is in the synced files.
        pub lane_path: String,
    }
}

object! {
    /// A file that a tool writes.
    #[derive(Default)]
    pub struct McpOutputFile {
        /// Its name, as `{{out:NAME}}` in the arguments.
        pub name: String,
        /// Where it goes in the synced files.
        pub lane_path: String,
        /// The etag that the file there must still have. Without one it is
        /// overwritten in any case.
        pub if_match: Option<String>,
    }
}

object! {
    /// What a tool answered.
    #[derive(Default)]
    pub struct McpCallAnswer {
        /// The answer, in MCP's content blocks or in the model's.
        pub content: Option<Json>,
        /// The answer as an object, from tools that give one.
        pub structured_content: Option<Json> = "structuredContent",
        /// What the server added for machines.
        pub meta: Option<Json> = "_meta",
        /// How a staged call went.
        pub staging: Option<Json>,
    }
}

object! {
    /// Reads a resource of an MCP server.
    #[derive(Default)]
    pub struct McpReadResource tags("subtype" = "mcp_read_resource") {
        /// The server.
        pub server_name: String = "serverName",
        /// The resource. Only `ui://` is taken.
        pub uri: String,
    }
}

object! {
    /// What is in a resource.
    pub struct McpReadResourceAnswer {
        /// Its pieces.
        pub contents: Vec<McpResourceContents>,
    }
}

object! {
    /// A piece of a resource, as text or as bytes.
    pub struct McpResourceContents {
        /// Where it is.
        pub uri: String,
        /// What it is, such as `text/html`.
        pub mime_type: Option<String> = "mimeType",
        /// The text.
        pub text: Option<String>,
        /// The bytes as base64.
        pub blob: Option<String>,
        /// What the server added for machines.
        pub meta: Option<Json> = "_meta",
    }
}

object! {
    /// Sets how permissions are decided for the tools of one MCP server.
    /// Measured, not declared. It only makes a session stricter: it counts
    /// where the session's own mode would let a tool run without asking.
    #[derive(Default)]
    pub struct SetMcpPermissionModeOverride tags("subtype" = "set_mcp_permission_mode_override") {
        /// The server, which may come later.
        pub server_name: String = "serverName",
        /// The mode: `default` or `auto`. It must not be absent, so `None` is
        /// for reading: to write `null`, use
        /// [`SetMcpPermissionModeOverride::clear`].
        pub mode: Option<PermissionMode>,
    }
}

object! {
    /// What the agent says to the mode of an MCP server.
    #[derive(Default)]
    pub struct SetMcpPermissionModeOverrideAnswer {
        /// That no server has that name, so far.
        pub warning: Option<String>,
    }
}

impl McpSetServers {
    /// These servers and no others.
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
    /// Connects to this server again.
    pub fn new(server_name: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            ..Self::default()
        }
    }
}

impl McpToggle {
    /// Switches this server on.
    pub fn on(server_name: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            enabled: true,
            ..Self::default()
        }
    }

    /// Switches this server off.
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

    /// Has permissions checked and hooks run, as if the model had called.
    #[must_use]
    pub fn check_permissions(mut self) -> Self {
        self.check_permissions = Some(true);
        self
    }

    /// Has the result left as the server gave it: no model will see it.
    #[must_use]
    pub fn result_not_for_model(mut self) -> Self {
        self.result_not_for_model = Some(true);
        self
    }
}

impl SetMcpPermissionModeOverride {
    /// Decides in this mode for this server.
    pub fn to(server_name: impl Into<String>, mode: PermissionMode) -> Self {
        Self {
            server_name: server_name.into(),
            mode: Some(mode),
            ..Self::default()
        }
    }

    /// Decides for this server as for the rest.
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
    /// Reads this resource of this server.
    pub fn new(server_name: impl Into<String>, uri: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            uri: uri.into(),
            ..Self::default()
        }
    }
}
