//! The store that a session may be resumed from.

use super::{SharedStore, Transcript, TranscriptFailure, TranscriptKey};
use agentwire_protocol::Json;
use std::collections::BTreeSet;
use std::time::Duration;
use thiserror::Error;

/// A store to resume from, and the timeout of its calls.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) store: SharedStore,
    pub(crate) limit: Duration,
    /// Whether a session with missing entries is resumed.
    pub(crate) allows_holes: bool,
    /// Whether it is an error if the store does not have the session.
    pub(crate) has_session: bool,
}

/// A call of a session store failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`SessionStore::{call}` of {of}: {failure}")]
#[non_exhaustive]
pub struct StoreCallError {
    /// The method of [`SessionStore`](super::SessionStore).
    pub call: &'static str,
    /// The transcript of the call.
    pub of: TranscriptKey,
    /// The cause.
    pub failure: TranscriptFailure,
}

impl StoreCallError {
    pub(crate) fn new(call: &'static str, of: &TranscriptKey, failure: TranscriptFailure) -> Self {
        let of = of.clone();
        Self { call, of, failure }
    }
}

impl Source {
    /// Returns the session's own transcript and those of its parts; none if its own is empty.
    pub(crate) async fn transcripts(
        &self,
        session: &TranscriptKey,
    ) -> Result<Vec<Transcript>, StoreCallError> {
        let loaded = self.store.load_session(session.clone(), self.limit).await;
        let failed = |failure| StoreCallError::new("load_session", session, failure);
        let mut found = match loaded.map_err(failed)? {
            Some(all) => all,
            None => return self.one_by_one(session).await,
        };
        found.retain(|(_, entries)| !entries.is_empty());
        let is_another = |it: &&Transcript| !it.0.is_of(session);
        if let Some((key, _)) = found.iter().find(is_another) {
            let why = format!("a key in its response belongs to another session: {key:?}");
            return Err(failed(TranscriptFailure::Failed(why)));
        }
        // The session's own transcript sorts first.
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        if found
            .first()
            .is_some_and(|(key, _)| key.subpath().is_some())
        {
            found.clear();
        }
        Ok(found)
    }

    async fn one_by_one(&self, session: &TranscriptKey) -> Result<Vec<Transcript>, StoreCallError> {
        let mut found = vec![];
        let Some(own) = self.load(session).await? else {
            return Ok(found);
        };
        found.push((session.clone(), own));
        let failed = |failure| StoreCallError::new("subpaths", session, failure);
        let subpaths = self.store.subpaths(session.clone(), self.limit).await;
        for subpath in BTreeSet::from_iter(subpaths.map_err(failed)?) {
            let key = session.part(subpath);
            let key = key.map_err(|it| failed(TranscriptFailure::Failed(it.to_string())))?;
            if let Some(entries) = self.load(&key).await? {
                found.push((key, entries));
            }
        }
        Ok(found)
    }

    /// Loads a transcript; `None` if it is empty.
    pub(crate) async fn load(
        &self,
        key: &TranscriptKey,
    ) -> Result<Option<Vec<Json>>, StoreCallError> {
        let entries = self.store.load(key.clone(), self.limit).await;
        let entries = entries.map_err(|failure| StoreCallError::new("load", key, failure))?;
        Ok(entries.filter(|entries| !entries.is_empty()))
    }
}
