//! The agent's process of a session, for observers outside the driver.

use crate::event::EndReason;
use crate::handle::Handle;
use crate::process::CloseReport;
use crate::transport::{CloseInput, Peer, PeerFuture};
use std::future::ready;
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What closes a session from outside its driver.
#[derive(Debug)]
pub(crate) struct Closer {
    /// Released at the end of the session.
    pub(crate) peers: Weak<Peers>,
    /// How long a running turn may continue.
    pub(crate) finish: Duration,
    /// Cancelled once no more entries go to the store, if there is one.
    pub(crate) mirrored: Option<CancellationToken>,
    /// Cancelled once another process may open the session, if it was locked.
    pub(crate) unlocked: OnceLock<CancellationToken>,
}

/// The current process of a session, for observers that outlive it.
#[derive(Debug)]
pub(crate) struct Peers(watch::Sender<Current>);

#[derive(Debug)]
struct Current {
    peer: Arc<dyn Peer>,
    /// Whether the session is being closed. A process that follows is closed immediately.
    is_closing: bool,
    /// Whether the session was killed. A process that follows is killed immediately.
    is_killed: bool,
    /// Whether no other process follows.
    is_last: bool,
}

impl Peers {
    pub(super) fn new(peer: Arc<dyn Peer>) -> Self {
        Self(watch::Sender::new(Current {
            peer,
            is_closing: false,
            is_killed: false,
            is_last: false,
        }))
    }

    /// Replaces the current process.
    pub(super) fn follow(&self, peer: &Arc<dyn Peer>) {
        let (mut is_closing, mut is_killed) = (false, false);
        self.0.send_modify(|it| {
            it.peer = Arc::clone(peer);
            (is_closing, is_killed) = (it.is_closing, it.is_killed);
        });
        if is_closing {
            peer.close(Box::new(|| ()));
        }
        if is_killed {
            peer.kill();
        }
    }

    /// Releases the current process, which has exited and is closed.
    pub(super) fn release(&self, gone: &Arc<dyn Peer>) {
        self.0.send_modify(|it| it.peer = Arc::clone(gone));
    }

    /// Records that no process follows.
    pub(super) fn end(&self) {
        self.0.send_modify(|it| it.is_last = true);
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.0.borrow().peer.pid()
    }

    /// Closes the current process, and each one that follows.
    pub(crate) fn close(&self, close_input: CloseInput) {
        let mut peer = None;
        self.0.send_modify(|it| {
            it.is_closing = true;
            peer = Some(Arc::clone(&it.peer));
        });
        if let Some(peer) = peer {
            peer.close(close_input);
        }
    }

    /// Kills the current process, and each one that follows, with its descendants.
    pub(crate) fn kill(&self) {
        self.close(Box::new(|| ()));
        let mut peer = None;
        self.0.send_modify(|it| {
            it.is_killed = true;
            peer = Some(Arc::clone(&it.peer));
        });
        if let Some(peer) = peer {
            peer.kill();
        }
    }

    /// Waits for the close report of the last process. Cancel safe.
    pub(crate) async fn closed(&self) -> Option<CloseReport> {
        let mut changes = self.0.subscribe();
        loop {
            let peer = Arc::clone(&changes.borrow_and_update().peer);
            let report = peer.closed().await;
            let is_final =
                |it: &Current| it.is_last || it.is_closing || !Arc::ptr_eq(&it.peer, &peer);
            // The sender is part of `self`.
            let Ok(current) = changes.wait_for(is_final).await else {
                return report;
            };
            if Arc::ptr_eq(&current.peer, &peer) {
                return report;
            }
        }
    }
}

/// A process that has exited and is closed, with all its descendants.
#[derive(Debug)]
pub(super) struct Gone {
    pub(super) pid: Option<u32>,
    pub(super) report: Option<CloseReport>,
}

impl Peer for Gone {
    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn exited(&self) -> PeerFuture<'_, Option<ExitStatus>> {
        let exit = self.report.as_ref().and_then(|it| it.exit);
        Box::pin(ready(exit))
    }

    fn close(&self, close_input: CloseInput) {
        close_input();
    }

    fn closed(&self) -> PeerFuture<'_, Option<CloseReport>> {
        Box::pin(ready(self.report.clone()))
    }
}

/// Connects [`close_all`](crate::close_all) with the session.
pub(super) fn attach(peer: &Arc<dyn Peer>, session: &Handle) {
    let link = session.link().clone();
    peer.attached(Box::new(move || drop(link.give_up(EndReason::Closed))));
}
