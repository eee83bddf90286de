//! `agentwire tap`: records the session between an SDK and its CLI.
//!
//! Three threads copy bytes as they arrive, one for each pipe. A fourth thread
//! records them. A copying thread waits only for the reader of its pipe.

mod pipes;
mod record;

use crate::terminal::complain;
use agentwire_testkit::recording::{Scrub, Spawn};
use clap::{Parser, ValueEnum};
use pipes::Pipes;
use record::Recording;
use shared_child::SharedChild;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;

/// The command line is invalid, or the recording cannot be written.
const USAGE: u8 = 2;

/// The CLI cannot be started. Shells use the same status.
const NOT_STARTED: u8 = 127;

const CLI: &str = "AGENTWIRE_TAP_CLI";
const RECORD: &str = "AGENTWIRE_TAP_RECORD";
const SCRUB: &str = "AGENTWIRE_TAP_SCRUB";

/// Record the session between an SDK and its CLI
///
/// Starts a CLI, forwards every byte between it and the parent process, and
/// records the session. The recording has the CLI's arguments, the names of its
/// environment variables, and everything that both sides write, with times.
/// `agentwire inspect` prints it, `agentwire replay` replays it to another host,
/// `agentwire scenario` converts it to a scenario, which can be edited.
///
/// Exit status: that of the CLI, or 128 plus the signal that ended it; 2 if the
/// recording cannot be written; 127 if the CLI cannot be started. SIGTERM, SIGINT
/// and SIGHUP are forwarded to the CLI.
///
/// For SDKs that can only name an executable, set `AGENTWIRE_TAP_CLI` to the CLI:
/// all arguments are then passed to it. `AGENTWIRE_TAP_RECORD` and
/// `AGENTWIRE_TAP_SCRUB` set the options.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    /// The recording: a file, to which it is appended, or a folder, in which a new
    /// file is created
    #[arg(long, value_name = "PATH", env = RECORD)]
    record: PathBuf,

    /// What to remove from the recording, but not from what is forwarded; without
    /// a value, `secrets,paths`
    #[arg(
        long,
        env = SCRUB,
        value_enum,
        value_delimiter = ',',
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "secrets,paths"
    )]
    scrub: Vec<Removed>,

    /// The CLI and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    cli: Vec<OsString>,
}

/// What to remove from a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Removed {
    /// Tokens, passwords, headers, and the values of environment variables with
    /// such names
    Secrets,
    /// The home directory and the working directory
    Paths,
    /// The text of users and models
    Prose,
}

impl Arguments {
    /// Returns the arguments if the environment names a CLI. Then, all arguments of this
    /// process belong to the CLI.
    pub(crate) fn from_environment() -> Option<Result<Self, clap::Error>> {
        let cli = std::env::var_os(CLI).filter(|cli| !cli.is_empty())?;
        let arguments = ["agentwire tap".into(), "--".into(), cli];
        Some(Self::try_parse_from(
            arguments.into_iter().chain(std::env::args_os().skip(1)),
        ))
    }

    fn scrubbing(&self) -> Scrub {
        let mut scrub = Scrub::nothing();
        for what in &self.scrub {
            scrub = match what {
                Removed::Secrets => scrub.secrets(std::env::vars_os().map(|(name, value)| {
                    let text = |it: OsString| it.to_string_lossy().into_owned();
                    (text(name), text(value))
                })),
                Removed::Paths => {
                    let home = std::env::home_dir();
                    let cwd = std::env::current_dir().ok();
                    scrub.paths(home.as_deref(), cwd.as_deref())
                }
                Removed::Prose => scrub.prose(),
            };
        }
        scrub
    }
}

pub(crate) async fn tap(arguments: Arguments) -> ExitCode {
    let recording = match Recording::open(&arguments.record, arguments.scrubbing()) {
        Ok(recording) => recording,
        Err(error) => {
            let path = arguments.record.display();
            complain(format_args!("cannot write the recording {path}: {error}"));
            return USAGE.into();
        }
    };
    // From here on, signals are forwarded to the CLI.
    let signals = Signals::listen();
    recording.spawned(spawn_entry(&arguments.cli));
    let child = match start(&arguments.cli) {
        Ok(child) => Arc::new(child),
        Err(error) => {
            let cli = arguments.cli[0].to_string_lossy();
            complain(format_args!("cannot start {cli}: {error}"));
            return NOT_STARTED.into();
        }
    };
    let pipes = Pipes::copy(&child, &recording);
    let exit_status = Arc::clone(&child);
    let mut exit_status = tokio::task::spawn_blocking(move || {
        let status = exit_status.wait();
        pipes.drain();
        status
    });
    let status = match signals {
        Ok(mut signals) => loop {
            tokio::select! {
                status = &mut exit_status => break status,
                signal = signals.next() => forward(&child, signal),
            }
        },
        Err(_) => exit_status.await,
    };
    let status = status.map_err(io::Error::other).flatten();
    let (code, signal) = match status {
        Ok(status) => (status.code(), signal_of(status)),
        Err(_) => (None, None),
    };
    recording.exited(code, signal);
    if let Err(error) = recording.finish() {
        complain(format_args!("the recording is not complete: {error}"));
    }
    let code = code.or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    // Exit without waiting for the thread that reads standard input.
    std::process::exit(code)
}

/// Starts the CLI in its own process group, so that it receives a signal from the terminal
/// only once, when this process forwards the signal.
fn start(cli: &[OsString]) -> io::Result<SharedChild> {
    let mut command = Command::new(&cli[0]);
    command
        .args(&cli[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in [CLI, RECORD, SCRUB] {
        command.env_remove(name);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    SharedChild::spawn(&mut command)
}

fn spawn_entry(cli: &[OsString]) -> Spawn {
    let text = |it: &OsString| it.to_string_lossy().into_owned();
    let mut spawn = Spawn::default();
    spawn.argv = cli.iter().map(text).collect();
    spawn.env = std::env::vars_os().map(|(name, _)| text(&name)).collect();
    spawn
        .env
        .retain(|name| ![CLI, RECORD, SCRUB].contains(&&**name));
    spawn.env.sort();
    spawn
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// The signals that are forwarded.
#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    /// Returns the number of the next signal. This method is cancel safe.
    async fn next(&mut self) -> i32 {
        use tokio::signal::unix::SignalKind;
        let [terminate, interrupt, hangup] = &mut self.0;
        let kind = tokio::select! {
            _ = terminate.recv() => SignalKind::terminate(),
            _ = interrupt.recv() => SignalKind::interrupt(),
            _ = hangup.recv() => SignalKind::hangup(),
        };
        kind.as_raw_value()
    }
}

#[cfg(unix)]
fn forward(child: &SharedChild, signal: i32) {
    use shared_child::unix::SharedChildExt;
    // Sending fails only if the CLI has exited.
    drop(child.send_signal(signal));
}

/// Ctrl-C events. The console also sends them to the CLI.
#[cfg(not(unix))]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) -> i32 {
        self.0.recv().await;
        0
    }
}

#[cfg(not(unix))]
fn forward(_: &SharedChild, _: i32) {}
