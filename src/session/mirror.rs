//! The task that copies transcript entries to the session store.

use crate::event::Notice;
use crate::options::Options;
use crate::store::{SharedStore, StoreFailure, StoreFlush, TranscriptKey};
use agentwire_protocol::message::TranscriptMirror;
use agentwire_protocol::{Frame, Json};
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The limits of a batch.
const BATCH_ENTRIES: usize = 500;
const BATCH_BYTES: usize = 1024 * 1024;

/// The limit of what is queued for the store, in bytes. One message of any size
/// is always accepted.
const WAITING: usize = 64 * 1024 * 1024;

/// The timeout of a call.
const APPEND: Duration = Duration::from_secs(60);

/// The pauses between attempts.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];

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
    /// How many bytes are queued for the store.
    waiting: Arc<AtomicUsize>,
    /// Cancelled when the time for remaining entries is over.
    over: CancellationToken,
    /// Reports, when dropped, that no more entries go to the store.
    done: DropGuard,
}

/// Work for the task, in order.
#[derive(Debug)]
enum Work {
    /// A message with entries.
    Entries(Frame),
    /// A turn has ended.
    TurnEnded,
    /// Sends all received entries to the store, and reports when that is done.
    Flush(oneshot::Sender<()>),
}

impl Mirror {
    /// Starts the task, if there is a store. The returned token is cancelled
    /// once no more entries go to the store.
    pub(crate) fn start(options: &Options) -> (Self, Option<CancellationToken>) {
        let Some(store) = &options.session_store else {
            return (Self(None), None);
        };
        let (work, inbox) = mpsc::unbounded_channel();
        let (tell, notices) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let over = CancellationToken::new();
        let task = Task {
            store: store.clone(),
            is_eager: options.store_flush == StoreFlush::Eager,
            tell: tell.clone(),
            waiting: Arc::clone(&waiting),
            over: over.clone(),
            batch: Batch::default(),
        };
        tokio::spawn(task.run(inbox));
        let done = CancellationToken::new();
        let running = Running {
            work,
            notices,
            tell,
            waiting,
            over,
            done: done.clone().drop_guard(),
        };
        (Self(Some(running)), Some(done))
    }

    /// Takes a message that is for the store, and returns any other.
    pub(crate) fn take(&self, frame: Frame) -> Option<Frame> {
        let Some(running) = &self.0 else {
            return Some(frame);
        };
        match frame.kind() {
            "transcript_mirror" => running.offer(frame),
            "result" => {
                // A task that has ended has reported what it did not do.
                drop(running.work.send(Work::TurnEnded));
                return Some(frame);
            }
            _ => return Some(frame),
        }
        None
    }

    /// Sends all received entries to the store, and reports when that is done.
    pub(crate) fn flush(&self, done: oneshot::Sender<()>) {
        match &self.0 {
            // Dropping the sender notifies the receiver too.
            Some(running) => drop(running.work.send(Work::Flush(done))),
            None => drop(done.send(())),
        }
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

    /// Ends the mirror: waits for the store for a limited time, and returns the
    /// remaining notices.
    pub(crate) async fn end(&mut self) -> Vec<Notice> {
        let Some(Running {
            work,
            mut notices,
            tell,
            over,
            done: _done,
            waiting: _,
        }) = self.0.take()
        else {
            return vec![];
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
        found
    }
}

impl Running {
    fn offer(&self, frame: Frame) {
        let bytes = frame.raw().len();
        let before = self.waiting.load(Ordering::Relaxed);
        if before > 0 && before + bytes > WAITING {
            let notice = match Entries::of(&frame) {
                Ok(it) => not_mirrored(it.key, it.entries.len(), StoreFailure::TooSlow),
                Err(notice) => notice,
            };
            drop(self.tell.send(notice));
            return;
        }
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        drop(self.work.send(Work::Entries(frame)));
    }
}

/// The state of the task.
struct Task {
    store: SharedStore,
    is_eager: bool,
    tell: mpsc::UnboundedSender<Notice>,
    waiting: Arc<AtomicUsize>,
    over: CancellationToken,
    batch: Batch,
}

impl Task {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Work>) {
        while let Some(work) = inbox.recv().await {
            match work {
                Work::Entries(frame) => {
                    let bytes = frame.raw().len();
                    self.batch.bytes += bytes;
                    match Entries::of(&frame) {
                        Ok(entries) => self.batch.add(entries),
                        Err(notice) => self.say(notice),
                    }
                    if self.is_eager || self.batch.is_full() {
                        self.flush().await;
                    }
                }
                Work::TurnEnded => self.flush().await,
                Work::Flush(done) => {
                    self.flush().await;
                    // The receiver may have been dropped.
                    let _ = done.send(());
                }
            }
        }
        self.flush().await;
    }

    /// Sends the batch to the store.
    async fn flush(&mut self) {
        let batch = take(&mut self.batch);
        for Entries { key, entries } in batch.transcripts {
            let count = entries.len();
            if let Err(failure) = self.append(&key, entries.into()).await {
                tracing::warn!(%key, entries = count, %failure, "entries are missing from the session store");
                self.say(not_mirrored(key, count, failure));
            }
        }
        self.waiting.fetch_sub(batch.bytes, Ordering::Relaxed);
    }

    async fn append(&self, key: &TranscriptKey, entries: Arc<[Json]>) -> Result<(), StoreFailure> {
        let attempts = async {
            for pause in PAUSES {
                match self.store.append(key, &entries, APPEND).await {
                    // Other failures are not retried: what timed out may have
                    // been stored.
                    Err(StoreFailure::Failed(_)) => sleep(pause).await,
                    outcome => return outcome,
                }
            }
            self.store.append(key, &entries, APPEND).await
        };
        match self.over.run_until_cancelled(attempts).await {
            Some(outcome) => outcome,
            None => Err(StoreFailure::SessionOver),
        }
    }

    fn say(&self, notice: Notice) {
        // This fails when the session's driver is gone.
        let _ = self.tell.send(notice);
    }
}

/// The entries of one flush, by transcript and in order.
#[derive(Debug, Default)]
struct Batch {
    transcripts: Vec<Entries>,
    entries: usize,
    /// The size on the wire, including invalid messages.
    bytes: usize,
}

impl Batch {
    fn add(&mut self, Entries { key, entries }: Entries) {
        self.entries += entries.len();
        match self.transcripts.iter_mut().find(|it| it.key == key) {
            Some(transcript) => transcript.entries.extend(entries),
            None if entries.is_empty() => {}
            None => self.transcripts.push(Entries { key, entries }),
        }
    }

    fn is_full(&self) -> bool {
        self.entries > BATCH_ENTRIES || self.bytes > BATCH_BYTES
    }
}

/// Entries of one transcript.
#[derive(Debug)]
struct Entries {
    key: TranscriptKey,
    entries: Vec<Json>,
}

impl Entries {
    /// Reads the entries of a message, or returns a notice if it is invalid.
    fn of(frame: &Frame) -> Result<Self, Notice> {
        let unreadable = |entries, why: String| Notice::NotMirrored {
            key: None,
            entries,
            failure: StoreFailure::Unreadable(why),
        };
        let message = frame.read::<TranscriptMirror>();
        let TranscriptMirror {
            file_path, entries, ..
        } = message.map_err(|error| unreadable(0, error.to_string()))?;
        match TranscriptKey::of_file(&file_path) {
            Some(key) => Ok(Self { key, entries }),
            None => {
                let why = format!("`{file_path}` is not the path of a transcript");
                Err(unreadable(entries.len(), why))
            }
        }
    }
}

fn not_mirrored(key: TranscriptKey, entries: usize, failure: StoreFailure) -> Notice {
    Notice::NotMirrored {
        key: Some(key),
        entries,
        failure,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::store::{MemoryStore, SessionStore, StoreError};
    use tokio::sync::Semaphore;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    /// A message with so many bytes for the store.
    fn frame(bytes: usize) -> Frame {
        let long = "a".repeat(bytes);
        let entries = format!(r#"[{{"type":"user","text":"{long}"}}]"#);
        let line = format!(
            r#"{{"type":"transcript_mirror","filePath":"/projects/-p/{ID}.jsonl","entries":{entries}}}"#
        );
        Frame::new(line.into()).unwrap()
    }

    /// Keeps what comes when it is let.
    struct Slow(MemoryStore, Arc<Semaphore>);

    impl SessionStore for Slow {
        async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
            self.1.acquire().await?.forget();
            self.0.append(key, entries).await
        }

        async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
            self.0.load(key).await
        }
    }

    #[tokio::test]
    async fn what_a_slow_store_leaves_waiting_is_bounded() {
        let (store, lets) = (MemoryStore::new(), Arc::new(Semaphore::new(0)));
        let slow = Slow(store.clone(), Arc::clone(&lets));
        let options = Options::new().session_store(slow);
        let options = options.session_store_flush(StoreFlush::Eager);
        let (mut mirror, done) = Mirror::start(&options);
        // One may be longer than the limit, if nothing else waits.
        assert!(mirror.take(frame(WAITING)).is_none());
        assert!(mirror.take(frame(1)).is_none());
        let key = TranscriptKey::new("-p", ID);
        let too_slow = not_mirrored(key.clone(), 1, StoreFailure::TooSlow);
        assert_eq!(mirror.notice().await, too_slow);
        lets.add_permits(2);
        let (reply, flushed) = oneshot::channel();
        mirror.flush(reply);
        flushed.await.unwrap();
        assert!(mirror.take(frame(2)).is_none());
        assert_eq!(mirror.end().await, []);
        let kept = store.entries(&key);
        let kept: Vec<_> = kept.iter().map(|it| it.get().len() - 25).collect();
        assert_eq!(kept, [WAITING, 2]);
        assert!(done.unwrap().is_cancelled());
    }
}
