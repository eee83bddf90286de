//! Runs a case.

use super::super::process::Watched;
use super::super::timed_out;
use super::check::{self, beginning};
use super::{CASE, CLI, Case};
use crate::fake_agent::{GATES, LOG, SCRIPT};
use crate::replay::RECORDING;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// How long processes of an adapter may outlive it while they shut down.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The result of a case.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The reason why the adapter was killed. `None` if it exited.
    pub stuck: Option<String>,
    /// The other departures from the expected behavior. A case whose adapter
    /// was killed has at least one.
    pub departures: Vec<String>,
}

impl Case {
    /// Runs an adapter (a program and its arguments) and returns its
    /// departures. `agent` is an executable that is a fake agent if its
    /// environment has a [`SCRIPT`]: `fake-agent` or `agentwire`.
    ///
    /// An adapter that has not exited at the deadline is stuck. All processes
    /// that the adapter started are killed when this function returns or is
    /// dropped.
    ///
    /// # Errors
    ///
    /// Fails if the adapter or the temporary directory cannot be created.
    pub async fn run(
        &self,
        agent: &Path,
        adapter: &[OsString],
        deadline: Duration,
    ) -> io::Result<Outcome> {
        let [program, arguments @ ..] = adapter else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no adapter"));
        };
        let folder = tempfile::tempdir()?;
        let file = |name| folder.path().join(name);
        let (script, log, instructions, gates) = (
            file("script.json"),
            file("log"),
            file("case"),
            file("gates"),
        );
        let (output, errors) = (file("stdout"), file("stderr"));
        fs::create_dir(&gates)?;
        fs::write(&script, self.text.agent.to_json())?;
        fs::write(&instructions, self.text.program.to_string())?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env(CLI, agent)
            .env(SCRIPT, &script)
            .env(LOG, &log)
            .env(GATES, &gates)
            // These variables would override the script.
            .env_remove("AGENTWIRE_TAP_CLI")
            .env_remove(RECORDING)
            .stdin(Stdio::null())
            // Output goes to files, because another process could keep a pipe
            // open.
            .stdout(File::create(&output)?)
            .stderr(File::create(&errors)?);
        // The path of the case is unique to this process.
        let mut adapter = Watched::start(&mut command, CASE, instructions.as_os_str())?;
        let mut departures = Vec::new();
        let stuck = match timeout(deadline, adapter.child.wait()).await {
            Err(_) => Some(timed_out(deadline)),
            Ok(status) => {
                let status = status?;
                if !status.success() {
                    let words = last_stderr_line(&errors);
                    departures.push(format!("the adapter exited with {status}{words}"));
                }
                let remaining = adapter.remaining(EXIT_TIMEOUT).await;
                let remaining = remaining.iter().map(|it| beginning(it));
                departures.extend(remaining.map(|argv| format!("still running: {argv}")));
                None
            }
        };
        drop(adapter);
        departures.extend(check::printed(&self.text, &read(&output)));
        departures.extend(check::sent(&self.text, &read(&log)));
        Ok(Outcome { stuck, departures })
    }
}

/// Reads a file. A missing file is empty.
fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// Returns the last line of the standard error in this file.
fn last_stderr_line(path: &Path) -> String {
    let stderr = read(path);
    match stderr.trim_end().rsplit('\n').next() {
        None | Some("") => String::new(),
        Some(line) => format!(": {}", beginning(line)),
    }
}
