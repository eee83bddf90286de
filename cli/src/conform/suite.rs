//! Runs the cases of a suite, whichever it is.

use super::failure::{Failure, text};
use super::report::{Came, Counts, Report};
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

/// A case did not go as it was expected to.
const DEPARTS: u8 = 1;

/// What every suite can be told.
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// Only the cases with this in their names; can be given several times
    #[arg(long = "case", value_name = "WORD")]
    words: Vec<String>,

    /// A JSON object with the names of the cases that are expected not to go
    /// right, each with the reason
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,

    /// Print one JSON object a case
    #[arg(long)]
    json: bool,

    /// How long a case may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    deadline: Duration,

    /// How many cases run at once; one more than the machine has processors, if
    /// not given
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Only print the names of the cases, and what they show
    #[arg(long)]
    pub(super) list: bool,
}

/// A case, as far as its name goes.
pub(super) trait Named {
    fn name(&self) -> &str;

    /// What it shows.
    fn about(&self) -> Option<&str>;
}

impl Options {
    /// The cases whose names have one of the words in them.
    pub(super) fn wanted<C: Named>(&self, mut cases: Vec<C>) -> Result<Vec<Arc<C>>, Failure> {
        let words = &self.words;
        cases.retain(|it| words.is_empty() || words.iter().any(|word| it.name().contains(word)));
        if cases.is_empty() {
            return Err(format!(
                "there is no case with {} in its name",
                words.join(" or ")
            ));
        }
        Ok(cases.into_iter().map(Arc::new).collect())
    }

    /// Does something with each case, so many at once as the user wants; first
    /// with those that may take all their time, so that others run beside them.
    pub(super) fn at_once<C, R, F>(
        &self,
        cases: &[Arc<C>],
        is_slow: impl Fn(&C) -> bool,
        work: impl Fn(Arc<C>, Duration) -> F,
    ) -> Vec<JoinHandle<io::Result<R>>>
    where
        R: Send + 'static,
        F: Future<Output = io::Result<R>> + Send + 'static,
    {
        // What one waits for is another's chance.
        let jobs = || std::thread::available_parallelism().map_or(1, usize::from) + 1;
        let jobs = self.jobs.map_or_else(jobs, usize::from);
        let places = Arc::new(Semaphore::new(jobs));
        let start = |case: &Arc<C>| {
            let work = work(Arc::clone(case), self.deadline);
            let places = Arc::clone(&places);
            tokio::spawn(async move {
                let _place = places.acquire_owned().await.map_err(io::Error::other)?;
                work.await
            })
        };
        let mut order: Vec<_> = cases.iter().enumerate().collect();
        order.sort_by_key(|(_, case)| !is_slow(case));
        let started = order.into_iter().map(|(at, case)| (at, start(case)));
        let mut started: Vec<_> = started.collect();
        started.sort_by_key(|(at, _)| *at);
        started.into_iter().map(|(_, running)| running).collect()
    }

    /// Holds a program against all cases that are wanted, and prints what came
    /// of each. `measure` is told at the end.
    pub(super) async fn run<C, F>(
        &self,
        program: &[OsString],
        cases: Vec<C>,
        hold: impl Fn(Arc<C>, Duration) -> F,
        measure: &str,
    ) -> Result<ExitCode, Failure>
    where
        C: Named,
        F: Future<Output = io::Result<Came>> + Send + 'static,
    {
        let mut expected = self.expected(&cases)?;
        let cases = self.wanted(cases)?;
        let is_slow = |case: &C| expected.contains_key(case.name());
        let running = self.at_once(&cases, is_slow, |case, deadline| {
            let hold = hold(case, deadline);
            async move {
                let begin = Instant::now();
                Ok((hold.await?, begin.elapsed()))
            }
        });
        let mut counts = Counts::default();
        for (case, running) in cases.iter().zip(running) {
            let (came, took) = ended(program, running).await?;
            let reason = expected.remove(case.name());
            let report = Report::new(case.name(), case.about(), came, reason, took);
            counts.add(&report);
            print(&if self.json {
                report.for_programs()
            } else {
                report.to_string()
            })?;
        }
        if !self.json {
            print(&format!("{counts}{measure}\n"))?;
        }
        Ok(ExitCode::from(if counts.is_fine() { 0 } else { DEPARTS }))
    }

    /// Reasons, by the names of the cases that are expected not to go right.
    fn expected<C: Named>(&self, cases: &[C]) -> Result<BTreeMap<String, String>, Failure> {
        let Some(path) = &self.expected else {
            return Ok(BTreeMap::new());
        };
        let unusable = |why: &dyn Display| format!("{} cannot be used: {why}", path.display());
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

/// Prints the names of cases, and what they show.
pub(super) fn list<C: Named>(cases: &[Arc<C>]) -> Result<ExitCode, Failure> {
    for case in cases {
        let about = case.about().map(|it| format!(": {it}"));
        print(&format!("{}{}\n", case.name(), about.unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What came of something that was started for a case.
pub(super) async fn ended<R>(
    program: &[OsString],
    running: JoinHandle<io::Result<R>>,
) -> Result<R, Failure> {
    let done = running.await.map_err(io::Error::other).flatten();
    done.map_err(|error| {
        let program = program
            .first()
            .map(|it| Path::new(it).display().to_string());
        format!("{} cannot be started: {error}", program.unwrap_or_default())
    })
}

/// To standard output, whoever still reads it.
pub(super) fn print(what: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    let what = match stdout.is_terminal() {
        true => crate::terminal::json(what.as_bytes()),
        false => what.as_bytes().into(),
    };
    stdout.write_all(&what).map_err(text)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
