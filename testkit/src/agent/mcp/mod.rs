//! MCP servers inside the host. The agent is their client and reaches them with
//! `mcp_message` requests.

mod changes;
mod client;

pub(super) use client::McpClient;

use super::Agent;
use super::answer::ToolAnswer;
use agentwire_protocol::content::Content;
use agentwire_protocol::control::{self, Initialize, ManifestOutcome};
use agentwire_protocol::json::Json;
use agentwire_protocol::mcp::{McpConnection, McpMessage, McpReply};
use client::{
    InitializeResult, PROTOCOL_VERSION, PendingMessage, Server, Tool, ToolsResult, apply_manifest,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// The maximum number of requests for the tools of a server whose list is
/// unreadable.
const MAX_LISTINGS: u8 = 4;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallResult {
    #[serde(default)]
    content: Vec<Json>,
    structured_content: Option<Json>,
    #[serde(default)]
    is_error: bool,
}

impl Agent {
    /// Registers the servers of the host. A server with a valid manifest needs
    /// no handshake. The handshake with the others starts before the response
    /// to `initialize`.
    pub(super) fn connect_servers(
        &mut self,
        request: &Initialize,
    ) -> Option<BTreeMap<String, ManifestOutcome>> {
        let manifests = request.sdk_mcp_server_manifests.as_ref();
        let mut outcomes = BTreeMap::new();
        for name in request.sdk_mcp_servers.iter().flatten() {
            let manifest = manifests.and_then(|manifests| manifests.get(name));
            if self.mcp.server(name).is_some() {
                if manifest.is_some() {
                    outcomes.insert(name.clone(), ManifestOutcome::AlreadyConnected);
                }
                continue;
            }
            let mut server = Server::new(name);
            let outcome = manifest.map(|manifest| apply_manifest(&mut server, manifest));
            let is_parked = server.next_id > 0;
            outcomes.extend(outcome.map(|outcome| (name.clone(), outcome)));
            self.mcp.servers.push(server);
            if !is_parked {
                self.initialize_server(name);
            }
        }
        manifests.map(|_| outcomes)
    }

    /// Starts the handshake with the servers of `--mcp-config`, before
    /// `initialize`.
    pub(super) fn connect_configured_servers(&mut self) {
        for name in self.config.sdk_mcp_servers.clone() {
            self.mcp.servers.push(Server::new(&name));
            self.initialize_server(&name);
        }
    }

    /// Requests the tools of servers whose manifest does not list them, after
    /// the response to `initialize`. Servers whose handshake is in progress are
    /// skipped.
    pub(super) fn list_manifest_tools(&mut self) {
        let is_parked = |it: &&Server| it.state == McpConnection::Pending && it.info.is_some();
        let parked: Vec<_> = (self.mcp.servers.iter().filter(is_parked))
            .map(|server| server.name.clone())
            .collect();
        for name in parked {
            self.list_tools(&name, None, vec![], 0);
        }
    }

    fn initialize_server(&mut self, name: &str) {
        let params = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": {"name": "fake-agent", "version": env!("CARGO_PKG_VERSION")},
        });
        let pending = PendingMessage::Initialize {
            server: name.to_owned(),
        };
        self.call_server(name, "initialize", Some(params), pending);
    }

    fn list_tools(
        &mut self,
        name: &str,
        cursor: Option<String>,
        listed_tools: Vec<Tool>,
        failures: u8,
    ) {
        if !self.mcp.server(name).is_some_and(|server| server.has_tools) {
            return;
        }
        let params = cursor.map(|cursor| json!({"cursor": cursor}));
        let pending = PendingMessage::Tools {
            server: name.to_owned(),
            listed_tools,
            failures,
        };
        self.call_server(name, "tools/list", params, pending);
    }

    /// Calls a tool of a server.
    pub(super) fn call_mcp_tool(&mut self, now: Instant, id: &str, name: &str, input: Json) {
        let found = self.mcp.server_of(name).and_then(|server| {
            let tool = server.tool(name)?;
            Some((server.name.clone(), tool.name.clone(), server.next_id))
        });
        let Some((server, tool, next_id)) = found else {
            let why = format!("No such tool available: {name}");
            return self.end_tool(now, id, ToolAnswer::error(&why));
        };
        let params = json!({
            "name": tool,
            "arguments": input,
            "_meta": {"claudecode/toolUseId": id, "progressToken": next_id},
        });
        let pending = PendingMessage::Call {
            server: server.clone(),
            id: next_id,
            tool_use_id: id.to_owned(),
        };
        self.call_server(&server, "tools/call", Some(params), pending);
    }

    fn call_server(
        &mut self,
        server: &str,
        method: &str,
        params: Option<Value>,
        pending: PendingMessage,
    ) {
        let Some(id) = self.mcp.server(server).map(Server::next_id) else {
            return;
        };
        let mut message = json!({"jsonrpc": "2.0", "method": method, "id": id});
        if let Some(params) = params {
            message["params"] = params;
        }
        self.send_to_server(server, message, pending);
    }

    fn notify_server(&mut self, server: &str, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send_to_server(server, message, PendingMessage::Notification);
    }

    fn send_to_server(&mut self, server: &str, message: Value, pending: PendingMessage) {
        let request_id = (self.ids)();
        let request = McpMessage::new(server, message);
        self.send(control::request(&request_id, &request));
        self.mcp.pending.insert(request_id, pending);
    }

    /// Handles the response to a message for a server. Returns `false` if the
    /// request was not such a message.
    pub(super) fn server_answered(
        &mut self,
        now: Instant,
        request_id: &str,
        answer: Result<Option<Json>, String>,
    ) -> bool {
        let Some(pending) = self.mcp.pending.remove(request_id) else {
            return false;
        };
        let result = answer.and_then(|answer| rpc_result(answer.as_ref()));
        match pending {
            PendingMessage::Notification => {}
            PendingMessage::Initialize { server } => self.server_greeted(now, &server, result),
            PendingMessage::Initialized { server } => self.list_tools(&server, None, vec![], 0),
            PendingMessage::Tools {
                server,
                listed_tools,
                failures,
            } => self.tools_listed(now, &server, listed_tools, failures, result),
            PendingMessage::Call { tool_use_id, .. } => {
                let name = self.calls.get(&tool_use_id).map(|it| it.call.name.clone());
                let answer = tool_answer(&name.unwrap_or_default(), result);
                self.end_tool(now, &tool_use_id, answer);
            }
        }
        true
    }

    fn server_greeted(&mut self, now: Instant, name: &str, result: Result<Json, String>) {
        let result = result
            .ok()
            .and_then(|it| it.read::<InitializeResult>().ok());
        let Some(server) = self.mcp.server(name) else {
            return;
        };
        let Some(result) = result else {
            server.state = McpConnection::Failed;
            self.answer_toggle(name);
            return self.continue_with_prompts(now);
        };
        server.finish_handshake(result);
        let message = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let server = name.to_owned();
        self.send_to_server(name, message, PendingMessage::Initialized { server });
        self.answer_toggle(name);
        self.continue_with_prompts(now);
    }

    fn tools_listed(
        &mut self,
        now: Instant,
        name: &str,
        mut tools: Vec<Tool>,
        failures: u8,
        result: Result<Json, String>,
    ) {
        match result.ok().and_then(|it| it.read::<ToolsResult>().ok()) {
            Some(page) => {
                tools.extend(page.tools);
                if page.next_cursor.is_some() {
                    return self.list_tools(name, page.next_cursor, tools, failures);
                }
            }
            // The real CLI waits 250, 500 and 1,000 ms before each retry.
            None if failures + 1 < MAX_LISTINGS => {
                return self.list_tools(name, None, vec![], failures + 1);
            }
            None => tools.clear(),
        }
        if let Some(server) = self.mcp.server(name) {
            server.connect(tools);
        }
        self.answer_toggle(name);
        self.continue_with_prompts(now);
    }

    /// Handles a request or notification that a server sends.
    pub(super) fn handle_server_message(&mut self, message: &McpMessage) {
        let name = &message.server_name;
        if self.mcp.server(name).is_none() {
            return;
        }
        let method = message.message.member("method");
        let method = method.and_then(|it| it.read::<String>().ok());
        let Some(method) = method else { return };
        if let Some(id) = message.message.member("id") {
            let reply = if method == "ping" {
                json!({"jsonrpc": "2.0", "id": id, "result": {}})
            } else {
                let error = json!({"code": -32601, "message": "Method not found"});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            };
            self.send_to_server(name, reply, PendingMessage::Notification);
        } else if method == "notifications/tools/list_changed" {
            self.list_tools(name, None, vec![], 0);
        }
    }

    /// Cancels all pending tool calls at their servers.
    pub(super) fn cancel_mcp_calls(&mut self) {
        let pending = std::mem::take(&mut self.mcp.pending);
        let (calls, rest) = pending
            .into_iter()
            .partition(|(_, pending)| matches!(pending, PendingMessage::Call { .. }));
        self.mcp.pending = rest;
        let calls: BTreeMap<_, _> = calls;
        for pending in calls.into_values() {
            if let PendingMessage::Call { server, id, .. } = pending {
                let params = json!({"requestId": id, "reason": "interrupted"});
                self.notify_server(&server, "notifications/cancelled", params);
            }
        }
    }

    /// Handles the end of the host, which ends its servers, too.
    pub(super) fn end_servers(&mut self, now: Instant) {
        for server in &mut self.mcp.servers {
            if server.state == McpConnection::Pending {
                server.state = McpConnection::Failed;
            }
        }
        for pending in std::mem::take(&mut self.mcp.pending).into_values() {
            if let PendingMessage::Call { tool_use_id, .. } = pending {
                let why = "The host closed the session while the tool ran.";
                self.end_tool(now, &tool_use_id, ToolAnswer::error(why));
            }
        }
        self.continue_with_prompts(now);
    }
}

/// Returns the result of a JSON-RPC request.
fn rpc_result(answer: Option<&Json>) -> Result<Json, String> {
    #[derive(Deserialize)]
    struct Reply {
        result: Option<Json>,
        error: Option<RpcError>,
    }
    #[derive(Deserialize)]
    struct RpcError {
        message: String,
    }
    let reply = answer
        .and_then(|answer| answer.read::<McpReply>().ok())
        .and_then(|reply| reply.mcp_response.read::<Reply>().ok())
        .ok_or("the server's reply cannot be read")?;
    match (reply.result, reply.error) {
        (_, Some(error)) => Err(error.message),
        (Some(result), None) => Ok(result),
        (None, None) => Err("the server's reply is empty".to_owned()),
    }
}

/// Converts the reply to a tool call into a result for the model.
fn tool_answer(name: &str, result: Result<Json, String>) -> ToolAnswer {
    let result = result.and_then(|result| {
        let read = result.read::<CallResult>();
        read.map_err(|error| error.to_string())
    });
    let result = match result {
        Ok(result) => result,
        Err(why) => return ToolAnswer::error(&why),
    };
    let data = Json::from_value(&result.content).unwrap_or_else(|_| Json::null());
    let content = data.read::<Content>();
    if result.is_error {
        let text = content.map_or_else(|_| data.to_string(), |content| content.text());
        return ToolAnswer::error(&text);
    }
    if let Some(structured) = result.structured_content {
        return ToolAnswer::text(structured.get(), None);
    }
    match content {
        Ok(content) if !result.content.is_empty() => ToolAnswer {
            content,
            data,
            is_error: None,
        },
        _ => ToolAnswer::text(&format!("({name} completed with no output)"), None),
    }
}
