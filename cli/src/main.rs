//! `agentwire`: drives an agent CLI from the command line.

#[cfg(feature = "acp")]
mod acp;
mod check;
mod conform;
mod convert;
mod files;
mod inspect;
mod model;
mod page;
mod replay;
mod rules;
mod run;
mod scenario;
mod sessions;
mod tap;
mod terminal;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Drive an agent CLI from the command line
///
/// For SDKs that can only name an executable as their CLI, the environment
/// selects the command. If the first argument is none of the commands below, and
/// one of these variables is set, this program is: `agentwire tap` with
/// `AGENTWIRE_TAP_CLI`; otherwise `agentwire replay` with `AGENTWIRE_REPLAY`;
/// otherwise a fake agent with `FAKE_AGENT_SCRIPT`.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Send one prompt to an agent and stream its response
    Run(run::Arguments),
    Check(check::Arguments),
    /// Print a session or a recording in readable form
    Inspect(inspect::Arguments),
    /// Run a scripted model for an agent, as a server on loopback
    Model(model::Arguments),
    Tap(tap::Arguments),
    #[cfg(feature = "acp")]
    Acp(acp::Arguments),
    Replay(replay::Arguments),
    Rules(rules::Arguments),
    Scenario(scenario::Arguments),
    Conform(conform::Arguments),
    Convert(convert::Arguments),
    Sessions(sessions::Arguments),
}

// The second thread keeps the session running while the first one is blocked by writing to a
// full pipe.
#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> ExitCode {
    if !is_command() {
        if let Some(arguments) = tap::Arguments::from_environment() {
            return match arguments {
                Ok(arguments) => tap::tap(arguments).await,
                Err(error) => error.exit(),
            };
        }
        if std::env::var_os(agentwire_testkit::replay::RECORDING).is_some() {
            agentwire_testkit::replay::main();
        }
        if std::env::var_os(agentwire_testkit::fake_agent::SCRIPT).is_some() {
            agentwire_testkit::fake_agent::main();
        }
    }
    match Arguments::parse().command {
        Command::Run(arguments) => run::run(arguments).await,
        Command::Check(arguments) => check::run(arguments).await,
        Command::Inspect(arguments) => inspect::inspect(&arguments),
        Command::Model(arguments) => model::model(arguments).await,
        Command::Tap(arguments) => tap::tap(arguments).await,
        #[cfg(feature = "acp")]
        Command::Acp(arguments) => acp::acp(arguments).await,
        Command::Replay(arguments) => replay::replay(&arguments),
        Command::Rules(arguments) => rules::rules(arguments),
        Command::Scenario(arguments) => scenario::scenario(&arguments),
        Command::Conform(arguments) => conform::conform(arguments).await,
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Sessions(arguments) => sessions::sessions(&arguments),
    }
}

/// Returns whether the first argument is one of this program's commands.
fn is_command() -> bool {
    let Some(first) = std::env::args_os().nth(1) else {
        return false;
    };
    let command = Arguments::command();
    first == "help" || command.get_subcommands().any(|it| first == it.get_name())
}
