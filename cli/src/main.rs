//! `agentwire`: run an agent CLI from the command line.

mod inspect;
mod model;
mod run;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Run an agent CLI and see what it says.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Send one prompt to an agent and stream its answer
    Run(run::Arguments),
    /// Show what is on the wire, and what the types make of it
    Inspect(inspect::Arguments),
    /// Be the model of an agent: a server on loopback that follows a script
    Model(model::Arguments),
}

// What the session needs goes on while a full pipe stops what is printed.
#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Run(arguments) => run::run(arguments).await,
        Command::Inspect(arguments) => inspect::inspect(&arguments),
        Command::Model(arguments) => model::model(arguments).await,
    }
}
