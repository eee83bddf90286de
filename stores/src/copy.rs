//! Copies of sessions between the agent's own files and session stores.

use agentwire::SessionStore;
use agentwire::store::{StoreCallError, StoreCalls, Transcript, TranscriptKey};
use agentwire_files::{transcripts, write_transcripts};
use agentwire_history::{History, HistoryError};
use std::path::Path;
use std::time::Duration;
use thiserror::Error;

/// The timeout of a call of a store.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How many entries are appended in one call.
const CHUNK: usize = 500;

/// What was copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The transcripts of the session: its own, and those of its sub-agents.
    pub transcripts: usize,
    /// The entries that were not there already.
    pub entries: usize,
}

/// A session could not be copied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The agent's own files could not be read or written.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The history does not have the session.
    #[error("no session {id} in this history")]
    NotFound {
        /// The session ID.
        id: String,
    },
    /// A call of the store failed.
    #[error(transparent)]
    Store(#[from] StoreCallError),
}

/// Copies a session of the agent's own files into a store: the entries of its transcripts that
/// the store lacks. Copied again, only what was added since is sent. A session that is running
/// is copied as far as it is on disk; with
/// [`Options::session_store`](agentwire::Options::session_store) it is copied while it runs.
///
/// If the store has [leases](crate::Leases), the session is claimed meanwhile.
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
/// - [`CopyError::Store`] if a call of the store fails, takes more than a minute, or another
///   host has the session; and, before anything is appended, if the store has entries of
///   another continuation ([`TranscriptFailure::Diverged`](agentwire::store::TranscriptFailure::Diverged)) or
///   lacks some in between ([`TranscriptFailure::Hole`](agentwire::store::TranscriptFailure::Hole))
///
/// # Cancel safety
///
/// If the future is dropped, a part of the session is copied, from its beginning.
#[doc(alias = "importSessionToStore")]
pub async fn copy_to_store(
    history: &History,
    id: &str,
    store: impl SessionStore,
) -> Result<Copied, CopyError> {
    let store = StoreCalls::new(store, TIMEOUT);
    let (history, owned_id) = (history.clone(), id.to_owned());
    let local = on_disk(move || read(&history, owned_id)).await?;
    let mut held = match local.first() {
        Some((session, _)) => store.hold(session).await?,
        None => None,
    };
    let mut lacking = vec![];
    for (key, entries) in local {
        let entries = store.lacking(&key, entries).await?;
        lacking.push((key, entries));
    }
    let mut copied = Copied::default();
    for (key, entries) in lacking {
        copied.transcripts += 1;
        copied.entries += entries.len();
        for chunk in entries.chunks(CHUNK) {
            store.append(&key, chunk).await?;
        }
    }
    if let Some(ending) = held.as_mut().and_then(|it| it.end()) {
        ending.await;
    }
    Ok(copied)
}

/// Copies a session from a store into the agent's own files: into the folder of its project,
/// from where the agent resumes it without the store. A transcript that exists is replaced if
/// the store has all of its entries. [`TranscriptKey::in_directory`] is the key of a session in
/// a directory. No session may be running here under this ID.
///
/// # Errors
///
/// - [`CopyError::Store`] if a call of the store fails or takes more than a minute, if it does
///   not have the session ([`TranscriptFailure::Missing`](agentwire::store::TranscriptFailure::Missing)), or
///   lacks entries in between ([`TranscriptFailure::Hole`](agentwire::store::TranscriptFailure::Hole))
/// - [`CopyError::History`], also if a transcript here has entries that the store does not have
pub async fn copy_from_store(
    history: &History,
    session: &TranscriptKey,
    store: impl SessionStore,
) -> Result<Copied, CopyError> {
    let stored = StoreCalls::new(store, TIMEOUT).session(session).await?;
    let (config, session) = (history.configuration().to_owned(), session.clone());
    on_disk(move || {
        let before = read_transcripts(&config, &session, &config)?;
        let written = write_transcripts(&config, &stored);
        written.map_err(|(path, source)| HistoryError::Unwritable { path, source })?;
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

/// Reads all transcripts of a session.
fn read(history: &History, id: String) -> Result<Vec<Transcript>, CopyError> {
    let path = history.transcript_path(&id)?;
    let config = history.configuration();
    let inside = path.as_ref().and_then(|it| it.strip_prefix(config).ok());
    let key = inside
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
    Ok(read.map_err(|source| HistoryError::Unreadable { path, source })?)
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CopyError> + Send + 'static,
) -> Result<T, CopyError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(gone) => std::panic::resume_unwind(match gone.try_into_panic() {
            Ok(panic) => panic,
            // The runtime is shutting down, and does not poll this any more.
            Err(gone) => Box::new(gone.to_string()),
        }),
    }
}
