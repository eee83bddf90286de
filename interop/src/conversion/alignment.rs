//! Aligns output with the groups of its residue.

use super::{Fingerprint, Group};
use std::collections::{HashMap, VecDeque};

/// The number of pieces in which the next match with the residue is searched.
pub(super) const WINDOW: usize = 64;

/// The next pieces of the output, and the next groups of the residue.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    pub(super) pieces: VecDeque<Fingerprint>,
    pub(super) groups: VecDeque<Group>,
}

impl Alignment {
    /// Returns whether the output of a group follows after `skipped` pieces.
    pub(super) fn fits(&self, group: &Group, skipped: usize) -> bool {
        let mut pieces = self.pieces.iter().skip(skipped);
        group.made.iter().all(|made| pieces.next() == Some(made))
    }

    /// Finds the next match of pieces and groups. Returns the number of pieces and groups before
    /// it. Of all alignments, the one with the most matches is used.
    pub(super) fn next_fit(&self, mut piece: usize, mut group: usize) -> Option<(usize, usize)> {
        let [width, height] = [self.groups.len() + 1, self.pieces.len() + 1];
        // The number of matching pieces from each pair of positions.
        let mut best = vec![0; width * height];
        let at = |piece: usize, group: usize| piece * width + group;
        let fitting = |piece: usize, group: usize| {
            let made = self.groups.get(group)?.made.len();
            (made > 0 && self.fits(&self.groups[group], piece)).then_some(made)
        };
        for piece in (piece..height - 1).rev() {
            for group in (group..width - 1).rev() {
                let skip = best[at(piece + 1, group)].max(best[at(piece, group + 1)]);
                let fit = fitting(piece, group)
                    .map_or(0, |made| made + best[at(piece + made, group + 1)]);
                best[at(piece, group)] = skip.max(fit);
            }
        }
        while best[at(piece, group)] > 0 {
            let here = best[at(piece, group)];
            let fit = fitting(piece, group);
            if fit.is_some_and(|made| made + best[at(piece + made, group + 1)] == here) {
                return Some((piece, group));
            }
            // Usually a group was edited, and not moved.
            let made = self.groups.get(group).map_or(0, |group| group.made.len());
            let is_edited = made > 0 && piece + made < height && group + 1 < width;
            if is_edited && best[at(piece + made, group + 1)] == here {
                piece += made;
                group += 1;
            } else if best[at(piece + 1, group)] == here {
                piece += 1;
            } else {
                group += 1;
            }
        }
        None
    }

    /// Extends the numbers of pieces and groups up to the next match after moved ones.
    pub(super) fn with_moved(&self, mut pieces: usize, mut groups: usize) -> (usize, usize) {
        while let Some((piece, group)) = self.moved(pieces, groups) {
            let all = (self.pieces.len(), self.groups.len());
            let (more_pieces, more_groups) = self.next_fit(piece, group).unwrap_or(all);
            let mut more = self.groups.range(groups..more_groups);
            // Such groups cannot be restored in part.
            if more.any(|group| group.back.is_empty() && !group.made.is_empty()) {
                break;
            }
            (pieces, groups) = (more_pieces, more_groups);
        }
        (pieces, groups)
    }

    /// Returns the pieces and groups up to a piece that was moved into or out of these.
    fn moved(&self, pieces: usize, groups: usize) -> Option<(usize, usize)> {
        let made = |group: &Group| group.made.clone();
        // The surplus of later pieces over later groups, by fingerprint.
        let mut more: HashMap<Fingerprint, isize> = HashMap::new();
        for piece in self.pieces.iter().skip(pieces) {
            *more.entry(*piece).or_default() += 1;
        }
        // Groups whose pieces are not read yet do not count.
        let mut room = match self.pieces.len() < WINDOW {
            true => usize::MAX,
            false => self.pieces.len().saturating_sub(pieces),
        };
        let read = self.groups.iter().skip(groups).take_while(|group| {
            let remaining = room.checked_sub(group.made.len());
            room = remaining.unwrap_or_default();
            remaining.is_some()
        });
        for made in read.flat_map(made) {
            *more.entry(made).or_default() -= 1;
        }
        let more = |fingerprint: &Fingerprint| more.get(fingerprint).copied().unwrap_or_default();
        let from_behind = self.pieces.iter().take(pieces);
        let from_behind = from_behind.filter(|piece| more(piece) < 0);
        let groups_behind = from_behind.filter_map(|piece| {
            let mut rest = self.groups.iter().skip(groups);
            Some(groups + rest.position(|group| group.made.contains(piece))? + 1)
        });
        if let Some(group) = groups_behind.max() {
            return Some((pieces, group));
        }
        let to_behind = self.groups.iter().take(groups).flat_map(made);
        let pieces_behind = to_behind.filter(|made| more(made) > 0).filter_map(|made| {
            let mut rest = self.pieces.iter().skip(pieces);
            Some(pieces + rest.position(|piece| *piece == made)? + 1)
        });
        Some((pieces_behind.max()?, groups))
    }
}
