//! Closing a session.

use super::Handle;
use crate::command::Command;
use crate::process::{CloseReport, CloseStep, spawn};
use crate::session::{Closer, Peers};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

impl Handle {
    /// Starts closing the session gracefully. Await the returned future to wait until all its
    /// processes have exited.
    ///
    /// Accepts no new messages, writes the outbound queue, lets the running turn finish (within
    /// [`ClosePolicy::finish`](crate::ClosePolicy)), closes the CLI's input, shuts down every
    /// process that the session started, and sends the remaining entries to the
    /// [store](crate::Options::session_store). Meanwhile the streams deliver events, callbacks run,
    /// and requests of the agent can be answered:
    ///
    /// ```no_run
    /// # async fn example(mut client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use agentwire::{Event, PermissionResult};
    ///
    /// let handle = client.handle();
    /// let closing = handle.close();
    /// while let Some(event) = client.next().await {
    ///     if let Event::Request(pending) = event? {
    ///         let no = PermissionResult::deny("The program is shutting down.");
    ///         handle.respond(&pending.request_id, no).await?;
    ///     }
    /// }
    /// let report = closing.await;
    /// # drop(report);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`CloseFuture::within`] bounds all of this. The runtime of the session must run meanwhile, or
    /// have been shut down.
    ///
    /// # Cancel safety
    ///
    /// Closing starts with this call, and continues if the future is dropped.
    #[doc(alias = "disconnect")]
    pub fn close(&self) -> CloseFuture<'static> {
        self.finish(Some(self.link.closer.finish), Duration::ZERO);
        CloseFuture::new(self)
    }

    /// Ends the session once it is idle and no background task has output pending, at the latest
    /// after `within`. Does not wait.
    pub(crate) fn finish(&self, within: Option<Duration>, background: Duration) {
        let command = Command::Finish { within, background };
        if self.link.command(command).is_err()
            && let Some(peers) = self.link.closer.peers.upgrade()
        {
            // The driver has ended.
            peers.close(Box::new(|| ()));
        }
    }
}

/// Waits until a session is closed. Returned by [`Handle::close`] and
/// [`Client::close`](crate::Client::close).
#[must_use = "the session closes in any case; await this to wait for the exit of its processes"]
pub struct CloseFuture<'a> {
    session: Handle,
    closed: Pin<Box<dyn Future<Output = CloseReport> + Send + 'a>>,
}

impl CloseFuture<'_> {
    pub(crate) fn new(session: &Handle) -> Self {
        Self {
            session: session.clone(),
            closed: Box::pin(closed(Arc::clone(&session.link.closer))),
        }
    }

    /// Bounds the time of closing, whatever longer limits the [`ClosePolicy`](crate::ClosePolicy)
    /// has: after half of it, a running turn is cut off; after four fifths, all processes of the session are
    /// killed, also if this future was dropped. The future returns in time even if the store is
    /// slower. Use it where something else kills the program after a while, such as a container's
    /// supervisor. With zero, everything is killed and nothing is waited for.
    ///
    /// If a process cannot be killed in time, the report's step is
    /// [`CloseStep::StillAlive`](crate::process::CloseStep). An agent that was spawned elsewhere
    /// ([`Client::connect_over`](crate::Client::connect_over)) is not killed.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn within(self, limit: Duration) -> Self {
        let (started, until) = (Instant::now(), deadline(limit));
        let link = &self.session.link;
        let finish = link.closer.finish.min(limit / 2);
        self.session.finish(Some(finish), Duration::ZERO);
        if let Some(peers) = link.closer.peers.upgrade() {
            spawn(kill_at(peers, deadline(limit / 5 * 4)));
        }
        let (session, closed) = (self.session, self.closed);
        let closed = Box::pin(async move {
            let report = timeout_at(until, closed).await;
            report.unwrap_or_else(|_| CloseReport {
                step: CloseStep::StillAlive,
                took: started.elapsed(),
                descendants_unknown: true,
                ..CloseReport::default()
            })
        });
        Self { session, closed }
    }
}

/// Returns the end of a time from now on; a distant one if the clock cannot represent it.
pub(crate) fn deadline(limit: Duration) -> Instant {
    const DISTANT: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);
    let now = Instant::now();
    now.checked_add(limit).unwrap_or_else(|| now + DISTANT)
}

/// Kills a session's processes at this time, unless they are gone before.
async fn kill_at(peers: Arc<Peers>, time: Instant) {
    tokio::select! {
        _ = peers.closed() => {}
        () = sleep_until(time) => peers.kill(),
    }
}

/// Waits until a session is closed.
async fn closed(closer: Arc<Closer>) -> CloseReport {
    let report = match closer.peers.upgrade() {
        Some(peers) => peers.closed().await,
        None => None,
    };
    let others = [closer.unlocked.get(), closer.mirrored.as_ref()];
    for done in others.into_iter().flatten() {
        done.cancelled().await;
    }
    report.unwrap_or_default()
}

impl Future for CloseFuture<'_> {
    type Output = CloseReport;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CloseReport> {
        self.closed.as_mut().poll(context)
    }
}

impl fmt::Debug for CloseFuture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloseFuture")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}
