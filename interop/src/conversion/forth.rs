//! The way there.

use super::loss;
use super::part::came;
use super::signed::signed;
use super::tree::Tree;
use super::{Delta, Direction, Fingerprint, Group, Loss, Lost, Why};
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
    texts: Vec<Json>,
    together: D::Together,
    /// The index of the first of them.
    index: usize,
}

/// What pieces became that were converted together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Converted<T> {
    /// What they became.
    pub made: Vec<T>,
    /// What is lost.
    pub losses: Vec<Loss>,
    /// With what they are the same again on the way back.
    pub group: Group,
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
            together: D::Together::default(),
            index: 0,
        }
    }

    /// Takes the next piece, and gives what those before it became, where they
    /// are not converted together with it.
    pub fn push(&mut self, piece: D::From) -> Option<Converted<D::To>> {
        self.push_written(json(&piece), piece)
    }

    /// Takes the next piece, with the JSON that it was read from. What the type of
    /// a piece cannot hold, such as an earlier value of a member that occurs twice,
    /// is then among the losses and in the residue.
    pub fn push_written(&mut self, text: Json, piece: D::From) -> Option<Converted<D::To>> {
        let goes_on = self
            .direction
            .goes_on(&mut self.together, &self.waiting, &piece);
        let converted = if goes_on { None } else { self.finish() };
        self.waiting.push(piece);
        self.texts.push(text);
        converted
    }

    /// Gives what the last pieces became, when there are any.
    pub fn finish(&mut self) -> Option<Converted<D::To>> {
        if self.waiting.is_empty() {
            return None;
        }
        let pieces = std::mem::take(&mut self.waiting);
        let made = self.direction.forth(&mut self.calls, &pieces);
        let back = self.direction.back(&mut self.calls_back, &made);
        let original = json(&std::mem::take(&mut self.texts));
        let back = json(&back);
        let (back, original) = (Tree::of(&back), Tree::of(&original));
        let delta = Delta::between_trees(&back, &original);
        let mut losses = Vec::new();
        if let Some(delta) = &delta {
            let why = |piece: usize, path: &str, lost: &_| match pieces.get(piece) {
                Some(piece) => self.direction.why(piece, path, lost),
                None => Why::NoPlace,
            };
            loss::of_delta(self.index, back.items(), delta, &why, &mut losses);
        }
        let beside = self.direction.beside(&pieces);
        for call in self.direction.unanswered(&pieces) {
            losses.push(Loss {
                index: self.index + call.piece,
                path: call.path,
                what: Lost::Placeholder(call.tool),
                why: Why::Unpaired,
            });
        }
        self.index += pieces.len();
        Some(Converted {
            group: Group {
                made: made
                    .iter()
                    .map(|piece| Fingerprint::of(&json(piece)))
                    .collect(),
                of: original.fingerprint(),
                back: came(back.items(), delta.as_ref(), &beside),
                signed: signed(&back),
                delta,
            },
            made,
            losses,
        })
    }
}

/// A value as JSON. All pieces can be written; one that could not would be
/// refused on the way back.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    Json::from_value(value).unwrap_or_default()
}
