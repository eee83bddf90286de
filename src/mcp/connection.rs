//! A connection to a server, from one handshake to the next or to the end.

use super::server::SharedServer;
use super::wire::{Outlet, ServerEvent, Wire};
use crate::handle::Handle;
use rmcp::model::{
    ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The host's end of a connection. Dropping it stops the server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) number: u64,
    /// The agent's pending requests, by JSON-RPC ID.
    pub(crate) waiting: HashMap<RequestId, Box<str>>,
    /// The JSON-RPC IDs of the server's pending requests to the agent.
    pub(crate) server_requests: HashSet<RequestId>,
    /// The last `tools/list` of the agent, while it is pending.
    pub(crate) listing: Option<RequestId>,
    /// The reason why the connection ended.
    pub(crate) ended: Option<String>,
    to_server: mpsc::UnboundedSender<ClientJsonRpcMessage>,
    _stop: DropGuard,
}

impl Connection {
    /// Connects to a server, which sends its messages to `events`.
    pub(crate) fn open(
        server: &SharedServer,
        name: &Arc<str>,
        number: u64,
        events: &mpsc::UnboundedSender<ServerEvent>,
        session: &Handle,
    ) -> Self {
        let (to_server, inbox) = mpsc::unbounded_channel();
        let outlet = Outlet {
            server: Arc::clone(name),
            connection: number,
            events: events.clone(),
        };
        let wire = Wire {
            inbox,
            outlet: outlet.clone(),
        };
        let stop = CancellationToken::new();
        let serving = server
            .clone()
            .serve(wire, outlet, session.clone(), stop.clone());
        tokio::spawn(serving);
        Self {
            number,
            waiting: HashMap::new(),
            server_requests: HashSet::new(),
            listing: None,
            ended: None,
            to_server,
            _stop: stop.drop_guard(),
        }
    }

    /// Sends a message to the server. A server that has ended reports its end.
    pub(crate) fn send(&self, message: ClientJsonRpcMessage) {
        let _ = self.to_server.send(message);
    }

    /// Records a request of the server, or its cancellation.
    pub(crate) fn record_request(&mut self, message: &ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.server_requests.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.server_requests.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Removes a pending request that the agent or the session cancelled. Returns its JSON-RPC ID.
    pub(crate) fn give_up(&mut self, ask: &str) -> Option<RequestId> {
        let (id, _) = self.waiting.iter().find(|(_, it)| &***it == ask)?;
        let id = id.clone();
        self.waiting.remove(&id);
        Some(id)
    }
}
