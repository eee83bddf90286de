//! Versions of the CLI, and asking for them.

use crate::locate::Cli;
use crate::options::CommandLine;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A version of Claude Code, such as `2.1.330`.
///
/// ```
/// use agentwire::CliVersion;
///
/// let version: CliVersion = "2.1.197 (Claude Code)".parse()?;
/// assert!(version > CliVersion::new(2, 0, 77));
/// assert_eq!(version.to_string(), "2.1.197");
/// # Ok::<_, agentwire::InvalidVersion>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CliVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

/// A text that does not begin with a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not begin with a version such as 2.1.330")]
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

    /// Reads a version at the beginning of a text. What follows after a space
    /// or a hyphen is ignored, as in `2.1.330 (Claude Code)`.
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

/// The versions that CLIs have printed in this process, by path, as long as the
/// file is not changed.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);

#[derive(Clone, Copy)]
struct Known {
    changed: SystemTime,
    version: Option<CliVersion>,
}

/// Asks a CLI for its version (`--version`), in the environment of the
/// session. It is asked once for each state of its file. `None` when it prints
/// none in time.
///
/// Dropping the future kills the process.
pub(crate) async fn of(cli: &Cli, line: &CommandLine, timeout: Duration) -> Option<CliVersion> {
    let changed = changed(&cli.file)?;
    let known = lock().get(&cli.file).copied();
    if let Some(known) = known.filter(|known| known.changed == changed) {
        return known.version;
    }
    let mut command = line.in_environment(cli.command());
    command.arg("--version").stdin(Stdio::null());
    command.stderr(Stdio::null());
    let mut command = tokio::process::Command::from(command);
    let output = command.kill_on_drop(true).output();
    let output = tokio::time::timeout(timeout, output).await;
    let printed = output.ok().and_then(Result::ok).map(|it| it.stdout);
    let version = printed.and_then(|it| String::from_utf8_lossy(&it).parse().ok());
    lock().insert(cli.file.clone(), Known { changed, version });
    version
}

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|about| about.modified()).ok()
}

fn lock() -> std::sync::MutexGuard<'static, HashMap<PathBuf, Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_what_a_text_begins_with() {
        let read = |text: &str| text.parse::<CliVersion>().ok();
        assert_eq!(read("2.1.330"), Some(CliVersion::new(2, 1, 330)));
        assert_eq!(read("2.1.197 (Claude Code)\n"), read("2.1.197"));
        assert_eq!(read("1.0.128-beta.1"), read("1.0.128"));
        assert!(read("2.1.197") < read("2.1.330") && read("2.0.77") < read("2.1.0"));
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
