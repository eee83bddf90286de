//! The version of a locally spawned CLI.

use crate::options::{CommandLine, Options};
use crate::process::{Cli, CliVersion, find_cli};
use agentwire_protocol::sorted::SortedMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The version of a locally spawned CLI.
pub(crate) struct LocalVersion {
    program: Option<PathBuf>,
    pub(super) known: Option<CliVersion>,
    timeout: Duration,
}

impl LocalVersion {
    pub(crate) fn new(program: Option<PathBuf>, options: &Options) -> Self {
        Self {
            program,
            known: options.cli_version,
            timeout: options.request_timeout,
        }
    }

    /// Returns the version, if it is known or the CLI prints it.
    pub(crate) async fn query(&mut self, line: &CommandLine) -> Option<CliVersion> {
        if self.known.is_none()
            && let Some(program) = &self.program
            && let Ok(cli) = find_cli(Some(program))
        {
            self.known = query(&cli, line, self.timeout).await;
        }
        self.known
    }
}

/// The versions printed by CLIs in this process, by path. An entry is valid until the file
/// changes.
static KNOWN: Mutex<SortedMap<PathBuf, CachedVersion>> = Mutex::new(SortedMap::new());

#[derive(Clone, Copy)]
struct CachedVersion {
    changed: SystemTime,
    version: Option<CliVersion>,
}

/// Runs `--version` of a CLI in the environment of the session, once per state of its file.
/// Returns `None` if it prints no version in time.
///
/// Dropping the future kills the process.
async fn query(cli: &Cli, line: &CommandLine, timeout: Duration) -> Option<CliVersion> {
    let changed = changed(&cli.file)?;
    let known = lock().get(&cli.file).copied();
    if let Some(known) = known.filter(|known| known.changed == changed) {
        return known.version;
    }
    let mut command = line.in_environment(cli.command());
    command.arg("--version").stdin(Stdio::null());
    command.stderr(Stdio::null());
    let mut command = tokio::process::Command::from(command);
    let output = command.kill_on_drop(true).output();
    let output = tokio::time::timeout(timeout, output).await;
    let printed = output.ok().and_then(Result::ok).map(|it| it.stdout);
    let version = printed.and_then(|it| String::from_utf8_lossy(&it).parse().ok());
    lock().insert(cli.file.clone(), CachedVersion { changed, version });
    version
}

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|about| about.modified()).ok()
}

fn lock() -> std::sync::MutexGuard<'static, SortedMap<PathBuf, CachedVersion>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}
