//! `agentwire run`: one prompt, and its answer as it is written.

mod permissions;
mod screen;

use agentwire::protocol::permission::PermissionMode;
use agentwire::{Error, Event, Message, Notice, Options, Query, query};
use permissions::Permissions;
use screen::Screen;
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

    /// The agent CLI: a path, or a name on the PATH [default: `claude`, on
    /// the PATH or where installers put it]
    #[arg(long, env = "AGENTWIRE_CLI", value_name = "PATH")]
    cli: Option<PathBuf>,

    /// Print the agent's lines as they come, instead of its answer
    #[arg(long)]
    json: bool,

    /// Allow a tool without asking; `*` allows all [repeatable]
    #[arg(long, value_name = "TOOL")]
    allow: Vec<String>,

    /// Deny a tool without asking; `*` denies all, and it wins over --allow
    /// [repeatable]
    #[arg(long, value_name = "TOOL")]
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
    let query = query(prompt, options(arguments, screen)).await?;
    stream(query, screen).await
}

fn read_prompt(prompt: &str) -> io::Result<String> {
    if prompt != "-" {
        return Ok(prompt.to_owned());
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

fn options(arguments: Arguments, screen: &Screen) -> Options {
    let reads_prompt = arguments.prompt == "-";
    let permissions = Permissions::new(
        arguments.allow,
        arguments.deny,
        !reads_prompt,
        screen.clone(),
    );
    let mut options = Options::new()
        .partial_messages(true)
        .permission_handler(permissions);
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
    arguments.flags.into_iter().fold(options, Options::flag)
}

async fn stream(mut query: Query, screen: &Screen) -> Result<u8, Error> {
    let handle = query.handle();
    let mut interrupts = 0;
    let mut failed = None;
    loop {
        let event = tokio::select! {
            event = query.next() => event,
            Ok(()) = tokio::signal::ctrl_c() => {
                interrupts += 1;
                if interrupts > 1 {
                    screen.complain("ended");
                    return Ok(ERROR_RESULT);
                }
                drop(handle.interrupt());
                continue;
            }
        };
        match event.transpose()? {
            None => break,
            Some(Event::Frame(frame)) => {
                screen.line(frame.raw());
                match frame.message() {
                    Ok(Message::Result(result)) => {
                        failed = Some(result.error_text());
                        screen.result(&result);
                    }
                    Ok(message) => screen.message(&message),
                    Err(error) => screen.note(&error.to_string()),
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
