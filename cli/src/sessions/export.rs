//! `agentwire sessions export`.

use super::error::SessionsError;
use super::stored::{Stored, transcript, view};
use crate::page;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Copy a session's transcript unchanged, or write it as a page
///
/// By default, prints the lines of the transcript byte for byte, without the transcripts of
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

    /// Write the conversation with its sub-agents as one page in HTML, which needs no network and
    /// no scripts; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["to", "markdown"])]
    html: Option<PathBuf>,

    /// Write the conversation with its sub-agents in Markdown; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    markdown: Option<PathBuf>,
}

pub(super) fn export(arguments: &Arguments) -> Result<ExitCode, SessionsError> {
    let history = arguments.stored.history()?;
    let path = transcript(&history, &arguments.id)?;
    let view = || view(&history, &arguments.id);
    match arguments {
        Arguments {
            to: Some(folder), ..
        } => {
            create_folder(folder)?;
            let copy = folder.join(format!("{}.jsonl", arguments.id));
            copy_file(&path, &copy)?;
            copy_folder(&path.with_extension(""), &copy.with_extension(""))?;
        }
        Arguments {
            html: Some(file), ..
        } => write_page(file, &page::html(&view()?))?,
        Arguments {
            markdown: Some(file),
            ..
        } => write_page(file, &page::markdown(&view()?))?,
        _ => {
            let mut file = File::open(&path).map_err(SessionsError::input(&path))?;
            let mut output = io::stdout().lock();
            io::copy(&mut file, &mut output)?;
            output.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write_page(file: &Path, page: &str) -> Result<(), SessionsError> {
    let page = page.as_bytes();
    if file == Path::new("-") {
        let mut output = io::stdout().lock();
        output.write_all(page)?;
        output.flush()?;
        return Ok(());
    }
    let written = create_file(file)?.write_all(page);
    written.map_err(SessionsError::file(file))
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

fn copy_file(from: &Path, to: &Path) -> Result<(), SessionsError> {
    let mut source = File::open(from).map_err(SessionsError::input(from))?;
    io::copy(&mut source, &mut create_file(to)?).map_err(SessionsError::file(to))?;
    Ok(())
}

/// Creates a file that is readable only by this user.
fn create_file(path: &Path) -> Result<File, SessionsError> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(SessionsError::file(path))
}

fn create_folder(folder: &Path) -> Result<(), SessionsError> {
    fs::create_dir_all(folder).map_err(SessionsError::file(folder))
}
