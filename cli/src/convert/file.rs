//! Converts or restores one file.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

use super::arguments::Arguments;
use super::direction::{Visitor, visit};
use super::error::ConvertError;
use super::format::Format;
use super::input::{self, Input, Piece, Plain};
use super::input_error::InputError;
use super::residue;
use super::summary::Summary;
use crate::files::Files;
use crate::terminal::complain;
use agentwire_interop::conversion::{Converter, Direction, RestoreStep, Restorer};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// Converts or restores a file.
pub(super) fn convert(arguments: &Arguments) -> Result<(), ConvertError> {
    let mut files = Files::default();
    files.reads(&arguments.file);
    if let Some(residue) = &arguments.restore {
        files.reads(residue);
    }
    // A session is read twice, so standard input goes to a temporary file.
    let spooled;
    let mut arguments = arguments.clone();
    let is_read_twice = matches!(arguments.from, Format::Agent | Format::Transcript);
    if is_read_twice && arguments.file == Path::new("-") {
        spooled = input::spool()?;
        arguments.file = spooled.path().to_owned();
    }
    let arguments = &arguments;
    if arguments.restore.is_some() {
        // The input is the output of the conversion from `to` to `from`.
        return visit(
            arguments.to,
            arguments.from,
            arguments,
            Restore(arguments, files),
        );
    }
    visit(
        arguments.from,
        arguments.to,
        arguments,
        Convert(arguments, files),
    )
}

/// Converts a file in a [`Direction`].
struct Convert<'a>(&'a Arguments, Files);

impl Visitor for Convert<'_> {
    fn visit<D: Direction + 'static>(self, direction: D) -> Result<(), ConvertError> {
        let Self(arguments, mut files) = self;
        let mut output = arguments.output(&mut files)?;
        let mut losses = arguments.extra_output(&mut files, arguments.losses.as_ref())?;
        let mut residue = arguments.extra_output(&mut files, arguments.residue.as_ref())?;
        if let Some(residue) = &mut residue {
            residue.write(&residue::Head::new(arguments.from, arguments.to))?;
        }
        let mut summary = Summary::default();
        let mut converter = Converter::new(direction);
        if arguments.quiet && losses.is_none() {
            converter = converter.without_losses();
        }
        if residue.is_none() {
            converter = converter.without_residue();
        }
        let mut parts = 0;
        let mut take = |converted: agentwire_interop::conversion::Converted<D::To>| {
            let media = &converted.media;
            for piece in &converted.made {
                output.write_with_media(piece, media)?;
            }
            if let Some(file) = &mut losses {
                for loss in &converted.losses {
                    file.write(loss)?;
                }
            }
            summary.add(converted.made.len(), converted.losses);
            if let (Some(file), Some(group)) = (&mut residue, &converted.group) {
                file.write_with_media(group, media)?;
                parts += 1;
            }
            Ok::<(), ConvertError>(())
        };
        let mut read = 0;
        let mut recovered = Recovered::default();
        let mut failed = None;
        let input = Input::<Piece<D>>::open(&arguments.file)?;
        for piece in input.one_per_line(arguments.from == Format::Transcript) {
            match piece {
                Ok(piece) => {
                    read += 1;
                    if let Some(converted) = converter.push_written(piece.outline, piece.value) {
                        take(converted)?;
                    }
                }
                Err(error) => failed = recovered.report(error).or(failed),
            }
        }
        if let Some(converted) = converter.finish() {
            take(converted)?;
        }
        let is_complete = failed.is_none();
        if let Some(residue) = &mut residue
            && is_complete
        {
            residue.write(&residue::End { end: parts })?;
        }
        output.finish(is_complete)?;
        for file in [losses, residue].into_iter().flatten() {
            file.finish(is_complete)?;
        }
        if !arguments.quiet {
            let text = summary.text(read, arguments.from, arguments.to);
            eprint!("{}", agentwire::permission::visible::lines(&text));
        }
        match failed {
            Some(error) => Err(error.into()),
            None => recovered.into_result(),
        }
    }
}

/// The numbers of values with recoverable errors, by error.
#[derive(Default)]
struct Recovered {
    skipped: u64,
    mended: u64,
}

impl Recovered {
    /// Reports a recoverable error. Returns other errors.
    fn report(&mut self, error: InputError) -> Option<InputError> {
        match error {
            // The next value may be valid.
            InputError::Value { .. } => {
                complain(format_args!("{error}; skipped"));
                self.skipped += 1;
            }
            InputError::Utf8 { .. } => {
                complain(&error);
                self.mended += 1;
            }
            error => return Some(error),
        }
        None
    }

    fn into_result(self) -> Result<(), ConvertError> {
        match self {
            Self {
                skipped: 0,
                mended: 0,
            } => Ok(()),
            Self { skipped, mended: 0 } => Err(ConvertError::Skipped(skipped)),
            Self { skipped, mended } => Err(ConvertError::Mended { skipped, mended }),
        }
    }
}

/// Restores the original of a file in a [`Direction`].
struct Restore<'a>(&'a Arguments, Files);

impl Visitor for Restore<'_> {
    fn visit<D: Direction + 'static>(self, direction: D) -> Result<(), ConvertError> {
        let Self(arguments, mut files) = self;
        let mut output = arguments.output(&mut files)?;
        let recovered = Rc::new(RefCell::new(Recovered::default()));
        let failed = Rc::new(RefCell::new(None));
        let pieces = Input::<Plain<D::To>>::open(&arguments.file)?;
        let pieces = until_failed(pieces, &recovered, &failed).map(|Plain(piece)| piece);
        let groups = residue::open(arguments.restore.as_deref(), arguments.to, arguments.from)?;
        // Use the valid part of an incomplete residue.
        let incomplete = Rc::new(RefCell::new(None));
        let groups = until_failed(groups, &recovered, &incomplete);
        let (mut restored, mut projected, mut refused) = (0_u64, 0_u64, 0_u64);
        let mut restorer = Restorer::new(direction, pieces, groups);
        while let Some(step) = restorer.next_written() {
            match step {
                RestoreStep::Restored(piece) => {
                    restored += 1;
                    output.write(&piece)?;
                }
                RestoreStep::Projected(piece) => {
                    projected += 1;
                    output.write(&piece)?;
                }
                RestoreStep::Refused(_) => refused += 1,
            }
        }
        output.finish(failed.borrow().is_none())?;
        if let Some(error) = failed.take() {
            return Err(error.into());
        }
        if !arguments.quiet {
            eprintln!("agentwire: {restored} restored, {projected} converted again");
            if refused > 0 {
                eprintln!(
                    "  {refused} parts of the residue were ignored: their messages were edited or moved"
                );
            }
        }
        match incomplete.take() {
            Some(error) => Err(ConvertError::Incomplete(error)),
            None => recovered.take().into_result(),
        }
    }
}

/// Yields the items up to the end of the input or the first fatal error, which is stored in
/// `failed`. Reports recoverable errors.
fn until_failed<T>(
    items: impl Iterator<Item = Result<T, InputError>>,
    recovered: &Rc<RefCell<Recovered>>,
    failed: &Rc<RefCell<Option<InputError>>>,
) -> impl Iterator<Item = T> {
    let (recovered, failed) = (Rc::clone(recovered), Rc::clone(failed));
    let mut items = items.into_iter();
    std::iter::from_fn(move || {
        loop {
            match items.next()? {
                Ok(item) => return Some(item),
                Err(error) => {
                    if let Some(error) = recovered.borrow_mut().report(error) {
                        failed.borrow_mut().get_or_insert(error);
                        return None;
                    }
                }
            }
        }
    })
}
