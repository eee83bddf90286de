//! `agentwire sessions export`.

use super::error::SessionsError;
use super::stored::{Stored, transcript};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Copy a session's transcript unchanged
///
/// Without `--to`, prints the lines of the transcript byte for byte, without the transcripts of
/// sub-agents: pipe them to a file or to `agentwire convert --from transcript`. With `--to`,
/// copies the transcript and the session's folder, which contains the sub-agents, to a folder in
/// the agent's layout: `FOLDER/ID.jsonl` and `FOLDER/ID/`. Existing files are never overwritten,
/// and links are not copied.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The session ID
    id: String,

    #[command(flatten)]
    stored: Stored,

    /// The output folder; created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(super) fn export(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    let path = transcript(&arguments.stored.history()?, &arguments.id)?;
    match &arguments.to {
        Some(folder) => {
            create_folder(folder)?;
            let copy = folder.join(format!("{}.jsonl", arguments.id));
            copy_file(&path, &copy)?;
            copy_folder(&path.with_extension(""), &copy.with_extension(""))?;
        }
        None => {
            let mut file = File::open(&path).map_err(SessionsError::input(&path))?;
            let mut output = io::stdout().lock();
            io::copy(&mut file, &mut output)?;
            output.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies the contents of a folder. Does nothing if the folder does not exist.
fn copy_folder(from: &Path, to: &Path) -> Result<(), SessionsError> {
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        let entries = match fs::read_dir(&from) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(SessionsError::input(from)(error)),
        };
        create_folder(&to)?;
        for entry in entries {
            let entry = entry.map_err(SessionsError::input(&from))?;
            let kind = entry.file_type().map_err(SessionsError::input(&from))?;
            let copy = to.join(entry.file_name());
            if kind.is_dir() {
                folders.push((entry.path(), copy));
            } else if kind.is_file() {
                copy_file(&entry.path(), &copy)?;
            }
        }
    }
    Ok(())
}

/// Copies a file. The copy is readable only by this user.
fn copy_file(from: &Path, to: &Path) -> Result<(), SessionsError> {
    let mut source = File::open(from).map_err(SessionsError::input(from))?;
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut copy = options.open(to).map_err(SessionsError::file(to))?;
    io::copy(&mut source, &mut copy).map_err(SessionsError::file(to))?;
    Ok(())
}

fn create_folder(folder: &Path) -> Result<(), SessionsError> {
    fs::create_dir_all(folder).map_err(SessionsError::file(folder))
}
