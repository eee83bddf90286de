//! Appends to the logs that a store writes.

use super::claim::LeasedLog;
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

/// A store for [`Options::session_store`] on the logs of a [`LogStore`].
///
/// ```
/// use agentwire::Options;
/// use agentwire_stores::{LogBacked, MemoryLog};
///
/// let options = Options::new().session_store(LogBacked::new(MemoryLog::new()));
/// ```
///
/// The first append to a session takes over its log. The appends of the previous owner are
/// refused from then on, and its session continues without the store. Clones share their logs.
///
/// With [leases](LogBacked::leased), a log is taken over only if its owner has released it or its
/// lease has expired. A session whose host has lost the log ends.
///
/// Deleting the transcript of a sub-agent appends a note to the log. The transcript's entries stay
/// in the log until the session is deleted.
///
/// [`Options::session_store`]: agentwire::Options::session_store
pub struct LogBacked<S> {
    pub(super) store: Arc<S>,
    owned: Arc<Mutex<HashMap<LogKey, Arc<tokio::sync::Mutex<Owned>>>>>,
    pub(super) writer: Arc<Writer>,
    /// The length of the leases. `None` without leases.
    pub(super) lease: Option<Duration>,
    pub(super) clock: LeaseClock,
}

/// The source of this store's tokens.
#[derive(Debug)]
pub(super) struct Writer {
    id: String,
    /// The number of issued tokens.
    issued_count: AtomicU64,
}

impl Writer {
    /// Issues a token that takes over a log. Two tokens for the same end have different writers,
    /// because the append with the first token may still arrive.
    pub(super) fn token(&self, head: Option<&Head>) -> Token {
        let issued_count = self.issued_count.fetch_add(1, Ordering::Relaxed);
        Token::next(head, format!("{}.{issued_count}", self.id))
    }

    pub(super) fn issued(&self, token: &Token) -> bool {
        let rest = token.writer.strip_prefix(&self.id);
        rest.is_some_and(|rest| rest.starts_with('.'))
    }
}

/// Another host owns the log.
#[derive(Debug)]
pub(super) struct OwnedElsewhere {
    pub(super) refusal: Refusal,
    /// The time until the lease of the other host expires if nothing is appended.
    pub(super) expires_in: Duration,
}

/// The state of a log that this store writes.
#[derive(Debug, Default)]
pub(super) struct Owned {
    /// The end of the log. `None` before the first append.
    pub(super) end: Option<End>,
    /// The entries of the last append if its outcome is unknown.
    pub(super) unconfirmed: Option<Vec<Entry>>,
    /// Earlier batches whose outcome is unknown.
    unresolved: Vec<Unresolved>,
    /// Entries whose append failed although they were stored. The session will append them again.
    stored: Vec<Entry>,
    /// The refusal after which this store no longer writes the log.
    pub(super) refusal: Option<Refusal>,
    /// The observed lease of another owner.
    pub(super) watch: LeaseWatch,
    /// The claim of a session on the log.
    pub(super) claim: Option<LeasedLog>,
}

#[derive(Debug, Clone)]
pub(super) struct End {
    token: Token,
    position: Position,
    pub(super) summary: Option<Json>,
}

impl End {
    /// Returns the summary of the session with these entries. Returns `None` without a
    /// conversation.
    fn summary_with(&self, entries: &[Entry]) -> Option<Json> {
        let messages = entries.iter().filter(|entry| entry.part == Part::Main);
        let messages: Vec<&Json> = messages.map(|entry| &entry.json).collect();
        match (&self.summary, messages.is_empty()) {
            (before, true) => before.clone(),
            (before, false) => Some(fold_summary(before.as_ref(), messages)),
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
                issued_count: AtomicU64::new(0),
            }),
            lease: None,
            clock: LeaseClock::default(),
        }
    }

    /// Gives each session a lease of this length.
    ///
    /// The lease is renewed after every third of its length, and each renewal is an entry of the
    /// log. If the store accepts nothing for three quarters of the length, the session ends.
    /// Another host takes the session over after it was released, or after nothing was appended for
    /// the whole length. A longer lease survives longer failures of the store. A session with a
    /// shorter lease is taken over sooner. Start with 30 seconds.
    ///
    /// All hosts that write the same logs should have leases. A host without leases respects the
    /// leases of other hosts, but they take over its logs at any time.
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

    /// Returns the end of a log with a token that takes the log over. The error says that another
    /// host owns the log.
    pub(super) async fn take_over(
        &self,
        session: &LogKey,
        watch: &mut LeaseWatch,
    ) -> Result<Result<End, OwnedElsewhere>, StoreError> {
        let head = self.store.head(session).await?;
        if let Some(head) = head
            .as_ref()
            .filter(|head| !self.writer.issued(&head.token))
        {
            let expires_in = watch.observe(head, self.clock.now());
            if !expires_in.is_zero() {
                let refusal = Refusal::new(Some(head.clone()));
                return Ok(Err(OwnedElsewhere {
                    refusal,
                    expires_in,
                }));
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
        self.for_each_entry(session, take).await?;
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
            if let Some(refusal) = &owned.refusal {
                return Err(refusal.clone().into());
            }
            // If the entries are the same, this is the same batch. For other entries, a new token
            // prevents that an earlier append is stored late.
            let new = owned.without_stored_entries(&entries);
            if owned.unconfirmed.as_ref().is_some_and(|it| *it != *new) {
                owned.set_unresolved();
            }
            let end = match owned.end.clone() {
                Some(end) => end,
                None => match self.take_over(session, &mut owned.watch).await? {
                    Ok(end) => end,
                    Err(OwnedElsewhere { refusal, .. }) => {
                        owned.revoke(refusal);
                        continue;
                    }
                },
            };
            // The end is set before the `await`, because the future may be dropped there.
            owned.end = Some(end.clone());
            self.resolve(session, owned, end.position).await?;
            let new = owned.without_stored_entries(&entries);
            if new.is_empty() {
                owned.forget_stored(&entries);
                return Ok(());
            }
            let summary = end.summary_with(&new);
            owned.unconfirmed = Some(new.to_vec());
            if let Some(claim) = &mut owned.claim {
                claim
                    .lease
                    .append_started(end.position, &end.token, self.clock.now());
            }
            let mut batch = NewBatch::new(end.position, &end.token, &new);
            batch.summary = summary.as_ref();
            match self.store.append(session, &batch).await {
                Ok(position) => {
                    owned.unconfirmed = None;
                    owned.forget_stored(&entries);
                    owned.end = Some(End {
                        position,
                        summary,
                        ..end
                    });
                    if let Some(claim) = &mut owned.claim {
                        claim.append_stored();
                    }
                    return Ok(());
                }
                Err(AppendError::Refused(refusal)) => {
                    (owned.end, owned.unconfirmed) = (None, None);
                    let head = refusal.head.as_ref();
                    let is_own = head.is_some_and(|head| self.writer.issued(&head.token));
                    // If the token is one of this store, an earlier append was stored late.
                    if !is_own {
                        owned.revoke(refusal);
                    }
                }
                Err(AppendError::Failed(error)) => return Err(error),
            }
        }
    }

    /// Determines the outcome of unresolved batches before the end of the log.
    async fn resolve(
        &self,
        session: &LogKey,
        owned: &mut Owned,
        end: Position,
    ) -> Result<(), StoreError> {
        while let Some(batch) = owned.unresolved.first().filter(|it| it.after < end) {
            let after = self.store.read(session, batch.after).await?;
            let is_stored = after.first().is_some_and(|it| it.token == batch.token);
            let Unresolved { entries, .. } = owned.unresolved.remove(0);
            if is_stored {
                let appended_again = entries.into_iter().filter(|it| it.part != Part::Session);
                owned.stored.extend(appended_again);
            }
        }
        Ok(())
    }

    /// Calls a function with each entry of a log.
    pub(super) async fn for_each_entry(
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

/// A batch whose outcome is unknown.
#[derive(Debug)]
struct Unresolved {
    after: Position,
    token: Token,
    entries: Vec<Entry>,
}

impl Owned {
    /// Resets the state for a session that has claimed the log.
    pub(super) fn claimed(mut self, end: End, claim: LeasedLog) -> Self {
        // A session loads the stored entries and appends none of them again, except for its own
        // entries from before the claim.
        let is_first = self.claim.is_none();
        self.set_unresolved();
        Self {
            end: Some(end),
            claim: Some(claim),
            watch: self.watch,
            unresolved: if is_first { self.unresolved } else { vec![] },
            stored: if is_first { self.stored } else { vec![] },
            ..Self::default()
        }
    }

    /// Moves the unconfirmed batch to the unresolved ones, before another batch is appended.
    fn set_unresolved(&mut self) {
        if let (Some(end), Some(entries)) = (self.end.take(), self.unconfirmed.take()) {
            self.unresolved.push(Unresolved {
                after: end.position,
                token: end.token,
                entries,
            });
        }
    }

    /// Returns the entries without those that are already stored.
    fn without_stored_entries<'a>(&self, entries: &'a [Entry]) -> Cow<'a, [Entry]> {
        if self.stored.is_empty() {
            return entries.into();
        }
        let mut stored: Vec<&Entry> = self.stored.iter().collect();
        let is_new = |entry: &&Entry| match stored.iter().position(|it| it == entry) {
            Some(at) => {
                stored.swap_remove(at);
                false
            }
            None => true,
        };
        let new: Vec<Entry> = entries.iter().filter(is_new).cloned().collect();
        new.into()
    }

    /// Removes appended entries from the list of stored ones.
    fn forget_stored(&mut self, entries: &[Entry]) {
        for entry in entries {
            if let Some(at) = self.stored.iter().position(|it| it == entry) {
                self.stored.swap_remove(at);
            }
        }
    }

    /// Records that another host owns the log.
    fn revoke(&mut self, refusal: Refusal) {
        self.refusal = Some(refusal);
        if let Some(claim) = &mut self.claim {
            claim.revoke();
        }
    }
}

/// Creates an entry about the session itself.
pub(super) fn note(note: serde_json::Value) -> Entry {
    Entry::new(Part::Session, Json::from(note))
}
