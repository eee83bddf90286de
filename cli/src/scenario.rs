//! `agentwire scenario`: a recording as something that can be edited.

use crate::terminal::complain;
use agentwire_testkit::{Scenario, recording};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// The recording cannot be used.
const USAGE: u8 = 2;

/// Make a scenario of a recording
///
/// Prints a recorded session as a scenario: what the model said and the tools
/// answered, for `fake-agent` and for the scripted model. What the host did
/// stands in its `host`. Exit status: 0, or 2 when the recording cannot be used.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The recording
    recording: PathBuf,

    /// Which session of the recording, counted from 1; the first one in which
    /// the host says anything, if not given
    #[arg(long)]
    session: Option<usize>,
}

pub(crate) fn scenario(arguments: &Arguments) -> ExitCode {
    let session = match recording::open(&arguments.recording, arguments.session) {
        Ok(session) => session,
        Err(error) => {
            let path = arguments.recording.display();
            complain(format_args!("{path} cannot be read: {error}"));
            return USAGE.into();
        }
    };
    match print(&recording::scenario(&session)) {
        // Whoever read what is printed may be gone.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(format_args!("the scenario cannot be written: {error}"));
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
