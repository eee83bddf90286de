//! Signals that interrupt a turn or end the session.

use std::io;

/// A listener for signals. Signals that arrive after it was created are not
/// lost, even while nothing awaits them.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

/// The action that a signal requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalAction {
    /// Interrupt the turn. The second interrupt ends the session.
    Interrupt,
    /// End the session. Only Unix has a signal for this action.
    #[cfg_attr(not(unix), allow(dead_code))]
    End,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    #[cfg(windows)]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: tokio::signal::windows::ctrl_c()?,
        })
    }

    /// Returns the next signal. This method is cancel safe.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> SignalAction {
        tokio::select! {
            _ = self.interrupt.recv() => SignalAction::Interrupt,
            _ = self.terminate.recv() => SignalAction::End,
            _ = self.hangup.recv() => SignalAction::End,
        }
    }

    /// Returns the next signal. This method is cancel safe.
    #[cfg(windows)]
    pub(crate) async fn next(&mut self) -> SignalAction {
        self.interrupt.recv().await;
        SignalAction::Interrupt
    }
}
