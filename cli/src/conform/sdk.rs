//! `agentwire conform sdk`: the fake agent drives what is written with an SDK.

#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "it is what a command line prints"
)]

use agentwire_testkit::conform_sdk::{Case, Expected, Outcome, Report, Suite, cases};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// A case did not go as it was expected to.
const DEPARTS: u8 = 1;

/// The suite could not be run.
const USAGE: u8 = 2;

/// Find out whether an SDK copes with what agents do
///
/// Runs an adapter, a small program that is written with the SDK, once for each
/// case, with a fake agent as its CLI. The case tells the adapter what to do;
/// what it prints and what it sends are held against what is right.
/// testkit/CONFORM.md says how an adapter is written.
///
/// Exit status: 0 when every case went as expected, 1 when one did not, 2 when
/// the suite could not be run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The adapter, and its arguments
    #[arg(
        required_unless_present = "list",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    adapter: Vec<OsString>,

    /// A file with the cases that are expected not to go right: a JSON object
    /// with a reason for each name
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,

    /// Only the cases whose names have this in them; may be given several times
    #[arg(long = "case", value_name = "WORD")]
    words: Vec<String>,

    /// Print a JSON object for each case, one a line
    #[arg(long)]
    json: bool,

    /// How long a case may take
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    deadline: u64,

    /// How many cases run at once; as many as the machine has processors, if
    /// not given
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,

    /// Only print the names of the cases, and what they show
    #[arg(long)]
    list: bool,
}

pub(crate) fn conform(arguments: Arguments) -> ExitCode {
    let words = &arguments.words;
    let is_wanted = |case: &&Case| {
        words.is_empty() || words.iter().any(|word| case.name.contains(word.as_str()))
    };
    let cases: Vec<_> = cases().iter().filter(is_wanted).collect();
    if arguments.list {
        for case in &cases {
            println!("{}: {}", case.name, case.about());
        }
        return ExitCode::SUCCESS;
    }
    match run(arguments, &cases) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => DEPARTS.into(),
        Err(why) => {
            eprintln!("agentwire: {why}");
            USAGE.into()
        }
    }
}

/// Whether every case went as expected. The error is for people.
fn run(arguments: Arguments, cases: &[&Case]) -> Result<bool, String> {
    if cases.is_empty() {
        return Err("no case has such a name".to_owned());
    }
    let expected = match &arguments.expected {
        Some(path) => read(path).map_err(|why| format!("{}: {why}", path.display()))?,
        None => Expected::default(),
    };
    // This program is a fake agent as well.
    let agent = std::env::current_exe().map_err(|error| error.to_string())?;
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.unwrap_or_else(processors);
    let suite = Suite::new(agent, arguments.adapter)
        .deadline(Duration::from_secs(arguments.deadline))
        .jobs(jobs)
        .expected(expected);
    let mut counts = Counts::default();
    let mut printed = Ok(());
    suite
        .run(cases, |report| {
            counts.add(&report);
            let line = if arguments.json {
                serde_json::to_string(&report).unwrap_or_default() + "\n"
            } else {
                for_people(&report)
            };
            let out = io::stdout().write_all(line.as_bytes());
            if printed.is_ok() {
                printed = out;
            }
        })
        .map_err(|error| error.to_string())?;
    printed.map_err(|error| error.to_string())?;
    if !arguments.json {
        println!("\n{}", counts.for_people());
    }
    Ok(counts.unexpected == 0)
}

fn read(path: &Path) -> Result<Expected, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    Expected::from_json(&text)
}

fn for_people(report: &Report) -> String {
    let (case, took) = (report.case, report.took);
    let outcome = match report.outcome {
        Outcome::Ok => "ok",
        Outcome::Hangs => "hangs",
        _ => "departs",
    };
    let mut text = format!("{outcome:8} {case} ({:.1} s)\n", took.as_secs_f64());
    let mut tell = |line: &str| text.extend(["         ", line, "\n"]);
    for line in report.departures.iter().flat_map(|it| it.lines()) {
        tell(line);
    }
    match &report.expected {
        Some(why) if report.is_as_expected() => tell(&format!("expected: {why}")),
        Some(_) => tell("It was expected not to be right, and is: its line can go."),
        None if report.outcome == Outcome::Ok => {}
        None => tell(&format!("The case: {}", report.about)),
    }
    text
}

/// How many cases went how.
#[derive(Debug, Default)]
struct Counts {
    ok: usize,
    departs: usize,
    hangs: usize,
    unexpected: usize,
}

impl Counts {
    fn add(&mut self, report: &Report) {
        match report.outcome {
            Outcome::Ok => self.ok += 1,
            Outcome::Hangs => self.hangs += 1,
            _ => self.departs += 1,
        }
        if !report.is_as_expected() {
            self.unexpected += 1;
        }
    }

    fn for_people(&self) -> String {
        let Self {
            ok,
            departs,
            hangs,
            unexpected,
        } = self;
        let all = ok + departs + hangs;
        let expected = match unexpected {
            0 => "all as expected".to_owned(),
            count => format!("{count} not as expected"),
        };
        format!("{ok} of {all} ok, {departs} depart, {hangs} hang; {expected}")
    }
}
