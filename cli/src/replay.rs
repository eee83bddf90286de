//! `agentwire replay`: the CLI's side of a recording, played to a host.

use crate::terminal::complain;
use agentwire_testkit::recording;
use agentwire_testkit::replay::{self, Config, Pace};
use clap::ValueEnum;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The recording cannot be used.
const USAGE: u8 = 2;

/// Play the CLI's side of a recording to an SDK
///
/// Plays the CLI's side of a recorded session on standard input and output, to
/// the host that has started it as its CLI. What the host writes is matched
/// with what the recorded host wrote by its meaning, and not by its ids, and so
/// is what it has started its CLI with, flag by flag; the first difference is told
/// on standard error.
///
/// Exit status: that of the recorded CLI; 4 when the host did something else
/// than the recorded one, 2 when the recording cannot be used.
///
/// For an SDK that can only name an executable: `AGENTWIRE_REPLAY` names the
/// recording, and `AGENTWIRE_REPLAY_SESSION`, `AGENTWIRE_REPLAY_PACE` (`lockstep`
/// or `time`) and `AGENTWIRE_REPLAY_TOLERANT` (`1`) stand for the options.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The recording
    recording: PathBuf,

    /// Which session of the recording, counted from 1; the first one in which
    /// the host says anything, if not given
    #[arg(long)]
    session: Option<usize>,

    /// When the recorded lines are said
    #[arg(long, value_enum, default_value = "lockstep")]
    pace: When,

    /// Go on when the host does something else than the recorded one: refuse
    /// its request, or pass over its line
    #[arg(long)]
    tolerant: bool,

    /// What the host starts its CLI with. It is compared with what was recorded,
    /// if there is anything
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// When the recorded lines are said.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    /// At once, when the host has written all that the recorded host had
    /// written by then
    Lockstep,
    /// At the recorded times, without waiting for the host
    Time,
}

pub(crate) fn replay(arguments: &Arguments) -> ExitCode {
    let given = arguments.arguments.iter();
    let given = given.map(|it| it.to_string_lossy().into_owned());
    let mut config = Config::default()
        .arguments(given)
        .pace(match arguments.pace {
            When::Lockstep => Pace::Lockstep,
            When::Time => Pace::InTime,
        });
    if arguments.tolerant {
        config = config.tolerant();
    }
    match recording::open(&arguments.recording, arguments.session) {
        Ok(session) => replay::run(&session, config),
        Err(error) => {
            let path = arguments.recording.display();
            complain(format_args!("{path} cannot be read: {error}"));
            USAGE.into()
        }
    }
}
