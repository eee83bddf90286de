//! Handshakes with the servers before the first request, so that the agent need not make its
//! own.

use super::server::SharedServer;
use super::servers::{McpServers, unreadable_list};
use super::unusable::{self, Unusable};
use super::wire::ServerEventKind;
use crate::command::Command;
use crate::handle::Handle;
use agentwire_protocol::Json;
use agentwire_protocol::control::{Initialize, ManifestsOrigin, SdkMcpServerManifest};
use agentwire_protocol::sorted::SortedMap;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData,
    Implementation, InitializeRequest, InitializeRequestParams, InitializeResult,
    InitializedNotification, JsonRpcMessage, ListToolsRequest, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, RequestId, ServerResult,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The MCP version of agents. They make their own handshake with servers of another version.
const VERSION: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// Starts the servers, performs a handshake with each within the timeout, adds the servers to
/// the session, and adds the results to the first request.
pub(crate) async fn introduce(
    servers: SortedMap<String, SharedServer>,
    session: &Handle,
    timeout: Duration,
    initialize: &mut Initialize,
) {
    if servers.is_empty() {
        return;
    }
    let mut servers = McpServers::start(servers, session.clone());
    let mut manifests = BTreeMap::new();
    let mut under_way: BTreeMap<Arc<str>, Handshake> = (servers.names().cloned())
        .map(|name| (name, Handshake::default()))
        .collect();
    tokio::select! {
        // Slow servers are announced without results.
        _ = tokio::time::timeout(timeout, shake_hands(&mut servers, &mut manifests, &mut under_way)) => {}
        () = session.link().closed() => {}
    }
    for name in under_way.keys() {
        let reason = format!("it did not complete the MCP handshake within {timeout:?}");
        servers.report(name, vec![Unusable::all(reason)]);
    }
    let names = initialize.sdk_mcp_servers.get_or_insert_default();
    for name in servers.names() {
        if !names.iter().any(|it| **it == **name) {
            names.push(name.to_string());
        }
    }
    if !manifests.is_empty() {
        (initialize.sdk_mcp_server_manifests.get_or_insert_default()).append(&mut manifests);
        (initialize.sdk_mcp_server_manifests_origin).get_or_insert(ManifestsOrigin::HostPerSend);
    }
    // If the session has ended, the first request reports that.
    drop(session.link().command(Command::Mcp(Box::new(servers))));
}

/// Performs all handshakes concurrently.
async fn shake_hands(
    servers: &mut McpServers,
    manifests: &mut BTreeMap<String, SdkMcpServerManifest>,
    under_way: &mut BTreeMap<Arc<str>, Handshake>,
) {
    for (name, handshake) in under_way.iter_mut() {
        servers.send(name, handshake.begin());
    }
    while !under_way.is_empty() {
        let event = servers.listen().await;
        let Some(handshake) = under_way.get_mut(&event.server) else {
            servers.queue(event);
            continue;
        };
        let (messages, is_over) = match &event.kind {
            ServerEventKind::Message { message, .. } => match &**message {
                JsonRpcMessage::Response(response) if response.id == handshake.id() => {
                    handshake.advance(&response.result)
                }
                JsonRpcMessage::Error(error) if error.id == Some(handshake.id()) => {
                    handshake.failed = Some(error.error.clone());
                    (vec![], true)
                }
                _ => {
                    servers.queue(event);
                    continue;
                }
            },
            ServerEventKind::Panicked { .. } => {
                servers.queue(event);
                continue;
            }
            ServerEventKind::Ended(_) => {
                under_way.remove(&event.server);
                servers.queue(event);
                continue;
            }
        };
        for message in messages {
            servers.send(&event.server, message);
        }
        if is_over {
            let Some(handshake) = under_way.remove(&event.server) else {
                continue;
            };
            servers.report(&event.server, handshake.unusable(&event.server));
            let manifest = handshake.manifest();
            manifests.extend(manifest.map(|it| (event.server.to_string(), it)));
        }
    }
}

/// A handshake with one server.
#[derive(Default)]
struct Handshake {
    /// The number of requests so far.
    requests: u32,
    initialized: Option<InitializeResult>,
    /// The tools received so far.
    tools: Option<ListToolsResult>,
    has_all_tools: bool,
    /// The error that ended it.
    failed: Option<ErrorData>,
}

impl Handshake {
    /// Returns the ID of the last request. The agent's IDs are numbers.
    fn id(&self) -> RequestId {
        RequestId::String(format!("handshake-{}", self.requests).into())
    }

    fn request(&mut self, request: ClientRequest) -> ClientJsonRpcMessage {
        self.requests += 1;
        ClientJsonRpcMessage::request(request, self.id())
    }

    fn begin(&mut self) -> ClientJsonRpcMessage {
        let host = Implementation::new("agentwire", env!("CARGO_PKG_VERSION"));
        let params = InitializeRequestParams::new(ClientCapabilities::default(), host)
            .with_protocol_version(VERSION);
        self.request(ClientRequest::InitializeRequest(InitializeRequest::new(
            params,
        )))
    }

    fn request_tools(&mut self, cursor: Option<String>) -> ClientJsonRpcMessage {
        let request = ListToolsRequest {
            params: cursor.map(|it| PaginatedRequestParams::default().with_cursor(Some(it))),
            ..ListToolsRequest::default()
        };
        self.request(ClientRequest::ListToolsRequest(request))
    }

    /// Returns the messages to send after this result, and whether the handshake is complete.
    fn advance(&mut self, answer: &ServerResult) -> (Vec<ClientJsonRpcMessage>, bool) {
        match answer {
            ServerResult::InitializeResult(result) => {
                let has_tools = result.capabilities.tools.is_some();
                self.initialized = Some(result.clone());
                let initialized = InitializedNotification::default();
                let initialized = ClientNotification::InitializedNotification(initialized);
                let mut messages = vec![ClientJsonRpcMessage::notification(initialized)];
                if has_tools {
                    messages.push(self.request_tools(None));
                }
                (messages, !has_tools)
            }
            ServerResult::ListToolsResult(page) => {
                let mut page = page.clone();
                let next = page.next_cursor.take();
                match &mut self.tools {
                    Some(tools) => tools.tools.append(&mut page.tools),
                    None => self.tools = Some(page),
                }
                match next {
                    Some(cursor) => (vec![self.request_tools(Some(cursor))], false),
                    None => {
                        self.has_all_tools = true;
                        (vec![], true)
                    }
                }
            }
            _ => (vec![], true),
        }
    }

    /// Returns the parts of the server that agents do not use.
    fn unusable(&self, server: &str) -> Vec<Unusable> {
        match (&self.initialized, &self.failed) {
            (Some(_), Some(error)) => vec![unreadable_list(error)],
            (Some(initialized), None) => {
                let tools = self.tools.as_ref().map_or(&[][..], |it| &it.tools);
                match unusable::is_empty(initialized, tools) {
                    true => vec![Unusable::all("it has no tools")],
                    false => unusable::unsupported_tools(server, tools),
                }
            }
            // A server whose `initialize` fails ends with a notice.
            (None, _) => vec![],
        }
    }

    /// Returns the results, if there are enough.
    fn manifest(self) -> Option<SdkMcpServerManifest> {
        let initialized = Json::from_value(&self.initialized?).ok()?;
        let mut manifest = SdkMcpServerManifest::new(initialized);
        // The agent queries missing results.
        let tools = self.tools.filter(|_| self.has_all_tools);
        manifest.tools_list_result = tools.and_then(|it| Json::from_value(&it).ok());
        Some(manifest)
    }
}
