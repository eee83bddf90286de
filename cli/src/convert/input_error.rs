//! Why an input cannot be read, and where.

use std::{fmt, io};

/// The input cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    /// The file cannot be read.
    #[error("cannot read {file}: {error}")]
    File { file: String, error: io::Error },
    /// The file is not UTF-8.
    #[error("cannot read {file}: it is {encoding}; convert it to UTF-8")]
    Encoding {
        file: String,
        encoding: &'static str,
    },
    /// A value is invalid.
    #[error("{place}: {reason}")]
    Value { place: Place, reason: String },
    /// A value has bytes that are not UTF-8. The value follows, with U+FFFD in their
    /// place.
    #[error("{place}: invalid UTF-8, replaced with U+FFFD")]
    Utf8 { place: Place },
    /// The list is invalid after this number of values.
    #[error("the list ends after value {number}: {error}")]
    List {
        number: usize,
        error: serde_json::Error,
    },
    /// The residue is not complete.
    #[error("{0}")]
    Residue(String),
}

/// Where a value is in its file, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// The first line, and the last.
    Lines(usize, usize),
    /// The number in the list.
    Item(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(first, last) if first == last => write!(f, "line {first}"),
            Self::Lines(first, last) => write!(f, "lines {first} to {last}"),
            Self::Item(number) => write!(f, "value {number}"),
        }
    }
}
