//! Restores conversations.

use super::alignment::{Alignment, WINDOW};
use super::converter::json;
use super::part::{Part, parts};
use super::signed::Known;
use super::tree::Tape;
use super::{Direction, Fingerprint, Group};
use crate::Calls;
use agentwire_protocol::Json;
use std::collections::VecDeque;

/// Restores a conversation, as an iterator over its pieces. It reads the output and the residue in
/// step, and buffers about 64 pieces of each.
#[derive(Debug)]
pub struct Restorer<D: Direction, P, G> {
    direction: D,
    calls: Calls,
    more: P,
    more_groups: G,
    /// The next pieces.
    pieces: VecDeque<D::To>,
    /// The fingerprints of the next pieces, and the next groups of the residue.
    next: Alignment,
    /// The signatures of all groups so far.
    signatures: Known,
    /// Consecutive pieces without residue that are converted together.
    edited: Vec<D::To>,
    /// The results of converting the pieces in `edited`, until their groups are compared.
    now: Vec<D::From>,
    /// The groups of the pieces in `edited`.
    refused: Vec<Group>,
    ready: VecDeque<RestoreStep<Written<D::From>>>,
    index: usize,
}

/// A piece, with its original JSON if it is known.
#[derive(Debug)]
struct Written<T> {
    piece: T,
    text: Option<Json>,
}

/// A step of a restoration.
#[derive(Debug, Clone, PartialEq)]
pub enum RestoreStep<T> {
    /// The exact original of a piece.
    Restored(T),
    /// A piece that was converted without residue.
    Projected(T),
    /// A group of the residue was refused.
    Refused(Refused),
}

/// A refused group of a residue. Output of the group was edited or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The index of the group.
    pub group: usize,
}

impl<T> RestoreStep<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> RestoreStep<U> {
        match self {
            Self::Restored(piece) => RestoreStep::Restored(change(piece)),
            Self::Projected(piece) => RestoreStep::Projected(change(piece)),
            Self::Refused(refused) => RestoreStep::Refused(refused),
        }
    }

    /// Returns the piece.
    pub fn piece(self) -> Option<T> {
        match self {
            Self::Restored(piece) | Self::Projected(piece) => Some(piece),
            Self::Refused(_) => None,
        }
    }
}

impl<D, P, G> Restorer<D, P, G>
where
    D: Direction,
    P: Iterator<Item = D::To>,
    G: Iterator<Item = Group>,
{
    /// Restores the pieces of this output with this residue.
    pub fn new(
        direction: D,
        pieces: impl IntoIterator<IntoIter = P>,
        residue: impl IntoIterator<IntoIter = G>,
    ) -> Self {
        Self {
            direction,
            calls: Calls::default(),
            more: pieces.into_iter(),
            more_groups: residue.into_iter(),
            pieces: VecDeque::new(),
            next: Alignment::default(),
            signatures: Known::default(),
            edited: Vec::new(),
            now: Vec::new(),
            refused: Vec::new(),
            ready: VecDeque::new(),
            index: 0,
        }
    }

    fn fill(&mut self) {
        while self.next.groups.len() < WINDOW
            && let Some(group) = self.more_groups.next()
        {
            for signed in &group.signed {
                self.signatures.note(*signed);
            }
            self.next.groups.push_back(group);
        }
        // The whole output of the next group is needed.
        let next = self.next.groups.front().map_or(0, |group| group.made.len());
        while self.pieces.len() < WINDOW.max(next)
            && let Some(piece) = self.more.next()
        {
            self.next.pieces.push_back(Fingerprint::of(&json(&piece)));
            self.pieces.push_back(piece);
        }
    }

    fn step(&mut self) {
        self.fill();
        let (pieces, groups) = match self.next.groups.front() {
            Some(group) if self.next.fits(group, 0) => {
                self.restore();
                return;
            }
            _ if self.pieces.len() + self.next.groups.len() == 0 => {
                self.project();
                return;
            }
            _ => {
                let (pieces, groups) = self.next.next_fit(0, 0).unwrap_or((1, 1));
                self.next.with_moved(pieces, groups)
            }
        };
        for _ in 0..pieces {
            let Some(piece) = self.pieces.pop_front() else {
                break;
            };
            self.next.pieces.pop_front();
            if !self.direction.output_continues(&self.edited, &piece) {
                self.convert_edited();
            }
            self.edited.push(piece);
        }
        for _ in 0..groups {
            match self.next.groups.front() {
                // The group has no output.
                Some(group)
                    if group.made.is_empty() && self.edited.is_empty() && self.now.is_empty() =>
                {
                    self.restore();
                }
                Some(group) if group.made.is_empty() && original::<D>(group, &[]).is_some() => {
                    let group = self.next.groups.pop_front();
                    self.refused.extend(group);
                    self.index += 1;
                }
                Some(_) => {
                    let group = self.next.groups.pop_front();
                    self.refused.extend(group);
                    self.refuse();
                }
                None => {}
            }
        }
        // The limit bounds the buffer if the residue belongs to another conversation.
        if self.refused.len() > WINDOW || (self.refused.is_empty() && self.now.len() > WINDOW) {
            self.project();
        }
    }

    /// Restores the original of the first group.
    fn restore(&mut self) {
        let Some(group) = self.next.groups.pop_front() else {
            return;
        };
        self.project();
        let made: Vec<D::To> = self.pieces.drain(..group.made.len()).collect();
        self.next.pieces.drain(..group.made.len());
        let back = self.direction.convert_back(&mut self.calls, &made);
        match original::<D>(&group, &back) {
            Some(pieces) => {
                self.index += 1;
                self.ready
                    .extend(pieces.into_iter().map(RestoreStep::Restored));
            }
            None => {
                self.refuse();
                self.projected(back);
            }
        }
    }

    fn projected(&mut self, pieces: Vec<D::From>) {
        let signatures = &self.signatures;
        let pieces = pieces.into_iter();
        self.ready.extend(pieces.map(|piece| {
            // A signature is only valid for the original thinking.
            let text = signatures.without_stale_signatures(&json(&piece));
            let piece = text.as_ref().and_then(|it| it.read().ok()).unwrap_or(piece);
            RestoreStep::Projected(Written { piece, text })
        }));
    }

    fn advance(&mut self) -> Option<RestoreStep<Written<D::From>>> {
        while self.ready.is_empty() {
            self.fill();
            if self.pieces.is_empty()
                && self.next.groups.is_empty()
                && self.edited.is_empty()
                && self.now.is_empty()
                && self.refused.is_empty()
            {
                return None;
            }
            self.step();
        }
        self.ready.pop_front()
    }

    /// Returns the next step with JSON. A restored piece has its original JSON, including members
    /// that its type cannot hold.
    pub fn next_written(&mut self) -> Option<RestoreStep<Json>> {
        let step = self.advance()?;
        Some(step.map(|it| it.text.unwrap_or_else(|| json(&it.piece))))
    }

    /// Converts pieces without residue.
    fn convert_edited(&mut self) {
        let edited = std::mem::take(&mut self.edited);
        if !edited.is_empty() {
            let back = self.direction.convert_back(&mut self.calls, &edited);
            self.now.extend(back);
        }
    }

    /// Converts the buffered pieces, and restores those that were not edited.
    fn project(&mut self) {
        self.convert_edited();
        let now = std::mem::take(&mut self.now);
        let refused = std::mem::take(&mut self.refused);
        let is_all_new = |group: &Group| group.back.is_empty() && !group.made.is_empty();
        if refused.iter().all(is_all_new) {
            self.projected(now);
            return;
        }
        let texts: Vec<Json> = now.iter().map(json).collect();
        let mut now: Vec<Option<D::From>> = now.into_iter().map(Some).collect();
        for part in parts(&refused, &texts) {
            match part {
                Part::Projected(index) => {
                    let piece = now.get_mut(index).and_then(Option::take);
                    self.projected(piece.into_iter().collect());
                }
                Part::Restored(text) => {
                    if let Ok(piece) = text.read() {
                        let text = Some(text);
                        self.ready
                            .push_back(RestoreStep::Restored(Written { piece, text }));
                    }
                }
                Part::Edited(text) => {
                    let text = self
                        .signatures
                        .without_stale_signatures(&text)
                        .unwrap_or(text);
                    if let Ok(piece) = text.read() {
                        let text = Some(text);
                        self.ready
                            .push_back(RestoreStep::Projected(Written { piece, text }));
                    }
                }
            }
        }
    }

    fn refuse(&mut self) {
        self.ready
            .push_back(RestoreStep::Refused(Refused { group: self.index }));
        self.index += 1;
    }
}

/// Returns the original of a group, if its fingerprint matches.
fn original<D: Direction>(group: &Group, back: &[D::From]) -> Option<Vec<Written<D::From>>> {
    let texts = original_texts(group, json(back))?;
    let pieces = texts.into_iter().map(|text| {
        let piece = text.read().ok()?;
        let text = Some(text);
        Some(Written { piece, text })
    });
    pieces.collect()
}

fn original_texts(group: &Group, back: Json) -> Option<Vec<Json>> {
    let original = match &group.delta {
        None => back,
        Some(delta) => delta.apply(&back).ok()?,
    };
    let texts: Vec<Json> = original.read().ok()?;
    let tapes: Vec<Tape<'_>> = texts.iter().map(|it| Tape::of_item(it.get())).collect();
    let items = tapes.iter().map(|tape| Fingerprint::of_tree(tape.tree()));
    let is_same = Fingerprint::of_list(items) == group.of;
    drop(tapes);
    is_same.then_some(texts)
}

impl<D, P, G> Iterator for Restorer<D, P, G>
where
    D: Direction,
    P: Iterator<Item = D::To>,
    G: Iterator<Item = Group>,
{
    type Item = RestoreStep<D::From>;

    fn next(&mut self) -> Option<RestoreStep<D::From>> {
        Some(self.advance()?.map(|it| it.piece))
    }
}
