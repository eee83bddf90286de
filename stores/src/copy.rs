//! Copies sessions between the agent's files and session stores.

use agentwire::SessionStore;
use agentwire::store::{StoreCallError, StoreCalls, Transcript, TranscriptKey};
use agentwire_files::{transcripts, write_transcripts};
use agentwire_history::{History, HistoryError};
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// The timeout of each store call.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum number of entries in one append.
const CHUNK: usize = 500;

/// The numbers of copied transcripts and entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The transcripts of the session, including those of its sub-agents.
    pub transcripts: usize,
    /// The entries that the destination did not have.
    pub entries: usize,
}

/// The error of copying a session.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The agent's files could not be read or written.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The history does not have this session.
    #[error("no session {id} in this history")]
    NotFound {
        /// The session ID.
        id: String,
    },
    /// A store call failed.
    #[error(transparent)]
    Store(#[from] StoreCallError),
}

/// Copies a session from the agent's files to a store.
///
/// Only entries that the store lacks are sent, so a second call sends only new entries. A running
/// session is copied up to the entries that are on disk. To copy a session while it runs, use
/// [`Options::session_store`](agentwire::Options::session_store).
///
/// If the store has [leases](crate::Leases), the session is claimed during the copy.
///
/// ```no_run
/// use agentwire::store::{MemoryStore, TranscriptKey};
/// use agentwire_history::History;
/// use agentwire_stores::{copy_from_store, copy_to_store};
///
/// # async fn example(id: &str) -> Result<(), Box<dyn std::error::Error>> {
/// let (history, store) = (History::new()?, MemoryStore::new());
/// let copied = copy_to_store(&history, id, store.clone()).await?;
/// println!("{} entries", copied.entries);
/// let key = TranscriptKey::in_directory("/home/ferris/crabs", id)?;
/// copy_from_store(&History::in_directory("/backup/.claude"), &key, store).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// - [`CopyError::NotFound`], [`CopyError::History`]
/// - [`CopyError::Store`] if a store call fails, takes more than a minute, or another host owns
///   the session. Before anything is appended: if the store has entries of another continuation
///   ([`TranscriptFailure::Diverged`](agentwire::store::TranscriptFailure::Diverged)) or lacks entries in between
///   ([`TranscriptFailure::Hole`](agentwire::store::TranscriptFailure::Hole))
///
/// # Cancel safety
///
/// If the future is dropped, the store contains the first entries of the session.
#[doc(alias = "importSessionToStore")]
pub async fn copy_to_store(
    history: &History,
    id: &str,
    store: impl SessionStore,
) -> Result<Copied, CopyError> {
    let store = StoreCalls::new(store, TIMEOUT);
    let (history, owned_id) = (history.clone(), id.to_owned());
    let local = blocking(move || read_session(&history, owned_id)).await?;
    let mut claim = match local.first() {
        Some((session, _)) => store.hold(session).await?,
        None => None,
    };
    let mut missing = vec![];
    for (key, entries) in local {
        let entries = store.lacking(&key, entries).await?;
        missing.push((key, entries));
    }
    let mut copied = Copied::default();
    for (key, entries) in missing {
        copied.transcripts += 1;
        copied.entries += entries.len();
        for chunk in entries.chunks(CHUNK) {
            store.append(&key, chunk).await?;
        }
    }
    if let Some(release) = claim.as_mut().and_then(|claim| claim.end()) {
        release.await;
    }
    Ok(copied)
}

/// Copies a session from a store to the agent's files, so that the agent resumes it without the
/// store.
///
/// The files are written to the folder of the session's project
/// ([`TranscriptKey::in_directory`] returns the key of a session in a directory). An existing
/// transcript is replaced if the store has all of its entries. No session with this ID may run
/// on this machine.
///
/// # Errors
///
/// - [`CopyError::Store`] if a store call fails or takes more than a minute, the store does not
///   have the session ([`TranscriptFailure::Missing`](agentwire::store::TranscriptFailure::Missing)), or entries
///   in between are missing ([`TranscriptFailure::Hole`](agentwire::store::TranscriptFailure::Hole))
/// - [`CopyError::History`] if the files cannot be read or written, or have entries that the
///   store lacks
pub async fn copy_from_store(
    history: &History,
    session: &TranscriptKey,
    store: impl SessionStore,
) -> Result<Copied, CopyError> {
    let stored = StoreCalls::new(store, TIMEOUT).session(session).await?;
    let (config, session) = (history.configuration().to_owned(), session.clone());
    blocking(move || {
        let before = read_transcripts(&config, &session, &config)?;
        let written = write_transcripts(&config, &stored);
        written.map_err(|(path, error)| HistoryError::Unwritable { path, error })?;
        let count = |transcripts: &[Transcript]| -> usize {
            transcripts.iter().map(|(_, entries)| entries.len()).sum()
        };
        Ok(Copied {
            transcripts: stored.len(),
            entries: count(&stored).saturating_sub(count(&before)),
        })
    })
    .await
}

/// Reads all transcripts of a session from the agent's files.
fn read_session(history: &History, id: String) -> Result<Vec<Transcript>, CopyError> {
    let path = history.transcript_path(&id)?;
    let config = history.configuration();
    let relative = path.as_ref().and_then(|it| it.strip_prefix(config).ok());
    let key = relative
        .and_then(Path::to_str)
        .and_then(TranscriptKey::of_file);
    let (Some(path), Some(key)) = (&path, key) else {
        return Err(CopyError::NotFound { id });
    };
    read_transcripts(config, &key, path)
}

fn read_transcripts(
    config: &Path,
    session: &TranscriptKey,
    path: &Path,
) -> Result<Vec<Transcript>, CopyError> {
    let path = path.to_owned();
    let read = transcripts(config, session);
    Ok(read.map_err(|error| HistoryError::Unreadable { path, error })?)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CopyError> + Send + 'static,
) -> Result<T, CopyError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => std::panic::resume_unwind(match error.try_into_panic() {
            Ok(panic) => panic,
            // The runtime is shutting down and no longer polls this future.
            Err(error) => Box::new(error.to_string()),
        }),
    }
}
