//! The arguments of the command.

use super::error::ConvertError;
use super::format::Format;
use super::output::Output;
use crate::files::Files;
use std::path::PathBuf;

/// Convert conversations to and from other message formats
///
/// Reads JSON values, as a sequence or as one list, and prints the converted values, one per
/// line. Losses are summarised on standard error; `--losses` lists them. `--residue` writes what
/// restores the original in the conversion back. Invalid values are reported and skipped. An
/// output file is replaced only once it is complete.
///
/// Exit status: 0 on success; 1 if values were skipped or had invalid UTF-8, or if the residue is
/// incomplete; 2 if a file cannot be read or written, or the arguments are invalid.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Arguments {
    /// The file; `-` is standard input. With `--from transcript` also a directory, such as
    /// `projects`: each transcript becomes a file in the output directory
    #[arg(default_value = "-")]
    pub(super) file: PathBuf,

    /// The format of the input
    #[arg(long)]
    pub(super) from: Format,

    /// The format of the output
    #[arg(long)]
    pub(super) to: Format,

    /// The output file [default: standard output]
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,

    /// Write one JSON list instead of one value per line
    #[arg(long)]
    pub(super) array: bool,

    /// Convert the conversation of the sub-agent that this tool call started. If the input is the
    /// transcript of a sub-agent: the tool call that started it
    #[arg(long, value_name = "TOOL_USE_ID")]
    pub(super) thread: Option<String>,

    /// Convert only the part of a transcript that the model still has: the summary of the last
    /// compaction and everything after it
    #[arg(long)]
    pub(super) since_compaction: bool,

    /// Write the list of losses to this file, one JSON object per line: `index` of
    /// the value, `path` in it, `what` and `why`
    #[arg(long, value_name = "FILE")]
    pub(super) losses: Option<PathBuf>,

    /// Write the residue to this file. With it, the conversion back restores the original
    #[arg(long, value_name = "FILE")]
    pub(super) residue: Option<PathBuf>,

    /// Convert the output of a conversion from `--to` to `--from` back, with this residue
    #[arg(long, value_name = "FILE", conflicts_with_all = ["losses", "residue"])]
    pub(super) restore: Option<PathBuf>,

    /// Print no summary
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Whether the input is a file of a directory that is converted.
    #[arg(skip)]
    pub(super) in_folder: bool,
}

impl Arguments {
    pub(super) fn output(&self, files: &mut Files) -> Result<Output, ConvertError> {
        let file = self.output.as_deref();
        Output::open(files, file, self.in_folder, self.array)
    }

    /// Opens an additional output file. Returns `None` if its option is not set.
    pub(super) fn extra_output(
        &self,
        files: &mut Files,
        file: Option<&PathBuf>,
    ) -> Result<Option<Output>, ConvertError> {
        file.map(|file| Output::open(files, Some(file), self.in_folder, false))
            .transpose()
    }
}
