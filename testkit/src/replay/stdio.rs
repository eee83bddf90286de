//! A CLI that replays a recording on standard input and output.

use super::{Config, Ending, Output, Pace, Replay};
use crate::recording::{Entry, EntryKind, RecordedLine, RecordingError, open};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::exit;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

/// Names the variable with the path of the recording.
pub const RECORDING: &str = "AGENTWIRE_REPLAY";

/// Names the variable with the number of the session, counted from 1. The
/// default is the first session in which the host sends a line.
pub const SESSION: &str = "AGENTWIRE_REPLAY_SESSION";

/// Names the variable with the pace: `lockstep` (default) or `time`.
pub const PACE: &str = "AGENTWIRE_REPLAY_PACE";

/// Names the variable that tolerates differences if its value is `1`.
pub const TOLERANT: &str = "AGENTWIRE_REPLAY_TOLERANT";

/// The exit status when the host differs from the recorded one.
pub const DIFFERS: i32 = 4;

/// The exit status when the recording cannot be used.
const USAGE: i32 = 2;

/// An error of the environment or the recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unusable {
    /// The variable [`RECORDING`] is unset.
    #[error("`{RECORDING}` is unset: set it to the path of a recording")]
    NotSet,
    /// A variable has an invalid value.
    #[error("`{name}` is {value:?}: invalid value")]
    Value {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The recording cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Recording {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: RecordingError,
    },
}

/// Replays the recording that the environment names. All arguments are those of
/// the CLI, and are compared with the recorded arguments. With `-v` or
/// `--version`, prints the recorded version.
///
/// Exits with the recorded status. If the host differs, exits with status 4
/// ([`DIFFERS`]) and prints a report to standard error. If the recording cannot
/// be used, exits with status 2.
pub fn main() -> ! {
    match from_environment() {
        Ok((session, config)) => run(&session, config),
        Err(error) => {
            drop(writeln!(io::stderr(), "replay: {error}"));
            exit(USAGE)
        }
    }
}

fn from_environment() -> Result<(Vec<Entry>, Config), Unusable> {
    let path = std::env::var_os(RECORDING).ok_or(Unusable::NotSet)?;
    let value = |name| std::env::var(name).ok();
    let session = value(SESSION).map(|value| match value.parse() {
        Ok(number) => Ok(number),
        Err(_) => Err(Unusable::Value {
            name: SESSION,
            value,
        }),
    });
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|it| it.to_string_lossy().into_owned());
    let mut config = Config::default().arguments(arguments);
    match value(PACE).as_deref() {
        None | Some("lockstep") => {}
        Some("time") => config.pace = Pace::InTime,
        Some(value) => {
            return Err(Unusable::Value {
                name: PACE,
                value: value.to_owned(),
            });
        }
    }
    config.is_tolerant = value(TOLERANT).is_some_and(|value| value == "1");
    let path = PathBuf::from(path);
    match open(&path, session.transpose()?) {
        Ok(session) => Ok((session, config)),
        Err(error) => Err(Unusable::Recording { path, error }),
    }
}

/// Replays a session on standard input and output, as [`main`] does.
#[allow(clippy::print_stdout, reason = "`--version` prints to standard output")]
pub fn run(session: &[Entry], config: Config) -> ! {
    if std::env::args().any(|argument| matches!(&*argument, "-v" | "--version")) {
        println!(
            "{} (replay)",
            version(session).unwrap_or_else(|| "0.0.0".to_owned())
        );
        exit(0);
    }
    let (sender, input) = mpsc::channel::<Vec<u8>>();
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut chunk = vec![0; 64 * 1024];
        loop {
            let length = stdin.read(&mut chunk).unwrap_or(0);
            if sender.send(chunk[..length].to_vec()).is_err() || length == 0 {
                return;
            }
        }
    });

    let mut replay = Replay::new(Instant::now(), session, config);
    let mut input_open = true;
    loop {
        perform_outputs(&mut replay);
        let wait = (replay.poll_timeout()).map(|due| due.saturating_duration_since(Instant::now()));
        let read = match (wait, input_open) {
            (Some(wait), true) => input.recv_timeout(wait),
            (None, true) => input.recv().map_err(|_| RecvTimeoutError::Disconnected),
            (Some(wait), false) => {
                std::thread::sleep(wait);
                Err(RecvTimeoutError::Timeout)
            }
            // A replay ends when the input has ended.
            (None, false) => exit(0),
        };
        let now = Instant::now();
        match read {
            Ok(bytes) if !bytes.is_empty() => replay.handle_input(now, &bytes),
            Err(RecvTimeoutError::Timeout) => replay.handle_timeout(now),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                input_open = false;
                replay.handle_input_end(now);
            }
        }
    }
}

/// Performs the replay's outputs.
fn perform_outputs(replay: &mut Replay) {
    let mut stdout = io::stdout().lock();
    while let Some(output) = replay.poll_output() {
        let written = match output {
            Output::Stdout(bytes) => stdout.write_all(&bytes),
            Output::Stderr(bytes) => io::stderr().write_all(&bytes),
            Output::Difference(difference) => writeln!(io::stderr(), "replay: {difference}"),
            Output::Exit(ending) => {
                drop(stdout.flush());
                exit(match ending {
                    Ending::AsRecorded(code) => code,
                    Ending::Differs => DIFFERS,
                })
            }
        };
        if written.is_err() {
            // The host has closed standard output.
            exit(1);
        }
    }
    if stdout.flush().is_err() {
        exit(1);
    }
}

/// Returns the recorded version of the CLI.
fn version(session: &[Entry]) -> Option<String> {
    session.iter().find_map(|entry| {
        let EntryKind::Received(RecordedLine::Json(json)) = &entry.kind else {
            return None;
        };
        let line: Value = json.read().ok()?;
        let version = match line["type"].as_str()? {
            "control_response" => &line["response"]["response"]["claude_code_version"],
            _ => &line["claude_code_version"],
        };
        version.as_str().map(str::to_owned)
    })
}
