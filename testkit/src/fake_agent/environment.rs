//! The environment variables that tell the fake agent what to do, and what they
//! name.

use super::clock::Clock;
use crate::scenario::{Scenario, ScenarioError};
use std::io;

/// The environment variable that holds the script: the path of a scenario, or
/// the scenario itself, which begins with `{`, or its replies, which begin with
/// `[`.
pub const SCRIPT: &str = "FAKE_AGENT_SCRIPT";

/// The environment variable that names the directory of gates. The gate NAME
/// is open once there is a file NAME in it; when the script comes to the gate,
/// the agent writes NAME`.reached`.
pub const GATES: &str = "FAKE_AGENT_GATES";

/// The environment variable that names a file for the log: how the agent was
/// started, every line that the host sent, every line that it was told, and
/// the exit, each in the file before it has an effect. It is a recording, as
/// those of real sessions are. Another session's log in the file stays.
pub const LOG: &str = "FAKE_AGENT_LOG";

/// The environment variable that names the version of the CLI that the fake
/// agent is like, such as `2.0.77`. What the scenario says goes before it.
pub const PROFILE: &str = "FAKE_AGENT_PROFILE";

/// The environment variable that says which clock there is. With `virtual`,
/// what the script waits for takes no time: its clock goes ahead to the next
/// thing that is to happen, as soon as the host has sent nothing that was not
/// heard. What a host does meanwhile comes after that; a script in which it has
/// to come in between has [gates](GATES). Deadlines of the host's answers stay
/// as they are.
pub const CLOCK: &str = "FAKE_AGENT_CLOCK";

/// The environment variable that names the directory of the CLI's
/// configuration, in which sessions are kept. Without it none is: the user's
/// own is left alone.
pub const SESSIONS: &str = "CLAUDE_CONFIG_DIR";

/// The environment variable for flags that the CLI does not have. `accept`
/// ignores them; by default, and with `refuse`, the agent exits with status 1 as
/// the CLI does.
pub const UNKNOWN_FLAGS: &str = "FAKE_AGENT_UNKNOWN_FLAGS";

/// Why the fake agent has no script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The variable is not set.
    #[error("{SCRIPT} is not set: it takes the path of a scenario, or the scenario itself")]
    NotSet,
    /// The file cannot be read.
    #[error("{SCRIPT} names {path:?}, which cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// It is no scenario.
    #[error("{SCRIPT}: {0}")]
    Scenario(#[from] ScenarioError),
    /// It has gates, and nobody could open them.
    #[error("the scenario has gates, and {GATES} names no directory in which they are opened")]
    NoGates,
    /// There is no such clock.
    #[error("{CLOCK} is {0:?}: it takes `real` or `virtual`")]
    NoSuchClock(String),
    /// The value of [`UNKNOWN_FLAGS`] is invalid.
    #[error("{UNKNOWN_FLAGS} is {0:?}: it takes `accept` or `refuse`")]
    UnknownFlags(String),
}

/// The scenario that the environment names.
pub(super) fn script() -> Result<Scenario, ScriptError> {
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

/// The clock that the environment names.
pub(super) fn clock() -> Result<Clock, ScriptError> {
    match std::env::var(CLOCK).as_deref() {
        Err(_) | Ok("" | "real") => Ok(Clock::new(false)),
        Ok("virtual") => Ok(Clock::new(true)),
        Ok(other) => Err(ScriptError::NoSuchClock(other.to_owned())),
    }
}
