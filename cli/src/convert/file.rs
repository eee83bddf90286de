//! Converts or restores one file.

#![allow(clippy::print_stderr, reason = "it is what a command line prints")]

use super::arguments::Arguments;
use super::direction::{Visitor, visit};
use super::error::ConvertError;
use super::format::Format;
use super::input::{self, Input, Outlines, Plain};
use super::input_error::InputError;
use super::residue;
use super::summary::Summary;
use crate::files::Files;
use crate::terminal::complain;
use agentwire_interop::conversion::{
    Converted, Converter, Direction, Group, Loss, Media, Outline, RestoreStep, Restorer,
};
use agentwire_protocol::Json;
use serde::Serialize;
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
        return restore(arguments, files);
    }
    convert_to(arguments, files)
}

/// A conversion in any [`Direction`].
trait Conversion {
    /// Adds a value. Returns the conversion of earlier values when they are complete.
    fn push(&mut self, outline: Outline) -> serde_json::Result<Option<ConvertedGroup>>;

    /// Returns the conversion of the last values.
    fn finish(&mut self) -> Option<ConvertedGroup>;
}

/// The output of a conversion.
struct ConvertedGroup {
    pieces: Vec<Json>,
    losses: Vec<Loss>,
    group: Option<Group>,
    media: Media,
}

impl<D: Direction> Conversion for Converter<D> {
    fn push(&mut self, outline: Outline) -> serde_json::Result<Option<ConvertedGroup>> {
        let outline = outline.without_media();
        let value = D::read(&outline)?;
        self.push_written(outline, value)
            .map(ConvertedGroup::of)
            .transpose()
    }

    fn finish(&mut self) -> Option<ConvertedGroup> {
        Converter::finish(self).and_then(|it| ConvertedGroup::of(it).ok())
    }
}

impl ConvertedGroup {
    fn of<T: Serialize>(converted: Converted<T>) -> serde_json::Result<Self> {
        let pieces = converted.made.iter().map(Json::from_value);
        Ok(Self {
            pieces: pieces.collect::<Result<_, _>>()?,
            losses: converted.losses,
            group: converted.group,
            media: converted.media,
        })
    }
}

/// Creates a converter.
struct Convert {
    finds_losses: bool,
    makes_residue: bool,
}

impl Visitor for Convert {
    type Output = Box<dyn Conversion>;

    fn visit<D: Direction + 'static>(self, direction: D) -> Self::Output {
        let mut converter = Converter::new(direction);
        if !self.finds_losses {
            converter = converter.without_losses();
        }
        if !self.makes_residue {
            converter = converter.without_residue();
        }
        Box::new(converter)
    }
}

fn convert_to(arguments: &Arguments, mut files: Files) -> Result<(), ConvertError> {
    let visitor = Convert {
        finds_losses: !arguments.quiet || arguments.losses.is_some(),
        makes_residue: arguments.residue.is_some(),
    };
    let mut converter = visit(arguments.from, arguments.to, arguments, visitor)?;
    let mut output = arguments.output(&mut files)?;
    let mut losses = arguments.extra_output(&mut files, arguments.losses.as_ref())?;
    let mut residue = arguments.extra_output(&mut files, arguments.residue.as_ref())?;
    if let Some(residue) = &mut residue {
        residue.write(&residue::Head::new(arguments.from, arguments.to))?;
    }
    let mut summary = Summary::default();
    let mut parts = 0;
    let mut take = |made: ConvertedGroup| {
        for piece in &made.pieces {
            output.write_with_media(piece, &made.media)?;
        }
        if let Some(file) = &mut losses {
            for loss in &made.losses {
                file.write(loss)?;
            }
        }
        summary.add(made.pieces.len(), made.losses);
        if let (Some(file), Some(group)) = (&mut residue, &made.group) {
            file.write_with_media(group, &made.media)?;
            parts += 1;
        }
        Ok::<(), ConvertError>(())
    };
    let mut read = 0;
    let mut recovered = Recovered::default();
    let mut failed = None;
    let input = Outlines::open(&arguments.file)?;
    for outline in input.one_per_line(arguments.from == Format::Transcript) {
        let made = outline.and_then(|(outline, place)| {
            let made = converter.push(outline);
            made.map_err(|error| InputError::value(place, &error))
        });
        match made {
            Ok(made) => {
                read += 1;
                made.map_or(Ok(()), &mut take)?;
            }
            Err(error) => failed = recovered.report(error).or(failed),
        }
    }
    converter.finish().map_or(Ok(()), &mut take)?;
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

/// The numbers of values with recoverable errors, by error.
#[derive(Default)]
struct Recovered {
    skipped_values: u64,
    repaired_values: u64,
}

impl Recovered {
    /// Reports a recoverable error. Returns other errors.
    fn report(&mut self, error: InputError) -> Option<InputError> {
        match error {
            // The next value may be valid.
            InputError::Value { .. } => {
                complain(format_args!("{error}; skipped"));
                self.skipped_values += 1;
            }
            InputError::Utf8 { .. } => {
                complain(&error);
                self.repaired_values += 1;
            }
            error => return Some(error),
        }
        None
    }

    fn into_result(self) -> Result<(), ConvertError> {
        match self {
            Self {
                skipped_values: 0,
                repaired_values: 0,
            } => Ok(()),
            Self {
                skipped_values,
                repaired_values: 0,
            } => Err(ConvertError::Skipped(skipped_values)),
            Self {
                skipped_values,
                repaired_values,
            } => Err(ConvertError::Mended {
                skipped: skipped_values,
                mended: repaired_values,
            }),
        }
    }
}

/// Creates a restorer.
#[derive(Clone, Default)]
struct Restore {
    recovered: Rc<RefCell<Recovered>>,
    failed: Rc<RefCell<Option<InputError>>>,
    /// The reason why the residue is incomplete.
    incomplete: Rc<RefCell<Option<InputError>>>,
}

type Restored = Box<dyn FnMut() -> Option<RestoreStep<Json>>>;

impl Visitor for (&Arguments, Restore) {
    type Output = Result<Restored, ConvertError>;

    fn visit<D: Direction + 'static>(self, direction: D) -> Self::Output {
        let (arguments, state) = self;
        let pieces = Input::<Plain<D::To>>::open(&arguments.file)?;
        let pieces = until_failed(pieces, &state.recovered, &state.failed);
        let pieces = pieces.map(|Plain(piece)| piece);
        let groups = residue::open(arguments.restore.as_deref(), arguments.to, arguments.from)?;
        // Use the valid part of an incomplete residue.
        let groups = until_failed(groups, &state.recovered, &state.incomplete);
        let mut restorer = Restorer::new(direction, pieces, groups);
        Ok(Box::new(move || restorer.next_written()))
    }
}

/// Restores the original of a file. Its input is the output of the conversion from `to` to `from`.
fn restore(arguments: &Arguments, mut files: Files) -> Result<(), ConvertError> {
    let state = Restore::default();
    let visitor = (arguments, state.clone());
    let mut next = visit(arguments.to, arguments.from, arguments, visitor)??;
    let Restore {
        recovered,
        failed,
        incomplete,
    } = state;
    let mut output = arguments.output(&mut files)?;
    let (mut restored, mut projected, mut refused) = (0_u64, 0_u64, 0_u64);
    while let Some(step) = next() {
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

/// Yields the items up to the end of the input or the first fatal error, which is stored in
/// `failed`. Reports recoverable errors.
fn until_failed<T, I: Iterator<Item = Result<T, InputError>>>(
    mut items: I,
    recovered: &Rc<RefCell<Recovered>>,
    failed: &Rc<RefCell<Option<InputError>>>,
) -> impl Iterator<Item = T> + use<T, I> {
    let (recovered, failed) = (Rc::clone(recovered), Rc::clone(failed));
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
