//! What a CLI is started with: arguments, environment and first request.

use super::Options;
use super::argument::Argument;
use super::system_limits;
use crate::event::{Error, IgnoredOption};
use crate::process::{Environment, PrivateFolder, mask};
use crate::store::Source;
use agentwire_protocol::Json;
use agentwire_protocol::control::{Initialize, InitializeAnswer};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// What a CLI is started with: [`Options::command_line`].
///
/// It can be printed: what can be secret is masked then, and what is long is
/// cut. The fields have it as it is.
#[derive(Clone)]
#[non_exhaustive]
pub struct CommandLine {
    /// The CLI, as [`Options::cli`] names it. Without it one is looked for.
    pub cli: Option<PathBuf>,
    /// The arguments.
    pub arguments: Vec<String>,
    /// What is set in the environment. Of two with one name the second counts.
    pub environment: Vec<(OsString, OsString)>,
    /// What the rest of the environment is, of this process's.
    pub inherited: Environment,
    /// The directory in which the agent works; this process's, if there is
    /// none.
    pub cwd: Option<PathBuf>,
    /// The first request. The handshakes with the MCP servers inside this
    /// program, which are made when it is sent, are not in it.
    pub initialize: Initialize,
    /// Options that others take the effect from. Each is told as a
    /// [`Notice::IgnoredOption`](crate::Notice) when the session begins.
    pub ignored: Vec<IgnoredOption>,
    /// Where what a session is to go on from may be.
    pub(crate) source: Option<Source>,
    pub(super) verbatim_prompts: bool,
    /// Files that the arguments name.
    pub(crate) folder: Option<Arc<PrivateFolder>>,
}

/// What all of it comes to.
impl Options {
    /// What the CLI would be started with: its arguments, its environment, the
    /// first request. Nothing is started.
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
    /// [`Error::Option`], which names the option, when one cannot be passed on
    /// (a NUL, text that is not UTF-8, more than the system allows for one
    /// argument or for all together with the environment), when the CLI would
    /// refuse it or silently do without it, and when the working directory is
    /// none.
    pub fn command_line(&self) -> Result<CommandLine, Error> {
        let line = self.assemble()?;
        line.check_here()?;
        Ok(line)
    }

    /// The arguments of [`Options::command_line`], without a look at this
    /// system's environment and directories: for a CLI that somebody else
    /// starts.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn arguments(&self) -> Result<Vec<String>, Error> {
        let arguments = self.assemble()?.arguments;
        system_limits::check_each(&arguments)?;
        Ok(arguments)
    }

    /// All that does not depend on this system.
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
            folder: None,
            initialize,
        })
    }

    fn first_request(&self) -> Result<Initialize, Error> {
        let mut initialize = self.initialize.clone();
        self.callbacks.introduce(&mut initialize);
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
        // The CLI looks closely at a schema there, and passes over one that it
        // does not understand in the first request.
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
            // The same for CLIs before 2.1.284.
            ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"),
        ];
        // There a program is looked for in the working directory first, which
        // may hold anybody's `git.exe`.
        let on_windows = cfg!(windows).then_some(("NoDefaultCurrentDirectoryInExePath", "1"));
        let markers = self.markers.iter().map(|(name, value)| (*name, &**value));
        let variables = ours.into_iter().chain(on_windows).chain(markers);
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        variables.chain(self.environment.iter().cloned()).collect()
    }
}

/// How long a schema may be to be an argument as well, in bytes.
const SHORT_SCHEMA: usize = 16 * 1024;

/// The one option without which a session starts all the same.
pub(crate) const PLUGINS: &str = "plugins";

/// What stands before a schema in an argument.
pub(super) const JSON_SCHEMA: &str = "--json-schema=";

pub(super) const SETTINGS: &str = "settings";
pub(super) const MANAGED_SETTINGS: &str = "managedSettings";

/// What the CLI has to be told so that it looks into the first request before
/// it starts.
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

/// The options in the first request that the agent says nothing of having
/// taken.
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
    /// Checks what depends on this system.
    pub(crate) fn check_here(&self) -> Result<(), Error> {
        for (name, value) in &self.environment {
            system_limits::check_variable(name, value)?;
        }
        system_limits::check_each(&self.arguments)?;
        let inherited = std::env::vars_os().filter(|(name, _)| self.inherited.passes(name));
        let environment = inherited.chain(self.environment.iter().cloned());
        system_limits::check_all(&self.arguments, &environment.collect())?;
        if let Some(cwd) = self.cwd.as_deref().filter(|cwd| !cwd.is_dir()) {
            let problem = format!("names {}, which is no directory", cwd.display());
            return Err(Error::option("cwd", problem));
        }
        Ok(())
    }

    /// The command that starts the CLI, from one without arguments.
    pub(crate) fn command(&self, mut command: Command) -> Command {
        command.args(&self.arguments);
        self.in_environment(command)
    }

    /// The command in the environment and the directory of the CLI.
    pub(crate) fn in_environment(&self, mut command: Command) -> Command {
        self.inherited.apply(&mut command, std::env::vars_os());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
    }
}

impl fmt::Display for CommandLine {
    /// For people: a line for each thing, what can be secret masked.
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
            _ => writeln!(f, "environment, besides what is this process's:")?,
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
