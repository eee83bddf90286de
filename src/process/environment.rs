//! What the CLI gets of this process's environment, and how that is printed.

use super::mask;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::process::Command;

/// What the CLI gets of this process's environment. What
/// [`Options::env`](crate::Options::env) sets comes on top of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Environment {
    /// All of it, but for what says that this process itself runs inside a
    /// session of the CLI's: [`OUTER_SESSION`]. If it does not, that is all of
    /// it.
    ///
    /// It is what happens when nothing is said: whoever starts a program from
    /// the agent's shell, a hook or an MCP server, expects of it what it does
    /// anywhere else. These markers are about the outer session: its ids, its
    /// processes, the address and the token by which it can be talked to.
    #[default]
    WithoutOuterSession,
    /// All of it, as it is.
    Inherited,
    /// The variables of these names, as far as they are set.
    ///
    /// The CLI wants `HOME` (on Windows `USERPROFILE`, `APPDATA` and
    /// `SystemRoot`) and `PATH`, and what it logs in with.
    Only(Vec<OsString>),
}

/// The variables by which a session of the CLI's tells its children (shells,
/// hooks, MCP servers) that they are its children, and those by which an SDK
/// tells its CLI what the SDK can do: a promise that another host made.
///
/// What users set to configure the CLI is not among them: `CLAUDE_CONFIG_DIR`,
/// `CLAUDE_CODE_USE_BEDROCK`, `ANTHROPIC_API_KEY` and their like stay.
pub const OUTER_SESSION: &[&str] = &[
    // From the CLI to whatever it starts.
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_EFFORT",
    "CLAUDE_PID",
    "AI_AGENT",
    // To hooks and to the servers of plugins.
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_ENV_FILE",
    // From one session to others that it launches, or that are steered from
    // elsewhere.
    "CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS",
    "CLAUDE_CODE_BRIDGE_SESSION_ID",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    // From an SDK to its CLI, which passes them on.
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_AGENT_SDK_VERSION",
    "CLAUDE_CODE_SDK_READS_SESSION_STATE",
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
    "CLAUDE_CODE_SDK_READS_STARTUP_MARKS",
    "CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH",
    "CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH",
    "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
    "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT",
    "CLAUDE_CODE_QUESTION_EXTENDED",
    "CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS",
    "CLAUDE_CODE_AGENT_PROGRESS_SUMMARIES",
];

impl Environment {
    /// The variables of these names, as far as they are set.
    ///
    /// ```
    /// use agentwire::{Environment, Options};
    ///
    /// let options = Options::new().environment(Environment::only(["HOME", "PATH", "LANG"]));
    /// # drop(options);
    /// ```
    pub fn only<S: AsRef<OsStr>>(names: impl IntoIterator<Item = S>) -> Self {
        Self::Only(
            names
                .into_iter()
                .map(|name| name.as_ref().to_owned())
                .collect(),
        )
    }

    /// Whether a variable is passed on.
    pub(crate) fn passes(&self, name: &OsStr) -> bool {
        match self {
            Self::WithoutOuterSession => !OUTER_SESSION.iter().any(|it| same(name, OsStr::new(it))),
            Self::Inherited => true,
            Self::Only(names) => names.iter().any(|it| same(name, it)),
        }
    }

    /// Lets the command have what is passed on of `all`, this process's
    /// variables, and nothing else.
    pub(crate) fn apply(
        &self,
        command: &mut Command,
        all: impl IntoIterator<Item = (OsString, OsString)>,
    ) {
        command
            .env_clear()
            .envs(all.into_iter().filter(|(name, _)| self.passes(name)));
    }
}

/// Whether two names are those of the same variable.
fn same(one: &OsStr, other: &OsStr) -> bool {
    if cfg!(windows) {
        one.eq_ignore_ascii_case(other)
    } else {
        one == other
    }
}

/// The environment that a CLI is started with, by name.
///
/// Printed, it is a line for each variable, and what can be secret is masked:
/// the value of a variable in whose name there is a word such as `KEY`,
/// `TOKEN` or `PASSWORD`, the user and password in a URL, and headers. A
/// secret under a name that tells nothing is not recognised.
#[derive(Clone, PartialEq, Eq)]
pub struct PassedEnvironment(BTreeMap<OsString, OsString>);

impl PassedEnvironment {
    /// That of a command.
    pub(crate) fn of(command: &Command) -> Self {
        let variables = command.get_envs();
        Self(
            variables
                .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
                .collect(),
        )
    }

    /// The value of a variable, as it is.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let name = name.as_ref();
        self.0
            .iter()
            .find(|(it, _)| same(it, name))
            .map(|(_, value)| value.as_os_str())
    }

    /// Names and values as they are, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Display for PassedEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.0 {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            writeln!(f, "{name}={}", mask::variable(&name, &value))?;
        }
        Ok(())
    }
}

impl fmt::Debug for PassedEnvironment {
    /// Masked as when it is displayed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.iter().map(|(name, value)| {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            let value = mask::variable(&name, &value);
            (name, value)
        });
        f.debug_map().entries(shown).finish()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn passed(environment: &Environment, all: &[(&str, &str)]) -> Vec<String> {
        let mut command = Command::new("");
        let all = all.iter().map(|(name, value)| (name.into(), value.into()));
        environment.apply(&mut command, all);
        let names = command.get_envs().map(|(name, _)| name.to_str().unwrap());
        names.map(str::to_owned).collect()
    }

    #[test]
    fn markers_of_an_outer_session_are_left_out_and_what_users_configure_stays() {
        let all = [
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_MESSAGING_TOKEN", "t"),
            ("CLAUDE_CODE_SESSION_ID", "s"),
            ("CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH", "1"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("ANTHROPIC_API_KEY", "k"),
            ("PATH", "/bin"),
        ];
        let kept = [
            "ANTHROPIC_API_KEY",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CONFIG_DIR",
            "PATH",
        ];
        assert_eq!(passed(&Environment::default(), &all), kept);
        assert_eq!(passed(&Environment::Inherited, &all).len(), all.len());
        let only = Environment::only(["PATH", "CLAUDECODE", "HOME"]);
        assert_eq!(passed(&only, &all), ["CLAUDECODE", "PATH"]);
    }
}
