//! Restores the unedited pieces of a group.

use super::difference;
use super::named::{are_all_named, parts as parts_of};
use super::tree::{Kind, Tree};
use super::{Delta, Fingerprint, Group, Step};
use agentwire_protocol::Json;
use memchr::memmem;
use std::collections::{HashMap, HashSet, VecDeque};

/// The fingerprint and the kind of a returned piece.
type Piece = (Fingerprint, String);

/// The members of a [`Group`] that restore a part of it.
#[derive(Debug, Default)]
pub(super) struct Returned {
    pub(super) back: Vec<Piece>,
    pub(super) with: Vec<(usize, usize)>,
}

/// The maximum number of pairs of pieces that are compared.
const MAX_PAIRS: usize = 1 << 22;

/// The maximum number of lost pieces that are searched in returned pieces.
const MAX_LOOKED_FOR: usize = 64;

/// Returns the kind of a piece.
fn kind(piece: &Json) -> String {
    let kind = piece.member("type").and_then(|kind| kind.read().ok());
    kind.unwrap_or_default()
}

/// Returns the members of a group that restore a part of it. Returns none if pieces cannot be
/// distinguished.
pub(super) fn returned(
    back: &[Tree<'_>],
    steps: Option<&[difference::Step<'_>]>,
    is_outside: &[bool],
    fingerprint: &dyn Fn(Tree<'_>) -> Fingerprint,
) -> Returned {
    use difference::Step;
    let Some(steps) = steps else {
        return Returned::default();
    };
    let mut is_named = vec![false; back.len()];
    let (mut piece, mut looked_for) = (0, 0);
    for step in steps {
        let named = match step {
            Step::Run(first, count) => *first..first.saturating_add(*count),
            Step::Item(index, _) => *index..index.saturating_add(1),
            Step::Is(value) => {
                if is_outside.get(piece) != Some(&true) {
                    looked_for += 1;
                    if looked_for > MAX_LOOKED_FOR || !is_apart(*value, back) {
                        return Returned::default();
                    }
                }
                piece += 1;
                continue;
            }
        };
        piece += named.len();
        for index in named {
            match is_named.get_mut(index) {
                Some(is_named @ false) => *is_named = true,
                _ => return Returned::default(),
            }
        }
    }
    let is_part: Vec<bool> = is_named.iter().map(|is_named| !is_named).collect();
    if !are_all_named(back, steps, &is_part) {
        return Returned::default();
    }
    let Some(with) = parts_of(back, steps, &is_named) else {
        return Returned::default();
    };
    let back = back.iter().map(|piece| {
        let kind = piece.string_at("type").unwrap_or_default();
        (fingerprint(*piece), kind.into_owned())
    });
    Returned {
        back: back.collect(),
        with,
    }
}

/// Returns whether no text of a piece returned in another piece, where the text could be edited.
fn is_apart(value: Tree<'_>, back: &[Tree<'_>]) -> bool {
    // Many pieces have the same tags.
    let tags = [r#""type""#, r#""role""#, r#""name""#, r#""model""#];
    match value.kind() {
        Kind::Object => value
            .all_members()
            .all(|(name, value)| tags.contains(&name.token) || is_apart(value, back)),
        Kind::List => value.items().into_iter().all(|item| is_apart(item, back)),
        Kind::Leaf => {
            let text = value.text();
            if text.starts_with(['{', '[']) {
                return false;
            }
            let Some(text) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
                return true;
            };
            let text = memmem::Finder::new(text);
            let is_in = |piece: &Tree<'_>| text.find(piece.text().as_bytes()).is_some();
            text.needle().is_empty() || !back.iter().any(is_in)
        }
    }
}

/// A piece of an edited conversation.
pub(super) enum Part {
    /// The original piece.
    Restored(Json),
    /// An edited piece with its original envelope.
    Edited(Json),
    /// The new piece with this index.
    Projected(usize),
}

/// Restores groups of which a part was edited. `now` are the pieces to which their output is
/// converted.
pub(super) fn parts(groups: &[Group], now: &[Json]) -> Vec<Part> {
    let before: Vec<&Piece> = groups.iter().flat_map(|group| &group.back).collect();
    let now_: Vec<Fingerprint> = now.iter().map(Fingerprint::of).collect();
    let pairs = pairs(&before, &now_);
    let moved = moved(&before, &now_, &pairs);
    let mut walk = Walk {
        now,
        next: 0,
        is_paired: vec![false; now.len()],
        envelopes: HashMap::new(),
        moved: HashMap::new(),
        parts: Vec::new(),
    };
    for pair in pairs.iter().flatten() {
        if let Some(is_paired) = walk.is_paired.get_mut(*pair) {
            *is_paired = true;
        }
    }
    let mut first = 0;
    for group in groups {
        let end = first + group.back.len();
        let moved = moved.get(first..end).unwrap_or_default();
        if let (Some(Delta::Of(steps)), true) = (&group.delta, group.with.is_empty()) {
            walk.note_moved(steps, moved);
        }
        first = end;
    }
    let mut first = 0;
    // A group without output cannot be edited.
    let is_one = groups.iter().filter(|group| !group.made.is_empty()).count() == 1;
    let groups = groups
        .iter()
        .filter(|group| !group.back.is_empty() || group.made.is_empty());
    for group in groups {
        let end = first + group.back.len();
        let mut pairs = pairs.get(first..end).unwrap_or_default().to_vec();
        walk.part(&group.with, &mut pairs);
        let mut edited = match is_one && walk.moved.is_empty() {
            true => edited(&group.back, &pairs, now),
            false => vec![None; pairs.len()],
        };
        if let Some(Delta::Of(steps)) = &group.delta {
            walk.keep_envelopes(&group.with, steps, &mut edited);
            walk.group(steps, &pairs, &edited);
        }
        first = end;
    }
    walk.up_to(now.len());
    walk.parts
}

struct Walk<'a> {
    now: &'a [Json],
    /// The index of the next new piece.
    next: usize,
    /// Whether a new piece is an original, or replaces one.
    is_paired: Vec<bool>,
    /// The envelopes of new pieces that are parts of an edited piece.
    envelopes: HashMap<usize, Delta>,
    /// The originals of moved pieces.
    moved: HashMap<usize, Json>,
    parts: Vec<Part>,
}

impl Walk<'_> {
    /// Takes the new pieces before this index.
    fn up_to(&mut self, end: usize) {
        while self.next < end {
            if let Some(piece) = self.moved.remove(&self.next) {
                self.parts.push(Part::Restored(piece));
            } else if self.is_paired.get(self.next) == Some(&false) {
                let envelope = self.envelopes.get(&self.next).zip(self.now.get(self.next));
                let edited = envelope.and_then(|(envelope, now)| envelope.apply(now).ok());
                self.parts.push(match edited {
                    Some(piece) => Part::Edited(piece),
                    None => Part::Projected(self.next),
                });
            }
            self.next += 1;
        }
    }

    /// Adds the originals of moved pieces of a group.
    fn note_moved(&mut self, steps: &[Step], moved: &[Option<usize>]) {
        let mut note = |index: usize, delta: Option<&Delta>| {
            let place = moved.get(index).copied().flatten();
            let Some((place, now)) = place.and_then(|it| Some((it, self.now.get(it)?))) else {
                return;
            };
            let piece = match delta {
                Some(delta) => delta.apply(now).ok(),
                None => Some(now.clone()),
            };
            self.moved.extend(piece.map(|piece| (place, piece)));
        };
        for step in steps {
            match step {
                Step::Is(_) => {}
                Step::Run(first, count) => {
                    (*first..first.saturating_add(*count)).for_each(|index| note(index, None));
                }
                Step::Item(index, delta) => note(*index, Some(delta)),
            }
        }
    }

    /// Separates pieces of one original if one of them was edited.
    fn part(&mut self, with: &[(usize, usize)], pairs: &mut [Option<usize>]) {
        let is_paired = |piece: &usize| matches!(pairs.get(*piece), Some(Some(_)));
        let parted: HashSet<usize> = with
            .iter()
            .filter(|(piece, of)| !is_paired(piece) || !is_paired(of))
            .map(|(_, of)| *of)
            .collect();
        let pieces = with.iter().filter(|(_, of)| parted.contains(of));
        let pieces = pieces.map(|(piece, _)| piece).chain(&parted);
        for piece in pieces {
            let place = pairs.get_mut(*piece).and_then(Option::take);
            if let Some(is_paired) = place.and_then(|place| self.is_paired.get_mut(place)) {
                *is_paired = false;
            }
        }
    }

    /// Adds the envelopes of pieces that are parts of an edited piece. Only one part has the ID of
    /// the line.
    fn keep_envelopes(
        &mut self,
        with: &[(usize, usize)],
        steps: &[Step],
        edited: &mut [Option<usize>],
    ) {
        for (piece, of) in with {
            let place = edited.get_mut(*piece).and_then(Option::take);
            let envelope = steps.iter().find_map(|step| match step {
                Step::Item(index, delta) if index == of => envelope(delta),
                _ => None,
            });
            if let (
                Some(place),
                Some(Delta::In {
                    mut members,
                    without,
                    more,
                }),
            ) = (place, envelope)
            {
                members.remove("uuid");
                let envelope = Delta::In {
                    members,
                    without,
                    more,
                };
                self.envelopes.insert(place, envelope);
            }
        }
    }

    fn group(&mut self, steps: &[Step], pairs: &[Option<usize>], edited: &[Option<usize>]) {
        for pair in edited.iter().flatten() {
            if let Some(is_paired) = self.is_paired.get_mut(*pair) {
                *is_paired = true;
            }
        }
        for step in steps {
            match step {
                Step::Is(value) => self.parts.push(Part::Restored(value.clone())),
                Step::Run(first, count) => {
                    for index in *first..first.saturating_add(*count) {
                        self.piece(index, None, pairs, edited);
                    }
                }
                Step::Item(index, delta) => self.piece(*index, Some(delta), pairs, edited),
            }
        }
    }

    fn piece(
        &mut self,
        index: usize,
        delta: Option<&Delta>,
        pairs: &[Option<usize>],
        edited: &[Option<usize>],
    ) {
        let at = |pairs: &[Option<usize>]| pairs.get(index).copied().flatten();
        let (place, envelope) = match (at(pairs), at(edited)) {
            (Some(place), _) => (place, None),
            (None, Some(place)) => (place, Some(delta.and_then(envelope))),
            // The piece was removed.
            (None, None) => return,
        };
        self.up_to(place);
        let Some(now) = self.now.get(place) else {
            return;
        };
        let part = match (envelope, delta) {
            (None, None) => Part::Restored(now.clone()),
            (None, Some(delta)) => match delta.apply(now) {
                Ok(piece) => Part::Restored(piece),
                Err(_) => Part::Projected(place),
            },
            (Some(None), _) => Part::Projected(place),
            (Some(Some(envelope)), _) => match envelope.apply(now) {
                Ok(piece) => Part::Edited(piece),
                Err(_) => Part::Projected(place),
            },
        };
        self.parts.push(part);
        // Other parts of the piece follow it.
        let mut end = place + 1;
        while self.envelopes.contains_key(&end) {
            end += 1;
        }
        self.up_to(end);
    }
}

/// Matches unedited pieces. Returns the new index of each old piece.
fn pairs(before: &[&Piece], now: &[Fingerprint]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; before.len()];
    if before.len().saturating_mul(now.len()) > MAX_PAIRS {
        return pairs;
    }
    // The match is the longest common subsequence.
    let width = now.len() + 1;
    let mut best = vec![0_u32; (before.len() + 1) * width];
    let get = |best: &[u32], one: usize, other: usize| {
        best.get(one * width + other).copied().unwrap_or_default()
    };
    for (one, (fingerprint, _)) in before.iter().enumerate().rev() {
        for (other, now) in now.iter().enumerate().rev() {
            let length = match fingerprint == now {
                true => get(&best, one + 1, other + 1) + 1,
                false => get(&best, one + 1, other).max(get(&best, one, other + 1)),
            };
            if let Some(place) = best.get_mut(one * width + other) {
                *place = length;
            }
        }
    }
    let (mut one, mut other) = (0, 0);
    while let (Some((fingerprint, _)), Some(now)) = (before.get(one), now.get(other)) {
        if fingerprint == now {
            if let Some(pair) = pairs.get_mut(one) {
                *pair = Some(other);
            }
            one += 1;
            other += 1;
        } else if get(&best, one + 1, other) >= get(&best, one, other + 1) {
            one += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

/// Matches moved pieces that occur once. Returns the new index of each old piece.
fn moved(before: &[&Piece], now: &[Fingerprint], pairs: &[Option<usize>]) -> Vec<Option<usize>> {
    let paired: HashSet<usize> = pairs.iter().flatten().copied().collect();
    let mut places: HashMap<Fingerprint, Option<usize>> = HashMap::new();
    for (place, fingerprint) in now.iter().enumerate() {
        if !paired.contains(&place) {
            let place = Some(place).filter(|_| !places.contains_key(fingerprint));
            places.insert(*fingerprint, place);
        }
    }
    let unmatched = || before.iter().zip(pairs).filter(|(_, pair)| pair.is_none());
    let mut count: HashMap<Fingerprint, usize> = HashMap::new();
    for ((fingerprint, _), _) in unmatched() {
        *count.entry(*fingerprint).or_default() += 1;
    }
    let moved = before.iter().zip(pairs).map(|((fingerprint, _), pair)| {
        let is_one = pair.is_none() && count.get(fingerprint) == Some(&1);
        places
            .get(fingerprint)
            .copied()
            .flatten()
            .filter(|_| is_one)
    });
    moved.collect()
}

/// Matches edited pieces between two unedited pieces, if the number and the kinds of old and new
/// pieces are the same.
fn edited(before: &[Piece], pairs: &[Option<usize>], now: &[Json]) -> Vec<Option<usize>> {
    let mut edited = vec![None; pairs.len()];
    let mut waiting: VecDeque<usize> = VecDeque::new();
    let mut next = 0;
    let ends = pairs.iter().copied().enumerate();
    for (index, pair) in ends
        .map(|(at, pair)| (at, Some(pair)))
        .chain([(pairs.len(), None)])
    {
        let end = match pair {
            Some(None) => {
                waiting.push_back(index);
                continue;
            }
            Some(Some(end)) => end,
            None => now.len(),
        };
        let between = next..end;
        let is_alike = between.len() == waiting.len()
            && waiting.iter().zip(between.clone()).all(|(before_, now_)| {
                let before = before.get(*before_).map(|(_, kind)| &**kind);
                let now = now.get(now_).filter(|it| it.member("message").is_some());
                before.is_some() && before == now.map(kind).as_deref()
            });
        for (before, now) in waiting.drain(..).zip(between) {
            if let (true, Some(edited)) = (is_alike, edited.get_mut(before)) {
                *edited = Some(now);
            }
        }
        next = end + 1;
    }
    edited
}

/// The members of a line that belong to its content.
const CONTENT_MEMBERS: [&str; 3] = ["tool_use_result", "toolUseResult", "text"];

/// Returns the part of a delta that concerns the envelope.
fn envelope(delta: &Delta) -> Option<Delta> {
    let Delta::In {
        members,
        without,
        more,
    } = delta
    else {
        return None;
    };
    let mut members = members.clone();
    // The data of a tool belongs to the unedited result.
    for name in CONTENT_MEMBERS {
        members.remove(name);
    }
    match members.remove("message") {
        Some(Delta::In {
            members: mut inner,
            without,
            more,
        }) => {
            inner.remove("content");
            let more = earlier(more.as_deref(), &["content"]);
            members.insert(
                "message".to_owned(),
                Delta::In {
                    members: inner,
                    without,
                    more,
                },
            );
        }
        Some(Delta::Is(_) | Delta::Of(_)) | None => {}
    }
    Some(Delta::In {
        members,
        without: without.clone(),
        more: earlier(
            more.as_deref(),
            &[&CONTENT_MEMBERS[..], &["message"]].concat(),
        ),
    })
}

/// Returns the earlier values of duplicate members, except for members with these names.
fn earlier(more: Option<&[(Json, Json)]>, except: &[&str]) -> Option<Vec<(Json, Json)>> {
    let is_except = |name: &Json| name.read::<String>().is_ok_and(|it| except.contains(&&*it));
    let more = more?.iter().filter(|(name, _)| !is_except(name));
    let more: Vec<_> = more.cloned().collect();
    (!more.is_empty()).then_some(more)
}
