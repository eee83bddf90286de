//! `agentwire conform cli`: compares a CLI with the fake agent.

use super::failure::{Failure, text};
use super::report::CaseOutcome;
use super::suite::{self, Named, Options};
use agentwire_testkit::conform::cli::{Case, Outcome, compare};
use serde_json::json;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Compare a CLI with the fake agent
///
/// Plays sessions to a CLI, any executable, and to the fake agent in this program,
/// and compares their output line by line. IDs, times, paths and prose are not
/// compared. Neither are differences between the fake agent and the real CLI that
/// are known. `FAKE_AGENT_PROFILE` selects the version that the fake agent emulates.
///
/// The CLI is started once per session, in its own directory and home. Its environment
/// has a scripted model on loopback (`ANTHROPIC_BASE_URL`), the same script
/// (`FAKE_AGENT_SCRIPT`), the `PATH`, and nothing else from your environment. All
/// processes that it started are killed when the session has ended.
///
/// Exit status: 0 if all cases pass or fail as expected; 1 if a case fails or
/// passes unexpectedly; 2 if the arguments are invalid, a file cannot be used, or
/// the CLI cannot be started.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    options: Options,

    /// Play the cases in this folder instead of the built-in ones; may be repeated
    #[arg(long, value_name = "FOLDER")]
    cases: Vec<PathBuf>,

    /// The CLI and its first arguments
    #[arg(
        required_unless_present = "list",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    cli: Vec<OsString>,
}

impl Named for Case {
    fn name(&self) -> &str {
        Case::name(self)
    }

    fn about(&self) -> Option<&str> {
        Case::about(self)
    }

    fn longest(&self) -> Duration {
        Case::longest(self)
    }
}

pub(super) async fn conform(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments { options, cli, .. } = arguments;
    let mut cases = vec![];
    for folder in &arguments.cases {
        cases.extend(Case::in_folder(folder).map_err(text)?);
    }
    if arguments.cases.is_empty() {
        cases = Case::embedded().map_err(text)?;
    }
    if options.list {
        return suite::list(&options.selected(cases)?);
    }
    // This program is also the fake agent.
    let fake_agent = std::env::current_exe().map_err(text)?;
    let fake_agent: Arc<[OsString]> = [fake_agent.into()].into();
    let command: Arc<[OsString]> = cli.clone().into();
    let hold = |case: Arc<Case>, deadline| {
        let (fake_agent, command) = (Arc::clone(&fake_agent), Arc::clone(&command));
        async move {
            let outcome = compare(&case, &fake_agent, &command, deadline).await?;
            Ok(readable(outcome))
        }
    };
    options.run(cli, cases, hold).await
}

/// Formats an outcome in readable form. It contains where the session stopped, if it did not
/// complete; the first difference, which usually causes the others; and the CLI's standard
/// error.
fn readable(outcome: Outcome) -> CaseOutcome {
    let mut lines = vec![];
    lines.extend(outcome.remaining.clone());
    if let Some(first) = outcome.differences.first() {
        lines.push(first.to_string());
        lines.push(match &*first.after {
            "" => "at the start".to_owned(),
            after => format!("after {}", short(after)),
        });
    }
    match outcome.differences.len() {
        0 | 1 => {}
        2 => lines.push("and one more difference".to_owned()),
        count => lines.push(format!("and {} more differences", count - 1)),
    }
    if outcome.stuck.is_some() || !outcome.differences.is_empty() {
        let stderr_lines = outcome.stderr.lines();
        lines.extend(stderr_lines.map(|line| format!("stderr: {line}")));
    }
    let details = json!({
        "left": outcome.remaining,
        "first": outcome.differences.first().map(ToString::to_string),
        "differences": outcome.differences,
        "stderr": outcome.stderr,
    });
    CaseOutcome {
        stuck: outcome.stuck,
        skipped: None,
        departures: lines,
        details,
    }
}

/// Truncates a line to 100 characters.
fn short(line: &str) -> String {
    match line.char_indices().nth(100) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line.to_owned(),
    }
}
