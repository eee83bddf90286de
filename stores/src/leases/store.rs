//! Calls the methods of a store, each in its own task and with a timeout.

use super::LeasedStore;
use super::claim::Claimed;
use agentwire::Error;
use agentwire::store::{Refused, StoreError, TranscriptFailure, TranscriptKey};
use agentwire_protocol::Json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// A store and the timeouts of its calls.
#[derive(Debug)]
pub(super) struct Store<S> {
    store: Arc<S>,
    timeout: Duration,
    /// The timeout of an append. It is short, so that a hanging connection leaves time to retry.
    append_timeout: Duration,
}

impl<S> Clone for Store<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            ..*self
        }
    }
}

impl<S: LeasedStore> Store<S> {
    pub(super) fn new(store: &Arc<S>, timeout: Duration, length: Duration) -> Self {
        Self {
            store: Arc::clone(store),
            timeout,
            append_timeout: timeout.min(length / 4),
        }
    }

    pub(super) async fn claim(
        &self,
        session: &TranscriptKey,
    ) -> Result<Claimed, TranscriptFailure> {
        let (store, session) = (Arc::clone(&self.store), session.clone());
        call(self.timeout, async move { store.claim(&session).await }).await
    }

    pub(super) async fn append_inbox(
        &self,
        session: &TranscriptKey,
        entries: &Arc<[Json]>,
    ) -> Result<(), TranscriptFailure> {
        let (store, session) = (Arc::clone(&self.store), session.clone());
        let entries = Arc::clone(entries);
        let append = async move { store.append_inbox(&session, &entries).await };
        call(self.append_timeout, append).await
    }

    pub(super) async fn load_inbox(&self, session: &TranscriptKey) -> Result<Vec<Json>, Error> {
        let (store, key) = (Arc::clone(&self.store), session.clone());
        let loaded = call(self.timeout, async move { store.load_inbox(&key).await }).await;
        loaded.map_err(|failure| self.error("load_inbox", session, failure))
    }

    pub(super) fn error(
        &self,
        call: &'static str,
        session: &TranscriptKey,
        failure: TranscriptFailure,
    ) -> Error {
        Error::SessionStore {
            call,
            of: session.to_string(),
            failure,
        }
    }
}

/// Runs a call in its own task. The task is aborted on timeout, or when this future is dropped.
async fn call<T: Send + 'static>(
    timeout: Duration,
    call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, TranscriptFailure> {
    let mut task = JoinSet::new();
    task.spawn(call);
    match tokio::time::timeout(timeout, task.join_next()).await {
        Err(_) => Err(TranscriptFailure::TimedOut(timeout)),
        Ok(Some(Ok(Ok(outcome)))) => Ok(outcome),
        Ok(Some(Ok(Err(error)))) if error.is::<Refused>() => {
            Err(TranscriptFailure::Refused(error.to_string()))
        }
        Ok(Some(Ok(Err(error)))) => Err(TranscriptFailure::Failed(error.to_string())),
        Ok(Some(Err(error))) => Err(TranscriptFailure::Panicked(error.to_string())),
        Ok(None) => unreachable!("there is one task"),
    }
}
