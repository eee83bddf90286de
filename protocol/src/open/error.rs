//! Errors of reading a value, with their location.

use crate::text::Invalid;
use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// The maximum nesting depth of objects.
pub(super) const MAX_DEPTH: usize = 64;

/// The error of a value that cannot be read as the expected type.
///
/// Readers of members and items add the location while the error propagates.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    reason: Reason,
    /// The steps from the outermost value to the one that failed, innermost
    /// first.
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Reason {
    /// The text is not valid JSON.
    Invalid(Invalid),
    /// The object has another tag.
    OtherTag(&'static str),
    /// Objects are nested too deeply.
    TooDeep,
    /// Preserving the invalid members would take too many bytes.
    TooMuch,
    /// A reason with its own text.
    Other(Cow<'static, str>),
}

/// A step of a path from the outermost value to an inner one.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Member(Box<str>),
    Item(usize),
}

impl Error {
    /// Creates an error with this reason.
    #[cold]
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Reason::Other(reason.into()))
    }

    #[cold]
    pub(super) fn other_tag(expected: &'static str) -> Self {
        Self::of(Reason::OtherTag(expected))
    }

    #[cold]
    pub(super) fn too_deep() -> Self {
        Self::of(Reason::TooDeep)
    }

    #[cold]
    pub(super) fn too_much() -> Self {
        Self::of(Reason::TooMuch)
    }

    pub(super) fn is_too_much(&self) -> bool {
        matches!(self.0.reason, Reason::TooMuch)
    }

    pub(super) fn is_too_deep(&self) -> bool {
        matches!(self.0.reason, Reason::TooDeep)
    }

    fn of(reason: Reason) -> Self {
        Self(Box::new(Inner {
            reason,
            steps: vec![],
        }))
    }

    /// Prepends the member in which the error occurred to the path.
    #[cold]
    pub(super) fn in_member(mut self, name: &str) -> Self {
        self.0.steps.push(Step::Member(name.into()));
        self
    }

    /// Prepends the item in which the error occurred to the path.
    #[cold]
    pub(super) fn in_item(mut self, index: usize) -> Self {
        self.0.steps.push(Step::Item(index));
        self
    }

    /// Returns whether the object itself has another tag. A tag of a nested
    /// object does not count.
    pub(super) fn is_other_tag(&self) -> bool {
        self.0.steps.is_empty() && matches!(self.0.reason, Reason::OtherTag(_))
    }

    /// Returns the location and the reason.
    pub(crate) fn located(self) -> Located {
        Located {
            path: path(self.0.steps.iter().rev()),
            reason: self.0.reason.to_string(),
        }
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.0.steps.iter().rev()
    }

    pub(super) fn reason(&self) -> String {
        self.0.reason.to_string()
    }
}

impl From<Invalid> for Error {
    #[cold]
    fn from(invalid: Invalid) -> Self {
        Self::of(Reason::Invalid(invalid))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::OtherTag(expected) => write!(f, "expected the tag `{expected}`"),
            Self::TooDeep => write!(f, "objects are nested more than {MAX_DEPTH} levels deep"),
            Self::TooMuch => f.write_str("too many nested members are invalid"),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.steps.is_empty() {
            write!(f, "{}: ", path(self.steps()))?;
        }
        self.0.reason.fmt(f)
    }
}

/// The location and the reason of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    /// The path, such as `message.content[0].text`. `.` for the whole text.
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// Formats the steps as a path.
pub(super) fn path<'a>(steps: impl Iterator<Item = &'a Step>) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Member(key) if path.is_empty() => path.push_str(key),
            Step::Member(key) => drop(write!(path, ".{key}")),
            Step::Item(index) => drop(write!(path, "[{index}]")),
        }
    }
    if path.is_empty() {
        path.push('.');
    }
    path
}
