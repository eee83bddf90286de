//! Batches, which are entries that are appended atomically.

use super::{Position, Token};
use agentwire_protocol::Json;
use std::fmt;
use std::sync::Arc;

/// The part of a session that an entry belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Part {
    /// The main conversation.
    Main,
    /// Another transcript of the session, such as `subagents/agent-a1b2`. The value is its
    /// [subpath](agentwire::store::TranscriptKey::subpath).
    Transcript(Arc<str>),
    /// Entries of hosts about the session itself, such as its owner and its inbox.
    Session,
}

/// The name of [`Part::Session`]. A subpath cannot have a colon.
const SESSION: &str = ":session";

impl Part {
    /// Returns the part that has this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "" => Self::Main,
            SESSION => Self::Session,
            subpath => Self::Transcript(subpath.into()),
        }
    }

    /// Returns the name of the part in stores. This is an empty text for [`Part::Main`], and the
    /// subpath for [`Part::Transcript`].
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Main => "",
            Self::Transcript(subpath) => subpath,
            Self::Session => SESSION,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str("the main conversation"),
            Self::Transcript(subpath) => f.write_str(subpath),
            Self::Session => f.write_str("the session"),
        }
    }
}

/// An entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The part of the session.
    pub part: Part,
    /// The content. Stores preserve its text and do not interpret it.
    pub json: Json,
}

impl Entry {
    /// Creates an entry.
    #[must_use]
    pub fn new(part: Part, json: Json) -> Self {
        Self { part, json }
    }
}

/// A batch to append.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct NewBatch<'a> {
    /// The expected end of the log: the position of its last batch, or [`Position::START`] if
    /// there is no log.
    pub after: Position,
    /// The writer's token.
    pub token: &'a Token,
    /// The entries.
    pub entries: &'a [Entry],
    /// The summary of the session including these entries, for lists. It replaces the previous
    /// summary, even if it is `None`. Stores do not interpret it.
    pub summary: Option<&'a Json>,
}

impl<'a> NewBatch<'a> {
    /// Creates a batch without a summary.
    #[must_use]
    pub fn new(after: Position, token: &'a Token, entries: &'a [Entry]) -> Self {
        Self {
            after,
            token,
            entries,
            summary: None,
        }
    }

    /// Sets the summary.
    #[must_use]
    pub fn summary(mut self, summary: &'a Json) -> Self {
        self.summary = Some(summary);
        self
    }
}

/// A batch of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// The position in the log.
    pub position: Position,
    /// The token with which the batch was appended.
    pub token: Token,
    /// The entries in order.
    pub entries: Vec<Entry>,
}

impl Batch {
    /// Creates a batch. For implementations of stores.
    #[must_use]
    pub fn new(position: Position, token: Token, entries: Vec<Entry>) -> Self {
        Self {
            position,
            token,
            entries,
        }
    }
}
