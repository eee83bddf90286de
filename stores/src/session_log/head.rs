//! The end of a log, and the rule by which batches are appended to it.

use agentwire::store::StoreError;
use std::fmt;
use std::sync::Arc;

/// A position in a log: that of a batch, or the start. Positions of a log only
/// grow; a store may leave some out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub u64);

impl Position {
    /// Before the first batch.
    pub const START: Self = Self(0);
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a writer shows to append to a log. The writer that appended with the highest
/// number owns the log.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Token {
    /// How many owners the log has had, with this one. Each number is one owner's.
    pub number: u64,
    /// The writer. It has to be unique to each time that a log is taken over, also by
    /// the same process: two that claim the same number are told apart by it, and what
    /// the first one has sent may arrive late.
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

    /// Creates the token with which a writer takes over a log that ends so. It takes
    /// effect with the first append. A log whose owner has the largest number is never
    /// taken over.
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
    /// The position that the next batch has to go behind.
    pub position: Position,
    /// The owner's token.
    pub token: Token,
    /// Whether the entries were deleted, and none has been appended since. The
    /// token is spent then.
    pub is_deleted: bool,
}

/// The batch that comes directly behind a position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Next {
    /// Its position.
    pub position: Position,
    /// The token with which it was appended.
    pub token: Token,
}

impl Next {
    /// Creates the description of a batch.
    #[must_use]
    pub fn new(position: Position, token: Token) -> Self {
        Self { position, token }
    }
}

/// What a store does with a batch that it does not refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// It keeps the batch.
    Keep,
    /// It has the batch already, at this position.
    Kept(Position),
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

    /// The rule of an append: decides about a batch that is to go behind `after`.
    /// `head` is the end of the log, `None` if there is none, and `next` is the batch
    /// that is directly behind `after` now, `None` if there is none.
    ///
    /// - A batch that is directly behind the position and has the same token is the
    ///   same batch: it is [kept](Admission::Kept) already.
    /// - Otherwise the batch has to go behind the end of the log,
    /// - and to have the owner's token, which is not spent, or one with a higher
    ///   number: its writer owns the log from this batch on.
    ///
    /// A store may decide otherwise than by this function, such as in one statement of its
    /// engine, if it decides the same.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the batch is not appended.
    pub fn admit(
        head: Option<&Self>,
        next: Option<&Next>,
        after: Position,
        token: &Token,
    ) -> Result<Admission, Refusal> {
        if let Some(next) = next.filter(|next| next.token == *token) {
            return Ok(Admission::Kept(next.position));
        }
        let is_at_end = head.map_or(Position::START, |head| head.position) == after;
        if is_at_end && head.is_none_or(|head| head.lets_in(token)) {
            return Ok(Admission::Keep);
        }
        Err(Refusal {
            head: head.cloned(),
        })
    }

    /// The rule of a deletion: whether a log that ends so is deleted with this
    /// token; `false` if it was deleted with it already.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the token is not the owner's and not newer.
    pub fn admit_deletion(&self, token: &Token) -> Result<bool, Refusal> {
        if self.is_deleted && self.token == *token {
            return Ok(false);
        }
        match self.lets_in(token) {
            true => Ok(true),
            false => Err(Refusal {
                head: Some(self.clone()),
            }),
        }
    }

    fn lets_in(&self, token: &Token) -> bool {
        token.number > self.token.number || (*token == self.token && !self.is_deleted)
    }
}

/// A batch was refused, because the log has another owner or goes on behind another
/// position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The end of the log; `None` if there is no log.
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
                write!(f, "the log was deleted at {position}, with token {token}")
            }
            Some(Head {
                position, token, ..
            }) => write!(
                f,
                "the log is owned with token {token}, and ends at {position}"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// Why a batch was not appended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The log has another owner, or goes on behind another position.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed. The batch may have been kept.
    #[error("the store failed: {0}")]
    Failed(StoreError),
}

impl AppendError {
    /// Creates a failure from any error.
    pub fn failed(error: impl Into<StoreError>) -> Self {
        Self::Failed(error.into())
    }

    /// Returns the refusal, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Failed(_) => None,
        }
    }
}
