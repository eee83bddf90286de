//! `agentwire conform`: does something keep to the protocol?

mod cli;
mod sdk;

use clap::Subcommand;
use std::process::ExitCode;

/// Find out whether a CLI or an SDK keeps to the protocol
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Debug, Subcommand)]
enum Suite {
    Cli(cli::Arguments),
    Sdk(sdk::Arguments),
}

pub(crate) async fn conform(arguments: Arguments) -> ExitCode {
    match arguments.suite {
        Suite::Cli(arguments) => cli::conform(arguments).await,
        Suite::Sdk(arguments) => sdk::conform(arguments),
    }
}
