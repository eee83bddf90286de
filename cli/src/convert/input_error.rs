//! Errors of reading an input.

use std::{fmt, io};

/// An error of reading an input.
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
    /// A value has invalid UTF-8. The next item is the value with U+FFFD in place of invalid
    /// bytes.
    #[error("{place}: invalid UTF-8, replaced with U+FFFD")]
    Utf8 { place: Place },
    /// A list is invalid after `number` values.
    #[error("the list ends after value {number}: {error}")]
    List {
        number: usize,
        error: serde_json::Error,
    },
    /// The residue is incomplete.
    #[error("{0}")]
    Residue(String),
}

/// The position of a value in its file, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// The first and the last line.
    Lines(usize, usize),
    /// The index in the list.
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
