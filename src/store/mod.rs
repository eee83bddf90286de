//! Where sessions are kept besides the agent's own disk: a store that gets a
//! copy of every transcript while it is written, and from which a session can
//! be resumed on a machine that has never seen it.

mod home;
mod key;
mod memory;
mod shared;
mod source;

pub(crate) use home::{PrivateHome, UsersHome};
pub use key::TranscriptKey;
pub(crate) use key::{is_safe, is_session_id, project};
pub use memory::MemoryStore;
pub(crate) use shared::SharedStore;
pub use shared::StoreFailure;
pub(crate) use source::Source;

use agentwire_protocol::Json;
use serde::Deserialize;
use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

/// Why a store could not do something: any error, or a text (`"why".into()`).
pub type StoreError = Box<dyn Error + Send + Sync>;

/// Keeps copies of transcripts: what [`Options::session_store`] takes.
///
/// A transcript is a list of entries. An entry is a JSON object, a line of the
/// agent's own file, and nobody else's business: what is appended has to come
/// back as the same JSON in the same order, and that is all.
///
/// ```
/// use agentwire::protocol::Json;
/// use agentwire::{SessionStore, StoreError, TranscriptKey};
/// use std::io::Write;
/// use std::path::PathBuf;
///
/// /// A file for each transcript.
/// struct Folder(PathBuf);
///
/// impl Folder {
///     fn file(&self, key: &TranscriptKey) -> PathBuf {
///         let name = key.subpath.as_deref().unwrap_or("main").replace('/', "+");
///         self.0.join(format!("{}-{name}.jsonl", key.session_id))
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
/// Each call runs in a task of its own and has a deadline; one that panics has
/// failed. It is dropped when its time is over, which it may do at any of its
/// `await`s. Work that blocks belongs on threads for that
/// ([`tokio::task::spawn_blocking`]): what blocks here blocks the program's own
/// runtime.
///
/// [`Options::session_store`]: crate::Options::session_store
pub trait SessionStore: Send + Sync + 'static {
    /// Adds entries to the end of a transcript, which may be a new one. They
    /// are on the agent's own disk already.
    ///
    /// A session makes one call at a time, in the order of what it writes. A
    /// call that failed is made again with the same entries, and part of them
    /// may have been kept the first time: most have a `uuid`, by which a store
    /// can tell. Those without one (titles, modes and the like) may be kept
    /// twice without harm.
    ///
    /// # Errors
    ///
    /// When the entries are not kept. It is tried three times, with 0.2 and 0.8
    /// seconds in between; a call that takes more than 60 seconds is given up
    /// and not made again. Then the entries are left out, and a
    /// [`Notice::NotMirrored`](crate::Notice::NotMirrored) says so.
    fn append(
        &self,
        key: &TranscriptKey,
        entries: &[Json],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// A whole transcript; `None` when there is none of that key. It is asked
    /// once for each transcript, before the agent is started.
    ///
    /// # Errors
    ///
    /// When it cannot be said. The session does not begin then:
    /// [`Error::SessionStore`](crate::Error::SessionStore).
    fn load(
        &self,
        key: &TranscriptKey,
    ) -> impl Future<Output = Result<Option<Vec<Json>>, StoreError>> + Send;

    /// The sessions of a project, in any order. The one that was changed last
    /// is what [`Options::continue_latest`](crate::Options::continue_latest)
    /// goes on with, which a store without this method cannot do.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::load`]; always, in a store without this method.
    fn sessions(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<StoredSession>, StoreError>> + Send {
        let _ = project;
        async { Err("it cannot list sessions".into()) }
    }

    /// The [subpaths](TranscriptKey::subpath) under which there are transcripts
    /// of a session, which are those of its sub-agents. In a store without this
    /// method there are none, and a session that is resumed has its own
    /// transcript only.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::load`].
    fn subpaths(
        &self,
        session: &TranscriptKey,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send {
        let _ = session;
        async { Ok(Vec::new()) }
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
}

/// A session in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSession {
    /// Its id.
    pub id: String,
    /// When something was appended to it last, by the store's clock.
    pub modified: SystemTime,
}

impl StoredSession {
    /// A session, and when something was appended to it last.
    pub fn new(id: impl Into<String>, modified: SystemTime) -> Self {
        let id = id.into();
        Self { id, modified }
    }
}

/// When entries go to the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFlush {
    /// At the end of a turn and of the session, and in between when more than
    /// 500 entries or 1 MiB wait. What belongs to one transcript goes in one
    /// call.
    #[default]
    Batched,
    /// As they come: one call for each message of the agent's that has some.
    Eager,
}

/// What has to be known of an entry here.
#[derive(Debug, Deserialize)]
struct EntryHead {
    #[serde(rename = "type")]
    kind: Option<String>,
    uuid: Option<String>,
}

impl EntryHead {
    /// `None` for what is no entry.
    fn of(entry: &Json) -> Option<Self> {
        entry.read().ok()
    }
}
