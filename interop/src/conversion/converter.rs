//! Converts conversations piece by piece.

use super::Media;
use super::difference::{self, Difference};
use super::original::Original;
use super::part::returned;
use super::signed::signed;
use super::tree::{Tape, Tree};
use super::walk;
use super::{Direction, Fingerprint, Group, Loss, Lost, Outline, Unanswered, Why};
use crate::Calls;
use agentwire_protocol::Json;
use serde::Serialize;

/// Converts a conversation piece by piece. Pieces that are converted together are buffered.
#[derive(Debug)]
pub struct Converter<D: Direction> {
    direction: D,
    /// The tool calls of the input.
    calls: Calls,
    /// The tool calls of the output.
    calls_back: Calls,
    /// Buffered pieces.
    waiting: Vec<D::From>,
    /// The JSON of the buffered pieces.
    texts: Vec<Outline>,
    /// The replaced data of the buffered pieces.
    media: Media,
    state: D::State,
    /// The index of the first buffered piece.
    index: usize,
    finds_losses: bool,
    makes_residue: bool,
}

/// The conversion of pieces that were converted together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Converted<T> {
    /// The output.
    pub made: Vec<T>,
    /// The losses.
    pub losses: Vec<Loss>,
    /// The group of the pieces in the residue. `None` without a residue.
    pub group: Option<Group>,
    /// The replaced data, if outlines [without media](Outline::without_media) were converted.
    /// Fingerprints are computed with the data.
    pub media: Media,
}

impl<D: Direction> Converter<D> {
    /// Creates a converter for a conversation.
    pub fn new(direction: D) -> Self {
        Self {
            direction,
            calls: Calls::default(),
            calls_back: Calls::default(),
            waiting: Vec::new(),
            texts: Vec::new(),
            media: Media::default(),
            state: D::State::default(),
            index: 0,
            finds_losses: true,
            makes_residue: true,
        }
    }

    /// Disables the search for losses, which takes about half of the time.
    #[must_use]
    pub fn without_losses(mut self) -> Self {
        self.finds_losses = false;
        self
    }

    /// Disables the creation of a residue.
    #[must_use]
    pub fn without_residue(mut self) -> Self {
        self.makes_residue = false;
        self
    }

    /// Adds a piece. Returns the conversion of earlier pieces when they are complete.
    pub fn push(&mut self, piece: D::From) -> Option<Converted<D::To>> {
        let text = self.compares().then(|| json(&piece).into());
        self.take(text, piece)
    }

    /// Adds a piece with its JSON. Members that the type of the piece cannot hold, such as
    /// duplicates, are losses and are part of the residue.
    pub fn push_written(
        &mut self,
        text: impl Into<Outline>,
        piece: D::From,
    ) -> Option<Converted<D::To>> {
        self.take(Some(text.into()), piece)
    }

    fn take(&mut self, text: Option<Outline>, piece: D::From) -> Option<Converted<D::To>> {
        let continues = self
            .direction
            .continues(&mut self.state, &self.waiting, &piece);
        let converted = if continues { None } else { self.finish() };
        self.waiting.push(piece);
        if let Some(mut text) = text {
            self.media.add(text.take_media());
            if self.compares() {
                self.texts.push(text);
            }
        }
        converted
    }

    /// Returns whether the output is converted back and compared.
    fn compares(&self) -> bool {
        self.finds_losses || self.makes_residue
    }

    /// Returns the conversion of the last pieces, if there are any.
    pub fn finish(&mut self) -> Option<Converted<D::To>> {
        if self.waiting.is_empty() {
            return None;
        }
        let mut pieces = std::mem::take(&mut self.waiting);
        let mut texts = std::mem::take(&mut self.texts);
        let media = std::mem::take(&mut self.media);
        let made = self.direction.convert(&mut self.calls, &pieces);
        let (losses, group) = match self.compares() {
            true => self.compared(&pieces, &texts, &made, &media),
            false => (Vec::new(), None),
        };
        self.index += pieces.len();
        // The allocations are reused.
        pieces.clear();
        texts.clear();
        (self.waiting, self.texts) = (pieces, texts);
        Some(Converted {
            made,
            losses,
            group,
            media,
        })
    }

    /// Converts the output back and compares it with the input.
    fn compared(
        &mut self,
        pieces: &[D::From],
        texts: &[Outline],
        made: &[D::To],
        media: &Media,
    ) -> (Vec<Loss>, Option<Group>) {
        let back = json(&self.direction.convert_back(&mut self.calls_back, made));
        let comparison = Comparison {
            index: self.index,
            back: &back,
            texts,
            media,
            why: &|piece, path, lost| match pieces.get(piece) {
                Some(piece) => self.direction.why(piece, path, lost),
                None => Why::NoPlace,
            },
        };
        comparison.result(
            (self.finds_losses).then(|| {
                let authors = self.direction.authors(pieces);
                (authors, self.direction.unanswered(pieces))
            }),
            (self.makes_residue).then(|| {
                let made = made.iter().map(json).collect();
                (made, self.direction.outside(pieces))
            }),
        )
    }
}

/// The pieces with an author that is neither the user nor the model, and this author.
type Authors = Vec<(usize, String)>;

/// The input of a conversion, and its output after it was converted back. This function is not
/// generic, because a program may convert in many directions.
struct Comparison<'a> {
    /// The index of the first piece.
    index: usize,
    back: &'a Json,
    texts: &'a [Outline],
    media: &'a Media,
    why: &'a dyn Fn(usize, &str, &Lost) -> Why,
}

impl Comparison<'_> {
    /// Returns the losses, if there are authors and calls without a result, and the group of
    /// the residue, if there is output.
    fn result(
        &self,
        losses: Option<(Authors, Vec<Unanswered>)>,
        made: Option<(Vec<Json>, Vec<bool>)>,
    ) -> (Vec<Loss>, Option<Group>) {
        let media = self.media;
        let back = Tape::of(self.back);
        let back: Vec<Tree<'_>> = back.tree().items();
        let original = Original::read(&back, self.texts, made.is_some());
        let trees = original.trees();
        let steps = difference::steps(&back, &trees, &original.is_alone);
        let mut found = Vec::new();
        if let Some((authors, unanswered)) = losses {
            if let Some(steps) = &steps {
                walk::of_steps(self.index, &back, &original, steps, self.why, &mut found);
            }
            for (piece, author) in authors {
                found.push(Loss {
                    index: self.index + piece,
                    path: "/message/role".to_owned(),
                    what: Lost::Author(author),
                    why: Why::NoRole,
                });
            }
            for call in unanswered {
                found.push(Loss {
                    index: self.index + call.piece,
                    path: call.path,
                    what: Lost::Placeholder(call.tool),
                    why: Why::Unpaired,
                });
            }
        }
        let fingerprint = |piece: Tree<'_>| match media.is_empty() {
            true => Fingerprint::of_tree(piece),
            false => Fingerprint::of(&media.restored(piece.text())),
        };
        let group = made.map(|(made, outside)| {
            let returned = returned(&back, steps.as_deref(), &outside, &fingerprint);
            Group {
                made: made
                    .iter()
                    .map(|piece| fingerprint(Tape::of(piece).tree()))
                    .collect(),
                of: Fingerprint::of_list(trees.iter().copied().map(fingerprint)),
                back: returned.back,
                with: returned.with,
                signed: back.iter().copied().flat_map(signed).collect(),
                delta: steps.map(|steps| Difference::Of(steps).into()),
            }
        });
        (found, group)
    }
}

/// Serializes a value. All pieces can be serialized. The conversion of a piece that cannot be would
/// be refused.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    Json::from_value(value).unwrap_or_default()
}
