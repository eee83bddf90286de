//! `agentwire check`: checks whether sessions can start.

use crate::run::signals::Signals;
use crate::terminal::complain;
use agentwire::permission::visible::lines;
use agentwire::{Options, check, check_with_turn, close_all};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Check whether sessions can start
///
/// Prints which CLI is used, its version, how it is logged in, and each problem
/// with its remedy. Sends nothing to the model without --turn. Exit status: 0 if
/// sessions can start, 1 if not, 2 if the command line is invalid.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The agent CLI: a path, or a name on the PATH [default: the value of
    /// `AGENTWIRE_CLI`; if that is unset, a search for `claude`]
    #[arg(long, value_name = "PATH")]
    cli: Option<PathBuf>,

    /// Send the model one short prompt, which costs a turn
    #[arg(long)]
    turn: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// The model
    #[arg(long)]
    model: Option<String>,

    /// The agent's working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// The time limit for each step
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,

    /// Other flags for the agent CLI, as `--flag=value`
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

pub(crate) async fn run(arguments: Arguments) -> ExitCode {
    let mut options = Options::new().request_timeout(Duration::from_secs(arguments.timeout));
    if let Some(cli) = arguments.cli {
        options = options.cli(cli);
    }
    if let Some(cwd) = arguments.cwd {
        options = options.cwd(cwd);
    }
    if let Some(model) = arguments.model {
        options = options.model(model);
    }
    options = arguments.flags.into_iter().fold(options, Options::flag);
    let mut signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            complain(format_args!("cannot listen for signals: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let checked = async {
        match arguments.turn {
            true => check_with_turn(&options).await,
            false => check(&options).await,
        }
    };
    let check = tokio::select! {
        check = checked => check,
        _ = signals.next() => {
            // This process is about to exit, and must not leave processes of the session.
            let closed = tokio::task::spawn_blocking(close_all).await;
            if let Err(error) = closed {
                complain(error);
            }
            return ExitCode::FAILURE;
        }
    };
    let text = match arguments.json {
        true => serde_json::to_string(&check).unwrap_or_default(),
        // The CLI's output may contain control characters.
        false => lines(&check.to_string()).into_owned(),
    };
    // The exit status counts also if nobody reads the text.
    if let Err(error) = writeln!(std::io::stdout(), "{text}")
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        complain(error);
    }
    match check.is_ready() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
