//! The exit of the child, watched by a thread of its own, apart from the end of its output.

use super::descendants::Descendants;
use super::{lock, spawn_thread};
use shared_child::SharedChild;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// How the child ended. An error means that it is gone but its status could not be had, for
/// instance because the host ignores SIGCHLD.
pub(crate) type Exit = Result<ExitStatus, Arc<io::Error>>;

/// Says when the child has ended, to async code and to threads.
pub(super) struct ExitWatch {
    pub(super) published: watch::Receiver<Option<Exit>>,
    /// Never gets a message; is disconnected when the exit has been published.
    gone: Mutex<mpsc::Receiver<Infallible>>,
    /// What the child works with.
    kept: Arc<Mutex<Kept>>,
}

type Kept = Option<Box<dyn Send>>;

impl ExitWatch {
    /// Starts the thread that waits for `child` and reaps it.
    ///
    /// Fails if there can be no more threads.
    pub(super) fn start(
        child: Arc<SharedChild>,
        descendants: Arc<Mutex<Descendants>>,
    ) -> io::Result<Self> {
        let (publish, published) = watch::channel(None);
        let (still_there, gone) = mpsc::channel();
        let kept = Arc::default();
        let in_thread = Arc::clone(&kept);
        spawn_thread("agentwire-exit", move || {
            let exit = reap(&child, &descendants).map_err(Arc::new);
            tracing::debug!(pid = child.id(), ?exit, "child exited");
            drop_kept(&in_thread);
            publish.send_replace(Some(exit));
            drop(still_there);
        })?;
        Ok(Self {
            published,
            gone: Mutex::new(gone),
            kept,
        })
    }

    /// Keeps something until the child has ended. Of a child that has ended just now it is kept
    /// until [`ExitWatch::drop_kept`].
    pub(super) fn keep(&self, what: impl Send + 'static) {
        *lock(&self.kept) = Some(Box::new(what));
    }

    /// Drops what is kept.
    pub(super) fn drop_kept(&self) {
        drop_kept(&self.kept);
    }

    /// Blocks until the child has ended or `limit` is over. Says whether it has ended.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        lock(&self.gone).recv_timeout(limit) == Err(RecvTimeoutError::Disconnected)
    }
}

impl fmt::Debug for ExitWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExitWatch")
            .field("published", &self.published)
            .finish_non_exhaustive()
    }
}

fn drop_kept(kept: &Mutex<Kept>) {
    // Not while it is locked: it may take a while.
    let kept = lock(kept).take();
    drop(kept);
}

fn reap(child: &SharedChild, descendants: &Mutex<Descendants>) -> io::Result<ExitStatus> {
    wait_unreaped(child);
    // The last moment at which the child's pid, and so its process group, is surely its own.
    let mut descendants = lock(descendants);
    descendants.look();
    descendants.forget_root();
    child.wait()
}

/// Blocks until the child has ended. If that fails, so does the wait for the status.
#[cfg(unix)]
fn wait_unreaped(child: &SharedChild) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    if let Some(pid) = child.id().try_into().ok().and_then(Pid::from_raw) {
        let until = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), until));
    }
}

/// Blocks until the child has ended. Its pid stays taken as long as there is a handle to it.
#[cfg(not(unix))]
fn wait_unreaped(child: &SharedChild) {
    let _ = child.wait();
}
