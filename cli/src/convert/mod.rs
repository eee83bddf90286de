//! `agentwire convert`: converts conversations to and from other message formats.

mod arguments;
mod before;
mod direction;
mod directory;
mod error;
mod file;
mod format;
mod input;
mod input_error;
mod output;
mod residue;
mod scanner;
mod summary;
mod values;

pub(crate) use arguments::Arguments;

use crate::terminal::complain;
use error::ConvertError;
use format::Format;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// A file cannot be read or written, or the arguments are invalid.
const USAGE: u8 = 2;

pub(crate) fn convert(arguments: &Arguments) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed it.
        Err(ConvertError::Output { error, .. }) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error);
            match error {
                ConvertError::Skipped(_)
                | ConvertError::Mended { .. }
                | ConvertError::Incomplete(_) => ExitCode::FAILURE,
                _ => USAGE.into(),
            }
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), ConvertError> {
    let file = &arguments.file;
    // `-` is standard input, even if a directory has that name.
    if arguments.from == Format::Transcript && file != Path::new("-") && file.is_dir() {
        directory::convert(arguments)
    } else {
        file::convert(arguments)
    }
}
