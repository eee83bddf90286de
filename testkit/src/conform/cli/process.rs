//! The CLI's process, in a home of its own.

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

/// What is passed on of the environment: what programs need to start at all, and
/// which version the fake agent is like.
const PASSED_ON: [&str; 3] = ["PATH", "SystemRoot", fake_agent::PROFILE];

const HOME: &str = "HOME";

/// A CLI that runs. When it is dropped, all that it started goes.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) watched: Watched,
    // Goes when there is nobody left to use it.
    home: TempDir,
}

impl Process {
    /// Starts a CLI for a case. Whichever it is, it has what it needs: the
    /// real one a model, the fake one a script.
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
                    .takes_partial_messages()
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
        // Nothing else has this home.
        let watched = Watched::start(&mut command, HOME, home.path().as_os_str())?;
        Ok(Self { watched, home })
    }

    /// The directory in which the CLI works.
    pub(super) fn project(&self) -> PathBuf {
        project(self.home.path())
    }
}

fn project(home: &Path) -> PathBuf {
    home.join("project")
}

/// Where the CLI has its temporary files, which it does not remove.
fn temporary(home: &Path) -> PathBuf {
    home.join("tmp")
}

/// A path, unless it is a name that is looked for on the `PATH`: it has to be
/// right in another directory as well.
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
    for name in PASSED_ON {
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
        // Not `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS`, which older versions read: the
        // real one then says of its states that they are not only for the host.
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
