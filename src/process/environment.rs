//! Which variables the CLI inherits, and how they are printed.

use super::mask;
use agentwire_protocol::sorted::SortedMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::process::Command;

/// Which environment variables the CLI inherits from this process. Variables
/// set by [`Options::env`](crate::Options::env) are added.
///
/// # Variables that the CLI needs
///
/// The table was measured on Claude Code 2.1.332 on Linux. The CLI starts and runs a turn with
/// nothing but credentials; [`Environment::minimal`] has what tools need too.
///
/// | variable | purpose | if unset |
/// |---|---|---|
/// | `PATH` | programs of tools, hooks and MCP servers; for older CLIs, which are scripts, `node` | tools find no programs: exit status 127 |
/// | `HOME` (Windows: `USERPROFILE`) | `~/.claude` and `~/.claude.json`: login, settings, transcripts, and `~` in tools | tools have no `HOME`; if the user's home in the system's database cannot be written, no transcript is stored |
/// | `CLAUDE_CONFIG_DIR` | in place of `~/.claude`, and for `.claude.json` too | the home is used |
/// | `TMPDIR` | files of tools and sockets. Created if it is missing; if that fails, the CLI exits with 1 | `/tmp` |
/// | `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN` or `CLAUDE_CODE_OAUTH_TOKEN` | credentials, unless a login is stored in the home | the first turn fails: its result says that it is not logged in |
/// | `ANTHROPIC_BASE_URL` | a gateway in place of the API | the API |
/// | `SHELL` | the shell of the tool `Bash` | `/bin/bash` |
///
/// Networks and providers have further ones: `HTTPS_PROXY`, `NO_PROXY`, `NODE_EXTRA_CA_CERTS`;
/// `CLAUDE_CODE_USE_BEDROCK`, `CLAUDE_CODE_USE_VERTEX` and the credentials of these clouds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Environment {
    /// All variables, except those that mark this process as running inside a session of the CLI
    /// ([`OUTER_SESSION`]), and those of debuggers, profilers and JavaScript runtimes that this
    /// process was started with ([`HOST_TOOLS`]).
    ///
    /// This is the default, so that a program works the same if it is started from the agent's
    /// shell, a hook, an MCP server or a debugger. To pass one of these variables on, set it with
    /// [`Options::env`](crate::Options::env).
    #[default]
    Filtered,
    /// All variables, unchanged.
    Inherited,
    /// Only the variables with these names, if set.
    Only(Vec<OsString>),
}

/// The variables that a session of the CLI sets for its children (shells, hooks, MCP servers),
/// and those by which another SDK declares its features to its CLI.
///
/// User configuration of the CLI is not included: variables such as `CLAUDE_CONFIG_DIR`,
/// `CLAUDE_CODE_USE_BEDROCK` and `ANTHROPIC_API_KEY` are passed on.
pub const OUTER_SESSION: &[&str] = &[
    // Set by the CLI for all its children.
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_EFFORT",
    "CLAUDE_PID",
    "AI_AGENT",
    // Set for hooks and the servers of plugins.
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_ENV_FILE",
    // Set for sessions that are launched by another session or controlled remotely.
    "CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS",
    "CLAUDE_CODE_BRIDGE_SESSION_ID",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    // Set by an SDK for its CLI, which passes them on.
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
    "CLAUDE_AGENT_SDK_CLIENT_APP",
    // Set by an application for its CLI. They change tools, messages or the folder of transcripts.
    "CLAUDE_CODE_SESSION_KIND",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_REMOTE_SESSION_ID",
    "CLAUDE_CODE_IS_COWORK",
    "CLAUDE_CODE_PROJECT_DIR_NAME",
];

/// The variables of debuggers, profilers and JavaScript runtimes of this process
/// that stop the CLI or change what it or its tools do. A name that ends with
/// `*` represents all names with this prefix.
///
/// The effects were measured on Claude Code 2.1.332.
pub const HOST_TOOLS: &[&str] = &[
    // `--inspect` and similar: exit status 1, nothing on standard error. Other flags change or
    // stop every Node program that the agent starts.
    "NODE_OPTIONS",
    // Exit status 0 without output: the CLI behaves as a worker.
    "NODE_UNIQUE_ID",
    // The pipe to the parent of a Node program, which does not exist here.
    "NODE_CHANNEL_FD",
    "NODE_CHANNEL_SERIALIZATION_MODE",
    // Tools write coverage into the host's folder.
    "NODE_V8_COVERAGE",
    // `node --test` in a tool reports in a binary format.
    "NODE_TEST_CONTEXT",
    // The debugger of Visual Studio Code reads it in Node programs.
    "VSCODE_INSPECTOR_OPTIONS",
    // Electron applications that a tool starts run as Node.
    "ELECTRON_RUN_AS_NODE",
    // `--inspect`: as `NODE_OPTIONS`; `--preload`: exit status 1; `--cpu-prof`:
    // a profile in the working directory.
    "BUN_OPTIONS",
    // `?wait=1`: waits for a debugger forever; a missing preload: exit status 1.
    "BUN_INSPECT*",
    // An unknown option: exit status 1; some write to standard error.
    "BUN_JSC_*",
    // Writes requests, with their headers, to standard error.
    "BUN_CONFIG_VERBOSE_FETCH",
    // Writes to standard error.
    "MIMALLOC_*",
    // Writes a debug log.
    "DEBUG",
    "DEBUG_SDK",
    // Write into the output of every program, and so of every tool.
    "LD_DEBUG",
    "LD_AUDIT",
];

/// The trace context of a process, by the W3C's format.
pub(crate) const TRACEPARENT: &str = "TRACEPARENT";
pub(crate) const TRACESTATE: &str = "TRACESTATE";

/// Variables that can stop the CLI, but are passed on because much depends on them: a sanitizer
/// in `LD_PRELOAD` ends it by SIGSEGV.
const SUSPECTS: &[&str] = &["LD_PRELOAD"];

impl Environment {
    /// Inherits only the variables with these names, if set.
    ///
    /// ```
    /// use agentwire::Options;
    /// use agentwire::process::Environment;
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

    /// Inherits only what the CLI and its tools need to run: `PATH`, `HOME` and `TMPDIR`, and on
    /// Windows the variables of the same purpose. Credentials are not among them: a login that is
    /// stored in the home is used, or [`Options::env`](crate::Options::env) sets them.
    ///
    /// ```
    /// use agentwire::Options;
    /// use agentwire::process::Environment;
    ///
    /// let options = Options::new()
    ///     .environment(Environment::minimal())
    ///     .env("ANTHROPIC_API_KEY", "sk-ant-…");
    /// # drop(options);
    /// ```
    pub fn minimal() -> Self {
        if cfg!(windows) {
            Self::only([
                "APPDATA",
                "ComSpec",
                "LOCALAPPDATA",
                "PATH",
                "PATHEXT",
                "SystemRoot",
                "TEMP",
                "TMP",
                "USERPROFILE",
            ])
        } else {
            Self::only(["HOME", "PATH", "TMPDIR"])
        }
    }

    /// Returns whether a variable is passed on.
    pub(crate) fn passes(&self, name: &OsStr) -> bool {
        match self {
            Self::Filtered => !OUTER_SESSION
                .iter()
                .chain(HOST_TOOLS)
                .any(|it| matches_pattern(name, it)),
            Self::Inherited => true,
            Self::Only(names) => names.iter().any(|it| same(name, it)),
        }
    }

    /// Replaces the environment of a program that is not the CLI, such as another agent, by the
    /// variables of this process that are passed on.
    pub fn set_for(&self, command: &mut Command) {
        self.apply(command, std::env::vars_os());
    }

    /// Replaces the command's environment by the variables of `all`, this process's environment,
    /// that are passed on.
    pub(crate) fn apply(
        &self,
        command: &mut Command,
        all: impl IntoIterator<Item = (OsString, OsString)>,
    ) {
        command
            .env_clear()
            .envs(all.into_iter().filter(|(name, _)| self.passes(name)));
    }

    /// As [`Self::apply`], and adds `variables`. An inherited `TRACESTATE` belongs to the
    /// inherited `TRACEPARENT`, and is not passed on with another one.
    pub(crate) fn apply_with(
        &self,
        command: &mut Command,
        all: impl IntoIterator<Item = (OsString, OsString)>,
        variables: &[(OsString, OsString)],
    ) {
        self.apply(command, all);
        if variables
            .iter()
            .any(|(name, _)| same(name, TRACEPARENT.as_ref()))
        {
            command.env_remove(TRACESTATE);
        }
        command.envs(variables.iter().map(|(name, value)| (name, value)));
    }
}

/// Returns the variables of a command that are known to stop the CLI.
pub(crate) fn harmful_variables(command: &Command) -> Vec<String> {
    let set = command.get_envs().filter(|(_, value)| value.is_some());
    set.filter(|(name, _)| {
        HOST_TOOLS
            .iter()
            .chain(SUSPECTS)
            .any(|it| matches_pattern(name, it))
    })
    .map(|(name, _)| name.to_string_lossy().into_owned())
    .collect()
}

/// Returns whether a name matches a pattern: exactly, or by the prefix before `*`.
fn matches_pattern(name: &OsStr, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => {
            let start = name.as_encoded_bytes().get(..prefix.len());
            start.is_some_and(|it| match cfg!(windows) {
                true => it.eq_ignore_ascii_case(prefix.as_bytes()),
                false => it == prefix.as_bytes(),
            })
        }
        None => same(name, OsStr::new(pattern)),
    }
}

/// Returns whether two names refer to the same variable.
pub(crate) fn same(one: &OsStr, other: &OsStr) -> bool {
    if cfg!(windows) {
        one.eq_ignore_ascii_case(other)
    } else {
        one == other
    }
}

/// The environment of a spawned CLI, sorted by name.
///
/// `Display` prints one variable per line and masks values that may be secret: those of
/// variables whose name contains a word such as `KEY`, `TOKEN` or `PASSWORD`, the user and
/// password in a URL, and headers. A secret under any other name is not recognised.
#[derive(Clone, PartialEq, Eq)]
pub struct PassedEnvironment(SortedMap<OsString, OsString>);

impl PassedEnvironment {
    /// Returns the environment of a command.
    pub(crate) fn of(command: &Command) -> Self {
        let variables = command.get_envs();
        Self(
            variables
                .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
                .collect(),
        )
    }

    /// Returns the value of a variable, unmasked.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let name = name.as_ref();
        let mut variables = self.0.entries().iter();
        variables
            .find(|(it, _)| same(it, name))
            .map(|(_, value)| value.as_os_str())
    }

    /// Returns all names and values, unmasked and sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        (self.0.entries().iter()).map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Display for PassedEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.0.entries() {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            writeln!(f, "{name}={}", mask::variable(&name, &value))?;
        }
        Ok(())
    }
}

impl fmt::Debug for PassedEnvironment {
    /// Masked like `Display`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.entries().iter().map(|(name, value)| {
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
    fn variables_of_an_outer_session_and_of_the_hosts_tools_are_not_passed_on() {
        let all = [
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_MESSAGING_TOKEN", "t"),
            ("CLAUDE_CODE_SESSION_ID", "s"),
            ("CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH", "1"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("ANTHROPIC_API_KEY", "k"),
            ("PATH", "/bin"),
            ("NODE_OPTIONS", "--inspect"),
            ("BUN_INSPECT_PRELOAD", "/p.js"),
            ("BUN_JSC_logGC", "1"),
            ("BUN_INSTALL", "/b"),
            ("LD_PRELOAD", "/p.so"),
            ("npm_config_registry", "r"),
        ];
        let expected = [
            "ANTHROPIC_API_KEY",
            "BUN_INSTALL",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CONFIG_DIR",
            "LD_PRELOAD",
            "PATH",
            "npm_config_registry",
        ];
        assert_eq!(passed(&Environment::default(), &all), expected);
        assert_eq!(passed(&Environment::Inherited, &all).len(), all.len());
        let only = Environment::only(["PATH", "CLAUDECODE", "HOME"]);
        assert_eq!(passed(&only, &all), ["CLAUDECODE", "PATH"]);
        assert_eq!(passed(&Environment::minimal(), &all), ["PATH"]);
    }
}
