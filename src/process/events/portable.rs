use crate::process::lock;
use crate::process::signal::Signal;
use std::convert::Infallible;
use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A child whose exit is an event. Not supported here: each child has a thread
/// that waits for it.
#[derive(Debug)]
pub(in crate::process) struct Watched(Infallible);

impl Watched {
    pub(in crate::process) fn new(_pid: u32) -> Option<Self> {
        None
    }

    pub(in crate::process) fn signal(&self, _signal: Signal) -> io::Result<()> {
        match self.0 {}
    }
}

/// The closer's event queue.
#[derive(Debug, Default)]
pub(in crate::process) struct Events {
    is_woken: Mutex<bool>,
    changed: Condvar,
}

impl Events {
    pub(in crate::process) fn new() -> io::Result<Self> {
        Ok(Self::default())
    }

    pub(in crate::process) fn watch(&self, child: &Watched, _number: u64) -> io::Result<()> {
        match child.0 {}
    }

    /// Makes [`wait`](Self::wait) return.
    pub(in crate::process) fn wake(&self) {
        *lock(&self.is_woken) = true;
        self.changed.notify_all();
    }

    /// Waits for a wake-up or the timeout.
    pub(in crate::process) fn wait(&self, limit: Option<Duration>) -> Vec<u64> {
        let limit = limit.unwrap_or(Duration::MAX);
        let is_woken = lock(&self.is_woken);
        let (mut is_woken, _) = self
            .changed
            .wait_timeout_while(is_woken, limit, |is_woken| !*is_woken)
            .unwrap_or_else(PoisonError::into_inner);
        *is_woken = false;
        Vec::new()
    }
}
