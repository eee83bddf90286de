//! What the command is told.

use super::error::ConvertError;
use super::format::Format;
use super::output::Output;
use crate::files::Files;
use std::path::PathBuf;

/// Convert conversations to and from other message systems
///
/// Reads JSON values, one after the other or as one list, and prints what they
/// become, one a line. What the other system has no place for is summed up on
/// standard error; with `--losses` it is told one by one, and with `--residue`
/// it is kept, so that the way back gives the original. A value that cannot be
/// read is told and passed over. A file is written when all of it is there;
/// until then what was there stays. Exit status: 0; 1 when values were passed
/// over; 2 when a file cannot be read or written, or the arguments make no sense.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Arguments {
    /// The file; `-` is standard input. Of transcripts it can be a directory,
    /// such as `projects`: each becomes a file in the output directory
    #[arg(default_value = "-")]
    pub(super) file: PathBuf,

    /// What it is
    #[arg(long)]
    pub(super) from: Format,

    /// What it is to become
    #[arg(long)]
    pub(super) to: Format,

    /// Where to write to; standard output, if not given
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,

    /// Write one JSON list, and not a value a line
    #[arg(long)]
    pub(super) array: bool,

    /// Of a session, what was said to a sub-agent and by it: the id of the tool
    /// call that started it. Of a transcript, the call that it belongs to
    #[arg(long, value_name = "TOOL_USE_ID")]
    pub(super) thread: Option<String>,

    /// Of a transcript, only what the model still has: the summary of what was
    /// compacted, and what came after it
    #[arg(long)]
    pub(super) since_compaction: bool,

    /// Write what is lost here, one JSON object a line: `index` of the value,
    /// `path` in it, `what` and `why`
    #[arg(long, value_name = "FILE")]
    pub(super) losses: Option<PathBuf>,

    /// Write here what the way back needs to give the original
    #[arg(long, value_name = "FILE")]
    pub(super) residue: Option<PathBuf>,

    /// Go the way back of a conversion from `--to` to `--from`, with the
    /// residue that it wrote here
    #[arg(long, value_name = "FILE", conflicts_with_all = ["losses", "residue"])]
    pub(super) restore: Option<PathBuf>,

    /// Print no summary
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Whether it is one of the transcripts of a directory.
    #[arg(skip)]
    pub(super) in_folder: bool,
}

impl Arguments {
    pub(super) fn output(&self, files: &mut Files) -> Result<Output, ConvertError> {
        let file = self.output.as_deref();
        Output::open(files, file, self.in_folder, self.array)
    }

    /// A file beside the output, where one is named.
    pub(super) fn beside(
        &self,
        files: &mut Files,
        file: Option<&PathBuf>,
    ) -> Result<Option<Output>, ConvertError> {
        file.map(|file| Output::open(files, Some(file), self.in_folder, false))
            .transpose()
    }
}
