//! `agentwire convert`: conversations to and from other message systems.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

mod directory;
mod format;
mod input;
mod output;
mod residue;
mod summary;

use crate::files::Files;
use crate::terminal::complain;
use agentwire_interop::conversion::{Back, Converter, Direction, WayBack};
use format::{Format, Visitor};
use input::{Input, InputError};
use output::Output;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use summary::Summary;

/// A file cannot be used.
const USAGE: u8 = 2;

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
    file: PathBuf,

    /// What it is
    #[arg(long)]
    from: Format,

    /// What it is to become
    #[arg(long)]
    to: Format,

    /// Where to write to; standard output, if not given
    #[arg(short, long)]
    output: Option<PathBuf>,

    /// Write one JSON list, and not a value a line
    #[arg(long)]
    array: bool,

    /// Of a session, what was said to a sub-agent and by it: the id of the tool
    /// call that started it. Of a transcript, the call that it belongs to
    #[arg(long, value_name = "TOOL_USE_ID")]
    thread: Option<String>,

    /// Of a transcript, only what the model still has: the summary of what was
    /// compacted, and what came after it
    #[arg(long)]
    since_compaction: bool,

    /// Write what is lost here, one JSON object a line: `index` of the value,
    /// `path` in it, `what` and `why`
    #[arg(long, value_name = "FILE")]
    losses: Option<PathBuf>,

    /// Write here what the way back needs to give the original
    #[arg(long, value_name = "FILE")]
    residue: Option<PathBuf>,

    /// Go the way back of a conversion from `--to` to `--from`, with the
    /// residue that it wrote here
    #[arg(long, value_name = "FILE", conflicts_with_all = ["losses", "residue"])]
    restore: Option<PathBuf>,

    /// Print no summary
    #[arg(short, long)]
    quiet: bool,

    /// Whether it is one of the transcripts of a directory.
    #[arg(skip)]
    in_folder: bool,
}

impl Arguments {
    fn output(&self, files: &mut Files) -> Result<Output, ConvertError> {
        let file = self.output.as_deref();
        Output::open(files, file, self.in_folder, self.array)
    }

    /// A file beside the output, where one is named.
    fn beside(
        &self,
        files: &mut Files,
        file: Option<&PathBuf>,
    ) -> Result<Option<Output>, ConvertError> {
        file.map(|file| Output::open(files, Some(file), self.in_folder, false))
            .transpose()
    }
}

/// Why a conversation could not be converted.
#[derive(Debug, thiserror::Error)]
enum ConvertError {
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

pub(crate) fn convert(arguments: &Arguments) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read what is printed is gone.
        Err(ConvertError::Output { error, .. }) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error);
            match error {
                ConvertError::PassedOver(_) => ExitCode::FAILURE,
                _ => USAGE.into(),
            }
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), ConvertError> {
    let mut files = Files::default();
    files.reads(&arguments.file);
    if let Some(residue) = &arguments.restore {
        files.reads(residue);
    }
    // A session is read twice.
    let spooled;
    let mut arguments = arguments.clone();
    let is_read_twice = matches!(arguments.from, Format::Agent | Format::Transcript);
    if is_read_twice && arguments.file == Path::new("-") {
        spooled = input::spool()?;
        arguments.file = spooled.path().to_owned();
    }
    let arguments = &arguments;
    if arguments.from == Format::Transcript && arguments.file.is_dir() {
        return directory::convert(arguments);
    }
    if arguments.restore.is_some() {
        // The other way round: what is read is what was made.
        return format::visit(
            arguments.to,
            arguments.from,
            arguments,
            Restore(arguments, files),
        );
    }
    format::visit(
        arguments.from,
        arguments.to,
        arguments,
        Forth(arguments, files),
    )
}

/// The way there.
struct Forth<'a>(&'a Arguments, Files);

impl Visitor for Forth<'_> {
    fn visit<D: Direction>(self, direction: D) -> Result<(), ConvertError>
    where
        D::From: Send + 'static,
    {
        let Self(arguments, mut files) = self;
        let mut output = arguments.output(&mut files)?;
        let mut losses = arguments.beside(&mut files, arguments.losses.as_ref())?;
        let mut residue = arguments.beside(&mut files, arguments.residue.as_ref())?;
        if let Some(residue) = &mut residue {
            residue.write(&residue::Head::new(arguments.from, arguments.to))?;
        }
        let mut summary = Summary::default();
        let mut converter = Converter::new(direction);
        let mut take = |converted: agentwire_interop::conversion::Converted<D::To>| {
            for piece in &converted.made {
                output.write(piece)?;
            }
            summary.add(converted.made.len(), &converted.losses);
            if let Some(file) = &mut losses {
                for loss in &converted.losses {
                    file.write(loss)?;
                }
            }
            if let Some(file) = &mut residue {
                file.write(&converted.group)?;
            }
            Ok::<(), ConvertError>(())
        };
        let (mut read, mut unreadable) = (0, 0);
        let mut failed = None;
        for piece in Input::<D::From>::open(&arguments.file)? {
            match piece {
                Ok(piece) => {
                    read += 1;
                    if let Some(converted) = converter.push(piece) {
                        take(converted)?;
                    }
                }
                // The next one may be fine.
                Err(error @ InputError::Value { .. }) => {
                    complain(format_args!("{error}; it is passed over"));
                    unreadable += 1;
                }
                Err(error) => failed = Some(error),
            }
        }
        if let Some(converted) = converter.finish() {
            take(converted)?;
        }
        let is_whole = failed.is_none();
        output.finish(is_whole)?;
        for file in [losses, residue].into_iter().flatten() {
            file.finish(is_whole)?;
        }
        if !arguments.quiet {
            let told = summary.told(read, arguments.from, arguments.to);
            eprint!("{}", agentwire::visible::lines(&told));
        }
        match failed {
            Some(error) => Err(error.into()),
            None if unreadable > 0 => Err(ConvertError::PassedOver(unreadable)),
            None => Ok(()),
        }
    }
}

/// The way back.
struct Restore<'a>(&'a Arguments, Files);

impl Visitor for Restore<'_> {
    fn visit<D: Direction>(self, direction: D) -> Result<(), ConvertError>
    where
        D::To: Send + 'static,
    {
        let Self(arguments, mut files) = self;
        let mut output = arguments.output(&mut files)?;
        let failed = Rc::new(RefCell::new(None));
        let pieces = until_error(Input::<D::To>::open(&arguments.file)?, &failed);
        let groups = residue::open(arguments.restore.as_deref(), arguments.to, arguments.from)?;
        let groups = until_error(groups, &failed);
        let (mut restored, mut projected, mut refused) = (0_u64, 0_u64, 0_u64);
        for step in WayBack::new(direction, pieces, groups) {
            match step {
                Back::Restored(piece) => {
                    restored += 1;
                    output.write(&piece)?;
                }
                Back::Projected(piece) => {
                    projected += 1;
                    output.write(&piece)?;
                }
                Back::Refused(_) => refused += 1,
            }
        }
        output.finish(failed.borrow().is_none())?;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        if !arguments.quiet {
            eprintln!("agentwire: {restored} restored, {projected} converted anew");
            if refused > 0 {
                eprintln!(
                    "  {refused} parts of the residue were refused: what they belong to was edited"
                );
            }
        }
        Ok(())
    }
}

/// What comes before the first error, which is kept.
fn until_error<T, E: Into<ConvertError>>(
    items: impl Iterator<Item = Result<T, E>>,
    failed: &Rc<RefCell<Option<ConvertError>>>,
) -> impl Iterator<Item = T> {
    let failed = Rc::clone(failed);
    items.map_while(move |item| match item {
        Ok(item) => Some(item),
        Err(error) => {
            failed.borrow_mut().get_or_insert(error.into());
            None
        }
    })
}
