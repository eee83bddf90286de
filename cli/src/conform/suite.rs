//! Runs the cases of a suite.

use super::failure::{Failure, text};
use super::report::{CaseOutcome, Counts, Report};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// A case failed or passed unexpectedly.
const DEPARTS: u8 = 1;

/// The options of every suite.
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// Run only cases whose names contain this; may be repeated
    #[arg(long = "case", value_name = "WORD")]
    words: Vec<String>,

    /// The cases that may fail, as a JSON file: `{"CASE": "the reason", …}`. A
    /// listed case that passes is reported
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,

    /// Print one JSON object per case
    #[arg(long)]
    json: bool,

    /// The deadline for a case, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    deadline: Duration,

    /// The number of cases that run at once [default: the number of processors plus one]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Only print the cases with descriptions
    #[arg(long)]
    pub(super) list: bool,
}

/// A case that has a name.
pub(super) trait Named {
    fn name(&self) -> &str;

    /// Returns what the case tests.
    fn about(&self) -> Option<&str>;

    /// Returns the duration of the case's longest step.
    fn longest(&self) -> Duration {
        Duration::ZERO
    }
}

impl Options {
    /// Returns the cases whose names contain one of the words.
    pub(super) fn selected<C: Named>(&self, mut cases: Vec<C>) -> Result<Vec<Arc<C>>, Failure> {
        let words = &self.words;
        cases.retain(|it| words.is_empty() || words.iter().any(|word| it.name().contains(word)));
        if cases.is_empty() {
            return Err(format!(
                "no case name contains {}; see `--list`",
                words.join(" or ")
            ));
        }
        Ok(cases.into_iter().map(Arc::new).collect())
    }

    /// Runs the selected cases, at most `--jobs` at once, and prints a report of each, then the
    /// counts. The longest cases start first, so that shorter cases run in parallel.
    pub(super) async fn run<C, F>(
        &self,
        program: &[OsString],
        cases: Vec<C>,
        hold: impl Fn(Arc<C>, Duration) -> F,
    ) -> Result<ExitCode, Failure>
    where
        C: Named,
        F: Future<Output = io::Result<CaseOutcome>> + Send + 'static,
    {
        let mut expected = self.expected(&cases)?;
        let cases = self.selected(cases)?;
        // The default is one more than the number of processors, because cases wait most of
        // the time.
        let jobs = || std::thread::available_parallelism().map_or(1, usize::from) + 1;
        let jobs = self.jobs.map_or_else(jobs, usize::from);
        let permits = Arc::new(Semaphore::new(jobs));
        let start = |case: &Arc<C>| {
            let hold = hold(Arc::clone(case), self.deadline);
            let permits = Arc::clone(&permits);
            tokio::spawn(async move {
                let _permit = permits.acquire_owned().await.map_err(io::Error::other)?;
                let begin = Instant::now();
                Ok((hold.await?, begin.elapsed()))
            })
        };
        let mut order: Vec<_> = cases.iter().enumerate().collect();
        // A failing case may run until its deadline.
        order.sort_by_key(|(_, case)| match expected.contains_key(case.name()) {
            true => Reverse(self.deadline),
            false => Reverse(case.longest()),
        });
        let started = order.into_iter().map(|(at, case)| (at, start(case)));
        let mut started: Vec<_> = started.collect();
        started.sort_by_key(|(at, _)| *at);
        let mut counts = Counts::default();
        for (case, (_, running)) in cases.iter().zip(started) {
            let (outcome, duration) = finish(program, running).await?;
            let reason = expected.remove(case.name());
            let report = Report::new(case.name(), case.about(), outcome, reason, duration);
            counts.add(&report);
            print(&if self.json {
                report.to_json_line()
            } else {
                report.to_string()
            })?;
        }
        if !self.json {
            print(&format!("{counts}\n"))?;
        }
        Ok(ExitCode::from(if counts.is_success() {
            0
        } else {
            DEPARTS
        }))
    }

    /// Returns the cases that are expected to fail, with the reasons.
    fn expected<C: Named>(&self, cases: &[C]) -> Result<BTreeMap<String, String>, Failure> {
        let Some(path) = &self.expected else {
            return Ok(BTreeMap::new());
        };
        let unusable = |why: &dyn Display| format!("cannot use {}: {why}", path.display());
        let content = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
        let expected: BTreeMap<String, String> =
            serde_json::from_str(&content).map_err(|error| unusable(&error))?;
        for (name, reason) in &expected {
            if !cases.iter().any(|it| it.name() == name) {
                return Err(unusable(&format!("there is no case {name}")));
            }
            if reason.trim().is_empty() {
                return Err(unusable(&format!("{name} has no reason")));
            }
        }
        Ok(expected)
    }
}

/// Prints the names of cases with descriptions.
pub(super) fn list<C: Named>(cases: &[Arc<C>]) -> Result<ExitCode, Failure> {
    for case in cases {
        let about = case.about().map(|it| format!(": {it}"));
        print(&format!("{}{}\n", case.name(), about.unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the result of a task that was spawned for a case.
async fn finish<R>(program: &[OsString], running: JoinHandle<io::Result<R>>) -> Result<R, Failure> {
    let done = running.await.map_err(io::Error::other).flatten();
    done.map_err(|error| {
        let program = program
            .first()
            .map(|it| Path::new(it).display().to_string());
        format!("cannot start {}: {error}", program.unwrap_or_default())
    })
}

/// Prints to standard output.
fn print(what: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    let what = match stdout.is_terminal() {
        true => crate::terminal::json(what.as_bytes()),
        false => what.as_bytes().into(),
    };
    stdout.write_all(&what).map_err(text)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
