//! `agentwire scenario`: converts a recording to a scenario.

use crate::terminal::complain;
use agentwire_testkit::{Scenario, recording};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// The recording cannot be read.
const USAGE: u8 = 2;

/// Convert a recording to a scenario
///
/// Prints a recorded session as a scenario for `fake-agent` and the scripted
/// model: the model's responses and the tools' results. Its member `host` has
/// what the host did. Exit status: 0 on success, 1 if standard output cannot be
/// written, 2 if the recording cannot be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The recording
    recording: PathBuf,

    /// The session of the recording, counted from 1 [default: the first session
    /// in which the host writes a line]
    #[arg(long)]
    session: Option<usize>,
}

pub(crate) fn scenario(arguments: &Arguments) -> ExitCode {
    let session = match recording::open(&arguments.recording, arguments.session) {
        Ok(session) => session,
        Err(error) => {
            let path = arguments.recording.display();
            complain(format_args!("cannot read {path}: {error}"));
            return USAGE.into();
        }
    };
    match print(&recording::scenario(&session)) {
        // The reader of the output may have closed it.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(format_args!("cannot write the scenario: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn print(scenario: &Scenario) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(scenario)?;
    text.push('\n');
    io::stdout().lock().write_all(text.as_bytes())
}
