//! The CLI's process, in a home of its own, and its end with all that it
//! started.

use super::Case;
use crate::fake_agent;
use crate::model::ScriptedModel;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// What is passed on of the environment: what programs need to start at all.
const PASSED_ON: [&str; 2] = ["PATH", "SystemRoot"];

/// A CLI that runs. When it is dropped, all that it started goes.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) child: Child,
    pid: Option<u32>,
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
        let mut command = Command::new(findable(program)?);
        command
            .args(arguments)
            .args(["--output-format", "stream-json", "--verbose"])
            .args(["--input-format", "stream-json"])
            .args([
                "--permission-prompt-tool=stdio",
                "--include-partial-messages",
            ])
            .arg("--setting-sources=")
            .args(&case.host.args)
            .env_clear()
            .envs(environment(case, home.path(), model))
            .current_dir(project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn()?;
        Ok(Self {
            pid: child.id(),
            child,
            home,
        })
    }

    /// The directory in which the CLI works.
    pub(super) fn project(&self) -> PathBuf {
        project(self.home.path())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        leftovers::end(self.pid, self.home.path());
    }
}

fn project(home: &Path) -> PathBuf {
    home.join("project")
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
    set("HOME", home.into());
    set("USERPROFILE", home.into());
    set("CLAUDE_CONFIG_DIR", home.join(".claude").into());
    set("CLAUDE_CODE_ENTRYPOINT", "sdk-rust".into());
    set("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1".into());
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

/// What a CLI has started and left behind: all of its process group, and where
/// the system tells it, all that has the CLI's home in its environment.
#[cfg(unix)]
mod leftovers {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    /// How often it is looked again for what was started in the meantime.
    const LOOKS: usize = 20;

    pub(super) fn end(pid: Option<u32>, home: &Path) {
        if let Some(group) = pid.and_then(to_pid) {
            // All of it may have gone by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
        for _ in 0..LOOKS {
            let found = with_home(home);
            if found.is_empty() {
                return;
            }
            for pid in found {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// The processes with this home. There are none where there is no `/proc`.
    fn with_home(home: &Path) -> Vec<Pid> {
        let home = home.as_os_str().as_bytes();
        let has_home = |environment: &[u8]| {
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|it| it.strip_prefix(b"HOME=") == Some(home))
        };
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return vec![];
        };
        entries
            .flatten()
            .filter_map(|entry| {
                let pid = entry.file_name().to_str()?.parse().ok()?;
                let environment = std::fs::read(entry.path().join("environ")).ok()?;
                (pid != std::process::id() && has_home(&environment)).then_some(pid)
            })
            .filter_map(to_pid)
            .collect()
    }

    fn to_pid(pid: u32) -> Option<Pid> {
        Pid::from_raw(i32::try_from(pid).ok()?)
    }
}

/// Elsewhere only the CLI itself goes, by `kill_on_drop`.
#[cfg(not(unix))]
mod leftovers {
    use std::path::Path;

    pub(super) fn end(_: Option<u32>, _: &Path) {}
}
