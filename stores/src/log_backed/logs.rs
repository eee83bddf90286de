//! The logs that a store writes, and what it knows of them.

use super::held::Held;
use crate::session_log::{
    AppendError, Batch, Entry, Head, LeaseClock, LeaseWatch, LogKey, LogStore, NewBatch, Part,
    Position, Refusal, Token,
};
use agentwire::store::StoreError;
use agentwire_protocol::Json;
use agentwire_protocol::transcript::fold_summary;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The store for [`Options::session_store`] that keeps transcripts in the logs of a
/// [`LogStore`].
///
/// ```
/// use agentwire::Options;
/// use agentwire_stores::{LogBacked, MemoryLog};
///
/// let options = Options::new().session_store(LogBacked::new(MemoryLog::new()));
/// ```
///
/// The first append to a session takes its log over, so that another process that wrote it
/// is refused from then on: its appends fail, and its session goes on without the
/// store. This one, in turn, is refused when another takes the log over. Clones share
/// what they own.
///
/// With [leases](LogBacked::leased) a log is only taken over when its owner has given it
/// back or is gone, and a session whose host has lost it ends.
///
/// Deleting the transcript of a sub-agent is noted in the log; its entries stay there
/// until the session is deleted.
///
/// [`Options::session_store`]: agentwire::Options::session_store
pub struct LogBacked<S> {
    pub(super) store: Arc<S>,
    owned: Arc<Mutex<HashMap<LogKey, Arc<tokio::sync::Mutex<Owned>>>>>,
    pub(super) writer: Arc<Writer>,
    /// The length of the leases, if there are any.
    pub(super) lease: Option<Duration>,
    pub(super) clock: LeaseClock,
}

/// Who takes logs over.
#[derive(Debug)]
pub(super) struct Writer {
    id: String,
    /// How often it has.
    times: AtomicU64,
}

impl Writer {
    /// A token that takes a log over that ends so. Of two of them for the same end one
    /// may still be on its way: they are different writers to the store.
    pub(super) fn token(&self, head: Option<&Head>) -> Token {
        let times = self.times.fetch_add(1, Ordering::Relaxed);
        Token::next(head, format!("{}.{times}", self.id))
    }

    pub(super) fn has(&self, token: &Token) -> bool {
        let rest = token.writer.strip_prefix(&self.id);
        rest.is_some_and(|rest| rest.starts_with('.'))
    }
}

/// Another host has the log.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) refusal: Refusal,
    /// How long the log must stay as it is until the lease has run out.
    pub(super) left: Duration,
}

/// What this store knows of a log that it writes.
#[derive(Debug, Default)]
pub(super) struct Owned {
    /// `None` before the first append.
    pub(super) end: Option<End>,
    /// The entries of the last append, if it is not known whether they were kept.
    pub(super) unsure: Option<Vec<Entry>>,
    /// Earlier batches of which that is not known.
    doubts: Vec<Doubt>,
    /// Entries that were kept after all, and that come again.
    kept: Vec<Entry>,
    /// Why this store does not write the log any more.
    pub(super) lost: Option<Refusal>,
    /// What is known of another owner.
    pub(super) watch: LeaseWatch,
    /// The lease, and who is told of it, if a session has claimed the log.
    pub(super) held: Option<Held>,
}

#[derive(Debug, Clone)]
pub(super) struct End {
    token: Token,
    position: Position,
    pub(super) summary: Option<Json>,
}

impl End {
    /// The summary of the session with these entries; none if nothing was said yet.
    fn summary_with(&self, entries: &[Entry]) -> Option<Json> {
        let said = entries.iter().filter(|entry| entry.part == Part::Main);
        let said: Vec<&Json> = said.map(|entry| &entry.json).collect();
        match (&self.summary, said.is_empty()) {
            (before, true) => before.clone(),
            (before, false) => Some(fold_summary(before.as_ref(), said)),
        }
    }
}

impl<S> Clone for LogBacked<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            owned: Arc::clone(&self.owned),
            writer: Arc::clone(&self.writer),
            lease: self.lease,
            clock: self.clock,
        }
    }
}

impl<S> fmt::Debug for LogBacked<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogBacked")
            .field("writer", &self.writer.id)
            .finish_non_exhaustive()
    }
}

impl<S: LogStore> LogBacked<S> {
    /// Creates a store over logs.
    pub fn new(store: S) -> Self {
        Self {
            store: Arc::new(store),
            owned: Arc::default(),
            writer: Arc::new(Writer {
                id: uuid::Uuid::new_v4().to_string(),
                times: AtomicU64::new(0),
            }),
            lease: None,
            clock: LeaseClock::default(),
        }
    }

    /// Gives each session that is opened with this store a lease of this length, which is
    /// renewed after each third of it. The host that has the session loses it, and ends it,
    /// if the store keeps nothing for three quarters of the length. Another host takes the
    /// session over when it was given back, or when nothing was appended for the whole
    /// length. So a longer lease survives longer failures of the store, and a shorter one
    /// is taken over sooner. Half a minute is a good start. Every renewal is an
    /// entry of the log.
    ///
    /// All hosts that write the same logs should have leases. A host without them respects
    /// those of others, but another one takes its logs over at any time.
    #[must_use]
    pub fn leased(mut self, length: Duration) -> Self {
        self.lease = Some(length);
        self
    }

    /// Sets the clock of the leases, for tests.
    #[must_use]
    pub fn clock(mut self, clock: LeaseClock) -> Self {
        self.clock = clock;
        self
    }

    /// Returns the store of the logs.
    #[must_use]
    pub fn log_store(&self) -> &S {
        &self.store
    }

    pub(super) fn owned(&self, session: &LogKey) -> Arc<tokio::sync::Mutex<Owned>> {
        let mut owned = self.owned.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(owned.entry(session.clone()).or_default())
    }

    /// The end of a log, with a token that takes it over; a refusal if another host has it.
    pub(super) async fn take_over(
        &self,
        session: &LogKey,
        watch: &mut LeaseWatch,
    ) -> Result<Result<End, Refused>, StoreError> {
        let head = self.store.head(session).await?;
        if let Some(head) = head.as_ref().filter(|head| !self.writer.has(&head.token)) {
            let left = watch.see(head, self.clock.now());
            if !left.is_zero() {
                let refusal = Refusal::new(Some(head.clone()));
                return Ok(Err(Refused { refusal, left }));
            }
        }
        let position = head.as_ref().map_or(Position::START, |head| head.position);
        let is_new = head.as_ref().is_none_or(|head| head.is_deleted);
        let summary = match is_new {
            true => None,
            false => self.summary(session).await?,
        };
        let token = self.writer.token(head.as_ref());
        Ok(Ok(End {
            token: match self.lease {
                Some(length) => token.leased(length),
                None => token,
            },
            position,
            summary,
        }))
    }

    pub(super) async fn summary(&self, session: &LogKey) -> Result<Option<Json>, StoreError> {
        let mut summary = None;
        let take = |entry: Entry| {
            if entry.part == Part::Main {
                summary = Some(fold_summary(summary.as_ref(), [&entry.json]));
            }
        };
        self.each(session, take).await?;
        Ok(summary)
    }

    pub(super) async fn append_all(
        &self,
        session: &LogKey,
        entries: Vec<Entry>,
    ) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let owned = self.owned(session);
        let mut owned = owned.lock().await;
        self.append_to(session, &mut owned, entries).await
    }

    pub(super) async fn append_to(
        &self,
        session: &LogKey,
        owned: &mut Owned,
        entries: Vec<Entry>,
    ) -> Result<(), StoreError> {
        loop {
            if let Some(refusal) = &owned.lost {
                return Err(refusal.clone().into());
            }
            // The same entries again are the same batch. Other entries are not, and what was
            // appended before them may still be on its way: a new token shuts it out.
            let new = owned.without_kept(&entries);
            if owned.unsure.as_ref().is_some_and(|it| *it != *new) {
                owned.doubt();
            }
            let end = match owned.end.clone() {
                Some(end) => end,
                None => match self.take_over(session, &mut owned.watch).await? {
                    Ok(end) => end,
                    Err(Refused { refusal, .. }) => {
                        owned.lose(refusal);
                        continue;
                    }
                },
            };
            // The future may be dropped while it waits for the store.
            owned.end = Some(end.clone());
            self.settle(session, owned, end.position).await?;
            let new = owned.without_kept(&entries);
            if new.is_empty() {
                owned.came_again(&entries);
                return Ok(());
            }
            let summary = end.summary_with(&new);
            owned.unsure = Some(new.to_vec());
            if let Some(held) = &mut owned.held {
                held.lease.asks(end.position, &end.token, self.clock.now());
            }
            let mut batch = NewBatch::new(end.position, &end.token, &new);
            batch.summary = summary.as_ref();
            match self.store.append(session, &batch).await {
                Ok(position) => {
                    owned.unsure = None;
                    owned.came_again(&entries);
                    owned.end = Some(End {
                        position,
                        summary,
                        ..end
                    });
                    if let Some(held) = &mut owned.held {
                        held.kept();
                    }
                    return Ok(());
                }
                Err(AppendError::Refused(refusal)) => {
                    (owned.end, owned.unsure) = (None, None);
                    let head = refusal.head.as_ref();
                    let is_own = head.is_some_and(|head| self.writer.has(&head.token));
                    // If it is ours, what was on its way has arrived.
                    if !is_own {
                        owned.lose(refusal);
                    }
                }
                Err(AppendError::Failed(error)) => return Err(error),
            }
        }
    }

    /// Finds out of batches of which that is not known whether they were kept, as far as the
    /// log goes on behind them.
    async fn settle(
        &self,
        session: &LogKey,
        owned: &mut Owned,
        end: Position,
    ) -> Result<(), StoreError> {
        while let Some(doubt) = owned.doubts.first().filter(|it| it.after < end) {
            let behind = self.store.read(session, doubt.after).await?;
            let is_there = behind.first().is_some_and(|it| it.token == doubt.token);
            let Doubt { entries, .. } = owned.doubts.remove(0);
            if is_there {
                let comes_again = entries.into_iter().filter(|it| it.part != Part::Session);
                owned.kept.extend(comes_again);
            }
        }
        Ok(())
    }

    /// Gives every entry that is there to `take`.
    pub(super) async fn each(
        &self,
        session: &LogKey,
        mut take: impl FnMut(Entry) + Send,
    ) -> Result<(), StoreError> {
        let mut after = Position::START;
        loop {
            let batches = self.store.read(session, after).await?;
            let Some(last) = batches.last() else {
                return Ok(());
            };
            after = last.position;
            for Batch { entries, .. } in batches {
                entries.into_iter().for_each(&mut take);
            }
        }
    }
}

/// A batch of which it is not known whether it was kept.
#[derive(Debug)]
struct Doubt {
    after: Position,
    token: Token,
    entries: Vec<Entry>,
}

impl Owned {
    /// What is known when a session has claimed the log.
    pub(super) fn claimed(mut self, end: End, held: Held) -> Self {
        // A session loads what is there, and sends no entry of an earlier one again. But
        // entries of its own may have come before it was claimed.
        let is_first = self.held.is_none();
        self.doubt();
        Self {
            end: Some(end),
            held: Some(held),
            watch: self.watch,
            doubts: if is_first { self.doubts } else { vec![] },
            kept: if is_first { self.kept } else { vec![] },
            ..Self::default()
        }
    }

    /// Something else is appended, and the last batch may be kept or not.
    fn doubt(&mut self) {
        if let (Some(end), Some(entries)) = (self.end.take(), self.unsure.take()) {
            self.doubts.push(Doubt {
                after: end.position,
                token: end.token,
                entries,
            });
        }
    }

    /// The entries that are not there already.
    fn without_kept<'a>(&self, entries: &'a [Entry]) -> Cow<'a, [Entry]> {
        if self.kept.is_empty() {
            return entries.into();
        }
        let mut kept: Vec<&Entry> = self.kept.iter().collect();
        let is_new = |entry: &&Entry| match kept.iter().position(|it| it == entry) {
            Some(at) => {
                kept.swap_remove(at);
                false
            }
            None => true,
        };
        let new: Vec<Entry> = entries.iter().filter(is_new).cloned().collect();
        new.into()
    }

    /// These have come again, as far as they were there already.
    fn came_again(&mut self, entries: &[Entry]) {
        for entry in entries {
            if let Some(at) = self.kept.iter().position(|it| it == entry) {
                self.kept.swap_remove(at);
            }
        }
    }

    /// Another host has the log.
    fn lose(&mut self, refusal: Refusal) {
        self.lost = Some(refusal);
        if let Some(held) = &mut self.held {
            held.lost();
        }
    }
}

/// A note about the session itself.
pub(super) fn note(note: serde_json::Value) -> Entry {
    Entry::new(Part::Session, Json::from(note))
}
