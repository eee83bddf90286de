//! Copying transcript entries to the session store.
//!
//! A task makes one call at a time, and repeats calls that fail. Meanwhile entries are buffered
//! in memory; beyond a limit, they are read from the agent's own file later. Entries are stored
//! in order, so the store always has a prefix of a transcript.

mod backlog;
mod entries;
mod spool;
mod task;

use crate::attachment::{Action, Attachment, Boxed, Gate};
use crate::event::{Error, Notice};
use crate::options::Options;
use crate::process::{blocking, spawn};
use crate::store::{PrivateHome, StoreFlush};
use agentwire_protocol::Frame;
use entries::Entries;
pub(crate) use entries::Lacking;
use spool::End;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use task::{Task, Work};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The timeout for remaining entries at the end of the session.
const LAST: Duration = Duration::from_secs(10);

/// The attachment of a session with a store. Only `end` waits.
#[derive(Debug)]
pub(crate) struct Mirror {
    /// `None` at the end of the session.
    work: Option<mpsc::UnboundedSender<Work>>,
    notices: mpsc::UnboundedReceiver<Notice>,
    /// Sends notices of this attachment, in order with those of the task.
    notifier: Option<mpsc::UnboundedSender<Notice>>,
    /// The number of buffered bytes, and the limit. A single message of any size is always
    /// accepted.
    waiting: Arc<AtomicUsize>,
    limit: usize,
    /// Whether a result is deferred until its turn is stored.
    defers_results: bool,
    result: Deferred,
    /// The private configuration folder of the session.
    home: Option<Arc<PrivateHome>>,
    /// Whether the store is behind, and whether entries are missing for good.
    is_behind: bool,
    is_missing: bool,
    /// Cancelled at the timeout for remaining entries.
    over: CancellationToken,
    /// Reports, when dropped, that the task has ended.
    _done: DropGuard,
}

/// A result that waits for the store.
#[derive(Debug)]
enum Deferred {
    None,
    Waits(oneshot::Receiver<Result<(), Error>>),
    /// The wait is over.
    Over {
        is_stored: bool,
        is_reported: bool,
    },
}

/// Flushes the entries received so far. Does not keep the mirror alive.
#[derive(Debug, Clone)]
pub(crate) struct Flusher(mpsc::WeakUnboundedSender<Work>);

impl Flusher {
    /// Resolves when the store has everything received so far, or has failed; to `None` if the
    /// session has ended.
    pub(crate) async fn flush(&self) -> Option<Result<(), Error>> {
        let (reply, done) = oneshot::channel();
        // The sender must not be held while waiting.
        drop(self.0.upgrade()?.send(Work::Flush(reply)));
        done.await.ok()
    }
}

impl Mirror {
    /// Starts the task. The returned token is cancelled once no more entries go to the store.
    pub(crate) fn start(
        options: &Options,
        lacking: Lacking,
        home: Option<Arc<PrivateHome>>,
    ) -> Option<(Self, CancellationToken)> {
        let store = options.session_store.as_ref()?;
        let (work, inbox) = mpsc::unbounded_channel();
        let (notifier, notices) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let over = CancellationToken::new();
        let task = Task::new(
            store.clone(),
            options.store_flush == StoreFlush::Eager,
            notifier.clone(),
            Arc::clone(&waiting),
            over.clone(),
            lacking,
        );
        spawn(task.run(inbox));
        let done = CancellationToken::new();
        let mirror = Self {
            work: Some(work),
            notices,
            notifier: Some(notifier),
            waiting,
            limit: options.store_memory,
            defers_results: options.store_flush == StoreFlush::BeforeResult,
            result: Deferred::None,
            home,
            is_behind: false,
            is_missing: false,
            over,
            _done: done.clone().drop_guard(),
        };
        Some((mirror, done))
    }

    pub(crate) fn flusher(&self) -> Option<Flusher> {
        Some(Flusher(self.work.as_ref()?.downgrade()))
    }

    fn work(&self, work: Work) {
        if let Some(task) = &self.work {
            // A task that has ended has reported its missing entries.
            drop(task.send(work));
        }
    }

    fn offer(&self, frame: &Frame) {
        let bytes = frame.raw().len();
        let before = self.waiting.load(Ordering::Relaxed);
        if before == 0 || before + bytes <= self.limit {
            self.waiting.fetch_add(bytes, Ordering::Relaxed);
            return self.work(Work::Entries(frame.clone()));
        }
        match Entries::of(frame) {
            Ok(it) => self.work(Work::OnDisk {
                key: it.key,
                file: it.file,
                count: it.entries.len(),
                end: End::of(&it.entries),
            }),
            Err(notice) => {
                if let Some(notifier) = &self.notifier {
                    drop(notifier.send(notice));
                }
            }
        }
    }

    /// Updates the state from a notice. The private folder is retained while the store lacks
    /// entries, in case this program is killed.
    fn update(&mut self, notice: &Notice) {
        match notice {
            Notice::NotMirrored { key: Some(_), .. } => self.is_missing = true,
            Notice::StoreBehind { .. } => self.is_behind = true,
            Notice::StoreCaughtUp { .. } => self.is_behind = false,
            _ => {}
        }
        if let Some(home) = &self.home {
            home.retain(self.is_missing || self.is_behind);
        }
    }

    /// Waits for the store until the timeout, and returns the remaining notices.
    async fn finish(&mut self) -> Vec<Notice> {
        (self.work, self.notifier) = (None, None);
        let mut found = vec![];
        let (notices, over) = (&mut self.notices, &self.over);
        let all = async {
            while let Some(notice) = notices.recv().await {
                found.push(notice);
            }
        };
        if timeout(LAST, all).await.is_err() {
            over.cancel();
            // From here on, the task only sends its last notices.
            while let Some(notice) = notices.recv().await {
                found.push(notice);
            }
        }
        for notice in &found {
            self.update(notice);
        }
        if let Some(home) = self.home.take() {
            let is_missing = self.is_missing;
            let clean_up = move || {
                if is_missing {
                    home.save_transcripts();
                }
                drop(home);
            };
            // Copying files may block. Without a runtime, this task drops them.
            blocking(clean_up).await;
        }
        found
    }
}

impl Attachment for Mirror {
    fn intercept(&mut self, message: &Frame) -> bool {
        match message.kind() {
            "transcript_mirror" => {
                self.offer(message);
                true
            }
            "result" if !self.defers_results => {
                self.work(Work::TurnEnded);
                false
            }
            _ => false,
        }
    }

    fn before_result(&mut self, _: &Frame) -> Gate {
        match self.result {
            Deferred::None if self.defers_results => {
                let (reply, stored) = oneshot::channel();
                self.work(Work::Result(reply));
                self.result = Deferred::Waits(stored);
                Gate::Wait
            }
            Deferred::None => Gate::Pass,
            Deferred::Waits(_) => Gate::Wait,
            Deferred::Over { is_stored, .. } => {
                self.result = Deferred::None;
                match is_stored {
                    true => Gate::Pass,
                    false => Gate::PassIfOwned,
                }
            }
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        if let Deferred::Waits(stored) = &mut self.result
            && let Poll::Ready(outcome) = Pin::new(stored).poll(context)
        {
            self.result = Deferred::Over {
                is_stored: matches!(outcome, Ok(Ok(()))),
                is_reported: false,
            };
        }
        // The reason why a result is not stored is delivered before it.
        if let Poll::Ready(Some(notice)) = self.notices.poll_recv(context) {
            self.update(&notice);
            return Poll::Ready(Action::Notify(notice));
        }
        match &mut self.result {
            Deferred::Over { is_reported, .. } if !*is_reported => {
                *is_reported = true;
                Poll::Ready(Action::Retry)
            }
            _ => Poll::Pending,
        }
    }

    fn end(&mut self) -> Option<Boxed<'_, Vec<Notice>>> {
        Some(Box::pin(self.finish()))
    }
}

#[cfg(test)]
mod tests;
