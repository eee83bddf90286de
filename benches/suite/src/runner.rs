//! Runs contestants, each in its own process and with a clean environment.

use crate::measures::{Case, Measure};
use crate::results::Results;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// The timeout of a contestant. The slowest one takes a few seconds.
const DEADLINE: Duration = Duration::from_secs(180);

pub struct Runner {
    /// The path of this program.
    suite: PathBuf,
    /// The path of the executable that replaces the CLI.
    emit: PathBuf,
    /// The Python that `benches/run` installed.
    pub python: OsString,
    pub typescript: PathBuf,
    clients: PathBuf,
    /// The folder to which processes may write.
    pub scratch: PathBuf,
    pub rounds: usize,
}

impl Runner {
    pub fn new(benches: &Path, rounds: usize) -> Result<Self, crate::Failure> {
        let variable =
            |name| std::env::var_os(name).ok_or(format!("{name} is not set; benches/run sets it"));
        let suite = std::env::current_exe()?;
        let scratch = suite.with_file_name("suite-scratch");
        std::fs::create_dir_all(scratch.join("home"))?;
        Ok(Self {
            emit: suite.with_file_name("emit"),
            python: variable("SUITE_PYTHON")?,
            typescript: variable("SUITE_TYPESCRIPT")?.into(),
            clients: benches.join("sdks"),
            suite,
            scratch,
            rounds,
        })
    }

    /// Runs all rounds of a measure. In each round, every contestant runs once.
    /// Every other round is in reverse order, so that no contestant always
    /// follows the same one.
    pub async fn run(
        &self,
        measure: &Measure,
        program: &str,
        results: &mut Results,
    ) -> std::io::Result<()> {
        for case in (measure.cases)(&self.scratch)? {
            let label = case.label.as_str();
            for round in 0..self.rounds {
                let mut order = case.contestants.clone();
                if round % 2 == 1 {
                    order.reverse();
                }
                for contestant in order {
                    if results.error(measure.name, label, contestant).is_some() {
                        continue;
                    }
                    let printed = self.contestant(contestant, program, &case).await;
                    let told = printed
                        .as_ref()
                        .map_or_else(String::clone, Value::to_string);
                    eprintln!(
                        "{} {label} {}/{} {contestant}: {told}",
                        measure.name,
                        round + 1,
                        self.rounds
                    );
                    results.push(measure.name, label, contestant, printed);
                }
            }
        }
        Ok(())
    }

    async fn contestant(&self, name: &str, program: &str, case: &Case) -> Result<Value, String> {
        let mut command = match name {
            "typescript" => {
                let mut command = Command::new("node");
                command.arg(self.clients.join("client.mjs"));
                command
            }
            "python" => {
                let mut command = Command::new(&self.python);
                command.arg("-B").arg(self.clients.join("client.py"));
                command
            }
            rust => {
                let mut command = Command::new(&self.suite);
                command.args(["contestant", rust]);
                command
            }
        };
        let report = self.scratch.join("report.json");
        let _ = std::fs::remove_file(&report);
        command
            .arg(program)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.scratch.join("home"))
            .env("TMPDIR", &self.scratch)
            .env("OFFICIAL_SDK", &self.typescript)
            .env("BENCH_CLI", &self.emit)
            .env("EMIT_REPORT", &report)
            .envs(case.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.scratch)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        if let Some(corpus) = &case.corpus {
            command
                .env("EMIT_FILE", &corpus.path)
                .env("BENCH_LINES", corpus.lines.to_string())
                .env("BENCH_LINE_BYTES", corpus.line_bytes().to_string());
        }
        let output = match tokio::time::timeout(DEADLINE, command.output()).await {
            Err(_) => return Err(format!("not done after {} s", DEADLINE.as_secs())),
            Ok(output) => output.map_err(|error| error.to_string())?,
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said
                .lines()
                .rfind(|line| !line.is_empty())
                .unwrap_or_default();
            return Err(format!("{}: {last}", output.status));
        }
        let mut printed: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        derive(&mut printed, case);
        // Add the measurements of the replaced CLI.
        if let Ok(text) = std::fs::read(&report) {
            let reported: Value =
                serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            for (name, number) in reported.as_object().into_iter().flatten() {
                printed[name] = number.clone();
            }
        }
        match printed.as_object() {
            Some(numbers) if !numbers.is_empty() => Ok(printed),
            _ => Err("no numbers were printed".to_owned()),
        }
    }
}

/// Adds rates, which follow from the number of lines and bytes.
fn derive(printed: &mut Value, case: &Case) {
    if let Some(seconds) = printed["total_seconds"].as_f64() {
        printed["turns_per_second"] = (1.0 / seconds).into();
    }
    if let (Some(corpus), Some(seconds)) = (&case.corpus, printed["seconds"].as_f64()) {
        printed["lines_per_second"] = (corpus.lines as f64 / seconds).into();
        printed["mb_per_second"] = (corpus.bytes as f64 / 1e6 / seconds).into();
    }
}
