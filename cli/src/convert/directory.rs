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
        is_elsewhere(folder, &arguments.file)?;
    }
    let folders = [
        Some(output),
        arguments.losses.as_ref(),
        arguments.residue.as_ref(),
    ];
    let found =
        Found::below(&arguments.file, &folders.map(real)).map_err(|error| InputError::File {
            file: arguments.file.display().to_string(),
            error,
        })?;
    let (mut skipped, mut mended, mut unread) = (0, 0, found.unread);
    for file in found.files {
        let below = file.strip_prefix(&arguments.file).unwrap_or(&file);
        let place = |folder: &PathBuf| place(folder, below);
        let one = Arguments {
            output: Some(place(output)?),
            losses: arguments.losses.as_ref().map(place).transpose()?,
            residue: arguments.residue.as_ref().map(place).transpose()?,
            file,
            in_folder: true,
            ..arguments.clone()
        };
        match file::convert(&one) {
            Err(ConvertError::PassedOver(count)) => skipped += count,
            Err(ConvertError::Mended {
                skipped: some,
                mended: more,
            }) => {
                skipped += some;
                mended += more;
            }
            // The other files may be readable.
            Err(ConvertError::Input(error)) => {
                complain(&error);
                unread += 1;
            }
            other => other?,
        }
    }
    match (unread, mended, skipped) {
        (0, 0, 0) => Ok(()),
        (0, 0, skipped) => Err(ConvertError::PassedOver(skipped)),
        (0, mended, skipped) => Err(ConvertError::Mended { skipped, mended }),
        (unread, ..) => Err(ConvertError::Files(unread)),
    }
}

/// The real path of a folder, which need not exist yet.
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

/// Fails if an output folder is inside the input directory: its files would be
/// read the next time.
fn is_elsewhere(written: Option<&PathBuf>, read: &Path) -> Result<(), ConvertError> {
    match (written, real(written), read.canonicalize()) {
        (Some(written), Some(there), Ok(read)) if there.starts_with(&read) => {
            Err(ConvertError::SameDirectory(written.display().to_string()))
        }
        _ => Ok(()),
    }
}

/// Returns the path of a file in an output directory, and creates its folder.
fn place(folder: &Path, below: &Path) -> Result<PathBuf, ConvertError> {
    let parent = below.parent().unwrap_or(Path::new(""));
    private_folders(folder, parent).map_err(|error| ConvertError::Output {
        file: folder.join(parent).display().to_string(),
        error,
    })?;
    Ok(folder.join(below))
}

/// The transcripts of a directory.
#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    /// How many cannot be read.
    unread: u64,
    /// Symbolic links to folders, which are looked at last.
    links: BTreeSet<PathBuf>,
    /// The folders that were looked through, by their real paths.
    seen: HashSet<PathBuf>,
}

impl Found {
    /// Finds the transcripts below a folder, in order. Each folder is looked through
    /// once: a link to one that was is reported and not followed, and so is a link
    /// to a folder that is written to.
    fn below(folder: &Path, written: &[Option<PathBuf>]) -> io::Result<Self> {
        let mut found = Self::default();
        found.seen.insert(folder.canonicalize()?);
        found.find(folder)?;
        while let Some(link) = found.links.pop_first() {
            let real = match link.canonicalize() {
                Ok(real) => real,
                Err(error) => {
                    found.unreadable(&link, &error);
                    continue;
                }
            };
            let is_written = written
                .iter()
                .flatten()
                .any(|it| it.starts_with(&real) || real.starts_with(it));
            if is_written || !found.seen.insert(real.clone()) {
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
            if let Err(error) = found.find(&link) {
                found.unreadable(&link, &error);
            }
        }
        found.files.sort();
        Ok(found)
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
