//! Calls of a session store by programs that copy sessions.

use super::catch_up::{Merged, hole, merge};
use super::{
    SessionStore, SharedStore, Source, StoreCallError, Transcript, TranscriptFailure, TranscriptKey,
};
use crate::attachment::{Attach, Attachment};
use agentwire_protocol::Json;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Calls to a session store, made as a session makes them, for programs that copy sessions.
/// Each call runs in its own task and has a timeout; a panic of the store is a
/// [`StoreCallError`].
#[derive(Clone)]
pub struct StoreCalls {
    source: Source,
    attachment: Option<Arc<dyn Attach>>,
}

impl StoreCalls {
    /// Wraps a store. Each call has this timeout.
    pub fn new(store: impl SessionStore, timeout: Duration) -> Self {
        let attachment = store.attachment();
        let source = Source {
            store: SharedStore::new(store),
            limit: timeout,
            allows_holes: false,
            has_session: true,
        };
        Self { source, attachment }
    }

    /// Returns all transcripts of a session: its own first, then those of its sub-agents.
    ///
    /// # Errors
    ///
    /// If a call fails, the store does not have the session ([`TranscriptFailure::Missing`]), or
    /// entries are missing in between ([`TranscriptFailure::Hole`]).
    pub async fn session(
        &self,
        session: &TranscriptKey,
    ) -> Result<Vec<Transcript>, StoreCallError> {
        let stored = self.source.transcripts(session).await?;
        if stored.is_empty() {
            return Err(StoreCallError::new(
                "load",
                session,
                TranscriptFailure::Missing,
            ));
        }
        match stored.iter().find(|(_, entries)| hole(entries).is_some()) {
            Some((key, _)) => Err(StoreCallError::new("load", key, TranscriptFailure::Hole)),
            None => Ok(stored),
        }
    }

    /// Returns the entries at the end of a transcript that the store lacks. `local` is the
    /// transcript in the agent's own file.
    ///
    /// # Errors
    ///
    /// If a call fails, the session has continued elsewhere ([`TranscriptFailure::Diverged`]), or
    /// entries are missing in between ([`TranscriptFailure::Hole`]).
    pub async fn lacking(
        &self,
        key: &TranscriptKey,
        local: Vec<Json>,
    ) -> Result<Vec<Json>, StoreCallError> {
        let stored = self.source.load(key).await?.unwrap_or_default();
        let mut merged: Merged = merge(stored, local);
        for (count, failure) in [
            (merged.diverged, TranscriptFailure::Diverged),
            (merged.holes, TranscriptFailure::Hole),
        ] {
            if count > 0 {
                return Err(StoreCallError::new("append", key, failure));
            }
        }
        let known = merged.entries.len() - merged.behind;
        Ok(merged.entries.split_off(known))
    }

    /// Appends entries to a transcript.
    ///
    /// # Errors
    ///
    /// If the call fails.
    pub async fn append(
        &self,
        key: &TranscriptKey,
        entries: &[Json],
    ) -> Result<(), StoreCallError> {
        let entries = Arc::from(entries);
        let appended = self
            .source
            .store
            .append(key, &entries, self.source.limit)
            .await;
        appended.map_err(|failure| StoreCallError::new("append", key, failure))
    }

    /// Claims a session with the [attachment](SessionStore::attachment) of its store, until the
    /// returned attachment [ends](Attachment::end). Returns `None` if the store has no attachment.
    ///
    /// # Errors
    ///
    /// If the call fails, or another host owns the session ([`TranscriptFailure::Refused`]).
    pub async fn hold(
        &self,
        session: &TranscriptKey,
    ) -> Result<Option<Box<dyn Attachment>>, StoreCallError> {
        let Some(attachment) = &self.attachment else {
            return Ok(None);
        };
        let attached = attachment.hold(session).await;
        attached.map_err(|failure| StoreCallError::new("claim", session, failure))
    }
}

impl fmt::Debug for StoreCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoreCalls").field(&self.source).finish()
    }
}
