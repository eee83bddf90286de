//! Converts conversations, lists losses, and restores the originals.
//!
//! A [`System`] writes messages of the type [`Message`], and reads its own items. The rest is
//! derived from the round trip:
//!
//! - The output is converted back and compared with the input. The [`Delta`] between them contains
//!   everything that is lost.
//! - The list of [`Loss`]es is read from the delta.
//! - The [`Residue`] is the delta with fingerprints of the output. It restores the exact input. If
//!   output was edited, it is converted without the residue, and keeps its envelope if the number
//!   of messages is the same. Edited thinking loses its signature.
//!
//! [`export()`], [`import`], [`undo_export`] and [`undo_import`] convert whole conversations.
//! [`convert`] and [`undo`] convert in any [`Direction`]. [`Converter`] and [`Restorer`] convert
//! piece by piece.

mod alignment;
mod converter;
mod delta;
mod difference;
mod exact;
mod fingerprint;
mod hash;
mod loss;
mod media;
mod named;
mod original;
mod ours;
mod outline;
mod part;
mod residue;
mod restorer;
mod signed;
mod system;
mod token;
mod tree;
mod walk;

pub use converter::{Converted, Converter};
pub use delta::{Delta, OtherValue, Step};
pub use fingerprint::Fingerprint;
pub use loss::{Loss, Lost, Why};
pub use ours::Ours;
pub use outline::{Media, Outline, Outlines};
pub use residue::{Group, Residue};
pub use restorer::{Refused, RestoreStep, Restorer};
pub use system::{Direction, Export, Import, System, Through, Unanswered};
pub(crate) use system::{read, why_of_ours, write};
#[cfg(feature = "async-openai")]
pub(crate) use walk::of_value;

use crate::Message;

/// A converted conversation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Conversion<T> {
    /// The output.
    pub made: Vec<T>,
    /// The losses.
    pub losses: Vec<Loss>,
    /// The residue, which restores the input.
    pub residue: Residue,
}

/// A restored conversation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Restored<T> {
    /// The original pieces, and the conversions of edited pieces.
    pub pieces: Vec<T>,
    /// The groups of the residue that were refused.
    pub refused: Vec<Refused>,
}

/// Converts messages to another system.
pub fn export<S: System>(system: S, messages: Vec<Message>) -> Conversion<S::Item> {
    convert(Export(system), messages)
}

/// Converts items of another system to messages.
pub fn import<S: System>(system: S, items: Vec<S::Item>) -> Conversion<Message> {
    convert(Import(system), items)
}

/// Restores messages from the output of [`export()`], which may have been edited.
pub fn undo_export<S: System>(
    system: S,
    items: Vec<S::Item>,
    residue: Residue,
) -> Restored<Message> {
    undo(Export(system), items, residue)
}

/// Restores items from the output of [`import`], which may have been edited.
pub fn undo_import<S: System>(
    system: S,
    messages: Vec<Message>,
    residue: Residue,
) -> Restored<S::Item> {
    undo(Import(system), messages, residue)
}

/// Converts a conversation in any direction.
pub fn convert<D: Direction>(direction: D, pieces: Vec<D::From>) -> Conversion<D::To> {
    let mut converter = Converter::new(direction);
    let mut carried = Conversion {
        made: Vec::new(),
        losses: Vec::new(),
        residue: Residue::default(),
    };
    let mut take = |converted: Option<Converted<D::To>>| {
        if let Some(converted) = converted {
            carried.made.extend(converted.made);
            carried.losses.extend(converted.losses);
            carried.residue.groups.extend(converted.group);
        }
    };
    for piece in pieces {
        take(converter.push(piece));
    }
    take(converter.finish());
    carried
}

/// Restores the input of [`convert`] from its output, which may have been edited.
pub fn undo<D: Direction>(direction: D, made: Vec<D::To>, residue: Residue) -> Restored<D::From> {
    let mut taken = Restored {
        pieces: Vec::new(),
        refused: Vec::new(),
    };
    for step in Restorer::new(direction, made, residue.groups) {
        match step {
            RestoreStep::Refused(refused) => taken.refused.push(refused),
            step => taken.pieces.extend(step.piece()),
        }
    }
    taken
}
