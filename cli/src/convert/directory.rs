//! All transcripts of a directory.

use super::input::InputError;
use super::{Arguments, ConvertError, run};
use agentwire_interop::transcript::Place;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Converts each transcript in a directory, and in those below it, to a file of
/// the same name in the output directory. Those of sub-agents are files of
/// their own.
pub(super) fn convert(arguments: &Arguments) -> Result<(), ConvertError> {
    let Some(output) = &arguments.output else {
        return Err(ConvertError::NoDirectory);
    };
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
            ..arguments.clone()
        };
        match run(&one) {
            Err(ConvertError::PassedOver(count)) => passed_over += count,
            other => other?,
        }
    }
    match passed_over {
        0 => Ok(()),
        count => Err(ConvertError::PassedOver(count)),
    }
}

/// The place of a file in another directory, which is there then.
fn place(folder: &Path, below: &Path) -> Result<PathBuf, ConvertError> {
    let file = folder.join(below);
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).map_err(|error| ConvertError::Output {
            file: parent.display().to_string(),
            error,
        })?;
    }
    Ok(file)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if Place::of(&path.to_string_lossy()).is_some_and(|place| !place.is_meta) {
            files.push(path);
        }
    }
    Ok(())
}
