//! `agentwire conform`: does something keep to the protocol?

mod cli;
mod failure;
mod report;
mod sdk;
mod suite;

use crate::terminal::complain;
use clap::Subcommand;
use std::process::ExitCode;

/// The arguments make no sense, a file cannot be used, or nothing could be
/// started.
const USAGE: u8 = 2;

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
    let work = async {
        match &arguments.suite {
            Suite::Cli(arguments) => cli::conform(arguments).await,
            Suite::Sdk(arguments) => sdk::conform(arguments).await,
        }
    };
    // Cases that are dropped take all along that they started.
    let done = tokio::select! {
        done = work => done,
        () = interrupted() => Err("interrupted".to_owned()),
    };
    done.unwrap_or_else(|why| {
        complain(why);
        USAGE.into()
    })
}

/// Comes back when somebody wants this to end.
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
