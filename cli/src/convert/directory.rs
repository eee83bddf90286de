//! Converts all transcripts of a directory.

use super::arguments::Arguments;
use super::error::ConvertError;
use super::file;
use super::input_error::InputError;
use crate::files::private_folders;
use crate::terminal::complain;
use agentwire_interop::transcript::Place;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Converts each transcript in a directory and its subdirectories to a file of
/// the same name in the output directory. Sub-agents have separate files.
pub(super) fn convert(arguments: &Arguments) -> Result<(), ConvertError> {
    let output = match &arguments.output {
        Some(output) if output != Path::new("-") => output,
        _ => return Err(ConvertError::NoDirectory),
    };
    for folder in [
        Some(output),
        arguments.losses.as_ref(),
        arguments.residue.as_ref(),
    ] {
        check_output(folder, &arguments.file)?;
    }
    let folders = [
        Some(output),
        arguments.losses.as_ref(),
        arguments.residue.as_ref(),
    ];
    let transcripts =
        Transcripts::in_folder(&arguments.file, &folders.map(real)).map_err(|error| {
            InputError::File {
                file: arguments.file.display().to_string(),
                error,
            }
        })?;
    let (mut skipped, mut mended, mut unread) = (0, 0, transcripts.unread);
    for file in transcripts.files {
        let below = file.strip_prefix(&arguments.file).unwrap_or(&file);
        let path_in = |folder: &PathBuf| output_path(folder, below);
        let file_arguments = Arguments {
            output: Some(path_in(output)?),
            losses: arguments.losses.as_ref().map(path_in).transpose()?,
            residue: arguments.residue.as_ref().map(path_in).transpose()?,
            file,
            in_folder: true,
            ..arguments.clone()
        };
        match file::convert(&file_arguments) {
            Err(ConvertError::Skipped(count)) => skipped += count,
            Err(ConvertError::Mended {
                skipped: some,
                mended: more,
            }) => {
                skipped += some;
                mended += more;
            }
            // Continue with the other files.
            Err(ConvertError::Input(error)) => {
                complain(&error);
                unread += 1;
            }
            other => other?,
        }
    }
    match (unread, mended, skipped) {
        (0, 0, 0) => Ok(()),
        (0, 0, skipped) => Err(ConvertError::Skipped(skipped)),
        (0, mended, skipped) => Err(ConvertError::Mended { skipped, mended }),
        (unread, ..) => Err(ConvertError::Files(unread)),
    }
}

/// Returns the canonical path of a folder that may not exist yet.
fn real(folder: Option<&PathBuf>) -> Option<PathBuf> {
    let folder = folder?;
    folder.ancestors().find_map(|ancestor| {
        let here = if ancestor == Path::new("") {
            Path::new(".")
        } else {
            ancestor
        };
        let below = folder.strip_prefix(ancestor).ok()?;
        Some(here.canonicalize().ok()?.join(below))
    })
}

/// Returns an error if an output folder is inside the input directory. The next conversion
/// would read the files in that folder.
fn check_output(written: Option<&PathBuf>, read: &Path) -> Result<(), ConvertError> {
    match (written, real(written), read.canonicalize()) {
        (Some(written), Some(there), Ok(read)) if there.starts_with(&read) => {
            Err(ConvertError::SameDirectory(written.display().to_string()))
        }
        _ => Ok(()),
    }
}

/// Returns the path of a file in an output directory, and creates its folder.
fn output_path(folder: &Path, below: &Path) -> Result<PathBuf, ConvertError> {
    let parent = below.parent().unwrap_or(Path::new(""));
    private_folders(folder, parent).map_err(|error| ConvertError::Output {
        file: folder.join(parent).display().to_string(),
        error,
    })?;
    Ok(folder.join(below))
}

/// The transcripts of a directory.
#[derive(Default)]
struct Transcripts {
    files: Vec<PathBuf>,
    /// The number of unreadable files.
    unread: u64,
    /// Symbolic links to folders, which are read last.
    links: BTreeSet<PathBuf>,
    /// The canonical paths of the folders that were read.
    seen: HashSet<PathBuf>,
}

impl Transcripts {
    /// Finds the transcripts below a folder, in order. Reads each folder once: links to folders
    /// that were read or are written to are reported and not followed.
    fn in_folder(folder: &Path, written: &[Option<PathBuf>]) -> io::Result<Self> {
        let mut transcripts = Self::default();
        transcripts.seen.insert(folder.canonicalize()?);
        transcripts.find(folder)?;
        while let Some(link) = transcripts.links.pop_first() {
            let real = match link.canonicalize() {
                Ok(real) => real,
                Err(error) => {
                    transcripts.unreadable(&link, &error);
                    continue;
                }
            };
            let is_written = written
                .iter()
                .flatten()
                .any(|it| it.starts_with(&real) || real.starts_with(it));
            if is_written || !transcripts.seen.insert(real.clone()) {
                complain(format_args!(
                    "{} is a link to {}, which is {}; not followed",
                    link.display(),
                    real.display(),
                    if is_written {
                        "written to"
                    } else {
                        "converted already"
                    },
                ));
                continue;
            }
            if let Err(error) = transcripts.find(&link) {
                transcripts.unreadable(&link, &error);
            }
        }
        transcripts.files.sort();
        Ok(transcripts)
    }

    fn find(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let kind = entry.file_type()?;
            let is_transcript = Place::of(&path.to_string_lossy()).is_some_and(|it| !it.is_meta);
            if kind.is_dir() {
                let is_new = path.canonicalize().is_ok_and(|real| self.seen.insert(real));
                if is_new && let Err(error) = self.find(&path) {
                    self.unreadable(&path, &error);
                }
            } else if kind.is_symlink() && path.is_dir() {
                self.links.insert(path);
            } else if is_transcript {
                match fs::metadata(&path) {
                    Ok(metadata) if metadata.is_file() => self.files.push(path),
                    Ok(_) => {}
                    Err(error) => self.unreadable(&path, &error),
                }
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        complain(format_args!("cannot read {}: {error}", path.display()));
        self.unread += 1;
    }
}
