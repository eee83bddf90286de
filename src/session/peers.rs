//! The agent's process of a session, for observers outside the driver.

use crate::event::EndReason;
use crate::handle::Handle;
use crate::process::CloseReport;
use crate::transport::{CloseInput, Peer};
use std::sync::Arc;
use tokio::sync::watch;

/// The current process of a session, for observers that outlive it.
#[derive(Debug)]
pub(crate) struct Peers(watch::Sender<Current>);

#[derive(Debug)]
struct Current {
    peer: Arc<dyn Peer>,
    /// Whether the session is being closed. A process that follows is closed immediately.
    is_closing: bool,
    /// Whether no other process follows.
    is_last: bool,
}

impl Peers {
    pub(super) fn new(peer: Arc<dyn Peer>) -> Self {
        Self(watch::Sender::new(Current {
            peer,
            is_closing: false,
            is_last: false,
        }))
    }

    /// Replaces the current process.
    pub(super) fn follow(&self, peer: &Arc<dyn Peer>) {
        let mut is_closing = false;
        self.0.send_modify(|it| {
            it.peer = Arc::clone(peer);
            is_closing = it.is_closing;
        });
        if is_closing {
            peer.close(Box::new(|| ()));
        }
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

/// Connects [`close_all`](crate::close_all) with the session.
pub(super) fn attach(peer: &Arc<dyn Peer>, session: &Handle) {
    let link = session.link().clone();
    peer.attached(Box::new(move || drop(link.give_up(EndReason::Closed))));
}
