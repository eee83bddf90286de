//! One connection to a server: from a handshake to the next one, or the end.

use super::server::SharedServer;
use super::wire::{Outlet, Said, Wire};
use crate::handle::Handle;
use rmcp::model::{
    ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The host's end of a connection. The server is stopped when it is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) number: u64,
    /// The asks of the agent that wait for the server, by the id of their
    /// JSON-RPC request.
    pub(crate) waiting: HashMap<RequestId, Box<str>>,
    /// What the server has asked of the agent, by the ids of its JSON-RPC
    /// requests, and has no response to.
    pub(crate) asked: HashSet<RequestId>,
    /// Why it is served no longer.
    pub(crate) ended: Option<String>,
    to_server: mpsc::UnboundedSender<ClientJsonRpcMessage>,
    _stop: DropGuard,
}

impl Connection {
    /// Connects to a server, which says what it says to `said`.
    pub(crate) fn open(
        server: &SharedServer,
        name: &Arc<str>,
        number: u64,
        said: &mpsc::UnboundedSender<Said>,
        session: &Handle,
    ) -> Self {
        let (to_server, inbox) = mpsc::unbounded_channel();
        let outlet = Outlet {
            server: Arc::clone(name),
            connection: number,
            said: said.clone(),
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
            asked: HashSet::new(),
            ended: None,
            to_server,
            _stop: stop.drop_guard(),
        }
    }

    /// Gives the server a message. One that has ended says so by itself.
    pub(crate) fn send(&self, message: ClientJsonRpcMessage) {
        let _ = self.to_server.send(message);
    }

    /// The server has begun something: a request, or that it waits for one no
    /// longer.
    pub(crate) fn note_begun(&mut self, message: &ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.asked.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.asked.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// The agent, or the session, gives an ask up. Gives the id of its
    /// request, if the server has not answered yet.
    pub(crate) fn give_up(&mut self, ask: &str) -> Option<RequestId> {
        let (id, _) = self.waiting.iter().find(|(_, it)| &***it == ask)?;
        let id = id.clone();
        self.waiting.remove(&id);
        Some(id)
    }
}
