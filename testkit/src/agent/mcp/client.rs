//! The MCP servers inside the host, and their tools.

use agentwire_protocol::control::{ManifestOutcome, SdkMcpServerManifest};
use agentwire_protocol::json::Json;
use agentwire_protocol::mcp::{
    McpConnection, McpServerInfo, McpServerProvenance, McpServerSource, McpServerStatus, McpTool,
    McpToolAnnotations,
};
use agentwire_protocol::message::{McpServerState, ToolUseMeta};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The supported MCP version.
pub(super) const PROTOCOL_VERSION: &str = "2025-11-25";

/// The maximum length of a tool name that the model receives.
const MAX_TOOL_NAME: usize = 128;

/// The MCP servers of a session, and the pending messages to them.
#[derive(Debug, Default)]
pub(in crate::agent) struct McpClient {
    pub(super) servers: Vec<Server>,
    /// The server that is being enabled, and the ID of the request to respond to.
    pub(super) toggled: Option<(String, String)>,
    /// Pending messages to servers, by the ID of their control request.
    pub(super) pending: BTreeMap<String, PendingMessage>,
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) state: McpConnection,
    /// Whether `mcp_status` lists the server while it is pending.
    pub(super) is_listed: bool,
    pub(super) info: Option<McpServerInfo>,
    /// Whether the server has tools. If not, the agent does not request a list
    /// of tools.
    pub(super) has_tools: bool,
    pub(super) tools: Vec<Tool>,
    pub(super) next_id: u64,
}

/// The purpose of a pending message.
#[derive(Debug)]
pub(super) enum PendingMessage {
    Initialize {
        server: String,
    },
    Initialized {
        server: String,
    },
    Tools {
        server: String,
        listed_tools: Vec<Tool>,
        /// How often the list of tools was unreadable.
        failures: u8,
    },
    Call {
        server: String,
        id: u64,
        tool_use_id: String,
    },
    Notification,
}

/// A tool as listed by its server.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tool {
    pub(super) name: String,
    input_schema: InputSchema,
    #[serde(default)]
    annotations: Annotations,
}

/// The part of an input schema that must be valid in a list of tools.
#[derive(Debug, Clone, Deserialize)]
struct InputSchema {
    #[serde(rename = "type")]
    _kind: ObjectType,
    #[serde(default)]
    properties: Map<String, Value>,
    #[serde(default, rename = "required")]
    _required: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ObjectType {
    Object,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Annotations {
    read_only_hint: Option<bool>,
    destructive_hint: Option<bool>,
    open_world_hint: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InitializeResult {
    protocol_version: String,
    server_info: Option<McpServerInfo>,
    #[serde(default)]
    capabilities: Capabilities,
}

#[derive(Default, Deserialize)]
struct Capabilities {
    tools: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolsResult {
    pub(super) tools: Vec<Tool>,
    pub(super) next_cursor: Option<String>,
}

impl Server {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            state: McpConnection::Pending,
            is_listed: false,
            info: None,
            has_tools: false,
            tools: vec![],
            next_id: 0,
        }
    }

    /// Handles the result of the handshake.
    pub(super) fn finish_handshake(&mut self, result: InitializeResult) {
        self.info = result.server_info;
        self.has_tools = result.capabilities.tools.is_some();
        if !self.has_tools {
            self.state = McpConnection::Connected;
        }
    }

    pub(super) fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Sets the tools. Tools with an invalid property are discarded, and so are
    /// tools whose name for the model is already used by an earlier tool.
    pub(super) fn connect(&mut self, mut tools: Vec<Tool>) {
        let is_schema = |it: &Value| it.is_object() || it.is_boolean();
        let mut names = BTreeSet::new();
        tools.retain(|tool| {
            tool.input_schema.properties.values().all(is_schema)
                && names.insert(sanitize(&tool.name))
        });
        self.tools = tools;
        self.state = McpConnection::Connected;
    }

    /// Returns the name of a tool for the model. Returns `None` if the name is
    /// longer than the API accepts.
    fn name_of(&self, tool: &Tool) -> Option<String> {
        let name = format!("{}{}", self.prefix(), sanitize(&tool.name));
        (name.len() <= MAX_TOOL_NAME).then_some(name)
    }

    /// Returns the prefix of the names of the server's tools.
    fn prefix(&self) -> String {
        format!("mcp__{}__", sanitize(&self.name))
    }

    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        let mut tools = self.tools.iter();
        tools.find(|tool| self.name_of(tool).is_some_and(|it| it == name))
    }
}

impl McpClient {
    /// Returns whether the tools of any server are still unknown.
    pub(in crate::agent) fn is_pending(&self) -> bool {
        let mut servers = self.servers.iter();
        servers.any(|server| server.state == McpConnection::Pending)
    }

    /// Returns whether a tool name belongs to one of these servers. The tool
    /// need not exist.
    pub(in crate::agent) fn owns_tool(&self, tool: &str) -> bool {
        self.server_of(tool).is_some()
    }

    pub(in crate::agent) fn is_read_only(&self, tool: &str) -> bool {
        self.server_of(tool)
            .and_then(|server| server.tool(tool))
            .is_some_and(|tool| tool.annotations.read_only_hint == Some(true))
    }

    /// Returns why a tool cannot be called. Returns `None` if it can be called.
    pub(in crate::agent) fn refusal(&self, tool: &str) -> Option<String> {
        let server = self.server_of(tool)?;
        let is_there = server.state == McpConnection::Connected && server.tool(tool).is_some();
        (!is_there).then(|| format!("No such tool available: {tool}"))
    }

    pub(in crate::agent) fn provenance(&self, tool: &str) -> Option<McpServerProvenance> {
        self.server_of(tool).map(|server| {
            wire!(McpServerProvenance {
                name: server.name.clone(),
                source: Some(McpServerSource::Sdk),
            })
        })
    }

    /// Returns the display name of a tool.
    pub(in crate::agent) fn display_name(&self, tool: &str) -> String {
        let Some(server) = self.server_of(tool) else {
            return tool.to_owned();
        };
        let mut shown = String::new();
        for letter in tool[server.prefix().len()..].chars() {
            let letter = if letter == '_' { ' ' } else { letter };
            if shown.is_empty() || shown.ends_with([' ', '-']) {
                shown.extend(letter.to_uppercase());
            } else {
                shown.push(letter);
            }
        }
        shown
    }

    /// Returns the display metadata of a tool call.
    pub(in crate::agent) fn meta(&self, id: &str, tool: &str) -> Option<Vec<ToolUseMeta>> {
        let server = self.server_of(tool)?;
        let info = server.info.as_ref();
        Some(vec![wire!(ToolUseMeta {
            id: id.to_owned(),
            display_name: Some(self.display_name(tool)),
            server_display_name: info.map(|info| info.name.clone()),
            tool_name: server.tool(tool).map(|tool| tool.name.clone()),
        })])
    }

    /// Returns the servers as listed in `system/init`.
    pub(in crate::agent) fn states(&self) -> Vec<McpServerState> {
        let state = |server: &Server| {
            wire!(McpServerState {
                name: server.name.clone(),
                status: server.state.as_str().to_owned(),
                source: Some("sdk".to_owned()),
            })
        };
        self.servers.iter().map(state).collect()
    }

    /// Returns the tool names that the model uses.
    pub(in crate::agent) fn tool_names(&self) -> Vec<String> {
        let servers = self.servers.iter();
        servers
            .flat_map(|server| server.tools.iter().filter_map(|it| server.name_of(it)))
            .collect()
    }

    /// Returns the servers as `mcp_status` lists them. It lists the servers of
    /// `initialize` after their handshake.
    pub(in crate::agent) fn statuses(&self) -> Vec<McpServerStatus> {
        let is_listed = |it: &&Server| it.is_listed || it.state != McpConnection::Pending;
        self.servers.iter().filter(is_listed).map(status).collect()
    }

    pub(super) fn server(&mut self, name: &str) -> Option<&mut Server> {
        self.servers.iter_mut().find(|server| server.name == name)
    }

    pub(super) fn server_of(&self, tool: &str) -> Option<&Server> {
        let mut servers = self.servers.iter();
        servers.find(|server| tool.starts_with(&server.prefix()))
    }
}

/// Applies the host's manifest of a server in place of the handshake.
pub(super) fn apply_manifest(
    server: &mut Server,
    manifest: &SdkMcpServerManifest,
) -> ManifestOutcome {
    let greeting = manifest.initialize_result.read::<InitializeResult>();
    let Some(greeting) = greeting
        .ok()
        .filter(|it| it.protocol_version == PROTOCOL_VERSION)
    else {
        return ManifestOutcome::ProtocolVersionMismatch;
    };
    server.finish_handshake(greeting);
    server.next_id = 1;
    let tools = manifest.tools_list_result.as_ref();
    let tools = tools.filter(|_| server.has_tools);
    match tools.map(Json::read::<ToolsResult>) {
        Some(Ok(tools)) => {
            server.connect(tools.tools);
            server.next_id = 2;
        }
        // The agent makes its own handshake, although it reports otherwise.
        Some(Err(_)) => *server = Server::new(&server.name),
        None => {}
    }
    ManifestOutcome::Parked
}

fn status(server: &Server) -> McpServerStatus {
    let is_connected = server.state == McpConnection::Connected;
    let tool = |tool: &Tool| {
        wire!(McpTool {
            name: tool.name.clone(),
            description: None,
            annotations: Some(wire!(McpToolAnnotations {
                read_only: tool.annotations.read_only_hint.filter(|it| *it),
                destructive: tool.annotations.destructive_hint.filter(|it| *it),
                open_world: tool.annotations.open_world_hint.filter(|it| *it),
            })),
            meta: None,
        })
    };
    wire!(McpServerStatus {
        name: server.name.clone(),
        status: server.state.clone(),
        server_info: server.info.clone().filter(|_| is_connected),
        error: None,
        config: None,
        transport: Some("sdk".to_owned()),
        scope: Some("dynamic".to_owned()),
        source: Some(McpServerSource::Sdk),
        tools: is_connected.then(|| server.tools.iter().map(tool).collect()),
    })
}

/// Converts a name to the form used in tool names. Characters other than ASCII
/// letters, digits, `_` and `-` become `_`.
fn sanitize(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    name.chars()
        .map(|it| if is_plain(it) { it } else { '_' })
        .collect()
}
