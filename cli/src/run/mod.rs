//! `agentwire run`: one prompt, and its answer as it is written.

mod permissions;
mod screen;
pub(crate) mod signals;

use agentwire::protocol::permission::PermissionMode;
use agentwire::{Error, Event, Message, Notice, Options, Query, RulesError, query};
use permissions::{Person, permissions};
use screen::Screen;
use signals::{Signals, Wanted};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

/// The turn ended with an error.
const ERROR_RESULT: u8 = 1;
/// The command line makes no sense.
const USAGE: u8 = 2;
/// There is no agent, or it died.
const NO_AGENT: u8 = 3;

/// Exit status: 0 when the agent succeeded, 1 when its result is an error, 2
/// when the command line makes no sense, 3 when the CLI cannot be found or
/// dies.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 0 success, 1 the result is an error, 2 usage, 3 the CLI cannot be found or dies.
Ctrl-C interrupts the turn; a second one ends the session.")]
pub(crate) struct Arguments {
    /// The prompt; `-` reads it from standard input
    prompt: String,

    /// The agent CLI: a path, or a name on the PATH. Without it `AGENTWIRE_CLI`
    /// says where it is, or `claude` is looked for
    #[arg(long, value_name = "PATH")]
    cli: Option<PathBuf>,

    /// Print the agent's messages as they come, a line each, instead of its
    /// answer
    #[arg(long)]
    json: bool,

    /// Allow without asking what a rule is about: `Read`, `Bash(git *)`,
    /// `Edit(src/**)`; `*` allows all; may be repeated
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,

    /// Deny without asking what a rule is about; `*` denies all; wins over
    /// --allow; may be repeated
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,

    /// The model
    #[arg(long)]
    model: Option<String>,

    /// How the agent decides whether a tool may run
    #[arg(long, value_name = "MODE")]
    permission_mode: Option<String>,

    /// The directory in which the agent works
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Send the prompt as it is: no file expansion, no commands
    #[arg(long)]
    verbatim: bool,

    /// Flags of the agent CLI that have no place here, as `--flag=value`
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

pub(crate) async fn run(arguments: Arguments) -> ExitCode {
    let screen = Screen::new(arguments.json);
    match answer(arguments, &screen).await {
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

async fn answer(arguments: Arguments, screen: &Screen) -> Result<u8, Error> {
    let mut prompt = agentwire::UserMessage::new(match read_prompt(&arguments.prompt) {
        Ok(prompt) => prompt,
        Err(error) => {
            screen.complain(&format!("the prompt cannot be read: {error}"));
            return Ok(USAGE);
        }
    });
    if arguments.verbatim {
        prompt = prompt.verbatim();
    }
    let signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            screen.complain(&format!("signals cannot be listened for: {error}"));
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
    // However it ended: this process is about to, and what the session started
    // must not outlive it.
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

fn options(arguments: Arguments) -> Result<(Options, Person), RulesError> {
    let reads_prompt = arguments.prompt == "-";
    let (handler, person) = permissions(
        arguments.allow,
        arguments.deny,
        arguments.cwd.clone(),
        !reads_prompt,
    )?;
    let mut options = Options::new()
        .partial_messages(true)
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
    mut person: Person,
    mut signals: Signals,
    screen: &Screen,
) -> Result<u8, Error> {
    let handle = query.handle();
    let mut interrupted = false;
    let mut failed = None;
    loop {
        if screen.is_gone() {
            return Ok(0);
        }
        // Unanswered, it denies; but not before an interrupt is on its way,
        // or the agent would go on with something else.
        let mut open_question = None;
        let happened = tokio::select! {
            // A question comes behind what was said before it; nothing comes
            // before a signal.
            biased;
            wanted = signals.next() => Err(wanted),
            event = query.next() => Ok(event),
            question = person.question() => {
                let question = open_question.insert(question);
                tokio::select! {
                    wanted = signals.next() => Err(wanted),
                    answer = person.put(question, screen) => {
                        if let Some(question) = open_question.take() {
                            question.answer(answer);
                        }
                        continue;
                    }
                }
            }
        };
        let event = match happened {
            Ok(event) => event,
            Err(Wanted::Interrupt) if !interrupted => {
                interrupted = true;
                screen.note("interrupted; once more ends the session");
                drop(handle.interrupt());
                continue;
            }
            Err(_) => return Ok(ERROR_RESULT),
        };
        match event.transpose()? {
            None => break,
            Some(Event::Frame(frame)) => {
                screen.line(frame.raw());
                match frame.message() {
                    Message::Result(result) => {
                        failed = Some(result.error_text());
                        screen.result(&result);
                    }
                    message => screen.message(&message),
                }
                for fault in frame.faults() {
                    screen.note(&fault.to_string());
                }
            }
            // Partial messages that were thrown away would leave gaps.
            Some(Event::Notice(notice @ Notice::Lagged { .. })) => {
                screen.complain(&notice.to_string());
            }
            Some(Event::Notice(notice)) => screen.note(&notice.to_string()),
            Some(_) => {}
        }
    }
    screen.end();
    match failed {
        Some(None) => Ok(0),
        Some(Some(error)) => {
            screen.complain(&error);
            Ok(ERROR_RESULT)
        }
        None => {
            screen.complain("the agent ended without a result");
            Ok(NO_AGENT)
        }
    }
}
