//! The fake agent: an agent CLI that follows a script.
//!
//! It speaks the protocol as the real CLI does (the machine for that is
//! [`agentwire_protocol::agent`]) and says what a [`Scenario`] tells it to.
//! The binary `fake-agent` is [`main`] and nothing else. A program can also
//! be its own fake agent, and then needs no second binary:
//!
//! ```no_run
//! if std::env::var_os(agentwire_testkit::fake_agent::SCRIPT).is_some() {
//!     agentwire_testkit::fake_agent::main();
//! }
//! // … here the program starts itself, with `FAKE_AGENT_SCRIPT` set.
//! ```

mod beside;
mod flags;
mod gates;
mod lines;
mod log;
mod player;
#[cfg(test)]
mod tests;

pub use flags::{Flags, RETRY_MS};
pub use player::{Output, Player};

use crate::scenario::{Scenario, ScenarioError};
use agentwire_protocol::agent::{Config, Profile};
use gates::GateFolder;
use log::Log;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, exit};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

/// The environment variable that holds the script: the path of a scenario, or
/// the scenario itself, which begins with `{`.
pub const SCRIPT: &str = "FAKE_AGENT_SCRIPT";

/// The environment variable that names the directory of gates. The gate NAME
/// is open once there is a file NAME in it; when the script comes to the gate,
/// the agent writes NAME`.reached`.
pub const GATES: &str = "FAKE_AGENT_GATES";

/// The environment variable that names a file for the log: how the agent was
/// started, every line that the host sent, every line that it was told, and
/// the exit, each in the file before it has an effect. It is a recording, as
/// those of real sessions are. Another session's log in the file stays.
pub const LOG: &str = "FAKE_AGENT_LOG";

/// The environment variable that names the version of the CLI that the fake
/// agent is like, such as `2.0.77`. What the scenario says goes before it.
pub const PROFILE: &str = "FAKE_AGENT_PROFILE";

/// The exit status when the script or the log cannot be used, or there is no
/// such profile.
const USAGE: i32 = 2;

/// Runs the fake agent on standard input and output, with this process's
/// arguments and environment, until the host is done with it.
///
/// Exits with status 2 and says why when the log cannot be written, when there
/// is no script, or when it cannot be read.
#[allow(clippy::print_stdout, reason = "it is what a command line prints")]
pub fn main() -> ! {
    let flags = Flags::from_args(std::env::args().skip(1));
    if flags.version {
        println!("{} (fake agent)", env!("CARGO_PKG_VERSION"));
        exit(0);
    }
    let mut config = flags.config();
    if let Ok(name) = std::env::var(PROFILE) {
        match Profile::named(&name) {
            Some(profile) => profile.apply(&mut config),
            None => {
                let known = Profile::ALL.map(Profile::name).join(", ");
                let why = format!("fake-agent: {PROFILE}: there is no {name:?} among {known}");
                complain(&why, USAGE);
            }
        }
    }
    match script().and_then(|scenario| Ok((GateFolder::of(&scenario)?, scenario))) {
        Ok((gates, scenario)) => run(scenario, config, &gates, log()),
        Err(error) => complain(&format!("fake-agent: {error}"), USAGE),
    }
}

/// The log that the environment names.
fn log() -> Option<Log> {
    let path = std::env::var_os(LOG)?;
    let env = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let argv = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
    let log = Log::begin(Path::new(&path), argv, env);
    Some(log.unwrap_or_else(|error| no_log(&error)))
}

fn no_log(error: &io::Error) -> ! {
    complain(
        &format!("fake-agent: {LOG} cannot be written: {error}"),
        USAGE,
    )
}

/// Why the fake agent has no script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The variable is not set.
    #[error("{SCRIPT} is not set: it takes the path of a scenario, or the scenario itself")]
    NotSet,
    /// The file cannot be read.
    #[error("{SCRIPT} names {path:?}, which cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// It is no scenario.
    #[error("{SCRIPT}: {0}")]
    Scenario(#[from] ScenarioError),
    /// It has gates, and nobody could open them.
    #[error("the scenario has gates, and {GATES} names no directory in which they are opened")]
    NoGates,
}

/// The scenario that the environment names.
fn script() -> Result<Scenario, ScriptError> {
    let value = std::env::var(SCRIPT).map_err(|_| ScriptError::NotSet)?;
    let text = if value.trim_start().starts_with('{') {
        value
    } else {
        std::fs::read_to_string(&value)
            .map_err(|error| ScriptError::Unreadable { path: value, error })?
    };
    Ok(Scenario::from_json(&text)?)
}

/// What standard input had.
type Input = io::Result<Vec<u8>>;

fn run(scenario: Scenario, config: Config, gates: &GateFolder, mut log: Option<Log>) -> ! {
    let mut player = Player::new(scenario, config, ids());
    carry_out(&mut player, gates, &mut log);

    // Nothing is read before the start-up faults: a process that exits at
    // once has read nothing either.
    let (sender, input) = mpsc::channel::<Input>();
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut chunk = vec![0; 64 * 1024];
        loop {
            let read = stdin
                .read(&mut chunk)
                .map(|length| chunk[..length].to_vec());
            let ended = !matches!(&read, Ok(bytes) if !bytes.is_empty());
            if sender.send(read).is_err() || ended {
                return;
            }
        }
    });

    let mut input_open = true;
    loop {
        carry_out(&mut player, gates, &mut log);
        let due = player.poll_timeout();
        let wait = due.map(|due| due.saturating_duration_since(Instant::now()));
        // Nobody says when a file appears, so that it is looked for.
        let look = player.shut_gates().next().map(|_| gates::PERIOD);
        let wait = wait.into_iter().chain(look).min();
        let read = match (wait, input_open) {
            (Some(wait), true) => input.recv_timeout(wait),
            (None, true) => input.recv().map_err(|_| RecvTimeoutError::Disconnected),
            (Some(wait), false) => {
                std::thread::sleep(wait);
                Err(RecvTimeoutError::Timeout)
            }
            // The input is over and nothing is planned: the turn waits for
            // something that can no longer come.
            (None, false) => leave(&mut log, 0),
        };
        let now = Instant::now();
        match read {
            Ok(Ok(bytes)) if !bytes.is_empty() => {
                note(&mut log, |log| log.read(&bytes));
                player.handle_input(now, &bytes);
            }
            Err(RecvTimeoutError::Timeout) => player.handle_timeout(now),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                input_open = false;
                note(&mut log, Log::input_ended);
                player.handle_input_end(now);
            }
        }
        gates.open(&mut player);
    }
}

/// Does what the player wants done.
fn carry_out(player: &mut Player, gates: &GateFolder, log: &mut Option<Log>) {
    let mut stdout = io::stdout().lock();
    while let Some(output) = player.poll_output() {
        let written = match output {
            Output::Stdout(bytes) => {
                note(log, |log| log.said(&bytes));
                stdout.write_all(&bytes)
            }
            Output::Stderr(text) => io::stderr().write_all(text.as_bytes()),
            Output::Spawn(argv) => spawn(&argv),
            Output::Reached(gate) => {
                drop(stdout.flush());
                match gates.say_reached(&gate) {
                    Ok(()) => Ok(()),
                    Err(error) => complain(&format!("fake-agent: the gate {gate}: {error}"), 1),
                }
            }
            Output::Hang => loop {
                std::thread::park();
            },
            Output::Exit(code) => {
                drop(stdout.flush());
                leave(log, code);
            }
        };
        if written.is_err() {
            // Whoever read us is gone.
            leave(log, 1);
        }
    }
    if stdout.flush().is_err() {
        leave(log, 1);
    }
}

/// Writes into the log, if there is one.
fn note(log: &mut Option<Log>, write: impl FnOnce(&mut Log) -> io::Result<()>) {
    if let Some(Err(error)) = log.as_mut().map(write) {
        no_log(&error);
    }
}

fn leave(log: &mut Option<Log>, code: i32) -> ! {
    note(log, |log| log.exits(code));
    exit(code)
}

/// Starts a command that stays behind with our standard output in its hands.
fn spawn(argv: &[String]) -> io::Result<()> {
    let (program, args) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program).args(args).spawn().map(drop)
}

fn complain(message: &str, code: i32) -> ! {
    drop(writeln!(io::stderr(), "{message}"));
    exit(code)
}

/// Ids that look like the real ones and differ from process to process.
fn ids() -> impl FnMut() -> String + Send + 'static {
    let process = std::process::id();
    let mut count = 0_u32;
    move || {
        count += 1;
        format!(
            "00000000-0000-4000-8000-{:05x}{count:07x}",
            process & 0xf_ffff
        )
    }
}
