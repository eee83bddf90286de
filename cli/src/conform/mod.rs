//! `agentwire conform`: conformance tests for CLIs, SDKs and session stores.

mod cli;
mod failure;
mod report;
mod sdk;
mod store;
mod suite;

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
        () = interrupted() => Err("interrupted".to_owned()),
    };
    done.unwrap_or_else(|why| {
        complain(why);
        USAGE.into()
    })
}

/// Returns on a signal that asks this process to exit.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::terminate(), SignalKind::hangup()];
        if let [Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = hangup.recv() => return,
                _ = tokio::signal::ctrl_c() => return,
            }
        }
    }
    drop(tokio::signal::ctrl_c().await);
}
