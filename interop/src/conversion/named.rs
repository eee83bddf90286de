//! Finds the blocks of returned pieces in the input.

use super::difference::{Difference, Step};
use super::tree::{Kind, Tree};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Blocks that returned in another message, because several blocks of one line return on separate
/// lines.
#[derive(Default)]
pub(super) struct ReturnedElsewhere<'t> {
    blocks: Vec<Option<Tree<'t>>>,
    /// The blocks by their hash, and by their kind and ID.
    places: HashMap<u64, VecDeque<usize>>,
}

/// Returns whether the steps name all blocks of the returned pieces, except for the blocks in
/// `except`.
pub(super) fn are_all_named(back: &[Tree<'_>], steps: &[Step<'_>], except: &[bool]) -> bool {
    let named = named(back.len(), steps);
    let pieces = back.iter().zip(&named).zip(except);
    pieces
        .filter(|((_, named), except)| !named.all && !**except)
        .all(|((piece, named), _)| (0..content(*piece).len()).all(|index| named.has(index)))
}

/// Returns the blocks of the pieces in `back` that no step names.
fn unnamed<'t>(back: &[Tree<'t>], steps: &[Step<'_>]) -> Vec<Tree<'t>> {
    let named = named(back.len(), steps);
    let pieces = back.iter().zip(&named).filter(|(_, named)| !named.all);
    pieces
        .flat_map(|(piece, named)| {
            let blocks = content(*piece).into_iter().enumerate();
            blocks
                .filter(|(index, _)| !named.has(*index))
                .map(|(_, block)| block)
        })
        .collect()
}

/// Returns, for each piece, the blocks that steps name.
fn named(pieces: usize, steps: &[Step<'_>]) -> Vec<Named> {
    let mut named: Vec<Named> = vec![Named::default(); pieces];
    for step in steps {
        match step {
            Step::Run(first, count) => {
                let end = first.saturating_add(*count).min(named.len());
                named
                    .get_mut(*first..end)
                    .into_iter()
                    .flatten()
                    .for_each(Named::note_all);
            }
            Step::Item(index, difference) => {
                if let Some(named) = named.get_mut(*index) {
                    named.note(difference);
                }
            }
            Step::Is(_) => {}
        }
    }
    named
}

/// Returns the pieces whose blocks are part of a piece that is constructed from another one, each
/// with that other piece. Returns `None` if such a piece cannot be found, or is ambiguous.
pub(super) fn parts(
    back: &[Tree<'_>],
    steps: &[Step<'_>],
    is_named: &[bool],
) -> Option<Vec<(usize, usize)>> {
    let mut homes: HashMap<u64, Option<usize>> = HashMap::new();
    for step in steps {
        let Step::Item(piece, difference) = step else {
            continue;
        };
        let message = difference.member("message");
        let Some(Difference::Of(steps)) = message.and_then(|it| it.member("content")) else {
            continue;
        };
        for step in steps {
            if let Step::Is(block) = step {
                for key in keys(*block) {
                    let home = homes.entry(key).or_insert(Some(*piece));
                    home.take_if(|home| home != piece);
                }
            }
        }
    }
    let unnamed = back.iter().enumerate().zip(is_named);
    let unnamed = unnamed.filter(|(_, is_named)| !**is_named);
    unnamed
        .map(|((index, piece), _)| {
            let blocks = content(*piece).into_iter();
            let mut homes =
                blocks.map(|block| keys(block).find_map(|key| homes.get(&key).copied()));
            let home = homes.next()???;
            homes
                .all(|it| it == Some(Some(home)))
                .then_some((index, home))
        })
        .collect()
}

/// The blocks of a piece that steps name.
#[derive(Debug, Clone, Default)]
struct Named {
    all: bool,
    runs: Vec<Range<usize>>,
}

impl Named {
    fn note_all(&mut self) {
        self.all = true;
    }

    /// Adds the blocks that a piece is constructed from.
    fn note(&mut self, difference: &Difference<'_>) {
        let message = difference.member("message");
        let Some(Difference::Of(steps)) = message.and_then(|it| it.member("content")) else {
            self.note_all();
            return;
        };
        self.runs.extend(steps.iter().filter_map(|step| match step {
            Step::Run(first, count) => Some(*first..first.saturating_add(*count)),
            Step::Item(index, _) => Some(*index..index.saturating_add(1)),
            Step::Is(_) => None,
        }));
        self.runs.sort_by_key(|run| run.start);
    }

    fn has(&self, index: usize) -> bool {
        // Each item of the other list is named once.
        let after = self.runs.partition_point(|run| run.start <= index);
        let run = after.checked_sub(1).and_then(|last| self.runs.get(last));
        run.is_some_and(|run| run.contains(&index))
    }
}

impl<'t> ReturnedElsewhere<'t> {
    pub(super) fn of(back: &[Tree<'t>], steps: &[Step<'_>]) -> Self {
        let mut elsewhere = Self::default();
        for block in unnamed(back, steps) {
            for key in keys(block) {
                let places = elsewhere.places.entry(key).or_default();
                places.push_back(elsewhere.blocks.len());
            }
            elsewhere.blocks.push(Some(block));
        }
        elsewhere
    }

    /// Takes the original of this block.
    pub(super) fn take(&mut self, block: Tree<'_>) -> Option<Tree<'t>> {
        if self.blocks.is_empty() {
            return None;
        }
        keys(block).find_map(|key| {
            let places = self.places.get_mut(&key)?;
            while let Some(place) = places.pop_front() {
                if let Some(block) = self.blocks.get_mut(place).and_then(Option::take) {
                    return Some(block);
                }
            }
            None
        })
    }
}

/// Returns the blocks of a piece.
fn content(piece: Tree<'_>) -> Vec<Tree<'_>> {
    let content = piece.member("message").and_then(|it| it.member("content"));
    content.map(Tree::items).unwrap_or_default()
}

/// Returns the keys of a block: its hash, and its kind with its ID.
fn keys(block: Tree<'_>) -> impl Iterator<Item = u64> + use<> {
    let ids = block.find(["id", "tool_use_id"]);
    let id = ids.into_iter().flatten().find_map(Tree::string);
    let id = id.map(|id| {
        let kind = xxh3_64(kind(block).as_bytes());
        xxh3_64_with_seed(id.as_bytes(), kind)
    });
    [block.hash()].into_iter().chain(id)
}

/// Names the kind of a value.
pub(super) fn kind(value: Tree<'_>) -> String {
    let kind = match (value.kind(), value.text().as_bytes().first()) {
        (Kind::Object, _) => match value.tag() {
            Some(tag) => return tag.into_owned(),
            None => "object",
        },
        (_, Some(b'{')) => "object",
        (_, Some(b'[')) => "list",
        (_, Some(b'"')) => "text",
        (_, Some(b't' | b'f')) => "truth value",
        (_, Some(b'n')) => "null",
        _ => "number",
    };
    kind.to_owned()
}
