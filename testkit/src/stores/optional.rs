//! Optional methods of stores for transcripts.

use std::fmt;

/// An optional method of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Optional {
    /// `SessionStore::sessions`.
    Sessions,
    /// `SessionStore::subpaths`.
    Subpaths,
    /// `SessionStore::summaries`.
    Summaries,
    /// `SessionStore::delete`.
    Delete,
}

impl Optional {
    /// Returns the name of the method.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Subpaths => "subpaths",
            Self::Summaries => "summaries",
            Self::Delete => "delete",
        }
    }

    /// All optional methods.
    pub(super) const ALL: [Self; 4] = [
        Self::Sessions,
        Self::Subpaths,
        Self::Summaries,
        Self::Delete,
    ];
}

impl fmt::Display for Optional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name())
    }
}
