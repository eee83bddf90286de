//! Options without effect.

use std::fmt;

/// An option that another one overrides, fully or in part. The CLI does not report this.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredOption {
    /// The option without effect.
    pub option: String,
    /// The option that overrides it.
    pub by: String,
    /// The effect of the override.
    pub effect: String,
}

impl fmt::Display for IgnoredOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, by, effect } = self;
        write!(f, "`{option}` is overridden by `{by}`: {effect}")
    }
}
