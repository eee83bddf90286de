//! `agentwire conform cli`: tests a CLI against the measured protocol.

use super::failure::{Failure, text};
use super::report::CaseOutcome;
use super::suite::{self, Named, Options};
use crate::files::Files;
use agentwire_testkit::conform::cli::{Case, Golden, Measured, Outcome, play};
use serde_json::json;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Test a CLI against the measured protocol
///
/// Plays sessions to a CLI, any executable, and compares its output line by line
/// with that of the real CLI. IDs, times, paths and prose are not compared. The
/// CLI is started once per session, in its own directory and home. Its environment
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

    /// Compare with the measurements in this file instead of those of the real CLI
    #[arg(long, value_name = "FILE")]
    golden: Option<PathBuf>,

    /// Measure this CLI and write the measurements to this file, without comparing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["golden", "expected", "json"])]
    write_golden: Option<PathBuf>,

    /// Measure the cases in this folder instead of the built-in ones; may be
    /// repeated
    #[arg(long, value_name = "FOLDER", requires = "write_golden")]
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

impl Named for Measured {
    fn name(&self) -> &str {
        self.case.name()
    }

    fn about(&self) -> Option<&str> {
        self.case.about()
    }

    fn longest(&self) -> Duration {
        self.case.longest()
    }
}

pub(super) async fn conform(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(file) = &arguments.write_golden {
        return write(arguments, file).await;
    }
    let Arguments { options, cli, .. } = arguments;
    let golden = golden(arguments)?;
    if options.list {
        return suite::list(&options.selected(golden.cases)?);
    }
    let command: Arc<[OsString]> = cli.clone().into();
    let hold = |measured: Arc<Measured>, deadline| {
        let command = Arc::clone(&command);
        async move { Ok(readable(measured.run(&command, deadline).await?)) }
    };
    let version = golden.version.as_deref().unwrap_or("an unknown version");
    let measure = format!("; measured on {version}");
    options.run(cli, golden.cases, hold, &measure).await
}

/// Measures the CLI and writes the measurements.
async fn write(arguments: &Arguments, file: &Path) -> Result<ExitCode, Failure> {
    let Arguments { options, cli, .. } = arguments;
    let mut cases = vec![];
    for folder in &arguments.cases {
        cases.extend(Case::in_folder(folder).map_err(text)?);
    }
    if arguments.cases.is_empty() {
        let golden = Golden::embedded().map_err(text)?;
        cases = golden.cases.into_iter().map(|it| it.case).collect();
    }
    cases.sort_by(|one, other| one.name().cmp(other.name()));
    let cases = options.selected(cases)?;
    if options.list {
        return suite::list(&cases);
    }
    let command: Arc<[OsString]> = cli.clone().into();
    let measure = |case: Arc<Case>, deadline| {
        let command = Arc::clone(&command);
        async move { play(&case, &command, deadline).await }
    };
    let running = options.at_once(&cases, Case::longest, measure);
    let mut golden = Golden::default();
    for (case, running) in cases.iter().zip(running) {
        let recording = suite::finish(cli, running).await?;
        let added = golden.add(Case::clone(case), &recording);
        added.map_err(|why| format!("cannot measure {}: {why}", case.name()))?;
    }
    let count = golden.cases.len();
    let json = golden.to_json().map_err(text)?;
    let written = Files::default().write(file).and_then(|mut new| {
        new.write_all(json.as_bytes())?;
        new.finish()
    });
    written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    suite::print(&format!("{count} cases measured\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn golden(arguments: &Arguments) -> Result<Golden, Failure> {
    let Some(path) = &arguments.golden else {
        return Golden::embedded().map_err(text);
    };
    let unusable = |why: &dyn Display| format!("cannot use {}: {why}", path.display());
    let content = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
    Golden::from_json(&content).map_err(|error| unusable(&error))
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
