//! What handles, and everything that they give, have of the session.

use super::Command;
use super::declared::Declared;
use super::turn::TurnWatch;
use crate::event::{Demand, EndReason, Error, Mailbox, SessionEnd, StreamKind, Wanted, mailbox};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// The way to the driver of a session, and what that lets everybody know. It
/// does not keep the session alive.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) commands: mpsc::UnboundedSender<Command>,
    pub(crate) end: End,
    /// The turn that runs, or ran last.
    pub(crate) turn: watch::Receiver<Option<TurnWatch>>,
    pub(crate) declared: Arc<Declared>,
    pub(crate) demand: Demand,
    /// How long the response to a control request may take.
    pub(crate) request_timeout: Duration,
}

/// How the session ended, once it has.
pub(crate) type End = Arc<OnceLock<Arc<SessionEnd>>>;

impl Link {
    pub(crate) fn command(&self, command: Command) -> Result<(), Error> {
        self.commands
            .send(command)
            .map_err(|_| Error::Ended(self.end()))
    }

    /// A stream of its own of what the session delivers from now on.
    pub(crate) fn listen(&self, stream: StreamKind) -> Mailbox {
        let (sender, mailbox) = mailbox(&self.demand);
        let command = Command::Subscribe { stream, sender };
        if let Err(mpsc::error::SendError(Command::Subscribe { sender, .. })) =
            self.commands.send(command)
        {
            sender.end(self.end().error());
        }
        mailbox
    }

    /// Counts something that waits for input, until what is returned is
    /// dropped.
    pub(crate) fn want_input(&self) -> Wanted {
        self.demand.want()
    }

    /// The turn that runs, or ran last.
    pub(crate) fn turn(&self) -> Option<TurnWatch> {
        self.turn.borrow().clone()
    }

    /// Ends the session now.
    pub(crate) fn give_up(&self, reason: EndReason) -> Result<(), Error> {
        self.command(Command::End(reason))
    }

    /// Waits until the session is over. Cancel safe.
    #[cfg(feature = "mcp")]
    pub(crate) async fn closed(&self) {
        self.commands.closed().await;
    }

    /// What the two sides have said of themselves.
    pub(crate) fn declared(&self) -> &Declared {
        &self.declared
    }

    /// How the session ended, if it has.
    pub(crate) fn ended(&self) -> Option<Arc<SessionEnd>> {
        self.end.get().cloned()
    }

    /// How the session ended, for what fails because it has.
    pub(crate) fn end(&self) -> Arc<SessionEnd> {
        let gone = || Arc::new(SessionEnd::runtime_gone());
        self.end.get().cloned().unwrap_or_else(gone)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("open", &!self.commands.is_closed())
            .finish()
    }
}
