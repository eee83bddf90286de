//! Errors of the conversion.

use super::format::Format;
use super::input_error::InputError;
use std::io;

/// An error of the conversion.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConvertError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("cannot write {file}: {error}")]
    Output { file: String, error: io::Error },
    #[error("the residue is of a conversion from {0} to {1}; set `--to {0} --from {1}`")]
    OtherResidue(String, String),
    #[error("there is no conversion from {0} to {0}")]
    Same(Format),
    #[error("{0} values are invalid and were skipped")]
    Skipped(u64),
    #[error("{mended} values had invalid UTF-8; {skipped} values are invalid and were skipped")]
    Mended { skipped: u64, mended: u64 },
    #[error("{0}; the remaining values were converted without it")]
    Incomplete(InputError),
    #[error("the file of `--restore` is not a residue; use the output of `--residue`")]
    NoResidue,
    #[error("`--thread` requires `--from agent` or `--from transcript`")]
    NoThreads,
    #[error("`--since-compaction` requires `--from transcript`")]
    NoCompaction,
    #[error("cannot convert to {0}: only a conversion from {0} can be restored, with `--restore`")]
    NotTo(Format),
    #[error("converting a directory requires an output directory: `--output DIRECTORY`")]
    NoDirectory,
    #[error("the output directory {0} is in the input directory; use another directory")]
    SameDirectory(String),
    #[error("{0} files cannot be read")]
    Files(u64),
}
