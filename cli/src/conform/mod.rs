//! `agentwire conform`: conformance tests for CLIs, SDKs and session stores.

mod cli;
mod failure;
mod report;
mod sdk;
mod store;
mod suite;

use crate::run::signals::Signals;
use crate::terminal::complain;
use clap::Subcommand;
use std::process::ExitCode;

/// The arguments are invalid, a file cannot be used, or the program cannot be
/// started.
const USAGE: u8 = 2;

/// Test a CLI, an SDK or a session store for conformance
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Debug, Subcommand)]
enum Suite {
    Cli(cli::Arguments),
    Sdk(sdk::Arguments),
    Store(store::Arguments),
}

pub(crate) async fn conform(arguments: Arguments) -> ExitCode {
    // Create the listener before any process is started, because an unhandled signal would
    // leave the process running.
    let mut signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            complain(format!("cannot listen for signals: {error}"));
            return USAGE.into();
        }
    };
    let work = async {
        match &arguments.suite {
            Suite::Cli(arguments) => cli::conform(arguments).await,
            Suite::Sdk(arguments) => sdk::conform(arguments).await,
            Suite::Store(arguments) => store::conform(arguments).await,
        }
    };
    // Dropping a case ends all processes that it started.
    let done = tokio::select! {
        done = work => done,
        _ = signals.next() => Err("interrupted".to_owned()),
    };
    done.unwrap_or_else(|why| {
        complain(why);
        USAGE.into()
    })
}
