//! `agentwire conform`: whether something keeps to the measured protocol.

mod cli;

use clap::Subcommand;
use std::process::ExitCode;

/// Say where a CLI departs from the measured protocol
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Debug, Subcommand)]
enum Suite {
    Cli(cli::Arguments),
}

pub(crate) async fn conform(arguments: Arguments) -> ExitCode {
    match arguments.suite {
        Suite::Cli(arguments) => cli::conform(arguments).await,
    }
}
