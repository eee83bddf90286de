//! Session logs: the contract of stores that many machines share.
//!
//! A [`LogStore`] keeps one log for each session: batches of entries, one behind
//! the other. Each log has an owner, and only the owner appends. An append names
//! the position that it goes behind and the owner's [token](Token); the store
//! checks both in the same step in which it keeps the batch. So of two processes
//! that write the same session one is refused, whatever clocks, pauses and
//! networks do in between.
//!
//! The rules are those of [`Head::admit`], and `agentwire_testkit::stores` has the
//! tests that a store has to pass.
//!
//! ```
//! use agentwire_stores::session_log::{Entry, Part, Position, LogKey, Token};
//!
//! let session = LogKey::new("crabs", "0d4f7d6a-0c67-4c92-b1a5-3ef1b7d3c3a7");
//! // Of a log that does not exist yet.
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

/// A session and its last [summary](NewBatch::summary). The error is that of reading the
/// summary of this session; those of others are not affected.
pub type Summarized = (StoredSession, Result<Option<Json>, StoreError>);

/// A store that keeps a log for each session. The
/// [module documentation](crate::session_log) has the idea.
///
/// Stores keep what was appended when [`append`](LogStore::append) returns, as
/// durably as they say in their documentation. After a crash a log is a prefix of
/// what was appended: batches are there or not as a whole, and none comes behind
/// one that is missing.
///
/// The futures may be dropped at any `await`, for example by a timeout. What was
/// being appended is then kept or not, and the same call can be made again.
pub trait LogStore: Send + Sync + 'static {
    /// Appends a batch to a log, which is created if needed. Returns the batch's
    /// position.
    ///
    /// The batch is kept, is already there, or is refused, by the rules of
    /// [`Head::admit`]. A batch is known by its position and its token, not by its
    /// entries: an owner must not append others behind the same position, unless the
    /// first append was refused. A batch without entries is never kept: the call returns
    /// [`NewBatch::after`], and looks at nothing.
    ///
    /// # Errors
    ///
    /// - [`AppendError::Refused`] if the log has another owner, or goes on behind
    ///   another position. Nothing was kept.
    /// - [`AppendError::Failed`] if the store could not do it, or does not know
    ///   whether it did. The same call can be made again: if the batch was kept,
    ///   its position is returned.
    fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> impl Future<Output = Result<Position, AppendError>> + Send;

    /// Returns the end of a log, or `None` if the store never had a log with this
    /// key. A log that was deleted has an end.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn head(
        &self,
        session: &LogKey,
    ) -> impl Future<Output = Result<Option<Head>, StoreError>> + Send;

    /// Returns batches that come behind a position, in their order: some of them,
    /// as many as the store reads at once, but at least one if there is one. To
    /// read a whole log, begin with [`Position::START`], and go on behind the last
    /// batch until there is none.
    ///
    /// The entries are those that were appended. Stores of this project return
    /// their text byte for byte. Other stores may return the members of objects in
    /// another order, and must not change anything else, such as the digits of a
    /// number or an escaped character.
    ///
    /// # Errors
    ///
    /// If the log cannot be read, or is damaged. Damage is an error and never the
    /// end of a log.
    fn read(
        &self,
        session: &LogKey,
        after: Position,
    ) -> impl Future<Output = Result<Vec<Batch>, StoreError>> + Send;

    /// Returns the sessions of a project that have a log, in any order. Deleted
    /// ones are not among them. By default, those of [`LogStore::summaries`].
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

    /// Returns the sessions of [`LogStore::list`], each with the last
    /// [summary](NewBatch::summary) that was appended, or the error of reading it.
    ///
    /// # Errors
    ///
    /// As for [`LogStore::list`]. A summary that cannot be read is no error of the call.
    fn summaries(
        &self,
        project: &str,
    ) -> impl Future<Output = Result<Vec<Summarized>, StoreError>> + Send;

    /// Returns the parts of a session that have entries, each once and in any
    /// order.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    fn parts(&self, session: &LogKey)
    -> impl Future<Output = Result<Vec<Part>, StoreError>> + Send;

    /// Deletes all entries of a log, of all its parts. What remains is its
    /// [end](LogStore::head), so that the token stays spent: no token up to this one
    /// appends anything afterwards. Does nothing if there is no log with this key,
    /// or if it was deleted with the same token.
    ///
    /// # Errors
    ///
    /// As for [`LogStore::append`]: the token has to be the owner's, or a
    /// [newer](Token::next) one.
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
