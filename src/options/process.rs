//! The CLI as a process.

use super::Options;
use crate::event::Error;
use crate::process::CliVersion;
use crate::process::Environment;
use crate::process::find_cli;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The CLI, and its environment.
impl Options {
    /// The CLI: a path, or a name that is looked for on the `PATH`. It may be
    /// a script of Node's (`cli.js`).
    ///
    /// Without it the variable `AGENTWIRE_CLI` is asked, then the `PATH` is
    /// searched for `claude`, then the places where installers put it, for
    /// programs that have no shell's `PATH`: those of the CLI's own installer,
    /// npm, pnpm, bun, volta, yarn, nvm, fnm and Homebrew among them.
    ///
    /// It is never started by way of a shell. Of a script for one, as npm makes
    /// them on Windows (`claude.cmd`), what is behind it is started; when
    /// nothing is found there, that is an error which says what to do.
    pub fn cli(mut self, path: impl Into<PathBuf>) -> Self {
        self.cli = Some(path.into());
        self
    }

    /// Sets the CLI's version. Without it a CLI that is started here is asked
    /// for it (`--version`) if options depend on it, and one that is reached in
    /// another way ([`Client::connect_over`](crate::Client::connect_over)) is
    /// taken for a current one.
    ///
    /// An older CLI is given in arguments and private files what a current one
    /// reads from the pipe. An option that it does not support, and that the
    /// session relies on, is an [`Error::TooOld`](crate::Error::TooOld).
    pub fn cli_version(mut self, version: CliVersion) -> Self {
        self.cli_version = Some(version);
        self
    }

    /// Sets a variable of the CLI's environment, whatever
    /// [`Options::environment`] says.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Starts the CLI without this process's environment: it has only what
    /// [`Options::env`] sets, and what agentwire itself needs. The same as
    /// [`Environment::only`] with no names.
    pub fn clean_env(self) -> Self {
        self.environment(Environment::Only(Vec::new()))
    }

    /// The program's name for the API, such as `my-app/1.0`
    /// (`CLAUDE_AGENT_SDK_CLIENT_APP`).
    pub fn client_app(self, name: impl Into<String>) -> Self {
        self.marker("CLAUDE_AGENT_SDK_CLIENT_APP", Some(name))
    }

    /// The CLI that would be started.
    ///
    /// # Errors
    ///
    /// When there is none where one is looked for.
    pub fn locate(&self) -> Result<PathBuf, Error> {
        Ok(find_cli(self.cli.as_deref())?.file)
    }

    /// Sets a variable that an option of ours stands for, or takes it away.
    /// What the user sets by [`Options::env`] counts more.
    pub(super) fn marker(mut self, name: &'static str, value: Option<impl Into<String>>) -> Self {
        self.markers.retain(|(old, _)| *old != name);
        if let Some(value) = value {
            self.markers.push((name, value.into()));
        }
        self
    }
}
