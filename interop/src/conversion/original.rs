//! The input, which is compared with the restored output.

use super::Outline;
use super::difference::Kinds;
use super::tree::{TAGS, Tape, Tree, string};
use std::borrow::Cow;

/// The pieces of the input.
pub(super) struct Original<'t> {
    tapes: Vec<Tape<'t>>,
    /// The tags of the pieces.
    tags: Vec<Option<Cow<'t, str>>>,
    /// Whether no returned piece has the kind of the piece, for each piece.
    pub(super) is_alone: Vec<bool>,
}

impl<'t> Original<'t> {
    /// Reads pieces to compare them with returned ones. Unless `all` is set, pieces whose kind did
    /// not return are skipped, and so are members that no returned piece has.
    pub(super) fn read(back: &[Tree<'_>], pieces: &'t [Outline], all: bool) -> Self {
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

    /// Returns the pieces. A skipped piece has only its text.
    pub(super) fn trees(&'t self) -> Vec<Tree<'t>> {
        self.tapes.iter().map(Tape::tree).collect()
    }

    /// Returns the tag of a piece.
    pub(super) fn tag(&self, piece: usize) -> Option<&str> {
        self.tags.get(piece)?.as_deref()
    }
}

/// Returns the tag of a piece.
fn tag(piece: &Outline) -> Option<Cow<'_, str>> {
    // Nearly all pieces have a type.
    let [kind] = piece.find(["type"]);
    let kind = kind.and_then(string);
    kind.or_else(|| piece.find(TAGS).into_iter().flatten().find_map(string))
}
