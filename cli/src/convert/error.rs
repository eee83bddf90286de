//! Why a conversation could not be converted.

use super::format::Format;
use super::input::InputError;
use std::io;

/// Why a conversation could not be converted.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConvertError {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("cannot write {file}: {error}")]
    Output { file: String, error: io::Error },
    #[error("the residue is of a conversion from {0} to {1}")]
    OtherResidue(String, String),
    #[error("there is no conversion from {0} to {0}")]
    Same(Format),
    #[error("{0} values cannot be read, and were passed over")]
    PassedOver(u64),
    #[error("this file is no residue")]
    NoResidue,
    #[error("only sessions and transcripts have threads")]
    NoThreads,
    #[error("only transcripts say what was compacted")]
    NoCompaction,
    #[error("nothing is converted to a {0}; what was made of one can be restored")]
    NotTo(Format),
    #[error("the transcripts of a directory go to another one: `--output DIRECTORY`")]
    NoDirectory,
    #[error("{0} is in the directory that is read; name another one")]
    SameDirectory(String),
}
