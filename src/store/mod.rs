//! Session stores have copies of transcripts outside the agent's own files, so that a session can
//! be resumed on another machine.

mod calls;
mod catch_up;
mod home;
mod memory;
mod shared;
mod source;

pub(crate) use agentwire_files::{EntryHead, entry_of_line, is_session_id, project, transcripts};
pub use agentwire_files::{InvalidKey, KeyPart, Transcript, TranscriptKey};
pub use calls::StoreCalls;
pub(crate) use catch_up::{Merged, hole, merge};
pub(crate) use home::{Leftover, PrivateHome, UsersHome, private_homes};
pub use memory::MemoryStore;
pub(crate) use shared::SharedStore;
pub use shared::{Refused, TranscriptFailure};
pub(crate) use source::Source;
pub use source::StoreCallError;

use crate::attachment::Attach;
use agentwire_protocol::Json;
use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

/// The error of a store: any error, or a text (`"why".into()`).
pub type StoreError = Box<dyn Error + Send + Sync>;

/// A store for copies of transcripts, set by [`Options::session_store`].
///
/// A transcript is a list of entries. An entry is a JSON object, one line of
/// the agent's own file. Its contents are private to the agent: a store only
/// has to return the same JSON in the same order.
///
/// ```
/// use agentwire::protocol::Json;
/// use agentwire::SessionStore;
/// use agentwire::store::{StoreError, TranscriptKey};
/// use std::io::Write;
/// use std::path::PathBuf;
///
/// /// A file for each transcript.
/// struct Folder(PathBuf);
///
/// impl Folder {
///     fn file(&self, key: &TranscriptKey) -> PathBuf {
///         let name = key.subpath().unwrap_or("main").replace('/', "+");
///         self.0.join(format!("{}-{name}.jsonl", key.session_id()))
///     }
/// }
///
/// impl SessionStore for Folder {
///     async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
///         let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
///         let mut options = std::fs::File::options();
///         let mut file = options.append(true).create(true).open(self.file(key))?;
///         file.write_all(lines.as_bytes())?;
///         Ok(())
///     }
///
///     async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
///         let Ok(text) = std::fs::read_to_string(self.file(key)) else {
///             return Ok(None);
///         };
///         let entries = text.lines().map(serde_json::from_str);
///         Ok(Some(entries.collect::<Result<_, _>>()?))
///     }
/// }
/// ```
///
/// Each call runs in its own task and has a timeout. A call that panics has
/// failed. A call that times out is dropped, at any of its `await`s. Run
/// blocking work with [`tokio::task::spawn_blocking`]: otherwise it blocks the
/// application's runtime.
///
/// [`Options::session_store`]: crate::Options::session_store
pub trait SessionStore: Send + Sync + 'static {
    /// Appends entries to a transcript, creating it if needed. The agent has already written them
    /// to its own file.
    ///
    /// A session makes one call at a time, in the order of the entries of each transcript. After an
    /// error, it sends the entries again; some may have been stored the first time. Most entries
    /// have a `uuid`, by which a store can detect duplicates. Entries without one (titles, modes
    /// and similar) may be stored twice without harm.
    ///
    /// # Errors
    ///
    /// If the entries were not stored. They are sent again after pauses of 0.2, 0.8, 2, 5 and 10
    /// seconds, and then every 30 seconds. A call is aborted after 60 seconds; the transcript is
    /// then loaded before the next call, and only missing entries are sent. After three failed
    /// calls or one timeout, the store counts as behind:
    /// [`Notice::StoreBehind`](crate::Notice::StoreBehind).
    fn append(
        &self,
        key: &TranscriptKey,
        entries: &[Json],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Returns a whole transcript, or `None` if there is none with that key. Called once per
    /// transcript before the agent is started, and after each call of [`SessionStore::append`] that
    /// may have stored some entries.
    ///
    /// # Errors
    ///
    /// If the transcript cannot be read. The session then does not start:
    /// [`Error::SessionStore`](crate::Error::SessionStore).
    fn load(
        &self,
        key: &TranscriptKey,
    ) -> impl Future<Output = Result<Option<Vec<Json>>, StoreError>> + Send;

    /// Returns the sessions of a project, in any order.
    /// [`Options::continue_latest`](crate::Options::continue_latest) resumes
    /// the one that was modified last.
    ///
    /// # Errors
    ///
    /// As for [`SessionStore::load`]. The default implementation always returns
    /// an error.
    fn sessions(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<StoredSession>, StoreError>> + Send {
        let _ = project;
        async { Err("this store does not implement `SessionStore::sessions`".into()) }
    }

    /// Returns the [subpaths](TranscriptKey::subpath) of the session's
    /// transcripts, which are those of its sub-agents. The default
    /// implementation returns none, so that only the session's own transcript
    /// is resumed.
    ///
    /// # Errors
    ///
    /// As for [`SessionStore::load`].
    fn subpaths(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send {
        let _ = session;
        async { Ok(Vec::new()) }
    }

    /// Returns all transcripts of a session with one call, in any order: its own and those of its
    /// sub-agents. Implement it if the store would otherwise read the same data for each
    /// transcript. The default implementation returns `None`; the session then calls
    /// [`SessionStore::load`] and [`SessionStore::subpaths`].
    ///
    /// # Errors
    ///
    /// As for [`SessionStore::load`].
    fn load_session(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Option<Vec<Transcript>>, StoreError>> + Send {
        let _ = session;
        async { Ok(None) }
    }

    /// Returns the sessions of a project with their summaries, in any order. The store computes a
    /// summary from the entries of the main conversation, with `fold_summary` of
    /// `agentwire_protocol::transcript`. Sessions do not call this; it is for programs that list
    /// sessions. If the summary of a session cannot be read, the session is returned with the
    /// error.
    ///
    /// # Errors
    ///
    /// As for [`SessionStore::load`]. The default implementation always returns
    /// an error.
    fn summaries(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<StoredSummary>, StoreError>> + Send {
        let _ = project;
        async { Err("this store does not implement `SessionStore::summaries`".into()) }
    }

    /// Deletes a transcript. Deleting a session's own transcript deletes all its parts. Does
    /// nothing if there is none with that key. Sessions do not call this. The default
    /// implementation deletes nothing, which is right for append-only stores.
    ///
    /// # Errors
    ///
    /// If the transcript was not deleted.
    fn delete(&self, key: &TranscriptKey) -> impl Future<Output = Result<(), StoreError>> + Send {
        let _ = key;
        async { Ok(()) }
    }

    /// Returns the attachment for each session with this store. The default implementation returns
    /// `None`. [`Options::session_store`](crate::Options::session_store) adds the attachment to the
    /// options.
    fn attachment(&self) -> Option<Arc<dyn Attach>> {
        None
    }
}

impl<S: SessionStore> SessionStore for Arc<S> {
    fn append(
        &self,
        key: &TranscriptKey,
        entries: &[Json],
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        S::append(self, key, entries)
    }

    fn load(
        &self,
        key: &TranscriptKey,
    ) -> impl Future<Output = Result<Option<Vec<Json>>, StoreError>> + Send {
        S::load(self, key)
    }

    fn sessions(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<StoredSession>, StoreError>> + Send {
        S::sessions(self, project)
    }

    fn subpaths(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send {
        S::subpaths(self, session)
    }

    fn load_session(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Option<Vec<Transcript>>, StoreError>> + Send {
        S::load_session(self, session)
    }

    fn summaries(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<StoredSummary>, StoreError>> + Send {
        S::summaries(self, project)
    }

    fn delete(&self, key: &TranscriptKey) -> impl Future<Output = Result<(), StoreError>> + Send {
        S::delete(self, key)
    }

    fn attachment(&self) -> Option<Arc<dyn Attach>> {
        S::attachment(self)
    }
}

/// A session in a store and its summary, or the error of reading the summary.
pub type StoredSummary = (StoredSession, Result<Json, StoreError>);

/// A session in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSession {
    /// The session ID.
    pub id: String,
    /// The time of the last append, by the store's clock.
    pub modified: SystemTime,
}

impl StoredSession {
    /// Creates a session from its ID and the time of the last append.
    pub fn new(id: impl Into<String>, modified: SystemTime) -> Self {
        let id = id.into();
        Self { id, modified }
    }
}

/// When entries are sent to the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFlush {
    /// At the end of a turn and of the session, and in between when more than
    /// 500 entries or 1 MiB are buffered. The entries of one transcript are
    /// sent in one call.
    #[default]
    Batched,
    /// Immediately: one call for each message of the agent that has entries.
    Eager,
    /// As [`StoreFlush::Batched`], and the result of a turn is delivered only after the store has
    /// the turn's entries. The turn can then be read on another machine as soon as its result is
    /// delivered. A store that is [behind](crate::Notice::StoreBehind) defers no results: it counts
    /// as behind after one call of 60 seconds, or after three failed calls with pauses of one
    /// second in total. Until then the agent's output is not read, so a slow store slows down the
    /// session. If the session is [lost](crate::EndReason::OwnershipLost) meanwhile, the result is
    /// not delivered.
    BeforeResult,
}
