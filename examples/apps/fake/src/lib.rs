//! The flag `--fake` of these programs: they then start themselves as the agent,
//! which is the fake agent of `agentwire-testkit` with a script. That needs no
//! CLI, no account and no network.
//!
//! A product has its own tests with the fake agent, and not this crate: remove
//! the flag, the call of [`run_if_asked`] and the script.

use agentwire::Options;
use agentwire_testkit::fake_agent;
use std::io;
use std::path::PathBuf;

/// Set for the process that is to be the fake agent.
const IS_AGENT: &str = "AGENTWIRE_APP_IS_FAKE_AGENT";

/// The flag `--fake[=SCRIPT]`.
#[derive(Debug, Clone, clap::Args)]
pub struct Fake {
    /// Runs with the fake agent, which needs no account; with this script in
    /// place of the program's own one
    #[arg(long, value_name = "SCRIPT", num_args = 0..=1, require_equals = true)]
    fake: Option<Option<PathBuf>>,
}

/// Runs the fake agent, and exits, if [`Fake::options`] started this process.
/// The first line of `main`.
pub fn run_if_asked() {
    if std::env::var_os(IS_AGENT).is_some() {
        fake_agent::main();
    }
}

impl Fake {
    /// Returns the options of a session with the fake agent if the flag is set,
    /// and the default options otherwise. `script` is the program's own script.
    ///
    /// # Errors
    ///
    /// If the path of this program or of the script is unknown.
    pub fn options(&self, script: &str) -> io::Result<Options> {
        let Some(given) = &self.fake else {
            return Ok(Options::new());
        };
        let program = std::env::current_exe()?;
        let mut options = Options::new().env(IS_AGENT, "1");
        // Its sessions are not among those of the agent CLI.
        if std::env::var_os(fake_agent::SESSIONS).is_none() {
            options = options.env(
                fake_agent::SESSIONS,
                program.with_file_name("fake-sessions"),
            );
        }
        let options = options.cli(program);
        Ok(match given {
            // The agent may work in another directory.
            Some(path) => options.env(fake_agent::SCRIPT, std::path::absolute(path)?),
            None => options.env(fake_agent::SCRIPT, script),
        })
    }
}
