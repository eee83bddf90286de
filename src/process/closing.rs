//! Closing a child.

use super::countdown::STRETCH;
use super::events::Watched;
use super::exit::{ChildState, Exit, child_state};
#[cfg(windows)]
use super::job::Job;
use super::ladder::{Action, Ladder, Outcome};
use super::lock;
use super::policy::{ClosePolicy, CloseReport};
use super::resource::Resource;
use super::signal::Signal;
use shared_child::SharedChild;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, io};
use tokio::sync::watch;

/// The time that [`close_all`](super::close_all) waits beyond the policies, for listing the
/// processes.
const LISTING: Duration = Duration::from_secs(5);

type CloseInput = Box<dyn FnOnce() + Send>;

/// The state of closing a child. The closer retains it until the child is closed and reaped.
pub(super) struct Closing {
    /// Unique to each child.
    pub(super) number: u64,
    pub(super) child: SharedChild,
    /// `None` if a thread waits for the child.
    pub(super) watched: Option<Watched>,
    /// The parent process. In a process that was forked from it, this state is a copy without a
    /// child.
    owner: u32,
    ladder: Mutex<Ladder>,
    policy: Mutex<ClosePolicy>,
    signalled: AtomicBool,
    pub(super) resource: Resource,
    /// How the child exited, once observed.
    seen: OnceLock<Exit>,
    exit: watch::Sender<Option<Exit>>,
    has_begun: AtomicBool,
    /// Set by the first call to close.
    close_input: Mutex<Option<CloseInput>>,
    /// How [`close_all`](super::close_all) closes the input.
    close_input_with_all: Mutex<Option<CloseInput>>,
    /// When the input was closed.
    input_closed: OnceLock<Instant>,
    /// `None` once there is a report, and if there will be none.
    reporter: Mutex<Option<watch::Sender<Option<CloseReport>>>>,
    reported: Condvar,
    report: watch::Receiver<Option<CloseReport>>,
    /// Dropped when all processes must have exited.
    #[cfg(windows)]
    job: Mutex<Option<Job>>,
}

impl Closing {
    pub(super) fn new(
        child: SharedChild,
        watched: Option<Watched>,
        session: &str,
        policy: ClosePolicy,
    ) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let pid = child.id();
        let (reporter, report) = watch::channel(None);
        Self {
            number: LAST.fetch_add(1, Ordering::Relaxed),
            child,
            watched,
            owner: std::process::id(),
            ladder: Mutex::new(Ladder::new(pid, session)),
            policy: Mutex::new(policy),
            signalled: AtomicBool::new(false),
            resource: Resource::default(),
            seen: OnceLock::new(),
            exit: watch::Sender::new(None),
            has_begun: AtomicBool::new(false),
            close_input: Mutex::default(),
            close_input_with_all: Mutex::default(),
            input_closed: OnceLock::new(),
            reporter: Mutex::new(Some(reporter)),
            reported: Condvar::new(),
            report,
            #[cfg(windows)]
            job: Mutex::default(),
        }
    }

    #[cfg(windows)]
    pub(super) fn in_job(mut self, job: Option<Job>) -> Self {
        self.job = Mutex::new(job);
        self
    }

    pub(super) fn ladder(&self) -> MutexGuard<'_, Ladder> {
        lock(&self.ladder)
    }

    pub(super) fn policy(&self) -> ClosePolicy {
        *lock(&self.policy)
    }

    pub(super) fn report(&self) -> watch::Receiver<Option<CloseReport>> {
        self.report.clone()
    }

    pub(super) fn exit(&self) -> watch::Receiver<Option<Exit>> {
        self.exit.subscribe()
    }

    pub(super) fn was_signalled(&self) -> bool {
        self.signalled.load(Ordering::Relaxed)
    }

    pub(super) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// Stores `close_input`, and returns whether the closer must start closing the child. From the
    /// second call on, only calls `close_input`.
    pub(super) fn begin(&self, close_input: impl FnOnce() + Send + 'static) -> bool {
        if !self.is_ours() {
            close_input();
            self.will_not_report();
            return false;
        }
        if self.has_begun.swap(true, Ordering::Relaxed) {
            close_input();
            return false;
        }
        *lock(&self.close_input) = Some(Box::new(close_input));
        true
    }

    pub(super) fn set_input_closer(&self, close_input: impl FnOnce() + Send + 'static) {
        *lock(&self.close_input_with_all) = Some(Box::new(close_input));
    }

    /// Returns how [`close_all`](super::close_all) closes the input.
    pub(super) fn closes_input_with_all(&self) -> impl FnOnce() + Send + use<> {
        let close_input = lock(&self.close_input_with_all).take();
        || {
            if let Some(close_input) = close_input {
                close_input();
            }
        }
    }

    /// Returns whether this is a child of this process.
    pub(super) fn is_ours(&self) -> bool {
        self.owner == std::process::id()
    }

    /// Checks whether the child has exited. Returns `None` if it runs, and otherwise whether it was
    /// already reaped.
    pub(super) fn see_exit(&self) -> Option<bool> {
        let (exit, is_reaped) = match child_state(&self.child) {
            ChildState::Running => return None,
            ChildState::Unreaped(exit) => (Ok(exit), false),
            ChildState::Reaped(exit) => (exit, true),
        };
        let _ = self.seen.set(exit);
        Some(is_reaped)
    }

    /// Executes an action of the ladder.
    pub(super) fn act(self: &Arc<Self>, action: Action) {
        let pid = self.child.id();
        match action {
            Action::ReportExit => {
                let (this, exit) = (Arc::clone(self), self.seen.get().cloned());
                if self.ladder().is_over() {
                    self.reap();
                }
                self.resource.drop_then(move || {
                    this.exit.send_replace(exit.clone());
                    tracing::debug!(pid, ?exit, "child exited");
                });
            }
            Action::CloseInput => {
                self.input_closed.get_or_init(Instant::now);
                let close_input = lock(&self.close_input).take();
                if let Some(close_input) = close_input {
                    close_input();
                }
            }
            Action::SignalChild(signal) => {
                self.signalled.store(true, Ordering::Relaxed);
                if let Err(error) = self.signal(signal) {
                    tracing::debug!(pid, ?signal, %error, "cannot signal the child");
                }
            }
            Action::SignalDescendant { pid, start, signal } => signal.send(pid, start),
            Action::SignalGroup(signal) => self.signal_group(signal),
            Action::Report(outcome) => {
                // Dropping the job ends all processes that the sweep did not find.
                #[cfg(windows)]
                drop(lock(&self.job).take());
                if self.seen.get().is_some() {
                    self.reap();
                }
                let this = Arc::clone(self);
                self.resource.drop_then(move || this.send_report(outcome));
            }
        }
    }

    /// Kills the child and its process group without a report, after a panic.
    pub(super) fn abandon(self: &Arc<Self>) {
        self.ladder().give_up();
        self.will_not_report();
        self.signalled.store(true, Ordering::Relaxed);
        let _ = self.signal(Signal::Kill);
        self.signal_group(Signal::Kill);
        if self.ladder().is_over() {
            self.reap();
        }
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        match (&self.watched, signal) {
            (Some(watched), signal) => watched.signal(signal),
            #[cfg(unix)]
            (None, Signal::Terminate) => {
                use shared_child::unix::SharedChildExt;
                self.child.send_signal(signal.on_unix().as_raw())
            }
            (None, _) => self.child.kill(),
        }
    }

    fn signal_group(&self, signal: Signal) {
        let group = self.ladder().group();
        // Another part of the host may just have reaped it.
        if let Some(group) = group
            && !matches!(child_state(&self.child), ChildState::Reaped(_))
        {
            signal.send_to_group(group);
        }
    }

    /// Reaps the child. Its PID may be reused after that.
    fn reap(&self) {
        self.ladder().forget_group();
        let _ = self.child.wait();
    }

    fn send_report(&self, outcome: Outcome) {
        let exit = self.seen.get().cloned();
        let report = CloseReport {
            exit: exit.and_then(Result::ok),
            step: outcome.step,
            swept: outcome.swept,
            remaining: outcome.remaining,
            took: self
                .input_closed
                .get()
                .map(Instant::elapsed)
                .unwrap_or_default(),
            descendants_unknown: outcome.descendants_unknown,
        };
        if let Some(reporter) = lock(&self.reporter).take() {
            reporter.send_replace(Some(report.clone()));
        }
        self.reported.notify_all();
        tracing::debug!(pid = self.child.id(), ?report, "closed");
    }

    fn will_not_report(&self) {
        drop(lock(&self.reporter).take());
        self.reported.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.reporter).is_none()
    }

    /// Blocks until the child is closed. Returns `None` if that takes longer
    /// than its policy allows.
    pub(super) fn wait(&self) -> Option<CloseReport> {
        let policy = self.policy();
        let swept = policy.terminate.saturating_add(policy.kill);
        let limit = swept.saturating_mul(2).saturating_add(policy.exit);
        let limit = limit.saturating_mul(STRETCH).saturating_add(LISTING);
        let reporter = lock(&self.reporter);
        let waited = self
            .reported
            .wait_timeout_while(reporter, limit, |reporter| reporter.is_some());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        self.report.borrow().clone()
    }

    #[cfg(test)]
    pub(super) fn set_policy(&self, policy: ClosePolicy) {
        *lock(&self.policy) = policy;
    }
}

impl fmt::Debug for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closing")
            .field("child", &self.child)
            .field("ladder", &self.ladder)
            .field("policy", &self.policy)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}
