//! `agentwire replay`: replays the CLI's side of a recording to a host.

use crate::terminal::complain;
use agentwire_testkit::recording;
use agentwire_testkit::replay::{self, Config, Pace};
use clap::ValueEnum;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The recording cannot be read.
const USAGE: u8 = 2;

/// Replay the CLI's side of a recording to an SDK
///
/// Replays the CLI's side of a recorded session on standard input and output, to
/// the host that spawned it as its CLI. The host's lines are compared with the
/// recorded ones by meaning: IDs may differ. The CLI's arguments are compared
/// flag by flag. The first difference is printed on standard error.
///
/// Exit status: that of the recorded CLI; 4 if the host differs from the recorded
/// one; 2 if the recording cannot be read.
///
/// For SDKs that can only name an executable, set `AGENTWIRE_REPLAY` to the
/// recording. `AGENTWIRE_REPLAY_SESSION`, `AGENTWIRE_REPLAY_PACE` (`lockstep` or
/// `time`) and `AGENTWIRE_REPLAY_TOLERANT` (`1`) set the options.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The recording
    recording: PathBuf,

    /// The session of the recording, counted from 1 [default: the first session
    /// in which the host writes a line]
    #[arg(long)]
    session: Option<usize>,

    /// When the recorded lines are sent
    #[arg(long, value_enum, default_value = "lockstep")]
    pace: When,

    /// Continue if the host differs from the recorded one: respond to an
    /// unexpected request with an error, ignore an unexpected line
    #[arg(long)]
    tolerant: bool,

    /// The arguments that the host passes to its CLI. They are compared with the
    /// recorded arguments, if the recording has them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The time at which the recorded lines are sent.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    /// Once the host has written what the recorded host had written by then
    Lockstep,
    /// At the recorded times, without waiting for the host
    Time,
}

pub(crate) fn replay(arguments: &Arguments) -> ExitCode {
    let host_arguments = arguments.arguments.iter();
    let host_arguments = host_arguments.map(|it| it.to_string_lossy().into_owned());
    let mut config = Config::default()
        .arguments(host_arguments)
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
            complain(format_args!("cannot read {path}: {error}"));
            USAGE.into()
        }
    }
}
