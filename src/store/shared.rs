//! A store shared by sessions. Tasks and timeouts isolate sessions from it.

use super::{SessionStore, StoreError, StoredSession, Transcript, TranscriptKey};
use crate::process::panic_text;
use agentwire_protocol::Json;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The error of a store that refuses an append and all later ones, because another host has
/// taken over the session. The session does not send the entries again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Refused {
    /// Creates the error from a reason.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// The reason why a transcript could not be stored or loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranscriptFailure {
    /// The store returned this error, in the last attempt.
    Failed(String),
    /// The store refused the entries and all later ones with [`Refused`]: another host has taken
    /// over the session.
    Refused(String),
    /// The call took longer than this. It may have succeeded.
    TimedOut(Duration),
    /// The store panicked.
    Panicked(String),
    /// The store was too slow, and the queue is full.
    TooSlow,
    /// The session ended, and the store took too long for the remaining entries.
    SessionOver,
    /// The agent's message was invalid, or not about a transcript.
    InvalidMessage(String),
    /// The session has more transcripts than this. Each sub-agent has one.
    TooManyTranscripts(usize),
    /// Entries are missing in between: the store has later ones. An agent would resume the session
    /// without an error, and its model would lack the missing part.
    Hole,
    /// The store does not have the session to [resume](crate::Options::resume_from).
    Missing,
    /// The session has continued elsewhere without these entries, which are only in the agent's own
    /// file on this machine.
    Diverged,
}

impl fmt::Display for TranscriptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) | Self::Refused(why) => f.write_str(why),
            Self::TimedOut(limit) => write!(f, "it took longer than {limit:?}"),
            Self::Panicked(message) => write!(f, "it panicked: {message}"),
            Self::TooSlow => f.write_str("the store is too slow, and its queue is full"),
            Self::SessionOver => f.write_str("the session ended before the store had all entries"),
            Self::InvalidMessage(why) => write!(f, "the agent's message is invalid: {why}"),
            Self::TooManyTranscripts(most) => {
                write!(f, "the session has more than {most} transcripts")
            }
            Self::Hole => f.write_str(
                "entries are missing in between (`Options::resume_with_holes` resumes without them)",
            ),
            Self::Missing => f.write_str("the store does not have the session"),
            Self::Diverged => f.write_str("the session has continued elsewhere without these entries"),
        }
    }
}

type Outcome<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

/// A store of any type.
trait AnyStore: Send + Sync {
    fn append(self: Arc<Self>, key: TranscriptKey, entries: Arc<[Json]>) -> Outcome<()>;
    fn load(self: Arc<Self>, key: TranscriptKey) -> Outcome<Option<Vec<Json>>>;
    fn sessions(self: Arc<Self>, project: String) -> Outcome<Vec<StoredSession>>;
    fn subpaths(self: Arc<Self>, session: TranscriptKey) -> Outcome<Vec<String>>;
    fn load_session(self: Arc<Self>, session: TranscriptKey) -> Outcome<Option<Vec<Transcript>>>;
}

impl<S: SessionStore> AnyStore for S {
    fn append(self: Arc<Self>, key: TranscriptKey, entries: Arc<[Json]>) -> Outcome<()> {
        Box::pin(async move { S::append(&self, &key, &entries).await })
    }

    fn load(self: Arc<Self>, key: TranscriptKey) -> Outcome<Option<Vec<Json>>> {
        Box::pin(async move { S::load(&self, &key).await })
    }

    fn sessions(self: Arc<Self>, project: String) -> Outcome<Vec<StoredSession>> {
        Box::pin(async move { S::sessions(&self, &project).await })
    }

    fn subpaths(self: Arc<Self>, session: TranscriptKey) -> Outcome<Vec<String>> {
        Box::pin(async move { S::subpaths(&self, &session).await })
    }

    fn load_session(self: Arc<Self>, session: TranscriptKey) -> Outcome<Option<Vec<Transcript>>> {
        Box::pin(async move { S::load_session(&self, &session).await })
    }
}

/// A shared store. Each call runs in its own task and has a timeout.
#[derive(Clone)]
pub(crate) struct SharedStore(Arc<dyn AnyStore>);

impl SharedStore {
    pub(crate) fn new(store: impl SessionStore) -> Self {
        Self(Arc::new(store))
    }

    pub(crate) async fn append(
        &self,
        key: &TranscriptKey,
        entries: &Arc<[Json]>,
        limit: Duration,
    ) -> Result<(), TranscriptFailure> {
        let store = Arc::clone(&self.0);
        call(limit, store.append(key.clone(), Arc::clone(entries))).await
    }

    pub(crate) async fn load(
        &self,
        key: TranscriptKey,
        limit: Duration,
    ) -> Result<Option<Vec<Json>>, TranscriptFailure> {
        call(limit, Arc::clone(&self.0).load(key)).await
    }

    pub(crate) async fn sessions(
        &self,
        project: &str,
        limit: Duration,
    ) -> Result<Vec<StoredSession>, TranscriptFailure> {
        call(limit, Arc::clone(&self.0).sessions(project.to_owned())).await
    }

    pub(crate) async fn subpaths(
        &self,
        session: TranscriptKey,
        limit: Duration,
    ) -> Result<Vec<String>, TranscriptFailure> {
        call(limit, Arc::clone(&self.0).subpaths(session)).await
    }

    pub(crate) async fn load_session(
        &self,
        session: TranscriptKey,
        limit: Duration,
    ) -> Result<Option<Vec<Transcript>>, TranscriptFailure> {
        call(limit, Arc::clone(&self.0).load_session(session)).await
    }
}

impl fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedStore")
    }
}

fn why(error: &(dyn Error + Send + Sync + 'static)) -> TranscriptFailure {
    match error.is::<Refused>() {
        true => TranscriptFailure::Refused(error.to_string()),
        false => TranscriptFailure::Failed(error.to_string()),
    }
}

/// Runs a call in its own task. A timeout, and dropping the future, abort the task.
async fn call<T: Send + 'static>(
    limit: Duration,
    call: Outcome<T>,
) -> Result<T, TranscriptFailure> {
    let outcome = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&outcome);
    // The call itself may panic too.
    let call = Box::pin(async move {
        let outcome = call.await.map_err(|error| why(&*error));
        *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    });
    run(limit, call).await?;
    let outcome = outcome
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    outcome.unwrap_or(Err(TranscriptFailure::TimedOut(limit)))
}

async fn run(
    limit: Duration,
    call: Pin<Box<dyn Future<Output = ()> + Send>>,
) -> Result<(), TranscriptFailure> {
    let mut task = JoinSet::new();
    task.spawn(call);
    match timeout(limit, task.join_next()).await {
        Err(_) => Err(TranscriptFailure::TimedOut(limit)),
        Ok(Some(Ok(()))) => Ok(()),
        Ok(Some(Err(gone))) => Err(match gone.try_into_panic() {
            Ok(panic) => TranscriptFailure::Panicked(panic_text(&*panic)),
            Err(gone) => TranscriptFailure::Failed(gone.to_string()),
        }),
        Ok(None) => unreachable!("the set contains one task"),
    }
}
