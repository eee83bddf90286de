//! Message systems, and the directions of conversions.

use super::{Lost, Outline, Why};
use crate::session::{is_placeholder, without_placeholders};
use crate::{Calls, Message, author};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Borrow;
use std::fmt::Debug;

/// A message system. Losses and residues are derived from its round trip.
pub trait System {
    /// A message or an item.
    type Item: Debug + Clone + Serialize + DeserializeOwned;

    /// Writes a message as any number of items. `calls` already contains the message's calls.
    fn write(&self, calls: &Calls, message: &Message) -> Vec<Self::Item>;

    /// Returns whether an item belongs to the message of the items before it.
    fn joins(&self, before: &[Self::Item], item: &Self::Item) -> bool;

    /// Reads the items of one message. Usually returns one message.
    fn read(&self, calls: &Calls, items: &[Self::Item]) -> Vec<Message>;

    /// Adds the tool calls of an item to `calls`.
    fn note_calls(&self, calls: &mut Calls, item: &Self::Item);

    /// Returns whether the messages of the system have authors.
    fn has_authors(&self) -> bool {
        false
    }

    /// Returns the reason of a loss in a message. `path` is its JSON pointer.
    fn why(&self, path: &str, lost: &Lost) -> Why {
        why_of_ours(path, lost)
    }

    /// Returns the reason of a loss in an item. `path` is its JSON pointer.
    fn why_of_theirs(&self, path: &str, lost: &Lost) -> Why {
        let _ = path;
        why_of_content(lost)
    }
}

/// Returns the reason of a loss in a message. Losses outside the content are envelope metadata.
pub(crate) fn why_of_ours(path: &str, lost: &Lost) -> Why {
    let content = ["/message/content", "/text"];
    if path.is_empty() || content.iter().any(|it| path.starts_with(it)) {
        why_of_content(lost)
    } else {
        Why::Envelope
    }
}

/// Returns the reason of a loss in the content. Changed content has another form.
fn why_of_content(lost: &Lost) -> Why {
    match lost {
        Lost::Changed(_) | Lost::Order(_) => Why::OtherForm,
        Lost::Placeholder(_) => Why::Unpaired,
        Lost::Author(_) => Why::NoRole,
        Lost::Whole(_) | Lost::Item(_) | Lost::Member(_) | Lost::Duplicate(_) => Why::NoPlace,
    }
}

/// A direction of a conversion, from pieces of one type to pieces of another.
pub trait Direction {
    /// A piece of the input.
    type From: Debug + Clone + Serialize + DeserializeOwned;
    /// A piece of the output.
    type To: Debug + Clone + Serialize + DeserializeOwned;
    /// The state that decides which pieces are converted together.
    type State: Debug + Clone + Default;

    /// Reads a piece. A piece that stores its JSON may omit the JSON here, because the outline has
    /// it, which [`Converter::push_written`](super::Converter::push_written) takes.
    ///
    /// # Errors
    ///
    /// If the JSON is not a piece of this type.
    fn read(outline: &Outline) -> serde_json::Result<Self::From> {
        outline.read()
    }

    /// Returns whether a piece is converted together with the pieces before it. Updates the state.
    /// Default: false.
    fn continues(
        &self,
        _state: &mut Self::State,
        _before: &[Self::From],
        _next: &Self::From,
    ) -> bool {
        false
    }
    /// Converts pieces.
    fn convert(&self, calls: &mut Calls, pieces: &[Self::From]) -> Vec<Self::To>;
    /// Returns whether a piece of the output belongs to the pieces before it. Default: false.
    fn output_continues(&self, _before: &[Self::To], _next: &Self::To) -> bool {
        false
    }
    /// Converts pieces of the output back.
    fn convert_back(&self, calls: &mut Calls, pieces: &[Self::To]) -> Vec<Self::From>;
    /// Returns the reason of a loss in a piece. `path` is its JSON pointer.
    fn why(&self, piece: &Self::From, path: &str, lost: &Lost) -> Why;
    /// Returns, for each piece, whether it is outside the conversation. Such pieces do not change
    /// if the output is edited.
    fn outside(&self, pieces: &[Self::From]) -> Vec<bool> {
        vec![false; pieces.len()]
    }
    /// Returns the pieces whose author is neither the user nor the model, with the author.
    fn authors(&self, pieces: &[Self::From]) -> Vec<(usize, String)> {
        let _ = pieces;
        Vec::new()
    }
    /// Returns the calls without a result, which get a placeholder.
    fn unanswered(&self, pieces: &[Self::From]) -> Vec<Unanswered> {
        let _ = pieces;
        Vec::new()
    }
}

/// A tool call without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The index of the piece that contains the call.
    pub piece: usize,
    /// The JSON pointer to the call in its piece.
    pub path: String,
    /// The name of the tool.
    pub tool: String,
}

/// The direction from messages to a system.
#[derive(Debug, Clone, Copy)]
pub struct Export<S>(pub S);

/// The direction from a system to messages.
#[derive(Debug, Clone, Copy)]
pub struct Import<S>(pub S);

/// Writes messages as items of a system.
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

/// Reads items of a system as messages.
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
    type State = ();

    fn convert(&self, calls: &mut Calls, pieces: &[Message]) -> Vec<S::Item> {
        write(&self.0, calls, pieces)
    }

    fn output_continues(&self, before: &[S::Item], next: &S::Item) -> bool {
        self.0.joins(before, next)
    }

    fn convert_back(&self, calls: &mut Calls, pieces: &[S::Item]) -> Vec<Message> {
        without_placeholders(read(&self.0, calls, pieces))
    }

    fn authors(&self, pieces: &[Message]) -> Vec<(usize, String)> {
        match self.0.has_authors() {
            true => Vec::new(),
            false => author::other_authors(pieces.iter().enumerate()),
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
    type State = ();

    fn continues(&self, _: &mut (), before: &[S::Item], next: &S::Item) -> bool {
        self.0.joins(before, next)
    }

    fn convert(&self, calls: &mut Calls, pieces: &[S::Item]) -> Vec<Message> {
        without_placeholders(read(&self.0, calls, pieces))
    }

    fn convert_back(&self, calls: &mut Calls, pieces: &[Message]) -> Vec<S::Item> {
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

/// The direction from one system to another, through messages.
#[derive(Debug, Clone, Copy)]
pub struct Through<A, B>(pub A, pub B);

impl<A: System, B: System> Direction for Through<A, B> {
    type From = A::Item;
    type To = B::Item;
    type State = ();

    fn continues(&self, _: &mut (), before: &[A::Item], next: &A::Item) -> bool {
        self.0.joins(before, next)
    }

    fn convert(&self, calls: &mut Calls, pieces: &[A::Item]) -> Vec<B::Item> {
        let messages = read(&self.0, calls, pieces);
        write(&self.1, calls, &messages)
    }

    fn output_continues(&self, before: &[B::Item], next: &B::Item) -> bool {
        self.1.joins(before, next)
    }

    fn convert_back(&self, calls: &mut Calls, pieces: &[B::Item]) -> Vec<A::Item> {
        let messages = read(&self.1, calls, pieces);
        write(&self.0, calls, &messages)
    }

    fn why(&self, _: &A::Item, path: &str, lost: &Lost) -> Why {
        self.0.why_of_theirs(path, lost)
    }
}
