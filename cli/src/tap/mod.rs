//! `agentwire tap`: sits between an SDK and its CLI, and records both.
//!
//! Three threads copy bytes as they come, one for each pipe, and a fourth one
//! records them. A copy waits for the reader of its pipe and for nothing else.

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

/// The command line makes no sense, or the recording cannot be written.
const USAGE: u8 = 2;

/// The CLI cannot be started, as shells have it.
const NOT_STARTED: u8 = 127;

const CLI: &str = "AGENTWIRE_TAP_CLI";
const RECORD: &str = "AGENTWIRE_TAP_RECORD";
const SCRUB: &str = "AGENTWIRE_TAP_SCRUB";

/// Sit between an SDK and a CLI, and record both
///
/// Starts a CLI, passes everything on between it and whoever started this, byte
/// by byte, and records it. The recording has the CLI's arguments, the names of
/// its environment's variables, and all that both sides write, with times.
/// `agentwire inspect` shows it, `agentwire replay` plays it to another host,
/// `agentwire scenario` makes something of it that can be edited.
///
/// Exit status: that of the CLI, or 128 and the signal that ended it; 2 when the
/// recording cannot be written, 127 when the CLI cannot be started. SIGTERM,
/// SIGINT and SIGHUP are passed on.
///
/// For an SDK that can only name an executable: when `AGENTWIRE_TAP_CLI` names the
/// CLI, all arguments are the CLI's. `AGENTWIRE_TAP_RECORD` and
/// `AGENTWIRE_TAP_SCRUB` stand for the options.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    /// Where the recording goes: it is added to this file, or is a new file in
    /// this folder
    #[arg(long, value_name = "PATH", env = RECORD)]
    record: PathBuf,

    /// What is taken out of the recording, and not out of what is passed on;
    /// secrets and paths, if nothing is named
    #[arg(
        long,
        env = SCRUB,
        value_enum,
        value_delimiter = ',',
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "secrets,paths"
    )]
    scrub: Vec<What>,

    /// The CLI and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    cli: Vec<OsString>,
}

/// What is taken out of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Tokens, passwords, headers, and what is in variables with such names
    Secrets,
    /// The home and the working directory
    Paths,
    /// What people and models wrote
    Prose,
}

impl Arguments {
    /// When the environment names a CLI, all arguments are its own.
    pub(crate) fn from_environment() -> Option<Result<Self, clap::Error>> {
        let cli = std::env::var_os(CLI).filter(|cli| !cli.is_empty())?;
        let ours = ["agentwire tap".into(), "--".into(), cli];
        Some(Self::try_parse_from(
            ours.into_iter().chain(std::env::args_os().skip(1)),
        ))
    }

    fn scrubbing(&self) -> Scrub {
        let mut scrub = Scrub::nothing();
        for what in &self.scrub {
            scrub = match what {
                What::Secrets => scrub.secrets(std::env::vars_os().map(|(name, value)| {
                    let text = |it: OsString| it.to_string_lossy().into_owned();
                    (text(name), text(value))
                })),
                What::Paths => {
                    let home = std::env::home_dir();
                    let cwd = std::env::current_dir().ok();
                    scrub.paths(home.as_deref(), cwd.as_deref())
                }
                What::Prose => scrub.prose(),
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
            complain(format_args!(
                "the recording {path} cannot be written: {error}"
            ));
            return USAGE.into();
        }
    };
    // From here on a signal is the CLI's.
    let signals = Signals::listen();
    recording.spawned(spawn_entry(&arguments.cli));
    let child = match start(&arguments.cli) {
        Ok(child) => Arc::new(child),
        Err(error) => {
            let cli = arguments.cli[0].to_string_lossy();
            complain(format_args!("{cli} cannot be started: {error}"));
            return NOT_STARTED.into();
        }
    };
    let pipes = Pipes::copy(&child, &recording);
    let waiting = Arc::clone(&child);
    let mut waiting = tokio::task::spawn_blocking(move || {
        let status = waiting.wait();
        pipes.drain();
        status
    });
    let status = match signals {
        Ok(mut signals) => loop {
            tokio::select! {
                status = &mut waiting => break status,
                signal = signals.next() => pass_on(&child, signal),
            }
        },
        Err(_) => waiting.await,
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
    // Whoever still waits for input is not waited for.
    std::process::exit(code)
}

/// Starts the CLI, in a process group of its own: a signal from a terminal comes
/// here as well, and it is to have each signal once.
fn start(cli: &[OsString]) -> io::Result<SharedChild> {
    let mut command = Command::new(&cli[0]);
    command
        .args(&cli[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for ours in [CLI, RECORD, SCRUB] {
        command.env_remove(ours);
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

/// The signals that are passed on.
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

    /// The next one's number. Cancel safe.
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
fn pass_on(child: &SharedChild, signal: i32) {
    use shared_child::unix::SharedChildExt;
    // One that is gone needs no signal.
    drop(child.send_signal(signal));
}

/// The console tells the CLI as well.
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
fn pass_on(_: &SharedChild, _: i32) {}
