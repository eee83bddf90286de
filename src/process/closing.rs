//! Closing a child, and closing all of them.

use super::ladder::{ClosePolicy, CloseReport, Ladder};
use super::{lock, spawn_thread};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;

/// The children of this process that are not closed yet.
static UNCLOSED: Mutex<Vec<Weak<Closing>>> = Mutex::new(Vec::new());

/// What [`close_all`] allows for listing the processes, beyond what the policies allow.
const LISTING: Duration = Duration::from_secs(5);

/// The end of a child. It lives as long as the child is there or is being closed.
pub(super) struct Closing {
    pub(super) ladder: Ladder,
    policy: Mutex<ClosePolicy>,
    /// Taken by the first to close.
    reporter: Mutex<Option<watch::Sender<Option<CloseReport>>>>,
    report: watch::Receiver<Option<CloseReport>>,
    close_input: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    /// The same as `report`, for threads.
    closed: (Mutex<Option<CloseReport>>, Condvar),
}

impl Closing {
    pub(super) fn new(ladder: Ladder, policy: ClosePolicy) -> Arc<Self> {
        let (reporter, report) = watch::channel(None);
        let this = Arc::new(Self {
            ladder,
            policy: Mutex::new(policy),
            reporter: Mutex::new(Some(reporter)),
            report,
            close_input: Mutex::default(),
            closed: Default::default(),
        });
        let mut unclosed = lock(&UNCLOSED);
        unclosed.retain(|other| other.strong_count() > 0);
        unclosed.push(Arc::downgrade(&this));
        drop(unclosed);
        this
    }

    pub(super) fn report(&self) -> watch::Receiver<Option<CloseReport>> {
        self.report.clone()
    }

    /// Starts to close the child and everything that it started, in a thread, which first lists
    /// what there is and then calls `close_input`: a process in a session of its own and without
    /// our marker can only be found as long as its parents live. When stdin stays open the child
    /// is terminated when the policy's `exit` is over.
    ///
    /// The report is there when it is `Some`; the channel closes without one only if a subscriber
    /// of `tracing` panicked. A second call only calls `close_input`, and gets the same report. If
    /// there can be no more threads the child is killed at once, with all its descendants, and
    /// nobody waits for them to be gone.
    pub(super) fn close(
        self: &Arc<Self>,
        close_input: impl FnOnce() + Send + 'static,
    ) -> watch::Receiver<Option<CloseReport>> {
        let Some(reporter) = lock(&self.reporter).take() else {
            close_input();
            return self.report();
        };
        let (this, policy) = (Arc::clone(self), *lock(&self.policy));
        let for_thread = reporter.clone();
        let run = move || this.run(&policy, close_input, &for_thread);
        if let Err(error) = spawn_thread("agentwire-close", run) {
            let pid = self.ladder.child.id();
            tracing::warn!(pid, %error, "killing at once for want of a thread");
            self.run(&AT_ONCE, || (), &reporter);
        }
        self.report()
    }

    fn run(
        &self,
        policy: &ClosePolicy,
        close_input: impl FnOnce(),
        reporter: &watch::Sender<Option<CloseReport>>,
    ) {
        let report = self.ladder.run(policy, close_input);
        // It has gone with the child, if the child has gone.
        self.ladder.exit.drop_kept();
        let (closed, changed) = &self.closed;
        *lock(closed) = Some(report.clone());
        changed.notify_all();
        reporter.send_replace(Some(report));
    }

    pub(super) fn closed_with_all_by(&self, close_input: impl FnOnce() + Send + 'static) {
        *lock(&self.close_input) = Some(Box::new(close_input));
    }

    fn is_closed(&self) -> bool {
        lock(&self.closed.0).is_some()
    }

    /// Blocks until the child is closed. `None` if that takes longer than its policy allows.
    fn wait(&self) -> Option<CloseReport> {
        let policy = *lock(&self.policy);
        let limit = policy.exit + 2 * (policy.terminate + policy.kill) + LISTING;
        let (closed, changed) = &self.closed;
        let (report, _) = changed
            .wait_timeout_while(lock(closed), limit, |report| report.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        report.clone()
    }

    #[cfg(test)]
    pub(super) fn set_policy(&self, policy: ClosePolicy) {
        *lock(&self.policy) = policy;
    }
}

impl fmt::Debug for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closing")
            .field("ladder", &self.ladder)
            .field("policy", &self.policy)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

const AT_ONCE: ClosePolicy = ClosePolicy {
    finish: Duration::ZERO,
    exit: Duration::ZERO,
    terminate: Duration::ZERO,
    kill: Duration::ZERO,
};

/// Ends every session of this process, all at once, and blocks until everything that they started
/// has gone. It is for a program that is about to exit, whatever made it: a signal, a panic, its
/// end. Sessions that are ending already, because their clients were dropped, are waited for as
/// well; those that somebody else started ([`Client::connect_over`](crate::Client::connect_over))
/// have no processes here, and are left alone.
///
/// It takes no longer than the longest [`ClosePolicy`] allows, without its `finish`, and some
/// seconds to list the processes. It gives the reports of those sessions that were not over before;
/// one that was not done in that time has none. A session that another thread starts meanwhile is
/// not ended.
///
/// It needs no runtime, and may be called on any thread. Inside async code it is called by
/// `tokio::task::spawn_blocking`, so that the sessions can close the inputs of their CLIs; where
/// they cannot, the CLIs are terminated when [`ClosePolicy::exit`] is over.
///
/// Signals are the program's business: what to do on one is for the program to say, and only one
/// place in it can. With tokio, for instance:
///
/// ```no_run
/// use tokio::signal::unix::{SignalKind, signal};
/// # async fn work() {}
///
/// # async fn example() -> std::io::Result<()> {
/// let mut terminate = signal(SignalKind::terminate())?;
/// tokio::select! {
///     _ = work() => {}
///     _ = terminate.recv() => {}
///     _ = tokio::signal::ctrl_c() => {}
/// }
/// let reports = tokio::task::spawn_blocking(agentwire::close_all).await?;
/// for report in reports {
///     assert!(report.left.is_empty());
/// }
/// # Ok(())
/// # }
/// ```
///
/// Against SIGKILL there is no handler: [`ExitGuard`](crate::ExitGuard) says what is left then, and
/// what can be done.
pub fn close_all() -> Vec<CloseReport> {
    let children: Vec<_> = lock(&UNCLOSED).iter().filter_map(Weak::upgrade).collect();
    let unclosed: Vec<_> = children.iter().filter(|it| !it.is_closed()).collect();
    for child in &unclosed {
        let close_input = lock(&child.close_input).take();
        child.close(|| {
            if let Some(close_input) = close_input {
                close_input();
            }
        });
    }
    unclosed.iter().filter_map(|child| child.wait()).collect()
}
