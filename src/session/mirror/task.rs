//! The task that sends entries to the store.

use super::backlog::{Backlog, Behind, Call, Missing, Outcome, Source};
use super::entries::{Entries, Lacking};
use super::spool::{CALL_BYTES, CALL_ENTRIES, Chunk, End};
use crate::event::{Error, Notice};
use crate::process::blocking_result;
use crate::store::{EntryHead, SharedStore, TranscriptFailure, TranscriptKey};
use agentwire_protocol::{Frame, Json};
use std::collections::HashSet;
use std::future::pending;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant as Timer, sleep_until};
use tokio_util::sync::CancellationToken;

/// The timeout of a call.
const CALL: Duration = Duration::from_secs(60);

/// Work for the task, in order.
#[derive(Debug)]
pub(super) enum Work {
    /// A message with entries.
    Entries(Frame),
    /// Entries beyond the memory limit.
    OnDisk {
        key: TranscriptKey,
        file: PathBuf,
        count: usize,
        end: End,
    },
    /// A turn has ended.
    TurnEnded,
    /// Stores all received entries, and reports when that is done or has failed.
    Flush(Waiter),
    /// A turn has ended. Its result is deferred, unless the store is behind.
    Result(Waiter),
}

type Waiter = oneshot::Sender<Result<(), Error>>;

/// A running call.
type Calling = Pin<Box<dyn Future<Output = (Call, Outcome)> + Send>>;

/// The state of the task.
pub(super) struct Task {
    store: SharedStore,
    is_eager: bool,
    notifier: mpsc::UnboundedSender<Notice>,
    waiting: Arc<AtomicUsize>,
    over: CancellationToken,
    backlog: Backlog,
    /// The entries and bytes received since the last flush.
    entries: usize,
    bytes: usize,
    /// Callers of `flush`, each with the number up to which entries must be stored.
    waiters: Vec<(u64, Waiter)>,
    /// The last reported state, if the store is behind.
    reported: Option<Behind>,
    /// Whether no more work will come.
    is_last: bool,
}

impl Task {
    pub(super) fn new(
        store: SharedStore,
        is_eager: bool,
        notifier: mpsc::UnboundedSender<Notice>,
        waiting: Arc<AtomicUsize>,
        over: CancellationToken,
        lacking: Lacking,
    ) -> Self {
        let mut backlog = Backlog::default();
        for (key, entries) in lacking {
            for entries in entries.chunks(CALL_ENTRIES) {
                // Entries of earlier sessions do not count against the limit.
                backlog.add(&key, None, entries.to_vec(), 0);
            }
        }
        backlog.flush();
        Self {
            store,
            is_eager,
            notifier,
            waiting,
            over,
            backlog,
            entries: 0,
            bytes: 0,
            waiters: vec![],
            reported: None,
            is_last: false,
        }
    }

    pub(super) async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Work>) {
        let mut calling: Option<Calling> = None;
        let over = self.over.clone();
        loop {
            if calling.is_none() {
                calling = self.next_call();
            }
            if self.is_last && calling.is_none() && self.backlog.is_empty() {
                return;
            }
            let next = self.backlog.next_time().filter(|_| calling.is_none());
            tokio::select! {
                work = inbox.recv(), if !self.is_last => match work {
                    Some(work) => self.take(work),
                    None => self.take_last(),
                },
                (call, outcome) = finish(&mut calling) => {
                    calling = None;
                    self.done(&call, outcome);
                }
                () = at(next) => {}
                () = over.cancelled() => break,
            }
        }
        let given_up = self.backlog.give_up_all(&TranscriptFailure::SessionOver);
        self.give_up(given_up);
    }

    fn take(&mut self, work: Work) {
        match work {
            Work::Entries(frame) => {
                let bytes = frame.raw().len();
                let Entries { key, file, entries } = match Entries::of(&frame) {
                    Ok(entries) if !entries.entries.is_empty() => entries,
                    invalid => {
                        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
                        if let Err(notice) = invalid {
                            self.notify(notice);
                        }
                        return;
                    }
                };
                let count = entries.len();
                if !self.backlog.add(&key, Some(file), entries, bytes) {
                    self.waiting.fetch_sub(bytes, Ordering::Relaxed);
                    return self.report_cut(key, count);
                }
                self.entries += count;
                self.bytes += bytes;
                let is_full = self.entries > CALL_ENTRIES || self.bytes > CALL_BYTES;
                if self.is_eager || is_full {
                    self.flush();
                }
            }
            Work::OnDisk {
                key,
                file,
                count,
                end,
            } => {
                if self.backlog.add_on_disk(&key, file, count, end) {
                    self.flush();
                } else {
                    self.report_cut(key, count);
                }
            }
            Work::TurnEnded => drop(self.flush()),
            // Dropping the waiter notifies it.
            Work::Result(_) if self.reported.is_some() => drop(self.flush()),
            Work::Result(waiter) => self.take(Work::Flush(waiter)),
            Work::Flush(waiter) => {
                let until = self.flush();
                self.backlog.hurry();
                self.waiters.push((until, waiter));
                self.reply();
            }
        }
    }

    fn take_last(&mut self) {
        self.is_last = true;
        self.flush();
        self.backlog.hurry();
    }

    fn flush(&mut self) -> u64 {
        (self.entries, self.bytes) = (0, 0);
        self.backlog.flush()
    }

    /// Starts the next call, if one is due.
    fn next_call(&mut self) -> Option<Calling> {
        let call = self.backlog.next_call(now())?;
        let store = self.store.clone();
        Some(Box::pin(async move {
            let outcome = attempt(&store, &call).await;
            (call, outcome)
        }))
    }

    fn done(&mut self, call: &Call, outcome: Outcome) {
        let failure = match &outcome {
            Outcome::Failed(failure) => Some(failure.clone()),
            _ => None,
        };
        let (bytes, missing) = self.backlog.done(call, outcome, now());
        self.give_up((bytes, missing.into_iter().collect()));
        if self.is_last {
            let given_up = self.backlog.give_up_failing();
            self.give_up(given_up);
        }
        self.report_state(failure.is_some());
        self.reply();
        if let Some(failure) = failure
            && self.reported.is_some()
        {
            self.refuse(&call.key, &failure);
        }
    }

    /// Reports that the store is behind after each failed attempt, and once when it has caught up.
    fn report_state(&mut self, has_failed: bool) {
        match (self.backlog.behind(), &self.reported) {
            (Some(behind), reported) if has_failed || reported.is_none() => {
                let Behind {
                    entries,
                    since,
                    failure,
                } = &behind;
                tracing::warn!(entries, %failure, "the session store is behind");
                self.notify(Notice::StoreBehind {
                    entries: *entries,
                    since: *since,
                    failure: failure.clone(),
                });
                self.reported = Some(behind);
            }
            (None, Some(reported)) => {
                self.notify(Notice::StoreCaughtUp {
                    since: reported.since,
                });
                self.reported = None;
            }
            _ => {}
        }
    }

    /// Notifies the waiters whose entries are stored.
    fn reply(&mut self) {
        let backlog = &self.backlog;
        for (_, waiter) in (self.waiters).extract_if(.., |(until, _)| backlog.is_sent(*until)) {
            // The receiver may have been dropped.
            let _ = waiter.send(Ok(()));
        }
    }

    /// Notifies all waiters of the failure.
    fn refuse(&mut self, key: &TranscriptKey, failure: &TranscriptFailure) {
        for (_, waiter) in self.waiters.drain(..) {
            let error = Error::session_store("append", key, failure.clone());
            let _ = waiter.send(Err(error));
        }
    }

    fn give_up(&mut self, (bytes, missing): (usize, Vec<Missing>)) {
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
        for Missing {
            key,
            entries,
            failure,
        } in missing
        {
            tracing::warn!(%key, entries, %failure, "entries are missing from the session store");
            self.refuse(&key, &failure);
            // `NotMirrored` replaces the reported state.
            self.reported = None;
            self.notify(Notice::NotMirrored {
                key: Some(key),
                entries,
                failure,
            });
        }
    }

    /// Reports entries that are discarded because earlier ones of the transcript are missing.
    fn report_cut(&self, key: TranscriptKey, entries: usize) {
        self.notify(Notice::NotMirrored {
            failure: self.backlog.cut(&key).unwrap_or(TranscriptFailure::TooSlow),
            key: Some(key),
            entries,
        });
    }

    fn notify(&self, notice: Notice) {
        // Fails only if the session's driver has ended.
        let _ = self.notifier.send(notice);
    }
}

/// Sends the entries of a call to the store.
async fn attempt(store: &SharedStore, call: &Call) -> Outcome {
    let (mut entries, read) = match &call.source {
        Source::Memory(entries) => (Arc::clone(entries), None),
        Source::OnDisk(file, place) => {
            let (file, place) = (file.clone(), place.clone());
            let read = blocking_result(move || place.read(&file));
            match read.await {
                Ok(Ok(chunk)) if chunk.entries.is_empty() => return Outcome::NotThere,
                Ok(Ok(Chunk { entries, read })) => (entries.into(), Some(read)),
                Ok(Err(error)) => {
                    tracing::debug!(key = %call.key, %error, "cannot read the agent's own file");
                    return Outcome::NotThere;
                }
                // The runtime is shutting down.
                Err(_) => return pending().await,
            }
        }
    };
    if call.is_unsure {
        match missing_from(store, &call.key, &entries).await {
            Ok(missing) => entries = missing,
            Err(failure) => return Outcome::Failed(failure),
        }
    }
    if !entries.is_empty()
        && let Err(failure) = store.append(&call.key, &entries, CALL).await
    {
        return Outcome::Failed(failure);
    }
    match read {
        Some(read) => Outcome::StoredFromDisk(read),
        None => Outcome::Stored,
    }
}

/// Returns the entries that the store lacks, compared by `uuid`.
async fn missing_from(
    store: &SharedStore,
    key: &TranscriptKey,
    entries: &Arc<[Json]>,
) -> Result<Arc<[Json]>, TranscriptFailure> {
    let uuid = |entry: &Json| EntryHead::of(entry)?.uuid;
    let stored = store.load(key.clone(), CALL).await?.unwrap_or_default();
    let known: HashSet<String> = stored.iter().filter_map(uuid).collect();
    let is_missing = |entry: &&Json| uuid(entry).is_none_or(|uuid| !known.contains(&uuid));
    Ok(entries.iter().filter(is_missing).cloned().collect())
}

/// Waits for the call; pending forever if there is none. Cancel safe.
async fn finish(calling: &mut Option<Calling>) -> (Call, Outcome) {
    match calling {
        Some(call) => call.await,
        None => pending().await,
    }
}

/// Waits until a time; pending forever if there is none. Cancel safe.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(Timer::from_std(time)).await,
        None => pending().await,
    }
}

/// Returns the time of the runtime's clock.
fn now() -> Instant {
    Timer::now().into_std()
}
