//! Converts all transcripts of a directory.

use super::arguments::Arguments;
use super::error::ConvertError;
use super::file;
use super::input::InputError;
use crate::files::private_folders;
use agentwire_interop::transcript::Place;
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
    let mut files = Vec::new();
    find(&arguments.file, &mut files).map_err(|error| InputError::File {
        file: arguments.file.display().to_string(),
        error,
    })?;
    files.sort();
    let mut passed_over = 0;
    for file in files {
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
            Err(ConvertError::PassedOver(count)) => passed_over += count,
            other => other?,
        }
    }
    match passed_over {
        0 => Ok(()),
        count => Err(ConvertError::PassedOver(count)),
    }
}

/// Fails if an output folder is inside the input directory: its files would be
/// read the next time.
fn is_elsewhere(written: Option<&PathBuf>, read: &Path) -> Result<(), ConvertError> {
    // If the folder does not exist yet, its closest existing ancestor counts.
    let there =
        written.and_then(|written| written.ancestors().find_map(|it| it.canonicalize().ok()));
    match (written, there, read.canonicalize()) {
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

/// Finds the transcripts. Symbolic links to folders are not followed, because they
/// may form a cycle.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            find(&path, files)?;
        } else if path.is_file()
            && Place::of(&path.to_string_lossy()).is_some_and(|place| !place.is_meta)
        {
            files.push(path);
        }
    }
    Ok(())
}
