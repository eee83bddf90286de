//! The CLI process.

use super::Options;
use crate::event::Error;
use crate::process::CliVersion;
use crate::process::Environment;
use crate::process::find_cli;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The CLI and its environment.
impl Options {
    /// Sets the CLI: a path, or a name to look up on the `PATH`. A Node script
    /// (`cli.js`) works too.
    ///
    /// If unset, the CLI is searched for in this order:
    ///
    /// 1. the variable `AGENTWIRE_CLI`,
    /// 2. `claude` on the `PATH`,
    /// 3. the folders where installers put it, for programs started without a shell's `PATH`: among
    ///    them those of the CLI's own installer, npm, pnpm, bun, volta, yarn, nvm, fnm and Homebrew.
    ///
    /// The CLI is never started through a shell. For a shell script such as npm's `claude.cmd` on
    /// Windows, the program that it starts is started directly. If none is found, the error
    /// explains what to do.
    #[doc(alias = "cli_path")]
    #[doc(alias = "pathToClaudeCodeExecutable")]
    pub fn cli(mut self, path: impl Into<PathBuf>) -> Self {
        self.cli = Some(path.into());
        self
    }

    /// Sets the CLI's version. If unset and the options depend on it, the version of a CLI spawned
    /// here is queried (`--version`). A CLI reached otherwise
    /// ([`Client::connect_over`](crate::Client::connect_over)) is assumed to be current.
    ///
    /// An older CLI gets arguments and private files instead of members of the first request. An
    /// unsupported required option is an [`Error::TooOld`], and so is a version before 2.0.0.
    pub fn cli_version(mut self, version: CliVersion) -> Self {
        self.cli_version = Some(version);
        self
    }

    /// Sets a variable in the CLI's environment. It takes precedence over
    /// [`Options::environment`].
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Starts the CLI without this process's environment, with only the variables set by
    /// [`Options::env`] and those that agentwire needs. Same as [`Environment::only`] without
    /// names.
    pub fn clean_env(self) -> Self {
        self.environment(Environment::Only(Vec::new()))
    }

    /// Sets the application's name for the API, such as `my-app/1.0`
    /// (`CLAUDE_AGENT_SDK_CLIENT_APP`).
    pub fn client_app(self, name: impl Into<String>) -> Self {
        self.marker("CLAUDE_AGENT_SDK_CLIENT_APP", Some(name))
    }

    /// Returns the path of the CLI that would be started.
    ///
    /// # Errors
    ///
    /// [`Error::CliNotFound`] if no CLI is found.
    pub fn locate(&self) -> Result<PathBuf, Error> {
        Ok(find_cli(self.cli.as_deref())?.file)
    }

    /// Sets or removes a variable that represents an option. [`Options::env`] takes precedence.
    pub(super) fn marker(mut self, name: &'static str, value: Option<impl Into<String>>) -> Self {
        self.markers.retain(|(old, _)| *old != name);
        if let Some(value) = value {
            self.markers.push((name, value.into()));
        }
        self
    }
}
