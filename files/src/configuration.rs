//! The folders of the agent's configuration.

use std::env::home_dir;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The folders of an agent's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Configuration {
    /// The folder of settings and transcripts.
    pub directory: PathBuf,
    /// The folder of `.claude.json`.
    pub account: PathBuf,
}

impl Configuration {
    /// Returns the configuration folders of an agent with this environment. Returns
    /// `None` if the environment has neither `CLAUDE_CONFIG_DIR` nor a home directory.
    /// `variable` returns the value of a variable.
    pub fn of<V: AsRef<OsStr>>(variable: impl Fn(&str) -> Option<V>) -> Option<Self> {
        let folder = |name| {
            let value = variable(name).filter(|it| !it.as_ref().is_empty());
            value.map(|it| PathBuf::from(it.as_ref()))
        };
        if let Some(directory) = folder("CLAUDE_CONFIG_DIR") {
            let account = directory.clone();
            return Some(Self { directory, account });
        }
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let account = folder(home).or_else(home_dir)?;
        let directory = account.join(".claude");
        Some(Self { directory, account })
    }
}
