//! Runs a case.

use super::super::not_over_after;
use super::super::process::Watched;
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

/// How long what an adapter has started may outlive it: a process that was told
/// to end, and is about to.
const PATIENCE: Duration = Duration::from_secs(2);

/// What an SDK and its adapter made of a case.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Why the adapter was ended, if it did not exit by itself.
    pub stuck: Option<String>,
    /// In what else they depart from what is right. One that was ended departs
    /// somewhere, if it is only there.
    pub departures: Vec<String>,
}

impl Case {
    /// Runs an adapter, a program and its arguments, and says in what it
    /// departs from what is right. The agent is an executable that is a fake
    /// agent when its environment has a [`SCRIPT`]: `fake-agent`, or
    /// `agentwire`.
    ///
    /// An adapter that has not exited when the deadline is over is stuck.
    /// Everything that it started goes when this returns, or is dropped.
    ///
    /// # Errors
    ///
    /// When the adapter cannot be started, or no temporary directory can be
    /// had.
    pub async fn hold(
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
        let (script, log, told, gates) = (
            file("script.json"),
            file("log"),
            file("case"),
            file("gates"),
        );
        let (output, errors) = (file("stdout"), file("stderr"));
        fs::create_dir(&gates)?;
        fs::write(&script, self.text.agent.to_json())?;
        fs::write(&told, self.text.program.to_string())?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env(CLI, agent)
            .env(SCRIPT, &script)
            .env(LOG, &log)
            .env(GATES, &gates)
            // What these say comes before the script.
            .env_remove("AGENTWIRE_TAP_CLI")
            .env_remove(RECORDING)
            .stdin(Stdio::null())
            // Files, which nobody holds open as one can a pipe.
            .stdout(File::create(&output)?)
            .stderr(File::create(&errors)?);
        // Nothing else has this case.
        let mut adapter = Watched::start(&mut command, CASE, told.as_os_str())?;
        let mut departures = Vec::new();
        let stuck = match timeout(deadline, adapter.child.wait()).await {
            Err(_) => Some(not_over_after(deadline)),
            Ok(status) => {
                let status = status?;
                if !status.success() {
                    let words = last_words(&errors);
                    departures.push(format!("the adapter ended with {status}{words}"));
                }
                let left = adapter.left(PATIENCE).await;
                let told = left.iter().map(|it| beginning(it));
                departures.extend(told.map(|it| format!("left behind: {it}")));
                None
            }
        };
        drop(adapter);
        departures.extend(check::printed(&self.text, &read(&output)));
        departures.extend(check::sent(&self.text, &read(&log)));
        Ok(Outcome { stuck, departures })
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
        Some(line) => format!(": {}", beginning(line)),
    }
}
