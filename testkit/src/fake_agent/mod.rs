//! The fake agent: an agent CLI that follows a script.
//!
//! It speaks the protocol as the real CLI does (the machine for that is
//! [`crate::agent`]) and says what a [`Scenario`] tells it to.
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
mod claude;
mod clock;
mod command_line;
mod driver;
mod environment;
mod exit;
pub(crate) mod expect;
mod flags;
mod gates;
mod input;
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
pub use path::{BIN, NotBuilt, path};
pub use player::{Output, Player};
pub use records::{Record, SubagentRecord};

use crate::agent::{Config, Profile};
use crate::scenario::Scenario;
use driver::Driver;
use environment::{accepts_unknown_flags, clock, script};
use exit::{USAGE, complain, no_log};
use gates::GateFolder;
use input::{Heard, Input};
use log::Log;
use print::Print;
use sessions::{Refusal, Sessions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Runs the fake agent on standard input and output, with this process's
/// arguments and environment, until the host is done with it.
///
/// `--version` prints the version of the CLI that it is like, which the host
/// asks for where an option depends on it.
///
/// Exits with status 2 and says why when the log cannot be written, when there
/// is no script or no such clock, when the script cannot be read, or when it
/// wants something that the system does not have; with status 64
/// ([`UNEXPECTED`]) and the difference when the host does not do what the
/// script expects; with status 1 where the real CLI refuses its arguments.
#[allow(clippy::print_stdout, reason = "it is what a command line prints")]
pub fn main() -> ! {
    process::stay_behind();
    let named = named_profile();
    let scenario = script();
    let profile = scenario.as_ref().ok().and_then(|scenario| scenario.profile);
    let profile = profile.or(named).unwrap_or(Profile::V2_1_332);
    let accepts_unknown = accepts_unknown_flags().unwrap_or_else(|error| make_no_sense(&error));
    let args = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
    let flags = Flags::from_args(args.skip(1), profile, accepts_unknown);
    if flags.as_ref().is_ok_and(|flags| flags.version) {
        let mut config = Config::default();
        profile.apply(&mut config);
        println!("{} (Claude Code)", config.version);
        exit(0);
    }
    match scenario.and_then(|scenario| Ok((GateFolder::of(&scenario)?, clock()?, scenario))) {
        Ok((gates, clock, scenario)) => {
            let mut log = log();
            if let Err(report) = check_start(&scenario) {
                if let Some(Err(error)) = log.as_mut().map(|log| log.exits(UNEXPECTED)) {
                    no_log(&error);
                }
                complain(report.trim_end(), UNEXPECTED);
            }
            let mut ids = ids();
            let flags = flags.unwrap_or_else(|error| {
                refuse(&Refusal::of_flags(error.to_string()), None, log.as_mut())
            });
            tell_not_followed(&flags);
            let mut config = flags.config();
            profile.apply(&mut config);
            let folder = std::env::var_os(SESSIONS).map(PathBuf::from);
            let settings = flags.settings(folder.as_deref(), &config.cwd);
            if let Some(warning) = settings.apply(&mut config) {
                // Standard error may be closed.
                drop(writeln!(io::stderr(), "fake-agent: {warning}"));
            }
            let begun = Sessions::begin(&flags, folder.as_deref(), &config.cwd, &ids());
            let begun = begun.unwrap_or_else(|refusal| {
                let has_result = flags.output_format() == OutputFormat::StreamJson;
                let uuid = has_result.then(&mut ids);
                refuse(&refusal, uuid.as_deref(), log.as_mut())
            });
            // The agent's first id is that of its session.
            let mut first = begun.session_id;
            let ids = move || first.take().unwrap_or_else(&mut ids);
            let player = Player::new(scenario, config, ids);
            let print = Print::of(&flags);
            Driver::new(player, gates, log, clock, begun.sessions, print, profile).run()
        }
        Err(error) => make_no_sense(&error),
    }
}

/// Returns the version that the environment names.
fn named_profile() -> Option<Profile> {
    let name = std::env::var(PROFILE).ok()?;
    Some(Profile::named(&name).unwrap_or_else(|| {
        let known = Profile::ALL.map(Profile::name).join(", ");
        let why = format!("fake-agent: {PROFILE}: there is no {name:?} among {known}");
        complain(&why, USAGE)
    }))
}

/// Reports an invalid environment, and exits.
fn make_no_sense(error: &ScriptError) -> ! {
    complain(&format!("fake-agent: {error}"), USAGE)
}

/// Reports unsupported flags on standard error.
fn tell_not_followed(flags: &Flags) {
    for flag in &flags.unsupported {
        // Standard error may be closed.
        drop(writeln!(
            io::stderr(),
            "fake-agent: {flag} has no effect here"
        ));
    }
}

/// How long the real CLI takes before it refuses a session.
const REFUSAL_TAKES: Duration = Duration::from_millis(400);

/// Reports why the session cannot begin, and exits. With a `uuid`, a result is
/// sent as well, once the host has sent its first message: a host that sends
/// one to a process that has exited sees a broken pipe instead of the result.
fn refuse(refusal: &Refusal, uuid: Option<&str>, mut log: Option<&mut Log>) -> ! {
    let mut note = |write: &dyn Fn(&mut Log) -> io::Result<()>| {
        if let Some(Err(error)) = log.as_deref_mut().map(write) {
            no_log(&error);
        }
    };
    if let (Some(session_id), Some(uuid)) = (&refusal.session_id, uuid) {
        let input = Input::new();
        input.read();
        if let Some(Heard::Bytes(bytes)) = input.next(Some(REFUSAL_TAKES)) {
            note(&|log| log.read(&bytes));
        }
        let result = sessions::refused(session_id, &refusal.why, uuid);
        note(&|log| log.said(result.as_bytes()));
        // Whoever does not read it has the exit status.
        drop(io::stdout().write_all(result.as_bytes()));
    }
    note(&|log| log.exits(1));
    complain(&refusal.why, 1)
}

/// Holds how this was started against what is expected. What is not Unicode is
/// compared as well as it can be.
fn check_start(scenario: &Scenario) -> Result<(), String> {
    let text = |it: std::ffi::OsString| it.to_string_lossy().into_owned();
    let argv: Vec<_> = std::env::args_os().skip(1).map(text).collect();
    let env = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    expect::check_start(&scenario.expect, &argv, &env.collect::<Vec<_>>())
}

/// The log that the environment names.
fn log() -> Option<Log> {
    let path = std::env::var_os(LOG)?;
    let env = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let argv = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
    let log = Log::begin(Path::new(&path), argv, env);
    Some(log.unwrap_or_else(|error| no_log(&error)))
}

/// Ids that look like the real ones and differ from process to process.
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
