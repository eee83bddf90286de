//! `agentwire conform cli`: plays the measured sessions to a CLI.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is what a command line prints"
)]

use agentwire_testkit::conform::cli::{Case, Golden, Measured, Outcome, play};
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// It departs.
const DEPARTS: u8 = 1;

/// The command line makes no sense, a file cannot be used, or the CLI cannot
/// be started.
const USAGE: u8 = 2;

/// Say where a CLI departs from the measured protocol
///
/// Plays sessions to a CLI, any executable, and compares what it writes, line by
/// line, with what the real CLI wrote; ids, times, paths and prose aside. It is
/// started once for each session, in a directory and with a home of its own. Its
/// environment is clean but for a scripted model on loopback, in
/// `ANTHROPIC_BASE_URL`, and the same script in `FAKE_AGENT_SCRIPT`. All that it
/// started goes when the session is over.
///
/// Exit status: 0 when it keeps to all of it, or departs only where that is
/// expected; 1 when it departs elsewhere, or keeps to what it is expected to
/// depart from; 2 when the arguments make no sense, a file cannot be used, or the
/// CLI cannot be started.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Play only the cases with this in their names; can be given several times
    #[arg(long = "case", value_name = "WORD")]
    words: Vec<String>,

    /// A JSON object with the names of the cases in which the CLI is expected to
    /// depart, each with the reason
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,

    /// Print one JSON object a case
    #[arg(long)]
    json: bool,

    /// How long a session may last, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    deadline: Duration,

    /// How many sessions run at once
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,

    /// What the CLI is held against, instead of what was measured on the real one
    #[arg(long, value_name = "FILE")]
    golden: Option<PathBuf>,

    /// Write what this CLI does to a file, as the measure for others, and hold it
    /// against nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["golden", "expected", "json"])]
    write_golden: Option<PathBuf>,

    /// Folders with the cases that are measured, instead of those that were
    #[arg(long, value_name = "FOLDER", requires = "write_golden")]
    cases: Vec<PathBuf>,

    /// The CLI and its first arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    cli: Vec<OsString>,
}

/// Why there is no report.
type Failure = String;

/// What may be expected of a CLI: reasons, by case.
type Expected = BTreeMap<String, String>;

pub(crate) async fn conform(arguments: Arguments) -> ExitCode {
    let work = async {
        match &arguments.write_golden {
            Some(file) => write(&arguments, file).await,
            None => compare(&arguments).await,
        }
    };
    // Sessions that are dropped take their CLIs along.
    let done = tokio::select! {
        done = work => done,
        () = interrupted() => Err("interrupted".to_owned()),
    };
    done.unwrap_or_else(|why| {
        eprintln!("agentwire: {why}");
        USAGE.into()
    })
}

/// Holds the CLI against what was measured.
async fn compare(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let golden = golden(arguments)?;
    let expected = expected(arguments, &golden)?;
    let cases: Vec<_> = golden.cases.into_iter().map(Arc::new).collect();
    let cases = wanted(&arguments.words, cases, |it| it.case.name())?;
    let running = at_once(arguments, &cases, |measured, cli, deadline| async move {
        measured.hold(&cli, deadline).await
    });
    let mut counts = Counts::default();
    for (measured, running) in cases.iter().zip(running) {
        let outcome = ended(&arguments.cli, running.await)?;
        let reason = expected.get(measured.case.name()).map(String::as_str);
        let verdict = Verdict::of(&outcome, reason.is_some());
        counts.add(verdict);
        if arguments.json {
            print_json(measured, verdict, &outcome, reason);
        } else {
            print(measured, verdict, &outcome, reason);
        }
    }
    if !arguments.json {
        let version = golden.version.as_deref().unwrap_or("an unknown version");
        println!("{counts}; measured on {version}");
    }
    Ok(ExitCode::from(if counts.is_fine() { 0 } else { DEPARTS }))
}

/// Writes what the CLI does as the measure.
async fn write(arguments: &Arguments, file: &PathBuf) -> Result<ExitCode, Failure> {
    let mut cases = vec![];
    for folder in &arguments.cases {
        cases.extend(Case::in_folder(folder).map_err(text)?);
    }
    if arguments.cases.is_empty() {
        let golden = Golden::embedded().map_err(text)?;
        cases = golden.cases.into_iter().map(|it| it.case).collect();
    }
    cases.sort_by(|one, other| one.name().cmp(other.name()));
    let cases = cases.into_iter().map(Arc::new).collect();
    let cases = wanted(&arguments.words, cases, |it| it.name())?;
    let running = at_once(arguments, &cases, |case, cli, deadline| async move {
        play(&case, &cli, deadline).await
    });
    let mut golden = Golden::default();
    for (case, running) in cases.iter().zip(running) {
        let recording = ended(&arguments.cli, running.await)?;
        let added = golden.add(Case::clone(case), &recording);
        added.map_err(|why| format!("{} cannot be measured: {why}", case.name()))?;
    }
    let count = golden.cases.len();
    let text_of = golden.to_json().map_err(text)?;
    std::fs::write(file, text_of)
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    println!("{count} cases measured");
    Ok(ExitCode::SUCCESS)
}

fn golden(arguments: &Arguments) -> Result<Golden, Failure> {
    let Some(path) = &arguments.golden else {
        return Golden::embedded().map_err(text);
    };
    let unusable = |why: &dyn Display| format!("{} cannot be used: {why}", path.display());
    let content = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
    Golden::from_json(&content).map_err(|error| unusable(&error))
}

fn expected(arguments: &Arguments, golden: &Golden) -> Result<Expected, Failure> {
    let Some(path) = &arguments.expected else {
        return Ok(Expected::new());
    };
    let unusable = |why: &dyn Display| format!("{} cannot be used: {why}", path.display());
    let content = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
    let expected: Expected = serde_json::from_str(&content).map_err(|error| unusable(&error))?;
    let has_no_case = |name: &&String| !golden.cases.iter().any(|it| it.case.name() == **name);
    match expected.keys().find(has_no_case) {
        Some(name) => Err(unusable(&format!("there is no case {name}"))),
        None => Ok(expected),
    }
}

/// The cases whose names have one of the words in them.
fn wanted<T>(
    words: &[String],
    mut cases: Vec<Arc<T>>,
    name: impl Fn(&T) -> &str,
) -> Result<Vec<Arc<T>>, Failure> {
    cases.retain(|it| words.is_empty() || words.iter().any(|word| name(it).contains(&**word)));
    if cases.is_empty() {
        return Err(format!(
            "there is no case with {} in its name",
            words.join(" or ")
        ));
    }
    Ok(cases)
}

/// Starts something for each case, so many at once as the user wants.
fn at_once<T, R, F>(
    arguments: &Arguments,
    cases: &[Arc<T>],
    run: impl Fn(Arc<T>, Arc<[OsString]>, Duration) -> F,
) -> Vec<JoinHandle<io::Result<R>>>
where
    R: Send + 'static,
    F: Future<Output = io::Result<R>> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(arguments.jobs.into()));
    let cli: Arc<[OsString]> = arguments.cli.clone().into();
    let start = |case: &Arc<T>| {
        let work = run(Arc::clone(case), Arc::clone(&cli), arguments.deadline);
        let places = Arc::clone(&places);
        tokio::spawn(async move {
            let _place = places.acquire_owned().await.map_err(io::Error::other)?;
            work.await
        })
    };
    cases.iter().map(start).collect()
}

fn ended<R>(
    cli: &[OsString],
    joined: Result<io::Result<R>, tokio::task::JoinError>,
) -> Result<R, Failure> {
    let played = joined.map_err(io::Error::other).flatten();
    played.map_err(|error| {
        let program = cli.first().map(|it| it.to_string_lossy());
        format!("{} cannot be started: {error}", program.unwrap_or_default())
    })
}

/// What is said of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Ok,
    /// It departs or is stuck, as expected.
    Expected,
    Departs,
    Stuck,
    /// It does not depart, as it was expected to.
    Passes,
}

impl Verdict {
    fn of(outcome: &Outcome, is_expected: bool) -> Self {
        let departs = outcome.stuck.is_some() || !outcome.differences.is_empty();
        match (departs, is_expected) {
            (false, false) => Self::Ok,
            (false, true) => Self::Passes,
            (true, true) => Self::Expected,
            (true, false) if outcome.stuck.is_some() => Self::Stuck,
            (true, false) => Self::Departs,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Expected => "expected",
            Self::Departs => "departs",
            Self::Stuck => "stuck",
            Self::Passes => "passes",
        }
    }
}

/// How often what was said.
#[derive(Debug, Default)]
struct Counts(BTreeMap<Verdict, usize>);

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        *self.0.entry(verdict).or_default() += 1;
    }

    fn is_fine(&self) -> bool {
        let is_fine = |verdict: &Verdict| matches!(verdict, Verdict::Ok | Verdict::Expected);
        self.0.keys().all(is_fine)
    }
}

impl Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} cases", self.0.values().sum::<usize>())?;
        for (at, (verdict, count)) in self.0.iter().enumerate() {
            let separator = if at == 0 { ": " } else { ", " };
            let what = match verdict {
                Verdict::Ok => "ok",
                Verdict::Expected => "depart as expected",
                Verdict::Departs => "depart",
                Verdict::Stuck => "are stuck",
                Verdict::Passes => "pass although they were expected to depart",
            };
            write!(f, "{separator}{count} {what}")?;
        }
        Ok(())
    }
}

/// For people.
fn print(measured: &Measured, verdict: Verdict, outcome: &Outcome, reason: Option<&str>) {
    println!("{:<9} {}", verdict.word(), measured.case.name());
    match verdict {
        Verdict::Ok => {}
        Verdict::Expected => println!("    {}", reason.unwrap_or_default()),
        Verdict::Passes => {
            let reason = reason.unwrap_or_default();
            println!("    it was expected to depart: {reason}");
        }
        Verdict::Departs | Verdict::Stuck => {
            if let Some(about) = measured.case.about() {
                println!("    {about}");
            }
            for why in outcome.stuck.iter().chain(&outcome.left) {
                println!("    {why}");
            }
            if let Some(first) = outcome.differences.first() {
                println!("    {first}");
                match &*first.after {
                    "" => println!("    at the beginning"),
                    after => println!("    after {}", short(after)),
                }
            }
            match outcome.differences.len() {
                0 | 1 => {}
                2 => println!("    and at one more place"),
                places => println!("    and at {} more places", places - 1),
            }
            for line in outcome.complaints.lines() {
                println!("    its standard error: {line}");
            }
        }
    }
}

/// For programs.
fn print_json(measured: &Measured, verdict: Verdict, outcome: &Outcome, reason: Option<&str>) {
    let first = outcome.differences.first().map(ToString::to_string);
    let report = json!({
        "case": measured.case.name(),
        "about": measured.case.about(),
        "verdict": verdict.word(),
        "expected": reason,
        "stuck": outcome.stuck,
        "left": outcome.left,
        "first": first,
        "differences": outcome.differences,
        "stderr": outcome.complaints,
    });
    println!("{report}");
}

/// Its beginning.
fn short(line: &str) -> String {
    match line.char_indices().nth(100) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line.to_owned(),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn text(error: impl Display) -> Failure {
    error.to_string()
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
