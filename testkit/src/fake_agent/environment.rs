//! The environment variables of the fake agent.

use super::clock::Clock;
use crate::scenario::{Scenario, ScenarioError};
use std::io;

/// Names the variable with the script. Its value is the path of a scenario, the
/// scenario itself (which begins with `{`), or the replies of one (which begin
/// with `[`).
pub const SCRIPT: &str = "FAKE_AGENT_SCRIPT";

/// Names the variable with the directory of gates. Creating the file NAME in it
/// opens the gate NAME. When the script reaches the gate, the agent creates
/// NAME`.reached`.
pub const GATES: &str = "FAKE_AGENT_GATES";

/// Names the variable with the path of the log, a
/// [recording](crate::recording). The log contains the arguments, every line in
/// both directions and the exit status. Each line is in the file before it has
/// an effect. An existing file is appended to.
pub const LOG: &str = "FAKE_AGENT_LOG";

/// Names the variable with the CLI version to emulate, such as `2.0.77`. The
/// scenario's `profile` overrides it.
pub const PROFILE: &str = "FAKE_AGENT_PROFILE";

/// Names the variable with the clock. With `virtual`, pauses of the script take
/// no time. After all input that has arrived is handled, the clock advances to
/// the next event. Later input of the host comes after that event; a script
/// that must wait for the host needs [gates](GATES). Deadlines for the host's
/// responses are in real time.
pub const CLOCK: &str = "FAKE_AGENT_CLOCK";

/// Names the variable with the CLI's configuration directory, which stores the
/// sessions. If the variable is unset, no session is stored.
pub const SESSIONS: &str = "CLAUDE_CONFIG_DIR";

/// Names the variable that controls unknown flags. With `accept`, unknown flags
/// are ignored. With `refuse`, which is the default, the agent exits with
/// status 1 as the CLI does.
pub const UNKNOWN_FLAGS: &str = "FAKE_AGENT_UNKNOWN_FLAGS";

/// An invalid environment of the fake agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The variable [`SCRIPT`] is unset.
    #[error("`{SCRIPT}` is unset: set it to a scenario or to the path of one")]
    NotSet,
    /// The file cannot be read.
    #[error("`{SCRIPT}` is {path:?}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// The scenario is invalid.
    #[error("`{SCRIPT}`: {0}")]
    Scenario(ScenarioError),
    /// The scenario has gates, but [`GATES`] names no directory to open them
    /// in.
    #[error("the scenario has gates: set `{GATES}` to a directory")]
    NoGates,
    /// The value of [`CLOCK`] is invalid.
    #[error("`{CLOCK}` is {0:?}: expected `real` or `virtual`")]
    NoSuchClock(String),
    /// The value of [`UNKNOWN_FLAGS`] is invalid.
    #[error("`{UNKNOWN_FLAGS}` is {0:?}: expected `accept` or `refuse`")]
    UnknownFlags(String),
}

impl From<ScenarioError> for ScriptError {
    fn from(error: ScenarioError) -> Self {
        Self::Scenario(error)
    }
}

/// Reads the scenario that the environment names.
pub(crate) fn script() -> Result<Scenario, ScriptError> {
    let value = std::env::var(SCRIPT).map_err(|_| ScriptError::NotSet)?;
    match value.trim_start().as_bytes().first() {
        Some(b'{') => Ok(Scenario::from_json(&value)?),
        Some(b'[') => Ok(Scenario::from_json(&format!(r#"{{"replies":{value}}}"#))?),
        _ => match std::fs::read_to_string(&value) {
            Ok(text) => Ok(Scenario::from_json(&text)?),
            Err(error) => Err(ScriptError::Unreadable { path: value, error }),
        },
    }
}

/// Returns whether unknown flags are accepted.
pub(super) fn accepts_unknown_flags() -> Result<bool, ScriptError> {
    match std::env::var(UNKNOWN_FLAGS).as_deref() {
        Err(_) | Ok("" | "refuse") => Ok(false),
        Ok("accept") => Ok(true),
        Ok(other) => Err(ScriptError::UnknownFlags(other.to_owned())),
    }
}

/// Returns the clock that the environment names.
pub(super) fn clock() -> Result<Clock, ScriptError> {
    match std::env::var(CLOCK).as_deref() {
        Err(_) | Ok("" | "real") => Ok(Clock::new(false)),
        Ok("virtual") => Ok(Clock::new(true)),
        Ok(other) => Err(ScriptError::NoSuchClock(other.to_owned())),
    }
}
