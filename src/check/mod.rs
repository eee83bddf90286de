//! A check whether sessions can start: which CLI there is, its login, and options that it does
//! not support.

mod login;
mod problem;

pub use crate::process::CliSource;
pub use login::Login;
pub use problem::{Problem, ProblemKind};

use crate::client::{Client, LocalVersion};
use crate::event::{Error, Event, Notice};
use crate::options::Options;
use crate::process::locate_cli;
use agentwire_protocol::Message;
use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::message::UserMessage;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of notices that are read: a program that is no agent can cause any number.
const NOTICES: usize = 16;

/// The result of a [`check`].
///
/// `Display` prints it for people, over several lines. It serializes as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// The path of the CLI; `None` if none was found.
    pub cli: Option<PathBuf>,
    /// How the CLI was found.
    pub source: Option<CliSource>,
    /// The version of the CLI; `None` if it did not report one.
    pub version: Option<String>,
    /// How the CLI is logged in.
    pub login: Login,
    /// The model that replied; `None` without [`check_with_turn`].
    pub model: Option<String>,
    /// The problems found, each with its remedy.
    pub problems: Vec<Problem>,
}

/// Checks whether sessions with these options can start, without a turn: locates the CLI, starts
/// it, and reads its version and login from its response to the first request.
///
/// ```no_run
/// # async fn example() {
/// use agentwire::{Options, check};
///
/// let check = check(&Options::new()).await;
/// if !check.is_ready() {
///     eprintln!("{check}");
/// }
/// # }
/// ```
///
/// The session of the check is new: a session to resume is not resumed, and stores, attachments,
/// groups and observing callbacks are not used. It leaves no transcript. As with every start, the
/// CLI updates its own state in its configuration folder, and starts the configured MCP servers.
///
/// A login is reported, but not verified: only [`check_with_turn`] notices that it has expired.
///
/// Each step, such as the start, the version and the turn, takes at most
/// [`Options::request_timeout`], and closing as long as [`Options::close_policy`] allows. Failures
/// are [problems](Check::problems), never panics. At most 16 notices are among them.
///
/// # Cancel safety
///
/// If the future is dropped, the CLI is shut down.
pub async fn check(options: &Options) -> Check {
    run(options, false).await
}

/// Checks as [`check`] does, and sends the model one short prompt, which costs a turn.
///
/// The hooks and permission callbacks of the options are called as in any turn. The turn requires
/// CLI 2.0.64, the first that can omit the transcript.
///
/// # Cancel safety
///
/// As [`check`].
pub async fn check_with_turn(options: &Options) -> Check {
    run(options, true).await
}

async fn run(options: &Options, with_turn: bool) -> Check {
    let mut check = Check::default();
    if let Err(error) = check.fill(options, with_turn).await {
        check.problems.push(Problem::of_error(&error));
    }
    check
}

impl Check {
    /// Returns whether sessions can start: there is no fatal problem.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.problems.iter().any(|it| it.is_fatal)
    }

    /// Runs all steps. Returns the error that prevents the start of a CLI.
    async fn fill(&mut self, options: &Options, with_turn: bool) -> Result<(), Error> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Error::NoRuntime);
        }
        let mut line = options.command_line()?;
        let ignored = line.ignored.iter();
        self.problems.extend(ignored.map(Problem::of_ignored));
        let (cli, source) = locate_cli(line.cli.as_deref())?;
        self.source = Some(source);
        let mut local = LocalVersion::new(Some(cli.file.clone()), options);
        self.cli = Some(cli.file);
        let notices = Notices::default();
        let plain = notices.collect(options.without_session());
        let (mut plain, prompt) = match with_turn {
            true => plain.for_turn(),
            false => (plain, None),
        };
        let connected = loop {
            match Client::connect(plain.clone()).await {
                // The CLI reports one unknown flag at a time.
                Err(error) if refused(&error).is_some_and(|flag| plain.remove_flag(flag)) => {
                    notices.take();
                    self.problems.push(Problem::of_error(&error));
                }
                connected => break connected,
            }
        };
        let failure = match connected {
            Ok(client) => {
                self.examine(client, prompt, options.request_timeout).await;
                None
            }
            Err(error) => Some(error),
        };
        if self.version.is_none() && !failure.as_ref().is_some_and(is_timeout) {
            self.version = local.query(&line).await.map(|it| it.to_string());
        }
        let version = self.version.as_ref().and_then(|it| it.parse().ok());
        let unsupported = version.map_or_else(Vec::new, |it| line.unsupported(it));
        let is_listed = matches!(failure, Some(Error::TooOld { .. })) && !unsupported.is_empty();
        let errors = failure.into_iter().filter(|_| !is_listed);
        let errors = errors.chain(unsupported);
        self.problems
            .extend(errors.map(|it| Problem::of_error(&it)));
        let notices = notices.take();
        self.problems
            .extend(notices.iter().filter_map(Problem::of_notice));
        Ok(())
    }

    /// Reads what a CLI that has started reports about itself, sends the prompt, and closes it.
    async fn examine(&mut self, mut client: Client, prompt: Option<UserMessage>, limit: Duration) {
        self.version = client.version().map(str::to_owned);
        self.login = Login::of(client.account());
        if self.login == Login::Missing {
            self.problems.push(Problem::not_logged_in());
        } else if let Some(prompt) = prompt {
            let reply = tokio::time::timeout(limit, reply(&mut client, prompt)).await;
            match reply.unwrap_or_else(|_| Err(Problem::no_reply(limit))) {
                Ok(model) => self.model = Some(model),
                Err(problem) => {
                    self.problems.push(problem);
                    // The turn may still run, and closing would wait for it.
                    client.abort().await;
                }
            }
        }
        client.close().await;
        // Notices may be reported until the end.
        while client.next().await.is_some() {}
    }
}

/// Sends a prompt and returns the model that replied.
async fn reply(client: &mut Client, prompt: UserMessage) -> Result<String, Problem> {
    drop(client.send(prompt));
    let mut model = String::new();
    while let Some(event) = client.next().await {
        let Event::Frame(frame) = event.map_err(|error| Problem::of_error(&error))? else {
            continue;
        };
        match frame.message() {
            Message::Assistant(said) => model = said.message.model.unwrap_or(model),
            Message::Result(result) => {
                return match Problem::of_result(&result) {
                    Some(problem) => Err(problem),
                    None => Ok(model),
                };
            }
            _ => {}
        }
    }
    Err(Problem::of_error(&Error::Ended(client.end())))
}

/// Returns the flag that the CLI refused as unknown.
fn refused(error: &Error) -> Option<&str> {
    match error {
        Error::TooOld { option, .. } => option.as_deref().filter(|it| it.starts_with("--")),
        _ => None,
    }
}

fn is_timeout(error: &Error) -> bool {
    let Error::StartUp { failure, .. } = error else {
        return false;
    };
    matches!(**failure, RequestFailure::TimedOut { .. })
}

/// The notices of the check's session.
#[derive(Default)]
struct Notices(Arc<Mutex<Vec<Notice>>>);

impl Notices {
    /// Returns the options with a callback that adds the notices.
    fn collect(&self, options: Options) -> Options {
        let all = Arc::clone(&self.0);
        options.on_notice(move |notice| {
            let mut all = lock(&all);
            if all.len() < NOTICES {
                all.push(notice.clone());
            }
        })
    }

    fn take(&self) -> Vec<Notice> {
        std::mem::take(&mut lock(&self.0))
    }
}

fn lock(notices: &Mutex<Vec<Notice>>) -> MutexGuard<'_, Vec<Notice>> {
    notices.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cli {
            Some(path) => write!(f, "CLI: {}", path.display())?,
            None => f.write_str("CLI: none")?,
        }
        if let Some(source) = self.source {
            write!(f, " ({source})")?;
        }
        if self.cli.is_some() {
            let version = self.version.as_deref().unwrap_or("unknown");
            write!(f, "\nversion: {version}\nlogin: {}", self.login)?;
        }
        if let Some(model) = &self.model {
            write!(f, "\nmodel: {model} replied")?;
        }
        for problem in &self.problems {
            write!(f, "\n{problem}")?;
        }
        f.write_str(match self.is_ready() {
            true => "\nready",
            false => "\nnot ready",
        })
    }
}
