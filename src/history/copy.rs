//! Copies of sessions between the agent's own files and stores.

use super::{History, HistoryError};
use crate::store::{
    Claim, Claimed, FailedCall, Merged, SessionStore, SharedStore, Source, StoreFailure,
    Transcript, TranscriptKey, hole, merge, transcripts,
};
use agentwire_files::write_transcripts;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The timeout of a call of a store.
const LIMIT: Duration = Duration::from_secs(60);

/// How many entries are appended in one call.
const CHUNK: usize = 500;

/// What was copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The transcripts that the session has: its own, and those of its sub-agents.
    pub transcripts: usize,
    /// The entries that were not there already.
    pub entries: usize,
}

fn source(store: impl SessionStore) -> Source {
    Source {
        store: SharedStore::new(store),
        limit: LIMIT,
        allows_holes: false,
        has_session: true,
    }
}

/// Claims a session, if its store has leases.
async fn claim(source: &Source, session: &TranscriptKey) -> Result<Option<Claim>, FailedCall> {
    if source.store.lease().is_none() {
        return Ok(None);
    }
    let failed = |failure| FailedCall::new("claim", session, failure);
    let claimed = source.store.claim(session.clone(), LIMIT).await;
    match claimed.map_err(failed)? {
        Claimed::Yours(claim) => Ok(Some(claim)),
        Claimed::Anothers { .. } => {
            let why = "the session is open in another host, by its lease".to_owned();
            Err(failed(StoreFailure::Refused(why)))
        }
    }
}

impl History {
    /// Copies a session into a store: what the store lacks of its transcripts. Copied again,
    /// only what was added since is sent. A session that is running is copied as far as it is
    /// on disk; with [`Options::session_store`](crate::Options::session_store) it is copied
    /// while it runs.
    ///
    /// If the store has [leases](SessionStore::lease), the session is claimed meanwhile.
    ///
    /// ```no_run
    /// use agentwire::history::History;
    /// use agentwire::{MemoryStore, TranscriptKey};
    ///
    /// # async fn example(id: &str) -> Result<(), Box<dyn std::error::Error>> {
    /// let (history, store) = (History::new()?, MemoryStore::new());
    /// let copied = history.copy_to_store(id, store.clone()).await?;
    /// println!("{} entries", copied.entries);
    /// let key = TranscriptKey::in_directory("/home/ferris/crabs", id)?;
    /// History::in_directory("/backup/.claude").copy_from_store(&key, store).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`], [`HistoryError::NotFound`],
    ///   [`HistoryError::Unreadable`]
    /// - [`HistoryError::SessionStore`] if a call of the store fails, takes more than a minute,
    ///   or another host has the session; and, before anything is appended, if the store has
    ///   entries of another continuation ([`StoreFailure::Diverged`]) or lacks some in between
    ///   ([`StoreFailure::Hole`])
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, a part of the session is copied, from its beginning.
    #[doc(alias = "importSessionToStore")]
    pub async fn copy_to_store(
        &self,
        id: &str,
        store: impl SessionStore,
    ) -> Result<Copied, HistoryError> {
        let source = source(store);
        let (history, owned_id) = (self.clone(), id.to_owned());
        let here = on_disk(move || history.read(&owned_id)).await?;
        let claim = match here.first() {
            Some((session, _)) => claim(&source, session).await?,
            None => None,
        };
        let mut lacking = vec![];
        for (key, local) in here {
            let stored = source.load(&key).await?.unwrap_or_default();
            let Merged {
                mut entries,
                behind,
                holes,
                diverged,
            } = merge(stored, local);
            for (count, failure) in [
                (diverged, StoreFailure::Diverged),
                (holes, StoreFailure::Hole),
            ] {
                if count > 0 {
                    return Err(FailedCall::new("append", &key, failure).into());
                }
            }
            lacking.push((key, entries.split_off(entries.len() - behind)));
        }
        let mut copied = Copied::default();
        for (key, entries) in lacking {
            copied.transcripts += 1;
            copied.entries += entries.len();
            for chunk in entries.chunks(CHUNK) {
                let kept = source.store.append(&key, &Arc::from(chunk), LIMIT).await;
                kept.map_err(|failure| FailedCall::new("append", &key, failure))?;
            }
        }
        if let Some(claim) = claim {
            claim.release().await;
        }
        Ok(copied)
    }

    /// Copies a session from a store into the agent's own files: into the folder of its
    /// project, from where the agent resumes it without the store. A transcript that is here
    /// already is replaced if the store has everything that it has.
    /// [`TranscriptKey::in_directory`] is the key of a session in a directory. No session may
    /// be running here under this ID.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::SessionStore`] if a call of the store fails or takes more than a
    ///   minute, if it does not have the session ([`StoreFailure::Missing`]), or lacks entries
    ///   in between ([`StoreFailure::Hole`])
    /// - [`HistoryError::Unwritable`], also if a transcript here has entries that the store
    ///   does not have
    pub async fn copy_from_store(
        &self,
        session: &TranscriptKey,
        store: impl SessionStore,
    ) -> Result<Copied, HistoryError> {
        let stored = source(store).transcripts(session).await?;
        if stored.is_empty() {
            return Err(FailedCall::new("load", session, StoreFailure::Missing).into());
        }
        if let Some((key, _)) = stored.iter().find(|(_, it)| hole(it).is_some()) {
            return Err(FailedCall::new("load", key, StoreFailure::Hole).into());
        }
        let (config, session) = (self.configuration(), session.clone());
        on_disk(move || {
            let unreadable = HistoryError::unreadable(&config);
            let before = transcripts(&config, &session).map_err(unreadable)?;
            let had: usize = before.iter().map(|(_, entries)| entries.len()).sum();
            let has: usize = stored.iter().map(|(_, entries)| entries.len()).sum();
            let written = write_transcripts(&config, &stored);
            written.map_err(|(path, source)| HistoryError::Unwritable { path, source })?;
            Ok(Copied {
                transcripts: stored.len(),
                entries: has.saturating_sub(had),
            })
        })
        .await
    }

    /// Reads all transcripts of a session.
    fn read(&self, id: &str) -> Result<Vec<Transcript>, HistoryError> {
        let path = self.place(id).transcript()?;
        let config = self.configuration();
        let inside = path.strip_prefix(&config).ok().and_then(Path::to_str);
        let Some(key) = inside.and_then(TranscriptKey::of_file) else {
            return Err(self.place(id).not_found());
        };
        transcripts(&config, &key).map_err(HistoryError::unreadable(&path))
    }

    fn configuration(&self) -> PathBuf {
        let parent = self.projects.folder.parent();
        parent.unwrap_or(&self.projects.folder).to_owned()
    }
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, HistoryError> + Send + 'static,
) -> Result<T, HistoryError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(gone) => std::panic::resume_unwind(match gone.try_into_panic() {
            Ok(panic) => panic,
            // The runtime is shutting down, and does not poll this any more.
            Err(gone) => Box::new(gone.to_string()),
        }),
    }
}
