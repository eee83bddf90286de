//! The command line: arguments, environment and first request.

use super::Options;
use super::argument::Argument;
use super::system_limits;
use crate::event::{Error, IgnoredOption};
use crate::process::{Environment, PrivateFolder, mask};
use crate::store::{PrivateHome, Source};
use agentwire_protocol::Json;
use agentwire_protocol::control::{Initialize, InitializeAnswer};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The command line of a CLI, as returned by [`Options::command_line`].
///
/// `Display` and `Debug` mask values that may be secret and shorten long ones.
/// The fields contain the full values.
#[derive(Clone)]
#[non_exhaustive]
pub struct CommandLine {
    /// The CLI, as set by [`Options::cli`]. `None`: it is searched for.
    pub cli: Option<PathBuf>,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The variables set in the environment. If a name occurs twice, the last
    /// one counts.
    pub environment: Vec<(OsString, OsString)>,
    /// Which variables are inherited from this process.
    pub inherited: Environment,
    /// The agent's working directory. `None`: that of this process.
    pub cwd: Option<PathBuf>,
    /// The first request, without the handshakes with in-process MCP servers, which are made when
    /// it is sent.
    pub initialize: Initialize,
    /// Overridden options. Each is reported as a [`Notice::IgnoredOption`](crate::Notice) when the
    /// session starts.
    pub ignored: Vec<IgnoredOption>,
    /// The store that the session may be resumed from.
    pub(crate) source: Option<Source>,
    pub(super) verbatim_prompts: bool,
    pub(crate) private: PrivateFiles,
}

/// Private files for the agent. Dropping the last clone removes them.
#[derive(Clone, Default)]
pub(crate) struct PrivateFiles {
    /// The files named by arguments.
    pub(crate) folder: Option<Arc<PrivateFolder>>,
    /// The configuration folder of a resumed session.
    pub(crate) home: Option<Arc<PrivateHome>>,
}

impl PrivateFiles {
    pub(crate) fn is_empty(&self) -> bool {
        self.folder.is_none() && self.home.is_none()
    }
}

/// The resulting command line.
impl Options {
    /// Returns the validated command line: the arguments, the environment and
    /// the first request. Spawns nothing.
    ///
    /// ```
    /// use agentwire::Options;
    ///
    /// let options = Options::new().model("haiku").system_prompt("You are a crab.");
    /// let line = options.command_line()?;
    /// assert!(line.arguments.contains(&"--model=haiku".to_owned()));
    /// assert!(line.to_string().contains("You are a crab."));
    /// # Ok::<_, agentwire::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Option`], which names the option, if:
    ///
    /// - a value cannot be passed on: it contains a NUL, is not UTF-8, or exceeds the system's
    ///   limit for one argument or for all arguments and the environment together;
    /// - the CLI would refuse the option or silently ignore it;
    /// - the working directory, or a file or directory that the CLI needs at its start, does not
    ///   exist.
    pub fn command_line(&self) -> Result<CommandLine, Error> {
        let line = self.clone().with_rules()?.assemble()?;
        line.check_here()?;
        Ok(line)
    }

    /// Returns the arguments of [`Options::command_line`] without checking this
    /// system's environment and directories. Use this for a CLI that is spawned
    /// elsewhere.
    ///
    /// # Errors
    ///
    /// [`Error::Option`], as for [`Options::command_line`].
    pub fn arguments(&self) -> Result<Vec<String>, Error> {
        let arguments = self.clone().with_rules()?.assemble()?.arguments;
        system_limits::check_each(&arguments)?;
        Ok(arguments)
    }

    /// Builds everything that does not depend on this system.
    pub(crate) fn assemble(&self) -> Result<CommandLine, Error> {
        self.check_combinations()?;
        let initialize = self.first_request()?;
        Ok(CommandLine {
            cli: self.cli.clone(),
            arguments: self.all_arguments(&initialize)?,
            environment: self.all_variables(),
            inherited: self.inherited.clone(),
            cwd: self.cwd.clone(),
            ignored: self.find_ignored(),
            source: self.source(),
            verbatim_prompts: self.verbatim_prompts,
            private: PrivateFiles::default(),
            initialize,
        })
    }

    fn first_request(&self) -> Result<Initialize, Error> {
        let mut initialize = self.initialize.clone();
        self.callbacks.declare_in(&mut initialize);
        #[cfg(feature = "mcp")]
        if !self.mcp_servers.is_empty() {
            let names = initialize.sdk_mcp_servers.get_or_insert_default();
            for name in self.mcp_servers.keys() {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        if let Some(settings) = self.merged_settings()? {
            initialize.extra.set(SETTINGS, settings);
        }
        if let Some(settings) = self.checked_managed_settings()? {
            initialize.extra.set(MANAGED_SETTINGS, settings);
        }
        Ok(initialize)
    }

    fn all_arguments(&self, initialize: &Initialize) -> Result<Vec<String>, Error> {
        let mut arguments = vec![
            "--output-format=stream-json".to_owned(),
            "--verbose".to_owned(),
            "--input-format=stream-json".to_owned(),
        ];
        if self.callbacks.decide_about_tools() {
            arguments.push("--permission-prompt-tool=stdio".to_owned());
        }
        // The CLI validates a schema passed as an argument, but ignores an unsupported one in the
        // first request.
        if let Some(schema) = &initialize.json_schema
            && schema.get().len() <= SHORT_SCHEMA
            && !self.has("--json-schema")
        {
            arguments.push(format!("{JSON_SCHEMA}{schema}"));
        }
        let lists = [
            ("--allowedTools", self.allowed()?),
            ("--disallowedTools", self.disallowed()?),
        ];
        for (flag, rules) in lists.into_iter().filter(|(_, rules)| !rules.is_empty()) {
            let rules = OsString::from(rules.join(","));
            arguments.push(Argument::new(flag, Some(rules)).join()?);
        }
        for argument in &self.arguments {
            arguments.push(argument.join()?);
        }
        for flag in flags_of(initialize) {
            if !arguments.iter().any(|argument| argument == flag) {
                arguments.push(flag.to_owned());
            }
        }
        Ok(arguments)
    }

    pub(crate) fn all_variables(&self) -> Vec<(OsString, OsString)> {
        let ours = [
            ("CLAUDE_CODE_ENTRYPOINT", "sdk-rs"),
            ("CLAUDE_AGENT_SDK_VERSION", env!("CARGO_PKG_VERSION")),
            ("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1"),
            // The equivalent for CLIs before 2.1.284.
            ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"),
            // The CLI's runtime uploads a report on a crash.
            ("BUN_ENABLE_CRASH_REPORTING", "0"),
        ];
        // On Windows, programs are first searched for in the working directory, which may contain
        // an untrusted `git.exe`.
        let on_windows = cfg!(windows).then_some(("NoDefaultCurrentDirectoryInExePath", "1"));
        let markers = self.markers.iter().map(|(name, value)| (*name, &**value));
        let variables = ours.into_iter().chain(on_windows).chain(markers);
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        #[cfg_attr(
            not(feature = "telemetry"),
            expect(unused_mut, reason = "only `telemetry` changes it")
        )]
        let mut variables: Vec<_> = variables.chain(self.environment.iter().cloned()).collect();
        #[cfg(feature = "telemetry")]
        crate::telemetry::propagate(&mut variables);
        variables
    }
}

/// The longest schema that is also passed as an argument, in bytes.
const SHORT_SCHEMA: usize = 16 * 1024;

/// The only option whose failure does not prevent the session.
pub(crate) const PLUGINS: &str = "plugins";

/// The flag of a schema argument.
pub(super) const JSON_SCHEMA: &str = "--json-schema=";

pub(super) const SETTINGS: &str = "settings";
pub(super) const MANAGED_SETTINGS: &str = "managedSettings";

/// Returns the flags that make the CLI read the first request before it starts.
pub(super) fn flags_of(initialize: &Initialize) -> Vec<&'static str> {
    let has_settings = initialize.extra.get(SETTINGS).is_some();
    let has_managed_settings = initialize.extra.get(MANAGED_SETTINGS).is_some();
    let is_awaited = has_settings
        || has_managed_settings
        || initialize.plugins.is_some()
        || initialize.mcp_servers.is_some();
    [
        (is_awaited, "--await-initialize"),
        (has_settings, "--initialize-fields=settings"),
        (has_managed_settings, "--managed-settings-in-initialize"),
    ]
    .into_iter()
    .filter_map(|(is_needed, flag)| is_needed.then_some(flag))
    .collect()
}

/// Returns the options of the first request that the agent did not apply.
pub(crate) fn not_applied(request: &Initialize, answer: &InitializeAnswer) -> Vec<&'static str> {
    let settings = |name: &str| request.extra.get(name).is_some();
    let was = |name: &str| answer.extra.get(name).is_some_and(|it| it.get() == "true");
    let plugins = request.plugins.as_ref();
    let servers = request.mcp_servers.as_ref();
    [
        (settings(SETTINGS), was("settings_applied"), "settings"),
        (
            settings(MANAGED_SETTINGS),
            was("managed_settings_applied"),
            "managed_settings",
        ),
        (
            plugins.is_some_and(|it| !it.is_empty()),
            answer.plugins_applied == Some(true),
            PLUGINS,
        ),
        (
            servers.is_some_and(|it| !it.is_empty()),
            answer.mcp_servers_applied == Some(true),
            "mcp_servers",
        ),
    ]
    .into_iter()
    .filter_map(|(is_set, is_applied, option)| (is_set && !is_applied).then_some(option))
    .collect()
}

impl CommandLine {
    /// Returns the configuration folder of a session that is resumed from a
    /// [store](Options::session_store); `None` otherwise. `CLAUDE_CONFIG_DIR` in
    /// [`environment`](Self::environment) contains its path. If a
    /// [`Transport`](crate::transport::Transport) starts the agent on another machine, copy the
    /// folder there and set the variable to the copy. The folder contains credentials, is readable
    /// by this user only, and is removed when the session has ended.
    #[must_use]
    pub fn resumed_home(&self) -> Option<&Path> {
        self.private.home.as_deref().map(PrivateHome::path)
    }

    /// Checks everything that depends on this system.
    pub(crate) fn check_here(&self) -> Result<(), Error> {
        for (name, value) in &self.environment {
            system_limits::check_variable(name, value)?;
        }
        system_limits::check_each(&self.arguments)?;
        let inherited = std::env::vars_os().filter(|(name, _)| self.inherited.passes(name));
        let environment = inherited.chain(self.environment.iter().cloned());
        system_limits::check_all(&self.arguments, &environment.collect())?;
        self.check_paths()
    }

    /// Adds arguments, environment and working directory to the command of a CLI.
    pub(crate) fn command(&self, mut command: Command) -> Command {
        command.args(&self.arguments);
        self.in_environment(command)
    }

    /// Sets the environment and the working directory of the command.
    pub(crate) fn in_environment(&self, mut command: Command) -> Command {
        (self.inherited).apply_with(&mut command, std::env::vars_os(), &self.environment);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
    }
}

impl fmt::Display for CommandLine {
    /// Writes one line per item, with secrets masked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(cli) = &self.cli {
            writeln!(f, "cli: {}", cli.display())?;
        }
        if let Some(cwd) = &self.cwd {
            writeln!(f, "directory: {}", cwd.display())?;
        }
        writeln!(f, "arguments:")?;
        for argument in &self.arguments {
            writeln!(f, "  {}", mask::argument(argument))?;
        }
        match &self.inherited {
            Environment::Only(names) if names.is_empty() => writeln!(f, "environment:")?,
            _ => writeln!(f, "environment, in addition to the inherited one:")?,
        }
        for (name, value) in &self.environment {
            let name = name.to_string_lossy();
            let value = mask::variable(&name, &value.to_string_lossy());
            writeln!(f, "  {name}={value}")?;
        }
        let request = Json::from_value(&self.initialize).unwrap_or_default();
        write!(f, "first request: {}", mask::json(&request))?;
        for ignored in &self.ignored {
            write!(f, "\nnotice: {ignored}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
