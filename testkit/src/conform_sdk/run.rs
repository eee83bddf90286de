//! Runs cases.

use super::process::Watched;
use super::{CASE, CLI, Case, Expected, Outcome, Report, check};
use crate::fake_agent::{GATES, LOG, SCRIPT};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long what an adapter has started may outlive it: a process that was told
/// to end, and is about to.
const PATIENCE: Duration = Duration::from_secs(2);

/// How cases are run.
#[derive(Debug, Clone)]
pub struct Suite {
    agent: PathBuf,
    adapter: Vec<OsString>,
    deadline: Duration,
    jobs: usize,
    expected: Expected,
}

impl Suite {
    /// Cases for this adapter: a program and its arguments. The agent is an
    /// executable that is a fake agent when its environment has a
    /// [`SCRIPT`]: `fake-agent`, or `agentwire`.
    pub fn new(agent: impl Into<PathBuf>, adapter: impl IntoIterator<Item = OsString>) -> Self {
        Self {
            agent: agent.into(),
            adapter: adapter.into_iter().collect(),
            deadline: Duration::from_secs(30),
            jobs: 1,
            expected: Expected::default(),
        }
    }

    /// How long a case may take; 30 seconds, if not set.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How many cases run at once; one, if not set.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// Which cases are expected not to go right.
    #[must_use]
    pub fn expected(mut self, expected: Expected) -> Self {
        self.expected = expected;
        self
    }

    /// Runs these cases, and tells of each in their order, as soon as it is
    /// its turn.
    ///
    /// # Errors
    ///
    /// When the adapter cannot be started, or the files of a case cannot be
    /// written. Cases that have begun are done first.
    pub fn run(&self, cases: &[&Case], mut tell: impl FnMut(Report)) -> io::Result<()> {
        let next = AtomicUsize::new(0);
        let (send, reports) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let report = self.run_case(case);
                        let is_over = report.is_err();
                        // Nobody listens any more when one has failed.
                        if send.send((case.name, report)).is_err() || is_over {
                            return;
                        }
                    }
                });
            }
            drop(send);
            let mut early = Vec::new();
            for case in cases {
                let report = loop {
                    if let Some(at) = early.iter().position(|(name, _)| *name == case.name) {
                        break early.swap_remove(at).1;
                    }
                    match reports.recv() {
                        Ok(report) => early.push(report),
                        Err(_) => return Ok(()),
                    }
                };
                tell(report?);
            }
            Ok(())
        })
    }

    fn run_case(&self, case: &Case) -> io::Result<Report> {
        let begin = Instant::now();
        let folder = Folder::make()?;
        let (script, log, told, gates) = (
            folder.0.join("script.json"),
            folder.0.join("log"),
            folder.0.join("case.json"),
            folder.0.join("gates"),
        );
        let (output, errors) = (folder.0.join("stdout"), folder.0.join("stderr"));
        fs::create_dir(&gates)?;
        fs::write(&script, case.text.agent.to_json())?;
        fs::write(&told, case.text.program.to_string())?;
        let (program, arguments) = (self.adapter.split_first()).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "there is no adapter to start")
        })?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env(CLI, &self.agent)
            .env(CASE, &told)
            .env(SCRIPT, &script)
            .env(LOG, &log)
            .env(GATES, &gates)
            .stdin(Stdio::null())
            // Files, which nobody holds open as one can a pipe.
            .stdout(File::create(&output)?)
            .stderr(File::create(&errors)?);
        // What these say comes before the script.
        for name in ["AGENTWIRE_TAP_CLI", crate::replay::RECORDING] {
            command.env_remove(name);
        }
        let mut adapter = Watched::start(&mut command, &told)
            .map_err(|error| io::Error::new(error.kind(), format!("{program:?}: {error}")))?;
        let status = adapter.wait(self.deadline)?;
        let mut departures = Vec::new();
        match status {
            None => departures.push(format!(
                "it was not done within {:?}, and was ended",
                self.deadline
            )),
            Some(status) => {
                if !status.success() {
                    departures.push(format!(
                        "the adapter ended with {status}{}",
                        last_words(&errors)
                    ));
                }
                for process in adapter.left(PATIENCE) {
                    departures.push(format!("left behind: {}", check::short(&process)));
                }
            }
        }
        drop(adapter);
        departures.extend(check::printed(&case.text, &read(&output)));
        departures.extend(check::sent(&case.text, &read(&log)));
        let outcome = match status {
            None => Outcome::Hangs,
            Some(_) if departures.is_empty() => Outcome::Ok,
            Some(_) => Outcome::Departs,
        };
        Ok(Report {
            case: case.name,
            about: case.text.about.clone(),
            outcome,
            departures,
            took: begin.elapsed(),
            expected: self.expected.reason(case.name).map(str::to_owned),
        })
    }
}

/// What is in a file, as far as there is one.
fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The end of what a program said on standard error.
fn last_words(path: &Path) -> String {
    let said = read(path);
    match said.trim_end().rsplit('\n').next() {
        None | Some("") => String::new(),
        Some(line) => format!(": {}", check::short(line)),
    }
}

/// A folder that goes when it is not needed any more.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn make() -> io::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("agentwire-conform-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
