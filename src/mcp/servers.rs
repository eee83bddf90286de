//! The servers of a session: routes messages between them and the agent.

use super::connection::Connection;
use super::server::SharedServer;
use super::unusable::{self, Unusable};
use super::wire::{ServerEvent, ServerEventKind};
use crate::command::{Command, Out, Servers};
use crate::event::Notice;
use crate::handle::Handle;
use agentwire_protocol::Json;
use agentwire_protocol::control::Refusal;
use agentwire_protocol::mcp::{McpMessage, McpReply};
use agentwire_protocol::sorted::SortedMap;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc;

/// The error code for a cancelled request, as in protocols related to MCP. MCP has no response
/// to a cancelled request, but its control request needs one.
const CANCELLED: ErrorCode = ErrorCode(-32800);

/// The servers of a session, and their messages.
#[derive(Debug)]
pub(crate) struct McpServers {
    servers: BTreeMap<Arc<str>, Server>,
    /// Messages received during the handshakes that belong to other requests.
    early: VecDeque<ServerEvent>,
    events: mpsc::UnboundedReceiver<ServerEvent>,
    sender: mpsc::UnboundedSender<ServerEvent>,
    session: Handle,
}

#[derive(Debug)]
struct Server {
    server: SharedServer,
    connection: Connection,
    /// The last reported problems of its tools.
    unusable: Vec<Unusable>,
}

impl Server {
    /// Returns notices for the problems of a server's tools, unless they were the same last time.
    fn report(&mut self, name: &str, found: Vec<Unusable>) -> Vec<Notice> {
        let fresh = found.iter().filter(|it| !self.unusable.contains(it));
        let notice = |it: &Unusable| Notice::McpToolsUnusable {
            server: name.into(),
            tool: it.tool.clone(),
            reason: it.reason.clone(),
        };
        let notices = fresh.map(notice).collect();
        self.unusable = found;
        notices
    }
}

impl McpServers {
    /// Creates an empty set of servers.
    pub(crate) fn new(session: Handle) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        Self {
            servers: BTreeMap::new(),
            early: VecDeque::new(),
            events,
            sender,
            session,
        }
    }

    /// Starts the servers, each with a connection.
    pub(super) fn start(servers: SortedMap<String, SharedServer>, session: Handle) -> Self {
        let mut this = Self::new(session);
        for (name, server) in servers.into_entries() {
            let name: Arc<str> = name.into();
            let connection = Connection::open(&server, &name, 0, &this.sender, &this.session);
            let server = Server {
                server,
                connection,
                unusable: vec![],
            };
            this.servers.insert(name, server);
        }
        this
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.servers.keys()
    }

    pub(super) fn send(&self, server: &str, message: ClientJsonRpcMessage) {
        if let Some(server) = self.servers.get(server) {
            server.connection.send(message);
        }
    }

    /// Returns the next message of a server; pending forever if there is none.
    /// Cancel safe.
    pub(super) async fn listen(&mut self) -> ServerEvent {
        match self.events.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// Delivers notices for the problems of a server's tools.
    pub(super) fn report(&mut self, server: &str, found: Vec<Unusable>) {
        if let Some(it) = self.servers.get_mut(server) {
            for notice in it.report(server, found) {
                // If the session has ended, its end is the better error.
                drop(self.session.link().command(Command::Notify(notice)));
            }
        }
    }

    /// Queues a message for [`Servers::poll_next`].
    pub(super) fn queue(&mut self, event: ServerEvent) {
        self.early.push_back(event);
    }

    /// Handles a message from a server.
    fn handle_message(&mut self, event: ServerEvent) -> Vec<Out> {
        let Some(server) = self.servers.get_mut(&event.server) else {
            return vec![];
        };
        let connection = &mut server.connection;
        if connection.number != event.connection {
            // The agent has discarded the requests of that connection.
            return vec![];
        }
        let name = event.server;
        match event.kind {
            ServerEventKind::Message { message, .. } => {
                let id = match &*message {
                    JsonRpcMessage::Response(response) => Some(&response.id),
                    JsonRpcMessage::Error(error) => error.id.as_ref(),
                    begun => {
                        connection.record_request(begun);
                        // rmcp's messages are always valid JSON.
                        let message = Json::from_value(&message).ok();
                        let message = message.map(|it| McpMessage::new(&*name, it));
                        return message.map(Out::Begin).into_iter().collect();
                    }
                };
                let listed = connection.listing.take_if(|it| Some(&*it) == id);
                let ask = id.and_then(|id| connection.waiting.remove(id));
                let mut outs: Vec<_> = (ask.and_then(|ask| answer(ask, &message)))
                    .into_iter()
                    .collect();
                if listed.is_some()
                    && let Some(server) = self.servers.get_mut(&name)
                {
                    let notices = server.report(&name, in_list(&name, &message));
                    outs.extend(notices.into_iter().map(Out::Notify));
                }
                outs
            }
            ServerEventKind::Panicked { during, message } => {
                vec![Out::Notify(Notice::McpServerPanicked {
                    server: (&*name).into(),
                    during,
                    message,
                })]
            }
            ServerEventKind::Ended(reason) => {
                let waiting = std::mem::take(&mut connection.waiting);
                connection.server_requests.clear();
                connection.ended = Some(reason.clone());
                let mut outs: Vec<_> = fail_all(waiting, &reason).collect();
                outs.push(Out::Notify(Notice::McpServerEnded {
                    server: (&*name).into(),
                    reason,
                }));
                outs
            }
        }
    }
}

impl Servers for McpServers {
    fn receive(&mut self, ask: Box<str>, message: McpMessage) -> Vec<Out> {
        let name: Arc<str> = message.server_name.into();
        let Some(server) = self.servers.get_mut(&name) else {
            return refuse(ask, &name);
        };
        let message = match message.message.read::<ClientJsonRpcMessage>() {
            Ok(message) => message,
            Err(error) => {
                let failure = Failure::new(&message.message, &error);
                return answer(ask, &failure).into_iter().collect();
            }
        };
        let connection = &mut server.connection;
        let mut outs = vec![];
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = request.id.clone();
                if let ClientRequest::ListToolsRequest(_) = &request.request {
                    connection.listing = Some(id.clone());
                }
                if let ClientRequest::InitializeRequest(_) = &request.request {
                    // A handshake resets the connection.
                    let number = connection.number + 1;
                    let next = Connection::open(
                        &server.server,
                        &name,
                        number,
                        &self.sender,
                        &self.session,
                    );
                    let last = std::mem::replace(connection, next);
                    outs.extend(fail_all(last.waiting, "the agent started a new handshake"));
                }
                let problem = match &connection.ended {
                    Some(reason) => Some(ErrorData::internal_error(
                        format!("the MCP server `{name}` stopped: {reason}"),
                        None,
                    )),
                    None if connection.waiting.contains_key(&id) => Some(
                        ErrorData::invalid_request("a request with this id is pending", None),
                    ),
                    None => None,
                };
                if let Some(problem) = problem {
                    outs.extend(fail(ask, id, problem));
                    return outs;
                }
                connection.waiting.insert(id, ask);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                    && let Some(cancelled) = connection.waiting.remove(id)
                {
                    // The server does not respond to it.
                    let error = ErrorData::new(CANCELLED, "cancelled", None);
                    outs.extend(fail(cancelled, id.clone(), error));
                }
                outs.push(Out::Answer(ask, McpReply::to_notification()));
            }
            JsonRpcMessage::Response(response) => {
                connection.server_requests.remove(&response.id);
                outs.push(Out::Answer(ask, McpReply::to_notification()));
            }
            JsonRpcMessage::Error(error) => {
                match &error.id {
                    Some(id) => drop(connection.server_requests.remove(id)),
                    // It may respond to any of them.
                    None => connection.server_requests.clear(),
                }
                outs.push(Out::Answer(ask, McpReply::to_notification()));
            }
        }
        connection.send(message);
        outs
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Vec<Out>> {
        let event = match self.early.pop_front() {
            Some(event) => event,
            None => match ready!(self.events.poll_recv(context)) {
                Some(event) => event,
                None => return Poll::Pending,
            },
        };
        Poll::Ready(self.handle_message(event))
    }

    fn await_responses(&self) -> bool {
        (self.servers.values()).any(|server| !server.connection.server_requests.is_empty())
    }

    fn cancel(&mut self, ask: &str) {
        for server in self.servers.values_mut() {
            if let Some(id) = server.connection.give_up(ask) {
                let reason = Some("the request was cancelled".to_owned());
                let cancelled =
                    CancelledNotification::new(CancelledNotificationParam::new(Some(id), reason));
                let cancelled = ClientNotification::CancelledNotification(cancelled);
                (server.connection).send(ClientJsonRpcMessage::notification(cancelled));
            }
        }
    }

    fn stop(&mut self) {
        self.servers.clear();
    }
}

/// A JSON-RPC error for a request that rmcp cannot parse, with the original ID.
#[derive(Serialize)]
struct Failure {
    jsonrpc: &'static str,
    id: Json,
    error: ErrorData,
}

impl Failure {
    fn new(request: &Json, error: &serde_json::Error) -> Self {
        Self {
            jsonrpc: "2.0",
            id: request.member("id").unwrap_or_else(Json::null),
            error: ErrorData::invalid_request(error.to_string(), None),
        }
    }
}

/// Returns the problems of the tools in the response to `tools/list`.
fn in_list(server: &str, response: &ServerJsonRpcMessage) -> Vec<Unusable> {
    match response {
        JsonRpcMessage::Response(response) => match &response.result {
            ServerResult::ListToolsResult(list) => unusable::unsupported_tools(server, &list.tools),
            _ => vec![],
        },
        JsonRpcMessage::Error(error) => vec![unreadable_list(&error.error)],
        _ => vec![],
    }
}

pub(super) fn unreadable_list(error: &ErrorData) -> Unusable {
    Unusable::all(format!("`tools/list` failed: {}", error.message))
}

/// Refuses a request to an unknown server.
fn refuse(ask: Box<str>, name: &str) -> Vec<Out> {
    let reason = format!("this host has no MCP server `{name}`");
    let notice = Notice::NotSupported {
        request_id: ask.clone(),
        subtype: "mcp_message".to_owned(),
        reason: reason.clone(),
    };
    vec![Out::Refuse(ask, Refusal::new(reason)), Out::Notify(notice)]
}

/// Responds to a control request with a JSON-RPC message. rmcp's messages are
/// always valid JSON.
fn answer(ask: Box<str>, message: &impl Serialize) -> Option<Out> {
    let message = Json::from_value(message).ok()?;
    Some(Out::Answer(ask, McpReply::new(message)))
}

fn fail(ask: Box<str>, id: RequestId, error: ErrorData) -> Option<Out> {
    answer(ask, &ServerJsonRpcMessage::error(error, Some(id)))
}

/// Fails all pending requests of a server that ended.
fn fail_all(waiting: HashMap<RequestId, Box<str>>, why: &str) -> impl Iterator<Item = Out> {
    waiting.into_iter().filter_map(move |(id, ask)| {
        let error = ErrorData::internal_error(why.to_owned(), None);
        fail(ask, id, error)
    })
}
