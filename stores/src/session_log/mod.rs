//! Session logs, the interface of stores that many machines share.
//!
//! A [`LogStore`] has one log for each session, which consists of batches of entries. Each log has
//! an owner, and only the owner appends. An append names the expected end of the log and the
//! owner's fencing [token](Token). The store checks both and stores the batch atomically. If two
//! processes write the same session, one is refused, independently of clocks, pauses and networks.
//!
//! [`Head::admit`] implements the rules. `agentwire_testkit::stores` has the conformance tests of
//! stores.
//!
//! ```
//! use agentwire_stores::session_log::{Entry, Part, Position, LogKey, Token};
//!
//! let session = LogKey::new("crabs", "0d4f7d6a-0c67-4c92-b1a5-3ef1b7d3c3a7");
//! // The log does not exist yet.
//! let token = Token::next(None, "host-1");
//! assert_eq!(token.number, 1);
//! let entry = Entry::new(Part::Main, r#"{"type":"user"}"#.parse()?);
//! // store.append(&session, &NewBatch::new(Position::START, &token, &[entry])).await?;
//! # Ok::<(), serde_json::Error>(())
//! ```

mod batch;
mod clock;
mod head;
mod key;
mod lease;
pub(crate) mod since_boot;

pub use batch::{Batch, Entry, NewBatch, Part};
pub use clock::LeaseClock;
pub use head::{Admission, AppendError, Head, Next, Position, Refusal, Token};
pub use key::LogKey;
pub use lease::{Lease, LeaseWatch};

use agentwire::store::{StoreError, StoredSession};
use agentwire_protocol::Json;
use std::future::Future;
use std::sync::Arc;

/// A session and its last [summary](NewBatch::summary), or the error of reading this summary.
pub type Summarized = (StoredSession, Result<Option<Json>, StoreError>);

/// A store with a log for each session. See the [module documentation](crate::session_log).
///
/// Batches are stored when [`append`](LogStore::append) returns, with the durability that the store
/// documents. After a crash a log is a prefix of the appended batches. Each batch is complete or
/// absent, and no batch follows a missing one.
///
/// # Cancel safety
///
/// The futures may be dropped at any `await`, for example by a timeout. It is then unknown whether
/// the batch is stored, and the same call can be repeated.
pub trait LogStore: Send + Sync + 'static {
    /// Appends a batch to a log, which is created if needed. Returns the batch's position.
    ///
    /// The batch is stored, already stored, or refused by the rules of [`Head::admit`]. The
    /// position and the token of a batch identify it, not its entries. An owner must not append
    /// other entries at the same position unless the first append was refused. A batch without
    /// entries is not stored; the call returns [`NewBatch::after`] and checks nothing.
    ///
    /// # Errors
    ///
    /// - [`AppendError::Refused`] if the log has another owner or another end. Nothing was
    ///   stored.
    /// - [`AppendError::Failed`] if the store failed or the outcome is unknown. The same call can
    ///   be repeated. It returns the position of the batch if it was stored.
    fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> impl Future<Output = Result<Position, AppendError>> + Send;

    /// Returns the end of a log. Returns `None` if the store never had a log with this key. A
    /// deleted log has an end.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn head(
        &self,
        session: &LogKey,
    ) -> impl Future<Output = Result<Option<Head>, StoreError>> + Send;

    /// Returns a page of batches after a position, in order. If there are such batches, returns at
    /// least one. To read a whole log, begin with [`Position::START`] and continue after the last
    /// batch until the page is empty.
    ///
    /// The entries equal the appended ones. Stores of this project preserve their text byte for
    /// byte. Other stores may change the order of object members, but nothing else, such as the
    /// digits of a number or an escaped character.
    ///
    /// # Errors
    ///
    /// If the log cannot be read or is damaged. Damage is never reported as the end of a log.
    fn read(
        &self,
        session: &LogKey,
        after: Position,
    ) -> impl Future<Output = Result<Vec<Batch>, StoreError>> + Send;

    /// Returns the sessions of a project that have a log, without deleted ones, in any order. The
    /// list reflects all appends and deletions before the call. The default implementation returns
    /// the sessions of [`LogStore::summaries`].
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn list(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<StoredSession>, StoreError>> + Send {
        async {
            let sessions = self.summaries(project).await?.into_iter();
            Ok(sessions.map(|(session, _)| session).collect())
        }
    }

    /// Returns the sessions of [`LogStore::list`]. Each has the last [summary](NewBatch::summary)
    /// that was appended, or the error of reading the summary.
    ///
    /// # Errors
    ///
    /// The errors of [`LogStore::list`]. A summary that cannot be read does not fail the call.
    fn summaries(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<Summarized>, StoreError>> + Send;

    /// Returns the parts of a session that have entries, each once, in any order.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    fn parts(&self, session: &LogKey)
    -> impl Future<Output = Result<Vec<Part>, StoreError>> + Send;

    /// Deletes all entries of a log. The [end](LogStore::head) of the log remains, so that tokens
    /// up to the given one cannot be used again. Does nothing if there is no log with this key, or
    /// if it was deleted with the same token.
    ///
    /// # Errors
    ///
    /// The errors of [`LogStore::append`]. The token must be the owner's or a [newer](Token::next)
    /// one.
    fn delete(
        &self,
        session: &LogKey,
        token: &Token,
    ) -> impl Future<Output = Result<(), AppendError>> + Send;
}

impl<S: LogStore> LogStore for Arc<S> {
    fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> impl Future<Output = Result<Position, AppendError>> + Send {
        S::append(self, session, batch)
    }

    fn head(
        &self,
        session: &LogKey,
    ) -> impl Future<Output = Result<Option<Head>, StoreError>> + Send {
        S::head(self, session)
    }

    fn read(
        &self,
        session: &LogKey,
        after: Position,
    ) -> impl Future<Output = Result<Vec<Batch>, StoreError>> + Send {
        S::read(self, session, after)
    }

    fn list(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<StoredSession>, StoreError>> + Send {
        S::list(self, project)
    }

    fn summaries(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<Summarized>, StoreError>> + Send {
        S::summaries(self, project)
    }

    fn parts(
        &self,
        session: &LogKey,
    ) -> impl Future<Output = Result<Vec<Part>, StoreError>> + Send {
        S::parts(self, session)
    }

    fn delete(
        &self,
        session: &LogKey,
        token: &Token,
    ) -> impl Future<Output = Result<(), AppendError>> + Send {
        S::delete(self, session, token)
    }
}
