//! The state of a session that its handles share.

use super::declared::Declared;
use super::turn::TurnWatch;
use super::{Command, Progress};
use crate::event::{
    Demand, EndReason, Error, Mailbox, Sender, SessionEnd, SessionStatus, StreamKind, Wanted,
    mailbox,
};
use crate::session::{Closer, Flusher};
use crate::telemetry::Spans;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// A connection to the driver of a session, with its shared state. Does not keep the session
/// alive.
#[derive(Clone)]
pub(crate) struct Link {
    /// Boxed, because the channel allocates space for 32 commands at once.
    pub(crate) commands: mpsc::UnboundedSender<Box<Command>>,
    pub(crate) closer: Arc<Closer>,
    pub(crate) end: End,
    pub(crate) status: watch::Receiver<SessionStatus>,
    pub(crate) declared: Arc<Declared>,
    pub(crate) demand: Demand,
    /// The session's store, if it has one.
    pub(crate) store: Option<Flusher>,
    /// The timeout of control requests.
    pub(crate) request_timeout: Duration,
    pub(crate) spans: Spans,
}

/// How the session ended, once it has.
pub(crate) type End = Arc<OnceLock<Arc<SessionEnd>>>;

impl Link {
    pub(crate) fn command(&self, command: Command) -> Result<(), Error> {
        self.commands
            .send(Box::new(command))
            .map_err(|_| Error::Ended(self.end()))
    }

    /// Creates a stream of the session's events from now on.
    pub(crate) fn listen(&self, stream: StreamKind) -> Mailbox {
        self.subscribe(stream, None)
    }

    /// Creates a stream of the turn that picks up a message, from its delivery status.
    pub(crate) fn listen_to_turn(
        &self,
        uuid: &str,
        progress: watch::Receiver<Progress>,
    ) -> Mailbox {
        self.subscribe(StreamKind::Turn { uuid: uuid.into() }, Some(progress))
    }

    fn subscribe(
        &self,
        stream: StreamKind,
        progress: Option<watch::Receiver<Progress>>,
    ) -> Mailbox {
        let (sender, mailbox) = mailbox(&self.demand);
        let command = Command::Subscribe {
            stream,
            sender,
            progress,
        };
        if let Err(mpsc::error::SendError(command)) = self.commands.send(Box::new(command))
            && let Command::Subscribe {
                stream,
                sender,
                progress,
            } = *command
        {
            let error = || self.end().error();
            end_late(&stream, sender, progress, error);
        }
        mailbox
    }

    /// Counts as an operation that waits for input until the returned guard is dropped.
    pub(crate) fn want_input(&self) -> Wanted {
        self.demand.want()
    }

    /// Returns the running turn, or the last one.
    pub(crate) fn turn(&self) -> Option<TurnWatch> {
        self.status.borrow().turn.clone()
    }

    /// Ends the session now.
    pub(crate) fn give_up(&self, reason: EndReason) -> Result<(), Error> {
        self.command(Command::End(reason))
    }

    /// Waits until the session has ended. Cancel safe.
    #[cfg(feature = "mcp")]
    pub(crate) async fn closed(&self) {
        self.commands.closed().await;
    }

    /// Returns what agent and host have declared.
    pub(crate) fn declared(&self) -> &Declared {
        &self.declared
    }

    /// Returns how the session ended, once it has.
    pub(crate) fn ended(&self) -> Option<Arc<SessionEnd>> {
        self.end.get().cloned()
    }

    /// Returns how the session ended, for errors.
    pub(crate) fn end(&self) -> Arc<SessionEnd> {
        let gone = || Arc::new(SessionEnd::runtime_gone());
        self.end.get().cloned().unwrap_or_else(gone)
    }
}

/// Ends a stream that came too late: it has the events of a turn that has ended, or the error.
pub(crate) fn end_late(
    stream: &StreamKind,
    mut sender: Sender,
    progress: Option<watch::Receiver<Progress>>,
    error: impl FnOnce() -> Option<Error>,
) {
    let events = progress.and_then(|it| it.borrow().events.clone());
    match (stream, events) {
        (StreamKind::Turn { uuid }, Some(events)) => {
            events.deliver(uuid, &mut sender);
            sender.end(None);
        }
        _ => sender.end(error()),
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("open", &!self.commands.is_closed())
            .finish()
    }
}
