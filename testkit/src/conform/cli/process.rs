//! The CLI's process, in a temporary home.

use super::super::process::Watched;
use super::Case;
use crate::fake_agent;
use crate::model::ScriptedModel;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;
use tokio::process::Command;

/// Inherited environment variables: those that every program needs, and the
/// variable with the version that the fake agent emulates.
const INHERITED: [&str; 3] = ["PATH", "SystemRoot", fake_agent::PROFILE];

const HOME: &str = "HOME";

/// A running CLI. Dropping it kills all processes that it started.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) watched: Watched,
    // The home is removed after the processes have ended.
    home: TempDir,
}

impl Process {
    /// Starts a CLI for a case. The real CLI gets the URL of the model, the
    /// fake agent gets the script.
    pub(super) fn start(case: &Case, cli: &[OsString], model: &ScriptedModel) -> io::Result<Self> {
        let [program, arguments @ ..] = cli else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no CLI"));
        };
        let home = tempfile::tempdir()?;
        let project = project(home.path());
        std::fs::create_dir_all(&project)?;
        std::fs::create_dir(temporary(home.path()))?;
        let mut command = Command::new(findable(program)?);
        command
            .args(arguments)
            .args(["--output-format", "stream-json", "--verbose"])
            .args(["--input-format", "stream-json"])
            .arg("--setting-sources=")
            .args(
                case.host
                    .accepts_partial_messages()
                    .then_some("--include-partial-messages"),
            )
            .args((!case.host.takes_no_requests).then_some("--permission-prompt-tool=stdio"))
            .args(&case.host.args)
            .env_clear()
            .envs(environment(case, home.path(), model))
            .current_dir(project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // The home is unique to this process.
        let watched = Watched::start(&mut command, HOME, home.path().as_os_str())?;
        Ok(Self { watched, home })
    }

    /// Returns the CLI's working directory.
    pub(super) fn project(&self) -> PathBuf {
        project(self.home.path())
    }
}

fn project(home: &Path) -> PathBuf {
    home.join("project")
}

/// Returns the directory for temporary files of the CLI, which the CLI does not
/// remove.
fn temporary(home: &Path) -> PathBuf {
    home.join("tmp")
}

/// Returns the absolute path of a program, unless it is found on the `PATH`.
fn findable(program: &OsStr) -> io::Result<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 || path.starts_with(".") {
        std::path::absolute(path)
    } else {
        Ok(path.to_owned())
    }
}

fn environment(case: &Case, home: &Path, model: &ScriptedModel) -> BTreeMap<String, OsString> {
    let mut all = BTreeMap::new();
    for name in INHERITED {
        all.extend(std::env::var_os(name).map(|value| (name.to_owned(), value)));
    }
    let mut set = |name: &str, value: OsString| all.insert(name.to_owned(), value);
    set("USERPROFILE", home.into());
    set("CLAUDE_CONFIG_DIR", home.join(".claude").into());
    for name in ["TMPDIR", "TMP", "TEMP"] {
        set(name, temporary(home).into());
    }
    if !case.host.is_plain {
        set("CLAUDE_CODE_ENTRYPOINT", "sdk-rust".into());
        // `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS`, which older versions read,
        // is not set. With it, the real CLI does not mark states as meant for
        // the host alone.
        set("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1".into());
    }
    set("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into());
    set("DISABLE_TELEMETRY", "1".into());
    set("DISABLE_AUTOUPDATER", "1".into());
    set("ANTHROPIC_BASE_URL", model.url().into());
    if !case.scenario.no_key {
        set("ANTHROPIC_API_KEY", "anything".into());
    }
    set(fake_agent::SCRIPT, case.scenario.to_json().into());
    set(fake_agent::GATES, project(home).into());
    for (name, value) in &case.host.env {
        match value {
            Some(value) => drop(all.insert(name.clone(), value.into())),
            None => drop(all.remove(name)),
        }
    }
    all
}
