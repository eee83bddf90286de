//! How a conversation is carried over, what is lost, and how it comes back.
//!
//! A [`System`] says how one message of ours is written there, and how items
//! of theirs are read. Everything else follows from going there and back:
//!
//! - what comes back is compared with what went there. The difference, a
//!   [`Delta`], is what is lost, and everything that is lost is in it;
//! - the list of [`Loss`]es is read off it;
//! - the [`Residue`] is made of it, with fingerprints of what was made: with
//!   it the way back gives the original, to the last digit. What was edited is
//!   converted without it, and keeps its envelope where it is still the same
//!   number of messages. Thinking that was edited loses its signature,
//!   which is of another text.
//!
//! Whole conversations are converted by [`export()`] and [`import`], and taken
//! back by [`undo_export`] and [`undo_import`]; [`convert`] and [`undo`] do that
//! in any [`Direction`], [`Converter`] and [`WayBack`] piece by piece.

mod aside;
mod back;
mod delta;
mod difference;
mod exact;
mod fingerprint;
mod forth;
mod hash;
mod loss;
mod named;
mod original;
mod ours;
mod outline;
mod part;
mod residue;
mod signed;
mod system;
mod token;
mod tree;
mod walk;

pub use back::{Back, Refused, WayBack};
pub use delta::{Delta, DoesNotFit, Step};
pub use fingerprint::Fingerprint;
pub use forth::{Converted, Converter};
pub use loss::{Loss, Lost, Why};
pub use ours::Ours;
pub use outline::{Aside, Outline, Outlines};
pub use residue::{Group, Residue};
pub use system::{Direction, Export, Import, System, Through, Unanswered};
pub(crate) use system::{read, why_of_ours, write};
#[cfg(feature = "async-openai")]
pub(crate) use walk::of_value;

use crate::Message;

/// A conversation that was carried over.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Carried<T> {
    /// What it became.
    pub made: Vec<T>,
    /// What is lost.
    pub losses: Vec<Loss>,
    /// With what it is the same again on the way back.
    pub residue: Residue,
}

/// A conversation that was taken back.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TakenBack<T> {
    /// What it was; for pieces that were edited, what they are now.
    pub pieces: Vec<T>,
    /// The parts of the residue that did not fit.
    pub refused: Vec<Refused>,
}

/// Converts messages of ours to another system.
pub fn export<S: System>(system: S, messages: Vec<Message>) -> Carried<S::Item> {
    convert(Export(system), messages)
}

/// Converts another system's conversation to messages of ours.
pub fn import<S: System>(system: S, items: Vec<S::Item>) -> Carried<Message> {
    convert(Import(system), items)
}

/// Takes back what [`export()`] made, which may have been edited since.
pub fn undo_export<S: System>(
    system: S,
    items: Vec<S::Item>,
    residue: Residue,
) -> TakenBack<Message> {
    undo(Export(system), items, residue)
}

/// Takes back what [`import`] made, which may have been edited since.
pub fn undo_import<S: System>(
    system: S,
    messages: Vec<Message>,
    residue: Residue,
) -> TakenBack<S::Item> {
    undo(Import(system), messages, residue)
}

/// Converts a conversation in any direction.
pub fn convert<D: Direction>(direction: D, pieces: Vec<D::From>) -> Carried<D::To> {
    let mut converter = Converter::new(direction);
    let mut carried = Carried {
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

/// Takes back what [`convert`] made, which may have been edited since.
pub fn undo<D: Direction>(direction: D, made: Vec<D::To>, residue: Residue) -> TakenBack<D::From> {
    let mut taken = TakenBack {
        pieces: Vec::new(),
        refused: Vec::new(),
    };
    for step in WayBack::new(direction, made, residue.groups) {
        match step {
            Back::Refused(refused) => taken.refused.push(refused),
            step => taken.pieces.extend(step.piece()),
        }
    }
    taken
}
