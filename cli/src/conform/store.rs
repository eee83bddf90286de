//! `agentwire conform store`: tests a session store behind a program.

use super::failure::Failure;
use super::report::CaseOutcome;
use super::suite::{self, Named, Options};
use agentwire_testkit::stores::{Conformance, StoreProgram, contracts, transcript_contracts};
use serde_json::json;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::process::Command;

/// Test a session store, in any language
///
/// Runs a program once per case. The program serves the store over standard input and output, as
/// the documentation of `agentwire_testkit::stores::StoreProgram` describes. The store may change
/// the order of object members, but nothing else. Cases of methods that the program does not
/// support are skipped. Entries of the cases stay in the store, in projects whose names begin with
/// `conformance-`.
///
/// Exit status: 0 if all cases pass or fail as expected; 1 if a case fails or passes
/// unexpectedly; 2 if the arguments are invalid, a file cannot be used, or the program cannot be
/// started.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    options: Options,

    /// Test a store of session logs (`LogStore`)
    #[arg(long)]
    log: bool,

    /// The number of entries of a long transcript
    #[arg(long, value_name = "NUMBER", default_value = "10000", value_parser = clap::value_parser!(u32).range(100..))]
    many: u32,

    /// The program and its arguments
    #[arg(
        required_unless_present = "list",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    program: Vec<OsString>,
}

impl Named for &'static str {
    fn name(&self) -> &str {
        self
    }

    fn about(&self) -> Option<&str> {
        None
    }
}

pub(super) async fn conform(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments {
        options,
        log,
        many,
        program,
    } = arguments;
    let is_log = *log;
    let cases = match is_log {
        true => contracts(),
        false => transcript_contracts(),
    };
    if options.list {
        return suite::list(&options.selected(cases)?);
    }
    // A failing case panics; its report contains the message.
    std::panic::set_hook(Box::new(|_| {}));
    let command: Arc<[OsString]> = program.clone().into();
    let conformance = Conformance::default().members_may_be_reordered();
    let conformance = conformance.many(*many as usize);
    let hold = |case: Arc<&'static str>, deadline| {
        let (command, conformance) = (Arc::clone(&command), conformance.clone());
        async move {
            let [program, rest @ ..] = &*command else {
                return Err(io::Error::other("no program"));
            };
            let mut command = Command::new(program);
            let started = StoreProgram::start(command.args(rest));
            let started = tokio::time::timeout(deadline, started).await;
            let timed_out =
                |_| io::Error::other(format!("the program did not respond within {deadline:?}"));
            let store = started.map_err(timed_out)??;
            let unsupported = store.without().into_iter();
            let conformance = unsupported.fold(conformance, Conformance::without);
            let conformance = conformance.named(*case).limit(deadline);
            let outcomes = match is_log {
                true => conformance.check(store).await,
                false => conformance.check_transcripts(store).await,
            };
            let outcome = outcomes.0.into_iter().next();
            let (problem, skipped) = outcome.map_or((None, None), |it| (it.problem, it.skipped));
            Ok(CaseOutcome {
                stuck: None,
                details: json!({ "problem": problem }),
                departures: problem.into_iter().collect(),
                skipped: skipped.map(|it| format!("the program does not support {it}")),
            })
        }
    };
    options.run(program, cases, hold).await
}
