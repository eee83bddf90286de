//! CLI versions.

use std::fmt;
use std::str::FromStr;

/// A version of Claude Code, such as `2.1.332`.
///
/// ```
/// use agentwire::process::CliVersion;
///
/// let version: CliVersion = "2.1.197 (Claude Code)".parse()?;
/// assert!(version > CliVersion::new(2, 0, 77));
/// assert_eq!(version.to_string(), "2.1.197");
/// # Ok::<_, agentwire::process::InvalidVersion>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CliVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

/// The error for a text that does not start with a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not start with a version such as 2.1.332")]
pub struct InvalidVersion(String);

impl CliVersion {
    /// Creates a version.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }
}

impl FromStr for CliVersion {
    type Err = InvalidVersion;

    /// Parses a version at the start of a text. Anything after a space or
    /// hyphen is ignored, as in `2.1.332 (Claude Code)`.
    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let invalid = || InvalidVersion(text.to_owned());
        let first = text.split([' ', '-', '\n', '\r']).next();
        let mut numbers = first.unwrap_or_default().split('.').map(str::parse);
        let mut next = || numbers.next().and_then(Result::ok).ok_or_else(invalid);
        let version = Self::new(next()?, next()?, next()?);
        match numbers.next() {
            None => Ok(version),
            Some(_) => Err(invalid()),
        }
    }
}

impl fmt::Display for CliVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_at_the_start_of_a_text() {
        let read = |text: &str| text.parse::<CliVersion>().ok();
        assert_eq!(read("2.1.332"), Some(CliVersion::new(2, 1, 332)));
        assert_eq!(read("2.1.197 (Claude Code)\n"), read("2.1.197"));
        assert_eq!(read("1.0.128-beta.1"), read("1.0.128"));
        assert!(read("2.1.197") < read("2.1.332") && read("2.0.77") < read("2.1.0"));
        for odd in [
            "",
            "2.1",
            "2.1.3.4",
            "v2.1.3",
            "2.1.x",
            "-1.0.0",
            "99999999999.0.0",
        ] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
