//! `agentwire conform sdk`: tests an SDK with fake agents.

use super::failure::{Failure, text};
use super::report::CaseOutcome;
use super::suite::{self, Named, Options};
use agentwire_testkit::conform::sdk::{Case, cases};
use serde_json::json;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Test an SDK against misbehaving agents
///
/// Runs an adapter, a small program written with the SDK, once per case, with a
/// fake agent as its CLI. The case tells the adapter what to do; what the adapter
/// prints and sends is compared with the expected behaviour. testkit/CONFORM.md
/// describes how to write an adapter.
///
/// Exit status: 0 if all cases pass or fail as expected; 1 if a case fails or
/// passes unexpectedly; 2 if the arguments are invalid, a file cannot be used, or
/// the adapter cannot be started.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    options: Options,

    /// The adapter and its arguments
    #[arg(
        required_unless_present = "list",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    adapter: Vec<OsString>,
}

impl Named for &Case {
    fn name(&self) -> &str {
        Case::name(self)
    }

    fn about(&self) -> Option<&str> {
        Some(Case::about(self))
    }
}

pub(super) async fn conform(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments { options, adapter } = arguments;
    let cases = cases().iter().collect();
    if options.list {
        return suite::list(&options.selected(cases)?);
    }
    // This program is also the fake agent.
    let agent: Arc<Path> = std::env::current_exe().map_err(text)?.into();
    let command: Arc<[OsString]> = adapter.clone().into();
    let hold = |case: Arc<&'static Case>, deadline| {
        let (agent, command) = (Arc::clone(&agent), Arc::clone(&command));
        async move {
            let outcome = case.run(&agent, &command, deadline).await?;
            Ok(CaseOutcome {
                details: json!({ "departures": outcome.departures }),
                stuck: outcome.stuck,
                skipped: None,
                departures: outcome.departures,
            })
        }
    };
    options.run(adapter, cases, hold).await
}
