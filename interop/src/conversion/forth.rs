//! The way there.

use super::Aside;
use super::difference::{self, Difference};
use super::original::Original;
use super::part::{Came, came};
use super::signed::signed;
use super::tree::{Tape, Tree};
use super::walk;
use super::{Direction, Fingerprint, Group, Loss, Lost, Outline, Why};
use crate::Calls;
use agentwire_protocol::Json;
use serde::Serialize;

/// Carries a conversation over, piece by piece, and holds no more of it than
/// what is converted together.
#[derive(Debug)]
pub struct Converter<D: Direction> {
    direction: D,
    /// The calls in what was converted.
    calls: Calls,
    /// The calls in what it became.
    calls_back: Calls,
    /// What waits for pieces that are converted together with it.
    waiting: Vec<D::From>,
    /// How they are written.
    texts: Vec<Outline>,
    /// What they have stand-ins for.
    aside: Aside,
    together: D::Together,
    /// The index of the first of them.
    index: usize,
    finds_losses: bool,
    makes_residue: bool,
}

/// What pieces became that were converted together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Converted<T> {
    /// What they became.
    pub made: Vec<T>,
    /// What is lost.
    pub losses: Vec<Loss>,
    /// With what they are the same again on the way back. Nothing, if no residue is
    /// made.
    pub group: Option<Group>,
    /// What these have stand-ins for, if outlines [without media](Outline::without_media)
    /// were converted. Fingerprints are those with the media.
    pub aside: Aside,
}

impl<D: Direction> Converter<D> {
    /// A conversation from its beginning.
    pub fn new(direction: D) -> Self {
        Self {
            direction,
            calls: Calls::default(),
            calls_back: Calls::default(),
            waiting: Vec::new(),
            texts: Vec::new(),
            aside: Aside::default(),
            together: D::Together::default(),
            index: 0,
            finds_losses: true,
            makes_residue: true,
        }
    }

    /// Looks for no losses, where nobody wants to know them: that takes about half of
    /// the time.
    #[must_use]
    pub fn without_losses(mut self) -> Self {
        self.finds_losses = false;
        self
    }

    /// Makes no residue.
    #[must_use]
    pub fn without_residue(mut self) -> Self {
        self.makes_residue = false;
        self
    }

    /// Takes the next piece, and gives what those before it became, where they
    /// are not converted together with it.
    pub fn push(&mut self, piece: D::From) -> Option<Converted<D::To>> {
        let text = self.compares().then(|| json(&piece).into());
        self.take(text, piece)
    }

    /// Takes the next piece, with the JSON that it was read from. What the type of
    /// a piece cannot hold, such as an earlier value of a member that occurs twice,
    /// is then among the losses and in the residue.
    pub fn push_written(
        &mut self,
        text: impl Into<Outline>,
        piece: D::From,
    ) -> Option<Converted<D::To>> {
        self.take(Some(text.into()), piece)
    }

    fn take(&mut self, text: Option<Outline>, piece: D::From) -> Option<Converted<D::To>> {
        let goes_on = self
            .direction
            .goes_on(&mut self.together, &self.waiting, &piece);
        let converted = if goes_on { None } else { self.finish() };
        self.waiting.push(piece);
        if let Some(mut text) = text {
            self.aside.add(text.take_aside());
            if self.compares() {
                self.texts.push(text);
            }
        }
        converted
    }

    /// Whether what comes back is compared with what there was.
    fn compares(&self) -> bool {
        self.finds_losses || self.makes_residue
    }

    /// Gives what the last pieces became, when there are any.
    pub fn finish(&mut self) -> Option<Converted<D::To>> {
        if self.waiting.is_empty() {
            return None;
        }
        let mut pieces = std::mem::take(&mut self.waiting);
        let mut texts = std::mem::take(&mut self.texts);
        let aside = std::mem::take(&mut self.aside);
        let made = self.direction.forth(&mut self.calls, &pieces);
        let (losses, group) = match self.compares() {
            true => self.compared(&pieces, &texts, &made, &aside),
            false => (Vec::new(), None),
        };
        self.index += pieces.len();
        // What was allocated is used again.
        pieces.clear();
        texts.clear();
        (self.waiting, self.texts) = (pieces, texts);
        Some(Converted {
            made,
            losses,
            group,
            aside,
        })
    }

    /// What comes back of what was made, beside what there was.
    fn compared(
        &mut self,
        pieces: &[D::From],
        texts: &[Outline],
        made: &[D::To],
        aside: &Aside,
    ) -> (Vec<Loss>, Option<Group>) {
        let back = self.direction.back(&mut self.calls_back, made);
        let back = json(&back);
        let back = Tape::of(&back);
        let back: Vec<Tree<'_>> = back.tree().items();
        let original = Original::beside(&back, texts, self.makes_residue);
        let trees = original.trees();
        let steps = difference::steps(&back, &trees, &original.is_alone);
        let mut losses = Vec::new();
        if self.finds_losses {
            if let Some(steps) = &steps {
                let why = |piece: usize, path: &str, lost: &_| match pieces.get(piece) {
                    Some(piece) => self.direction.why(piece, path, lost),
                    None => Why::NoPlace,
                };
                walk::of_steps(self.index, &back, &original, steps, &why, &mut losses);
            }
            for (piece, author) in self.direction.authors(pieces) {
                losses.push(Loss {
                    index: self.index + piece,
                    path: "/message/role".to_owned(),
                    what: Lost::Author(author),
                    why: Why::NoRole,
                });
            }
            for call in self.direction.unanswered(pieces) {
                losses.push(Loss {
                    index: self.index + call.piece,
                    path: call.path,
                    what: Lost::Placeholder(call.tool),
                    why: Why::Unpaired,
                });
            }
        }
        let fingerprint = |piece: Tree<'_>| match aside.is_empty() {
            true => Fingerprint::of_tree(piece),
            false => Fingerprint::of(&aside.whole(piece.text())),
        };
        let beside = self.direction.beside(pieces);
        let came = || came(&back, steps.as_deref(), &beside, &fingerprint);
        let came = self.makes_residue.then(came);
        let group = came.map(|Came { back: came, with }| Group {
            made: made
                .iter()
                .map(|piece| fingerprint(Tape::of(&json(piece)).tree()))
                .collect(),
            of: Fingerprint::of_list(trees.iter().copied().map(fingerprint)),
            back: came,
            with,
            signed: back.iter().copied().flat_map(signed).collect(),
            delta: steps.map(|steps| Difference::Of(steps).into()),
        });
        (losses, group)
    }
}

/// A value as JSON. All pieces can be written; one that could not would be
/// refused on the way back.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    Json::from_value(value).unwrap_or_default()
}
