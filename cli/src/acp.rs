//! `agentwire acp`: an agent CLI for editors that speak the Agent Client Protocol.

use crate::run::signals::Signals;
use agentwire::Options;
use agentwire::protocol::permission::PermissionMode;
use agentwire_acp::Server;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Serve an agent to an editor by the Agent Client Protocol, on stdin and stdout
///
/// Each session of the editor runs an agent of its own. All agents are closed when the editor
/// exits.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The agent CLI: a path, or a name on the PATH [default: the value of
    /// `AGENTWIRE_CLI`; if that is unset, a search for `claude`]
    #[arg(long, value_name = "PATH")]
    cli: Option<PathBuf>,
    /// The model of new sessions
    #[arg(long)]
    model: Option<String>,
    /// The permission mode of new sessions, such as `plan`
    #[arg(long, value_name = "MODE")]
    permission_mode: Option<String>,
    /// Other flags for the agent CLI, as `--flag=value`
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

pub(crate) async fn acp(arguments: Arguments) -> ExitCode {
    let mut options = Options::new();
    if let Some(cli) = arguments.cli {
        options = options.cli(cli);
    }
    if let Some(model) = arguments.model {
        options = options.model(model);
    }
    if let Some(mode) = arguments.permission_mode {
        options = options.permission_mode(PermissionMode::from(mode.as_str()));
    }
    let options = arguments.flags.into_iter().fold(options, Options::flag);
    let mut signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            crate::terminal::complain(&error);
            return ExitCode::FAILURE;
        }
    };
    let served = tokio::select! {
        served = Server::new(options).serve_stdio() => served,
        _ = signals.next() => {
            agentwire::close_all();
            // The runtime would wait for the thread that reads stdin.
            std::process::exit(1);
        }
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            crate::terminal::complain(&error);
            ExitCode::FAILURE
        }
    }
}
