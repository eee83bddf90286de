//! How a session is started.

use crate::callback::Callbacks;
use crate::error::Error;
use crate::locate::{Surroundings, find_cli};
#[cfg(feature = "mcp")]
use crate::mcp::SharedServer;
use crate::process::ClosePolicy;
use agentwire_protocol::codec::DEFAULT_LINE_LIMIT;
use agentwire_protocol::control::Initialize;
use agentwire_protocol::host::Queueing;
use agentwire_protocol::outbox::Limits;
use agentwire_protocol::permission::PermissionMode;
#[cfg(feature = "mcp")]
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// How a session is started. What is not set is left to the CLI. What concerns
/// a process has no effect on an agent that somebody else started
/// ([`Client::connect_over`](crate::Client::connect_over)).
///
/// ```
/// use agentwire::Options;
/// use agentwire::protocol::permission::{PermissionMode, PermissionResult};
///
/// let options = Options::new()
///     .model("claude-sonnet-4-5")
///     .permission_mode(PermissionMode::Plan)
///     .partial_messages(true)
///     .on_permission(|ask| async move {
///         if ask.request.tool_name == "Read" {
///             PermissionResult::allow()
///         } else {
///             PermissionResult::deny("Only reading, please.")
///         }
///     });
/// # drop(options);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Options {
    pub(crate) cli: Option<PathBuf>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) clean_environment: bool,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) partial_messages: bool,
    pub(crate) initialize: Initialize,
    pub(crate) callbacks: Callbacks,
    #[cfg(feature = "mcp")]
    pub(crate) mcp_servers: BTreeMap<String, SharedServer>,
    pub(crate) stderr: Option<StderrCallback>,
    pub(crate) request_timeout: Duration,
    pub(crate) close: ClosePolicy,
    pub(crate) line_limit: usize,
    pub(crate) unread_limit: usize,
    pub(crate) when_unread: WhenUnread,
    pub(crate) unwritten_limits: Limits,
    pub(crate) queueing: Queueing,
    pub(crate) background_limit: Duration,
}

/// What Linux passes on as one argument, its terminating NUL included. Other
/// systems pass on more in one, and less in all.
const ARGUMENT_LIMIT: usize = 128 * 1024;

/// What happens when the program does not read what a session delivers, and
/// [`Options::unread_limit`] is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenUnread {
    /// The CLI's output is read on. Partial messages that wait are joined; if
    /// that is not enough they are thrown away, then the oldest messages, and
    /// a [`Notice::Lagged`](crate::Notice::Lagged) says how many. Control is
    /// not touched by it.
    #[default]
    ThrowAway,
    /// The CLI's output is not read until the program has read down to half of
    /// the limit; the CLI stands still when its pipe is full. Nothing is thrown
    /// away; what was read at once when the limit was reached is kept beyond
    /// it, a line of any allowed length included.
    ///
    /// No answer can be seen meanwhile, so requests that wait for one and new
    /// ones fail at once, with [`Error::NotRead`]. One that has left is not
    /// taken back, and its answer is a notice when it comes. User messages and
    /// the answers of callbacks go out as ever. What becomes of a message or a turn
    /// is not heard either: whoever waits for that needs somebody else who reads.
    ///
    /// It is about the client's own stream, from the moment in which it is
    /// connected until it is closed; closing reads on and throws away.
    StopReading,
}

pub(crate) type StderrCallback = Arc<dyn Fn(&str) + Send + Sync>;

/// A flag of the CLI, with its value if it takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    flag: String,
    value: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cli: None,
            cwd: None,
            clean_environment: false,
            environment: Vec::new(),
            arguments: Vec::new(),
            partial_messages: false,
            initialize: Initialize::default(),
            callbacks: Callbacks::default(),
            #[cfg(feature = "mcp")]
            mcp_servers: BTreeMap::new(),
            stderr: None,
            request_timeout: Duration::from_secs(60),
            close: ClosePolicy::default(),
            line_limit: DEFAULT_LINE_LIMIT,
            unread_limit: 64 * 1024 * 1024,
            when_unread: WhenUnread::default(),
            unwritten_limits: Limits::default(),
            queueing: Queueing::Auto { merge: true },
            background_limit: Duration::from_secs(600),
        }
    }
}

impl Options {
    /// Nothing is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The CLI: a path, or a name that is looked for on the `PATH`.
    ///
    /// Without it the variable `AGENTWIRE_CLI` is asked, then the `PATH` and
    /// the usual places are searched for `claude`.
    pub fn cli(mut self, path: impl Into<PathBuf>) -> Self {
        self.cli = Some(path.into());
        self
    }

    /// The directory in which the agent works; this process's, if not set.
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets a variable of the CLI's environment.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Starts the CLI without this process's environment: it has only what
    /// [`Options::env`] sets, and what agentwire itself needs.
    pub fn clean_env(mut self) -> Self {
        self.clean_environment = true;
        self
    }

    /// The model (`--model`).
    pub fn model(self, model: impl Into<String>) -> Self {
        self.flag_value("--model", model)
    }

    /// How permissions are decided (`--permission-mode`).
    pub fn permission_mode(self, mode: PermissionMode) -> Self {
        self.flag_value("--permission-mode", mode.as_str())
    }

    /// Which settings files are read (`--setting-sources`): `user`,
    /// `project`, `local`. None at all is not the same as not set.
    pub fn setting_sources<S: AsRef<str>>(self, sources: impl IntoIterator<Item = S>) -> Self {
        let sources: Vec<String> = sources
            .into_iter()
            .map(|source| source.as_ref().to_owned())
            .collect();
        self.flag_value("--setting-sources", sources.join(","))
    }

    /// How many times the model may be asked in a turn (`--max-turns`).
    pub fn max_turns(self, turns: u32) -> Self {
        self.flag_value("--max-turns", turns.to_string())
    }

    /// Whether what the model says comes in pieces as well, as
    /// `stream_event` messages (`--include-partial-messages`). Not if not set.
    pub fn partial_messages(mut self, wanted: bool) -> Self {
        self.partial_messages = wanted;
        self
    }

    /// What is added to the agent's own system prompt.
    pub fn append_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.initialize.append_system_prompt = Some(text.into());
        self
    }

    /// The whole `initialize` request, for what has no method here.
    pub fn initialize(mut self, request: Initialize) -> Self {
        self.initialize = request;
        self
    }

    /// A flag of the CLI that has no method here, without a value.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.arguments.push(Argument {
            flag: flag.into(),
            value: None,
        });
        self
    }

    /// A flag of the CLI that has no method here, with its value. It is
    /// passed as one argument, `--flag=value`, so that a value is never read
    /// as a flag of its own.
    pub fn flag_value(mut self, flag: impl Into<String>, value: impl Into<String>) -> Self {
        self.arguments.push(Argument {
            flag: flag.into(),
            value: Some(value.into()),
        });
        self
    }

    /// Called with what the CLI says on standard error, as it comes. Its end
    /// is in every error in any case. The callback may be slow, but what comes
    /// while it is more than 8 MiB behind does not reach it. One that panics is
    /// not called again.
    pub fn on_stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr = Some(Arc::new(callback));
        self
    }

    /// How long a control request may take, the first one included; 60
    /// seconds if not set.
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.request_timeout = time;
        self
    }

    /// How the session is closed.
    pub fn close_policy(mut self, policy: ClosePolicy) -> Self {
        self.close = policy;
        self
    }

    /// The longest line that is kept, in bytes; 64 MiB if not set. A longer
    /// one is reported and passed over.
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// How much may wait to be read by the program, in bytes, in the client's
    /// stream and in each [`Subscription`](crate::Subscription); 64 MiB if not
    /// set. Each message counts for some 250 bytes more than it has.
    /// [`Options::when_unread`] says what happens then.
    pub fn unread_limit(mut self, bytes: usize) -> Self {
        self.unread_limit = bytes;
        self
    }

    /// What happens when the program does not read its own stream, and the
    /// limit is reached; messages are thrown away if not set. Subscriptions
    /// throw away in any case: they never make anybody else wait.
    pub fn when_unread(mut self, what: WhenUnread) -> Self {
        self.when_unread = what;
        self
    }

    /// How much may wait to be written, in bytes. Beyond it
    /// [`Handle::send`](crate::Handle::send) and requests fail with
    /// [`Error::Full`], and
    /// [`Handle::send_when_room`](crate::Handle::send_when_room) waits.
    pub fn unwritten_limits(mut self, limits: Limits) -> Self {
        self.unwritten_limits = limits;
        self
    }

    /// Who sees to the priorities of user messages: the CLI, or, for one that
    /// knows none, this host. [`Queueing::Auto`] with `merge`, if not set.
    pub fn queueing(mut self, queueing: Queueing) -> Self {
        self.queueing = queueing;
        self
    }

    /// How long a [`query`](crate::query()) whose turn is over goes on for what
    /// the agent has left running in the background, and may tell of in
    /// another turn; ten minutes if not set. A server that was started in the
    /// background never ends.
    pub fn background_limit(mut self, time: Duration) -> Self {
        self.background_limit = time;
        self
    }

    /// The CLI that would be started.
    ///
    /// # Errors
    ///
    /// When there is none where one is looked for.
    pub fn locate(&self) -> Result<PathBuf, Error> {
        Ok(find_cli(
            self.cli.as_deref(),
            &Surroundings::of_this_process(),
        )?)
    }

    /// The arguments that the CLI would be started with.
    ///
    /// # Errors
    ///
    /// When one of them cannot be passed on: a flag that is none, or a value
    /// that has a NUL in it or is longer than the system allows.
    pub fn arguments(&self) -> Result<Vec<String>, Error> {
        let mut arguments = vec![
            "--output-format=stream-json".to_owned(),
            "--verbose".to_owned(),
            "--input-format=stream-json".to_owned(),
        ];
        if self.callbacks.decide_about_tools() {
            arguments.push("--permission-prompt-tool=stdio".to_owned());
        }
        if self.partial_messages {
            arguments.push("--include-partial-messages".to_owned());
        }
        for argument in &self.arguments {
            arguments.push(argument.check_and_join()?);
        }
        Ok(arguments)
    }

    /// The command that starts the CLI at `program`.
    pub(crate) fn command(&self, program: &Path) -> Result<Command, Error> {
        let mut command = Command::new(program);
        command.args(self.arguments()?);
        if self.clean_environment {
            command.env_clear();
        }
        command
            .env("CLAUDE_CODE_ENTRYPOINT", "sdk-rs")
            .env("CLAUDE_AGENT_SDK_VERSION", env!("CARGO_PKG_VERSION"))
            .env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1")
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = &self.cwd {
            if !cwd.is_dir() {
                return Err(Error::Option {
                    option: "cwd".to_owned(),
                    problem: format!("names {}, which is no directory", cwd.display()),
                });
            }
            command.current_dir(cwd);
        }
        Ok(command)
    }
}

impl Argument {
    fn check_and_join(&self) -> Result<String, Error> {
        let problem = |problem: &str| Error::Option {
            option: self.flag.clone(),
            problem: problem.to_owned(),
        };
        if !self.flag.starts_with('-') {
            return Err(problem("is no flag: it does not begin with `-`"));
        }
        let joined = match &self.value {
            Some(value) => format!("{}={value}", self.flag),
            None => self.flag.clone(),
        };
        if joined.contains('\0') {
            return Err(problem("has a NUL character, which no argument can hold"));
        }
        if joined.len() >= ARGUMENT_LIMIT {
            return Err(problem(&format!(
                "is {} bytes long; the system passes on less than {ARGUMENT_LIMIT}",
                joined.len()
            )));
        }
        Ok(joined)
    }
}

impl fmt::Debug for Options {
    /// Values can be secret, so only names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let environment: Vec<_> = self.environment.iter().map(|(name, _)| name).collect();
        let flags: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| &argument.flag)
            .collect();
        f.debug_struct("Options")
            .field("cli", &self.cli)
            .field("cwd", &self.cwd)
            .field("environment", &environment)
            .field("flags", &flags)
            .field("callbacks", &self.callbacks)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_behind_an_equals_sign_and_nothing_is_set_by_itself() {
        let plain = Options::new().arguments().unwrap();
        assert_eq!(
            plain,
            [
                "--output-format=stream-json",
                "--verbose",
                "--input-format=stream-json"
            ]
        );
        let set = Options::new()
            .model("--dangerously-skip-permissions")
            .setting_sources::<&str>([])
            .partial_messages(true)
            .flag("--strict-mcp-config")
            .arguments()
            .unwrap();
        assert_eq!(
            set[3..],
            [
                "--include-partial-messages",
                "--model=--dangerously-skip-permissions",
                "--setting-sources=",
                "--strict-mcp-config"
            ]
        );
    }

    #[test]
    fn what_cannot_be_passed_on_is_refused_by_name() {
        for (options, option) in [
            (Options::new().model("a\0b"), "--model"),
            (Options::new().flag("prompt"), "prompt"),
        ] {
            let Err(Error::Option { option: named, .. }) = options.arguments() else {
                panic!()
            };
            assert_eq!(named, option);
        }
        let missing = Options::new()
            .cwd("/no/such/directory")
            .command(Path::new("x"));
        assert!(matches!(missing, Err(Error::Option { option, .. }) if option == "cwd"));
    }

    #[test]
    fn what_is_printed_for_people_holds_no_values() {
        let options = Options::new()
            .env("TOKEN", "secret")
            .flag_value("--key", "secret");
        let printed = format!("{options:?}");
        assert!(
            printed.contains("TOKEN") && printed.contains("--key"),
            "{printed}"
        );
        assert!(!printed.contains("secret"), "{printed}");
    }
}
