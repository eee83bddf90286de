//! What a message system has to say of itself so that conversations can be
//! carried to it and back.

use super::{Lost, Outline, Why};
use crate::session::{is_placeholder, without_placeholders};
use crate::{Calls, Message, author};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Borrow;
use std::fmt::Debug;

/// Another message system.
///
/// What is lost on the way, and how it is undone, nobody has to say: it is
/// found by going there and back.
pub trait System {
    /// One piece of a conversation there: a message, or an item.
    type Item: Debug + Clone + Serialize + DeserializeOwned;

    /// What one message of ours is there: any number of items. The calls so
    /// far have those of this message already.
    fn write(&self, calls: &Calls, message: &Message) -> Vec<Self::Item>;

    /// Whether an item goes on with the message of ours that the items before
    /// it, which belong together, are.
    fn joins(&self, before: &[Self::Item], item: &Self::Item) -> bool;

    /// The messages of ours that items are which belong together: one, as a
    /// rule.
    fn read(&self, calls: &Calls, items: &[Self::Item]) -> Vec<Message>;

    /// Notes the tools that an item calls.
    fn note_calls(&self, calls: &mut Calls, item: &Self::Item);

    /// Whether messages there have the authors that ours have.
    fn has_authors(&self) -> bool {
        false
    }

    /// Why something of a message of ours is lost there. `path` is the JSON
    /// pointer in the message.
    fn why(&self, path: &str, lost: &Lost) -> Why {
        why_of_ours(path, lost)
    }

    /// Why something of an item is lost here. `path` is the JSON pointer in
    /// the item.
    fn why_of_theirs(&self, path: &str, lost: &Lost) -> Why {
        let _ = path;
        why_of_what_is_said(lost)
    }
}

/// What of our messages is the envelope is not what was said.
pub(crate) fn why_of_ours(path: &str, lost: &Lost) -> Why {
    let said = ["/message/content", "/text"];
    if path.is_empty() || said.iter().any(|said| path.starts_with(said)) {
        why_of_what_is_said(lost)
    } else {
        Why::Envelope
    }
}

/// What is there, but otherwise, has another form.
fn why_of_what_is_said(lost: &Lost) -> Why {
    match lost {
        Lost::Changed(_) | Lost::Order(_) => Why::OtherForm,
        Lost::Placeholder(_) => Why::Unpaired,
        Lost::Author(_) => Why::NoRole,
        Lost::Whole(_) | Lost::Item(_) | Lost::Member(_) | Lost::Duplicate(_) => Why::NoPlace,
    }
}

/// A way to carry a conversation: pieces of one kind become pieces of another.
pub trait Direction {
    /// A piece of what is converted.
    type From: Debug + Clone + Serialize + DeserializeOwned;
    /// A piece of what it becomes.
    type To: Debug + Clone + Serialize + DeserializeOwned;
    /// What has to be known of pieces to tell whether the next one is
    /// converted together with them.
    type Together: Debug + Clone + Default;

    /// Reads a piece. One that keeps its JSON may do without it here: that is in the
    /// outline, which [`Converter::push_written`](super::Converter::push_written) takes.
    ///
    /// # Errors
    ///
    /// If the JSON is no such piece.
    fn read(outline: &Outline) -> serde_json::Result<Self::From> {
        outline.read()
    }

    /// Whether a piece is converted together with those before it. Notes the
    /// piece: as one of them, or as the first of the next ones.
    fn goes_on(
        &self,
        together: &mut Self::Together,
        before: &[Self::From],
        next: &Self::From,
    ) -> bool;
    /// What pieces become that are converted together.
    fn forth(&self, calls: &mut Calls, pieces: &[Self::From]) -> Vec<Self::To>;
    /// Whether, on the way back, a piece belongs to those before it.
    fn belongs(&self, before: &[Self::To], next: &Self::To) -> bool;
    /// What pieces that belong together are on the way back.
    fn back(&self, calls: &mut Calls, pieces: &[Self::To]) -> Vec<Self::From>;
    /// Why something of a piece is lost. `path` is the JSON pointer in it.
    fn why(&self, piece: &Self::From, path: &str, lost: &Lost) -> Why;
    /// Which pieces are no part of the conversation, so that an edit of it leaves them
    /// as they are.
    fn beside(&self, pieces: &[Self::From]) -> Vec<bool> {
        vec![false; pieces.len()]
    }
    /// The pieces whose author is neither the user nor the model, with the author's name,
    /// and which become messages of the user or of the model.
    fn authors(&self, pieces: &[Self::From]) -> Vec<(usize, String)> {
        let _ = pieces;
        Vec::new()
    }
    /// The calls among pieces that are converted together which have no result,
    /// and get a placeholder.
    fn unanswered(&self, pieces: &[Self::From]) -> Vec<Unanswered> {
        let _ = pieces;
        Vec::new()
    }
}

/// A tool call without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The index of its piece.
    pub piece: usize,
    /// Where it is in that piece, as a JSON pointer.
    pub path: String,
    /// The tool.
    pub tool: String,
}

/// From us to them.
#[derive(Debug, Clone, Copy)]
pub struct Export<S>(pub S);

/// From them to us.
#[derive(Debug, Clone, Copy)]
pub struct Import<S>(pub S);

/// What messages of ours are there.
pub(crate) fn write<S: System>(
    system: &S,
    calls: &mut Calls,
    messages: impl IntoIterator<Item: Borrow<Message>>,
) -> Vec<S::Item> {
    let mut items = Vec::new();
    for message in messages {
        calls.note_message(message.borrow());
        items.extend(system.write(calls, message.borrow()));
    }
    items
}

/// What items of theirs are here.
pub(crate) fn read<S: System>(
    system: &S,
    calls: &mut Calls,
    mut items: &[S::Item],
) -> Vec<Message> {
    let mut messages = Vec::new();
    while !items.is_empty() {
        let mut end = 1;
        while end < items.len() && system.joins(&items[..end], &items[end]) {
            end += 1;
        }
        let (together, rest) = items.split_at(end);
        for item in together {
            system.note_calls(calls, item);
        }
        messages.extend(system.read(calls, together));
        items = rest;
    }
    messages
}

impl<S: System> Direction for Export<S> {
    type From = Message;
    type To = S::Item;
    type Together = ();

    fn goes_on(&self, _: &mut (), _: &[Message], _: &Message) -> bool {
        false
    }

    fn forth(&self, calls: &mut Calls, pieces: &[Message]) -> Vec<S::Item> {
        write(&self.0, calls, pieces)
    }

    fn belongs(&self, before: &[S::Item], next: &S::Item) -> bool {
        self.0.joins(before, next)
    }

    fn back(&self, calls: &mut Calls, pieces: &[S::Item]) -> Vec<Message> {
        without_placeholders(read(&self.0, calls, pieces))
    }

    fn authors(&self, pieces: &[Message]) -> Vec<(usize, String)> {
        match self.0.has_authors() {
            true => Vec::new(),
            false => author::others(pieces.iter().enumerate()),
        }
    }

    fn why(&self, message: &Message, path: &str, lost: &Lost) -> Why {
        let block = path.strip_prefix("/message/content/");
        let block = block.and_then(|index| index.parse::<usize>().ok());
        let is_unpaired = match (lost, block) {
            (Lost::Item(_), Some(index)) => message.blocks().get(index).is_some_and(is_placeholder),
            (Lost::Whole(_), _) => has_placeholder(std::slice::from_ref(message)),
            _ => false,
        };
        match is_unpaired {
            true => Why::Unpaired,
            false => self.0.why(path, lost),
        }
    }
}

impl<S: System> Direction for Import<S> {
    type From = S::Item;
    type To = Message;
    type Together = ();

    fn goes_on(&self, _: &mut (), before: &[S::Item], next: &S::Item) -> bool {
        self.0.joins(before, next)
    }

    fn forth(&self, calls: &mut Calls, pieces: &[S::Item]) -> Vec<Message> {
        without_placeholders(read(&self.0, calls, pieces))
    }

    fn belongs(&self, _: &[Message], _: &Message) -> bool {
        false
    }

    fn back(&self, calls: &mut Calls, pieces: &[Message]) -> Vec<S::Item> {
        write(&self.0, calls, pieces)
    }

    fn why(&self, item: &S::Item, path: &str, lost: &Lost) -> Why {
        let is_whole = matches!(lost, Lost::Whole(_));
        let items = std::slice::from_ref(item);
        match is_whole && has_placeholder(&read(&self.0, &mut Calls::default(), items)) {
            true => Why::Unpaired,
            false => self.0.why_of_theirs(path, lost),
        }
    }
}

fn has_placeholder(messages: &[Message]) -> bool {
    let mut blocks = messages.iter().flat_map(|it| it.blocks().into_owned());
    blocks.any(|block| is_placeholder(&block))
}

/// From one system to another, by way of ours.
#[derive(Debug, Clone, Copy)]
pub struct Through<A, B>(pub A, pub B);

impl<A: System, B: System> Direction for Through<A, B> {
    type From = A::Item;
    type To = B::Item;
    type Together = ();

    fn goes_on(&self, _: &mut (), before: &[A::Item], next: &A::Item) -> bool {
        self.0.joins(before, next)
    }

    fn forth(&self, calls: &mut Calls, pieces: &[A::Item]) -> Vec<B::Item> {
        let messages = read(&self.0, calls, pieces);
        write(&self.1, calls, &messages)
    }

    fn belongs(&self, before: &[B::Item], next: &B::Item) -> bool {
        self.1.joins(before, next)
    }

    fn back(&self, calls: &mut Calls, pieces: &[B::Item]) -> Vec<A::Item> {
        let messages = read(&self.1, calls, pieces);
        write(&self.0, calls, &messages)
    }

    fn why(&self, _: &A::Item, path: &str, lost: &Lost) -> Why {
        self.0.why_of_theirs(path, lost)
    }
}
