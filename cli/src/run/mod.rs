//! `agentwire run`: sends one prompt and streams the response.

mod permissions;
mod screen;
pub(crate) mod signals;

use agentwire::permission::RulesError;
use agentwire::protocol::permission::PermissionMode;
use agentwire::view::entry::Outcome;
use agentwire::view::{Body, View};
use agentwire::{Error, Options, Query, query};
use permissions::{TerminalUser, permissions};
use screen::Screen;
use signals::{SignalAction, Signals};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

/// The turn ended with an error.
const ERROR_RESULT: u8 = 1;
/// The command line is invalid.
const USAGE: u8 = 2;
/// The CLI is not found, or it exited.
const NO_AGENT: u8 = 3;

/// Exit status: 0 on success, 1 if the result is an error, 2 if the command line
/// is invalid, 3 if the CLI is not found or exits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 success, 1 the result is an error, 2 the command line is invalid, 3 the CLI is
not found or exits.
Ctrl-C interrupts the turn; a second one ends the session.")]
pub(crate) struct Arguments {
    /// The prompt; `-` reads it from standard input
    prompt: String,

    /// The agent CLI: a path, or a name on the PATH [default: the value of
    /// `AGENTWIRE_CLI`; if that is unset, a search for `claude`]
    #[arg(long, value_name = "PATH")]
    cli: Option<PathBuf>,

    /// Print the agent's messages instead of its response, one JSON object per
    /// line
    #[arg(long)]
    json: bool,

    /// Allow calls that match this rule without a prompt: `Read`, `Bash(git *)`,
    /// `Edit(src/**)`; `*` allows every call that does not require a human; may
    /// be repeated
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,

    /// Deny what this rule matches, also what the agent does without asking:
    /// `Read(.env)`, `Bash(git push *)`; `*` denies every call; overrides
    /// --allow; may be repeated
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,

    /// The model
    #[arg(long)]
    model: Option<String>,

    /// The agent's permission mode
    #[arg(long, value_name = "MODE")]
    permission_mode: Option<String>,

    /// The agent's working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Send the prompt verbatim: `@path` is not expanded, and a leading `/word`
    /// is not a command
    #[arg(long)]
    verbatim: bool,

    /// Other flags for the agent CLI, as `--flag=value`
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

pub(crate) async fn run(arguments: Arguments) -> ExitCode {
    let mut screen = Screen::new(arguments.json);
    match run_prompt(arguments, &mut screen).await {
        Ok(code) => code.into(),
        Err(error) => {
            screen.complain(&error.to_string());
            match error {
                Error::Option { .. } => USAGE.into(),
                _ => NO_AGENT.into(),
            }
        }
    }
}

async fn run_prompt(arguments: Arguments, screen: &mut Screen) -> Result<u8, Error> {
    let mut prompt = agentwire::UserMessage::new(match read_prompt(&arguments.prompt) {
        Ok(prompt) => prompt,
        Err(error) => {
            screen.complain(&format!("cannot read the prompt: {error}"));
            return Ok(USAGE);
        }
    });
    if arguments.verbatim {
        prompt = prompt.verbatim();
    }
    let signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            screen.complain(&format!("cannot listen for signals: {error}"));
            return Ok(NO_AGENT);
        }
    };
    let (options, person) = match options(arguments) {
        Ok(options) => options,
        Err(error) => {
            screen.complain(&error.to_string());
            return Ok(USAGE);
        }
    };
    let mut query = query(prompt, options).await?;
    let outcome = stream(&mut query, person, signals, screen).await;
    // This process is about to exit, and must not leave processes of the session.
    query.abort().await;
    outcome
}

fn read_prompt(prompt: &str) -> io::Result<String> {
    if prompt != "-" {
        return Ok(prompt.to_owned());
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

fn options(arguments: Arguments) -> Result<(Options, TerminalUser), RulesError> {
    let reads_prompt = arguments.prompt == "-";
    let (rules, handler, person) = permissions(arguments.allow, arguments.deny, !reads_prompt)?;
    let mut options = Options::new()
        .partial_messages(true)
        .rules(rules)
        .permission_handler(handler);
    if let Some(cli) = arguments.cli {
        options = options.cli(cli);
    }
    if let Some(cwd) = arguments.cwd {
        options = options.cwd(cwd);
    }
    if let Some(model) = arguments.model {
        options = options.model(model);
    }
    if let Some(mode) = arguments.permission_mode {
        options = options.permission_mode(PermissionMode::from(mode.as_str()));
    }
    Ok((
        arguments.flags.into_iter().fold(options, Options::flag),
        person,
    ))
}

async fn stream(
    query: &mut Query,
    mut person: TerminalUser,
    mut signals: Signals,
    screen: &mut Screen,
) -> Result<u8, Error> {
    let handle = query.handle();
    let mut interrupted = false;
    let mut view = View::new();
    loop {
        if screen.closed {
            return Ok(0);
        }
        // Dropping a request without a response denies it. A pending request is dropped only
        // after an interrupt has been sent. After the denial alone, the agent would continue
        // with something else.
        let mut pending_question = None;
        let outcome = tokio::select! {
            // Signals come first. A request comes after all output that precedes it.
            biased;
            action = signals.next() => Err(action),
            event = query.next() => Ok(event),
            question = person.question() => {
                let question = pending_question.insert(question);
                tokio::select! {
                    action = signals.next() => Err(action),
                    answer = person.put(question, &mut *screen) => {
                        if let Some(question) = pending_question.take() {
                            question.answer(answer);
                        }
                        continue;
                    }
                }
            }
        };
        let event = match outcome {
            Ok(event) => event,
            Err(SignalAction::Interrupt) if !interrupted => {
                interrupted = true;
                screen.note("interrupted; press Ctrl-C again to end the session");
                drop(handle.interrupt());
                continue;
            }
            Err(_) => return Ok(ERROR_RESULT),
        };
        let Some(event) = event.transpose()? else {
            break;
        };
        screen.event(&mut view, &event);
    }
    screen.end();
    let mut entries = view.entries().rev();
    let end = entries.find_map(|entry| match &entry.body {
        Body::TurnEnd(end) => Some(end),
        _ => None,
    });
    match end {
        Some(end) if end.outcome == Outcome::Completed => Ok(0),
        Some(end) => {
            screen.complain(end.message.as_deref().unwrap_or("the turn was interrupted"));
            Ok(ERROR_RESULT)
        }
        None => {
            screen.complain("the session ended without a result");
            Ok(NO_AGENT)
        }
    }
}
