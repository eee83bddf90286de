//! Copying transcript entries to the session store.
//!
//! A task sends them, one call at a time. What the store does not take is tried again;
//! meanwhile it waits in memory, and beyond a limit in the agent's own file, from which
//! it is read when it is its turn. So the store always has the beginning of a
//! transcript: nothing is sent behind something that is missing.

mod backlog;
mod entries;
mod spool;
mod task;

use crate::event::{Error, Notice};
use crate::options::Options;
use crate::store::StoreFlush;
use agentwire_protocol::Frame;
use entries::Entries;
pub(crate) use entries::Lacking;
use spool::End;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use task::{Task, Work};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long the store may take for remaining entries at the end of the session.
const LAST: Duration = Duration::from_secs(10);

/// The driver's end of the mirror, if the session has a store. Only
/// [`Mirror::end`] waits.
#[derive(Debug)]
pub(crate) struct Mirror(Option<Running>);

#[derive(Debug)]
struct Running {
    work: mpsc::UnboundedSender<Work>,
    notices: mpsc::UnboundedReceiver<Notice>,
    /// For notices of this end, in order with the others.
    tell: mpsc::UnboundedSender<Notice>,
    /// How many bytes wait for the store, and how many may. One message of any size is
    /// always accepted.
    waiting: Arc<AtomicUsize>,
    limit: usize,
    /// Results are given out when the store has their turns.
    holds_results: bool,
    /// Cancelled when the time for remaining entries is over.
    over: CancellationToken,
    /// Reports, when dropped, that no more entries go to the store.
    done: DropGuard,
}

/// What the mirror does with a message.
#[derive(Debug)]
pub(crate) enum Taken {
    /// It was for the store.
    Mirrored,
    /// It is for the streams.
    Passed(Frame),
    /// It is for the streams once this is over.
    Held(Frame, oneshot::Receiver<Result<(), Error>>),
}

impl Mirror {
    /// Starts the task, if there is a store. The returned token is cancelled
    /// once no more entries go to the store.
    pub(crate) fn start(options: &Options, lacking: Lacking) -> (Self, Option<CancellationToken>) {
        let Some(store) = &options.session_store else {
            return (Self(None), None);
        };
        let (work, inbox) = mpsc::unbounded_channel();
        let (tell, notices) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let over = CancellationToken::new();
        let task = Task::new(
            store.clone(),
            options.store_flush == StoreFlush::Eager,
            tell.clone(),
            Arc::clone(&waiting),
            over.clone(),
            lacking,
        );
        tokio::spawn(task.run(inbox));
        let done = CancellationToken::new();
        let running = Running {
            work,
            notices,
            tell,
            waiting,
            limit: options.store_memory,
            // With a lease another host may go on from there at any time.
            holds_results: options.store_flush == StoreFlush::BeforeResult
                || store.lease().is_some(),
            over,
            done: done.clone().drop_guard(),
        };
        (Self(Some(running)), Some(done))
    }

    /// Takes a message.
    pub(crate) fn take(&self, frame: Frame) -> Taken {
        let Some(running) = &self.0 else {
            return Taken::Passed(frame);
        };
        match frame.kind() {
            "transcript_mirror" => {
                running.offer(frame);
                Taken::Mirrored
            }
            "result" if running.holds_results => {
                let (reply, kept) = oneshot::channel();
                drop(running.work.send(Work::Result(reply)));
                Taken::Held(frame, kept)
            }
            "result" => {
                // A task that has ended has reported what it did not do.
                drop(running.work.send(Work::TurnEnded));
                Taken::Passed(frame)
            }
            _ => Taken::Passed(frame),
        }
    }

    /// Sends all received entries to the store, and reports when that is done or has
    /// failed.
    pub(crate) fn flush(&self, done: oneshot::Sender<Result<(), Error>>) {
        match &self.0 {
            // Dropping the sender notifies the receiver too.
            Some(running) => drop(running.work.send(Work::Flush(done))),
            None => drop(done.send(Ok(()))),
        }
    }

    /// Resolves when the store has everything received so far, or has failed.
    pub(crate) fn sent(&self) -> oneshot::Receiver<Result<(), Error>> {
        let (reply, sent) = oneshot::channel();
        self.flush(reply);
        sent
    }

    /// Returns the next notice; pending forever if there is no store. Cancel
    /// safe.
    pub(crate) async fn notice(&mut self) -> Notice {
        if let Some(running) = &mut self.0
            && let Some(notice) = running.notices.recv().await
        {
            return notice;
        }
        std::future::pending().await
    }

    /// Returns the next notice if there is one already.
    pub(crate) fn try_notice(&mut self) -> Option<Notice> {
        self.0.as_mut()?.notices.try_recv().ok()
    }

    /// Ends the mirror: waits for the store for a limited time, and returns the
    /// remaining notices, with the report that no more entries go to the store.
    pub(crate) async fn end(&mut self) -> (Vec<Notice>, Option<DropGuard>) {
        let Some(Running {
            work,
            mut notices,
            tell,
            over,
            done,
            ..
        }) = self.0.take()
        else {
            return (vec![], None);
        };
        drop((work, tell));
        let mut found = vec![];
        let all = async {
            while let Some(notice) = notices.recv().await {
                found.push(notice);
            }
        };
        if timeout(LAST, all).await.is_err() {
            over.cancel();
            // From here on, the task only reports what remains.
            while let Some(notice) = notices.recv().await {
                found.push(notice);
            }
        }
        (found, Some(done))
    }
}

impl Running {
    fn offer(&self, frame: Frame) {
        let bytes = frame.raw().len();
        let before = self.waiting.load(Ordering::Relaxed);
        if before == 0 || before + bytes <= self.limit {
            self.waiting.fetch_add(bytes, Ordering::Relaxed);
            drop(self.work.send(Work::Entries(frame)));
            return;
        }
        match Entries::of(&frame) {
            Ok(it) => drop(self.work.send(Work::OnDisk {
                key: it.key,
                file: it.file,
                count: it.entries.len(),
                end: End::of(&it.entries),
            })),
            Err(notice) => drop(self.tell.send(notice)),
        }
    }
}

#[cfg(test)]
mod tests;
