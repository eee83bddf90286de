//! What was converted, as it is compared with what came back.

use super::Outline;
use super::difference::Kinds;
use super::tree::{TAGS, Tape, Tree, string};
use std::borrow::Cow;

/// Pieces that were converted.
pub(super) struct Original<'t> {
    tapes: Vec<Tape<'t>>,
    /// What they say that they are.
    tags: Vec<Option<Cow<'t, str>>>,
    /// Which of them are of a kind that did not come back.
    pub(super) is_alone: Vec<bool>,
}

impl<'t> Original<'t> {
    /// Reads pieces to compare them with those that came back. Pieces of other kinds
    /// are not read, nor are members that none of those has, unless `all` are.
    pub(super) fn beside(back: &[Tree<'_>], pieces: &'t [Outline], all: bool) -> Self {
        let kinds = Kinds::of(back);
        let names = back.iter().flat_map(|piece| piece.all_members());
        let mut names: Vec<&str> = names.map(|(name, _)| name.token).collect();
        names.sort_unstable();
        names.dedup();
        let mut original = Self {
            tapes: Vec::with_capacity(pieces.len()),
            tags: Vec::with_capacity(pieces.len()),
            is_alone: Vec::with_capacity(pieces.len()),
        };
        for piece in pieces {
            let text = piece.text();
            let tag = tag(piece);
            let is_alone = !kinds.have_tag(Tape::is_object(text), tag.as_deref());
            original.tapes.push(match (all, is_alone) {
                (true, _) => Tape::of_item(text),
                (false, true) => Tape::unread(text),
                (false, false) => Tape::of_members(piece, &names),
            });
            original.tags.push(tag);
            original.is_alone.push(is_alone);
        }
        original
    }

    /// The pieces. Of one that was not read, only its text is known.
    pub(super) fn trees(&'t self) -> Vec<Tree<'t>> {
        self.tapes.iter().map(Tape::tree).collect()
    }

    /// What a piece says that it is.
    pub(super) fn tag(&self, piece: usize) -> Option<&str> {
        self.tags.get(piece)?.as_deref()
    }
}

/// What a piece says that it is.
fn tag(piece: &Outline) -> Option<Cow<'_, str>> {
    // Nearly all say it by their type.
    let [kind] = piece.find(["type"]);
    let kind = kind.and_then(string);
    kind.or_else(|| piece.find(TAGS).into_iter().flatten().find_map(string))
}
