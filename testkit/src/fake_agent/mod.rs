//! The fake agent: an agent CLI that follows a script.
//!
//! The fake agent emulates the real CLI's protocol ([`crate::agent`]) and takes
//! the model's replies from a [`Scenario`]. The binary `fake-agent` only calls
//! [`main`]. A program can also be its own fake agent, without a second binary:
//!
//! ```no_run
//! if std::env::var_os(agentwire_testkit::fake_agent::SCRIPT).is_some() {
//!     agentwire_testkit::fake_agent::main();
//! }
//! // … here the program starts itself, with `FAKE_AGENT_SCRIPT` set.
//! ```

mod background;
mod claude;
mod clock;
mod command_line;
mod driver;
pub(crate) mod environment;
pub(crate) mod exit;
pub(crate) mod expect;
mod flags;
pub(crate) mod gates;
pub(crate) mod input;
mod known;
mod lines;
mod log;
mod older;
mod path;
mod plan;
mod player;
mod print;
mod process;
mod records;
mod running;
mod sessions;
mod signals;
mod stdout;
#[cfg(test)]
mod tests;
mod time;
mod tools;

pub use command_line::FlagError;
pub use environment::{CLOCK, GATES, LOG, PROFILE, SCRIPT, SESSIONS, ScriptError, UNKNOWN_FLAGS};
pub use exit::UNEXPECTED;
pub use flags::{Flags, InputFormat, OutputFormat, RETRY_MS};
pub use gates::Gates;
pub use path::{BIN, NotBuilt, path};
pub use player::{Output, Player};
pub use records::{Record, SubagentRecord};

use crate::agent::{Config, Profile};
use crate::scenario::Scenario;
use driver::Driver;
use environment::{accepts_unknown_flags, clock, script};
use exit::{USAGE, exit_with, exit_without_log};
use gates::GateFolder;
use input::{Input, Received};
use log::Log;
use print::Print;
use sessions::{Refusal, Sessions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Runs the fake agent on standard input and output, with the arguments and
/// environment of this process. `--version` prints the emulated version.
///
/// The exit status is:
///
/// - 2 if the environment, the scenario or the log is invalid, or the system does
///   not support a fault;
/// - 64 ([`UNEXPECTED`]) if the host violates an expectation of the scenario;
/// - 1 where the real CLI refuses its arguments.
#[allow(clippy::print_stdout, reason = "`--version` prints to standard output")]
pub fn main() -> ! {
    process::run_left_child();
    let named = named_profile();
    let scenario = script();
    let profile = scenario.as_ref().ok().and_then(|scenario| scenario.profile);
    let profile = profile.or(named).unwrap_or(Profile::V2_1_332);
    let accepts_unknown =
        accepts_unknown_flags().unwrap_or_else(|error| refuse_environment(&error));
    let args = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    let flags = Flags::from_args(args.skip(1), profile, accepts_unknown);
    if flags.as_ref().is_ok_and(|flags| flags.version) {
        let mut config = Config::default();
        profile.apply(&mut config);
        println!("{} (Claude Code)", config.version);
        exit(0);
    }
    match scenario
        .and_then(|scenario| Ok((GateFolder::from_environment(&scenario)?, clock()?, scenario)))
    {
        Ok((gates, clock, scenario)) => {
            let mut log = log();
            if let Err(report) = check_start(&scenario) {
                if let Some(Err(error)) = log.as_mut().map(|log| log.exits(UNEXPECTED)) {
                    exit_without_log(&error);
                }
                exit_with(report.trim_end(), UNEXPECTED);
            }
            let mut ids = ids();
            let flags = flags.unwrap_or_else(|error| {
                refuse(
                    &Refusal::invalid_flags(error.to_string()),
                    None,
                    log.as_mut(),
                )
            });
            report_unsupported(&flags);
            let mut config = flags.config();
            profile.apply(&mut config);
            let folder = std::env::var_os(SESSIONS).map(PathBuf::from);
            let settings = flags.settings(folder.as_deref(), &config.cwd);
            if let Some(warning) = settings.apply(&mut config) {
                // Standard error may be closed.
                drop(writeln!(io::stderr(), "fake-agent: {warning}"));
            }
            let session = Sessions::begin(&flags, folder.as_deref(), &config.cwd, &ids());
            let session = session.unwrap_or_else(|refusal| {
                // 2.0.77 only writes to standard error.
                let has_result = flags.output_format() == OutputFormat::StreamJson
                    && profile != Profile::V2_0_77;
                let uuid = has_result.then(&mut ids);
                refuse(&refusal, uuid.as_deref(), log.as_mut())
            });
            config.model_usage = session.model_usage;
            // The session ID is the agent's first ID.
            let mut first = session.session_id;
            let ids = move || first.take().unwrap_or_else(&mut ids);
            let player = Player::new(scenario, config, ids);
            let print = Print::from_flags(&flags);
            Driver::new(player, gates, log, clock, session.sessions, print, profile).run()
        }
        Err(error) => refuse_environment(&error),
    }
}

/// Returns the version that the environment names.
fn named_profile() -> Option<Profile> {
    let name = std::env::var(PROFILE).ok()?;
    Some(Profile::named(&name).unwrap_or_else(|| {
        let known = Profile::ALL.map(Profile::name).join(", ");
        let why = format!("fake-agent: `{PROFILE}` is {name:?}: expected one of {known}");
        exit_with(&why, USAGE)
    }))
}

/// Reports an invalid environment, and exits.
fn refuse_environment(error: &ScriptError) -> ! {
    exit_with(&format!("fake-agent: {error}"), USAGE)
}

/// Reports unsupported flags on standard error.
fn report_unsupported(flags: &Flags) {
    for flag in &flags.unsupported {
        // Standard error may be closed.
        drop(writeln!(io::stderr(), "fake-agent: {flag} has no effect"));
    }
}

/// The time in which the real CLI refuses a session.
const REFUSAL_DELAY: Duration = Duration::from_millis(400);

/// Reports why the session cannot begin, and exits. With a `uuid`, also sends a
/// result, after the host's first message: a host that writes to a process that
/// has exited would get a broken pipe in place of the result.
fn refuse(refusal: &Refusal, uuid: Option<&str>, mut log: Option<&mut Log>) -> ! {
    let mut note = |write: &dyn Fn(&mut Log) -> io::Result<()>| {
        if let Some(Err(error)) = log.as_deref_mut().map(write) {
            exit_without_log(&error);
        }
    };
    if let (Some(session_id), Some(uuid)) = (&refusal.session_id, uuid) {
        let input = Input::new();
        input.read();
        if let Some(Received::Bytes(bytes)) = input.next(Some(REFUSAL_DELAY)) {
            note(&|log| log.read(&bytes));
        }
        let result = sessions::refused(session_id, &refusal.why, uuid);
        note(&|log| log.written(result.as_bytes()));
        // A host that does not read the result gets the exit status.
        drop(io::stdout().write_all(result.as_bytes()));
    }
    note(&|log| log.exits(1));
    exit_with(&refusal.why, 1)
}

/// Checks the arguments and the environment against the expectations. Invalid
/// Unicode is compared lossily.
fn check_start(scenario: &Scenario) -> Result<(), String> {
    let text = |it: std::ffi::OsString| it.to_string_lossy().into_owned();
    let argv: Vec<_> = std::env::args_os().skip(1).map(text).collect();
    let env = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    expect::check_start(&scenario.expect, &argv, &env.collect::<Vec<_>>())
}

/// Opens the log that the environment names.
fn log() -> Option<Log> {
    let path = std::env::var_os(LOG)?;
    let env = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let argv = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    let log = Log::begin(Path::new(&path), argv, env);
    Some(log.unwrap_or_else(|error| exit_without_log(&error)))
}

/// Generates IDs in the form of real ones, unique across processes.
fn ids() -> impl FnMut() -> String + Send + 'static {
    let process = std::process::id();
    let started = SystemTime::now().duration_since(UNIX_EPOCH);
    let started = started.map_or(0, |since| since.as_millis() & 0xffff_ffff_ffff);
    let (high, low) = (started >> 16, started & 0xffff);
    let mut count = 0_u32;
    move || {
        count += 1;
        format!(
            "{high:08x}-{low:04x}-4000-8000-{:05x}{count:07x}",
            process & 0xf_ffff
        )
    }
}
