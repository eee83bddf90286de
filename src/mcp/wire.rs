//! Channels for whole messages between a server and the session.

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// A message from a server, or an event about it.
#[derive(Debug)]
pub(crate) struct ServerEvent {
    pub(crate) server: Arc<str>,
    /// The number of the server's connection.
    pub(crate) connection: u64,
    pub(crate) kind: ServerEventKind,
}

pub(crate) enum ServerEventKind {
    Message {
        message: Box<ServerJsonRpcMessage>,
        /// Dropped when the message is queued for the agent, which resumes the server.
        _waits: oneshot::Sender<Infallible>,
    },
    /// The server panicked.
    Panicked {
        /// The tool that was called, or the method.
        during: String,
        /// The panic message.
        message: String,
    },
    /// The connection ended.
    Ended(String),
}

impl fmt::Debug for ServerEventKind {
    /// Omits messages, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Message { .. } => "Message",
            Self::Panicked { .. } => "Panicked",
            Self::Ended(_) => "Ended",
        })
    }
}

/// The sender for messages of a server's connection.
#[derive(Debug, Clone)]
pub(super) struct Outlet {
    pub(super) server: Arc<str>,
    pub(super) connection: u64,
    pub(super) events: mpsc::UnboundedSender<ServerEvent>,
}

impl Outlet {
    fn emit(&self, kind: ServerEventKind) {
        // Fails if the session has ended.
        let _ = self.events.send(ServerEvent {
            server: Arc::clone(&self.server),
            connection: self.connection,
            kind,
        });
    }

    pub(super) fn panicked(&self, during: String, message: String) {
        self.emit(ServerEventKind::Panicked { during, message });
    }

    pub(super) fn ended(&self, reason: String) {
        self.emit(ServerEventKind::Ended(reason));
    }
}

/// The server's end of a connection.
pub(super) struct Wire {
    pub(super) inbox: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    pub(super) outlet: Outlet,
}

impl Transport<RoleServer> for Wire {
    type Error = Infallible;

    /// Queues the message when called. The future applies backpressure to a server that sends
    /// faster than the agent reads.
    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let (waits, taken) = oneshot::channel();
        self.outlet.emit(ServerEventKind::Message {
            message: Box::new(message),
            _waits: waits,
        });
        async move {
            // The channel carries no value: it always ends with an error.
            let _ = taken.await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.inbox.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.inbox.close();
        Ok(())
    }
}
