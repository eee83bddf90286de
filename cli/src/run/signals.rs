//! The signals that end a run.

use std::io;

/// Listens from when it is made: nothing that comes while something else is
/// done gets lost.
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

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// That the turn ends; the second time, that the session ends.
    Interrupt,
    /// That the session ends.
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

    /// The next signal. Cancel safe.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> Wanted {
        tokio::select! {
            _ = self.interrupt.recv() => Wanted::Interrupt,
            _ = self.terminate.recv() => Wanted::End,
            _ = self.hangup.recv() => Wanted::End,
        }
    }

    /// The next signal. Cancel safe.
    #[cfg(windows)]
    pub(crate) async fn next(&mut self) -> Wanted {
        self.interrupt.recv().await;
        Wanted::Interrupt
    }
}
