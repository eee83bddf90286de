//! The end of a log, and the rules of appending.

use agentwire::store::StoreError;
use std::fmt;
use std::sync::Arc;

/// The position of a batch in a log, or the start of the log. Positions of later batches are
/// larger, but not necessarily consecutive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub u64);

impl Position {
    /// The position before the first batch.
    pub const START: Self = Self(0);
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The fencing token of a writer. The writer that appended with the highest number owns the log.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Token {
    /// The number of the owner, counted from 1.
    pub number: u64,
    /// The name of the writer. It must be unique for each takeover, even by the same process. It
    /// distinguishes writers that claim the same number, and late appends of earlier takeovers.
    pub writer: Arc<str>,
}

impl Token {
    /// Creates a token.
    pub fn new(number: u64, writer: impl Into<Arc<str>>) -> Self {
        Self {
            number,
            writer: writer.into(),
        }
    }

    /// Creates the token with which a writer takes over a log with this end. The takeover happens
    /// with the first append. A log with the largest number cannot be taken over.
    pub fn next(head: Option<&Head>, writer: impl Into<Arc<str>>) -> Self {
        Self::new(
            head.map_or(1, |head| head.token.number.saturating_add(1)),
            writer,
        )
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.number, self.writer)
    }
}

/// The end of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head {
    /// The position after which the next batch must be appended.
    pub position: Position,
    /// The owner's token.
    pub token: Token,
    /// Whether the log was deleted, and nothing was appended after that. The token then cannot be
    /// used again.
    pub is_deleted: bool,
}

/// The position and token of the batch directly after a position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Next {
    /// The position of the batch.
    pub position: Position,
    /// The token with which the batch was appended.
    pub token: Token,
}

impl Next {
    /// Creates the position and token of a batch.
    #[must_use]
    pub fn new(position: Position, token: Token) -> Self {
        Self { position, token }
    }
}

/// The decision about a batch that is not refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// Append the batch.
    Append,
    /// The batch is already stored at this position.
    AlreadyStored(Position),
}

impl Head {
    /// Creates the end of a log.
    #[must_use]
    pub fn new(position: Position, token: Token) -> Self {
        Self {
            position,
            token,
            is_deleted: false,
        }
    }

    /// Creates the end of a log that was deleted.
    #[must_use]
    pub fn deleted(position: Position, token: Token) -> Self {
        Self {
            position,
            token,
            is_deleted: true,
        }
    }

    /// Decides whether a batch may be appended after the position `after`. `head` is the end of the
    /// log, or `None` if there is no log. `next` is the batch directly after `after`, or `None` if
    /// there is none.
    ///
    /// - If `next` has the same token, it is the same batch, which is [already
    ///   stored](Admission::AlreadyStored).
    /// - Otherwise `after` must be the end of the log. `token` must be the owner's token, unless
    ///   the log was deleted with it, or have a higher number. The writer then owns the log.
    ///
    /// A store may implement the same rules without this function, for example in one statement.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the batch may not be appended.
    pub fn admit(
        head: Option<&Self>,
        next: Option<&Next>,
        after: Position,
        token: &Token,
    ) -> Result<Admission, Refusal> {
        if let Some(next) = next.filter(|next| next.token == *token) {
            return Ok(Admission::AlreadyStored(next.position));
        }
        let is_at_end = head.map_or(Position::START, |head| head.position) == after;
        if is_at_end && head.is_none_or(|head| head.accepts(token)) {
            return Ok(Admission::Append);
        }
        Err(Refusal {
            head: head.cloned(),
        })
    }

    /// Decides whether a log with this end may be deleted. Returns `false` if the log was already
    /// deleted with the same token.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the token is neither the owner's nor newer.
    pub fn admit_deletion(&self, token: &Token) -> Result<bool, Refusal> {
        if self.is_deleted && self.token == *token {
            return Ok(false);
        }
        match self.accepts(token) {
            true => Ok(true),
            false => Err(Refusal {
                head: Some(self.clone()),
            }),
        }
    }

    fn accepts(&self, token: &Token) -> bool {
        token.number > self.token.number || (*token == self.token && !self.is_deleted)
    }
}

/// The refusal of a batch, because the log has another owner or another end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The end of the log. `None` if there is no log.
    pub head: Option<Head>,
}

impl Refusal {
    /// Creates a refusal.
    #[must_use]
    pub fn new(head: Option<Head>) -> Self {
        Self { head }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.head {
            None => f.write_str("the log does not exist"),
            Some(head) if head.is_deleted => {
                let Head {
                    position, token, ..
                } = head;
                write!(f, "the log was deleted at {position} with token {token}")
            }
            Some(Head {
                position, token, ..
            }) => write!(
                f,
                "the log is owned by token {token} and ends at {position}"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// The error of an append.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The log has another owner or another end. Nothing was stored.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed. The batch may have been stored.
    #[error("the store failed: {0}")]
    Failed(StoreError),
}

impl AppendError {
    /// Creates an [`AppendError::Failed`].
    pub fn failed(error: impl Into<StoreError>) -> Self {
        Self::Failed(error.into())
    }

    /// Returns the refusal. Returns `None` for other errors.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Failed(_) => None,
        }
    }
}
