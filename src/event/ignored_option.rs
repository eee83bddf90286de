//! Options without effect.

use std::fmt;

/// An option that another one takes the effect from, or a part of it. The CLI
/// says nothing about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredOption {
    /// The option that has no effect.
    pub option: String,
    /// The option that takes it.
    pub by: String,
    /// What happens in place of it.
    pub effect: String,
}

impl fmt::Display for IgnoredOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, by, effect } = self;
        write!(f, "`{option}` stands behind `{by}`: {effect}")
    }
}
