//! What a conversion loses.

use super::token;
use super::tree::{self, Kind, Tape, Tree};
use super::{Delta, Step};
use agentwire_protocol::Json;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::ops::Range;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Something that the other system did not get, or got in another form.
///
/// Losses are not foretold but found: what was made is converted back, and
/// whatever is then missing or different is lost. [`Residue`] has it.
///
/// [`Residue`]: super::Residue
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The index of the message, or of the item, in what was converted.
    pub index: usize,
    /// Where in it, as a JSON pointer (RFC 6901).
    pub path: String,
    /// What is lost.
    pub what: Lost,
    /// Why.
    pub why: Why,
}

/// What is lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Lost {
    /// A whole message or item of this kind.
    Whole(String),
    /// An item of a list, such as a content block, of this kind.
    Item(String),
    /// This member of an object.
    Member(String),
    /// The value is there, but is another one.
    Changed(String),
    /// The order of the items of this list. Without a name: this message or item
    /// comes after one that it came before.
    Order(String),
    /// An earlier value of this member, which occurs more than once.
    Duplicate(String),
    /// The result of this call of a tool, which is not in what was converted: what
    /// was made has a placeholder for it.
    Placeholder(String),
}

/// Why something is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The other system has no place for it.
    NoPlace,
    /// The other system has it in another form, which does not tell how it was.
    OtherForm,
    /// It is about how the message travelled, and not about what was said.
    Envelope,
    /// It may not be sent to the other system.
    NotToSend,
    /// Another message took its place.
    Superseded,
    /// The model was cut off in it.
    Aborted,
    /// It belongs to a sub-agent, which is a conversation of its own.
    Subagent,
    /// The conversation went on from an earlier place.
    DeadBranch,
    /// A call without an answer, or an answer without a call.
    Unpaired,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(kind) => write!(f, "all of a piece: {kind}"),
            Self::Item(kind) => write!(f, "{kind}"),
            Self::Member(name) => write!(f, "`{name}`"),
            Self::Changed(name) => write!(f, "`{name}` as it was"),
            Self::Order(name) if name.is_empty() => f.write_str("its place among the others"),
            Self::Order(name) => write!(f, "the order in `{name}`"),
            Self::Duplicate(name) => write!(f, "an earlier value of `{name}`"),
            Self::Placeholder(tool) => {
                write!(f, "the result of a call of {tool}, now a placeholder")
            }
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPlace => "there is no place for it",
            Self::OtherForm => "it has another form there",
            Self::Envelope => "it is about how the message travelled",
            Self::NotToSend => "it may not be sent",
            Self::Superseded => "another message took its place",
            Self::Aborted => "the model was cut off in it",
            Self::Subagent => "it belongs to a sub-agent",
            Self::DeadBranch => "the conversation went on from an earlier place",
            Self::Unpaired => "its partner is missing",
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            index,
            path,
            what,
            why,
        } = self;
        write!(f, "{index}{path}: {what}: {why}")
    }
}

/// The losses that a delta tells of, which makes the list of pieces that were
/// converted of the list of those that came back. `first` is the index of the
/// first piece.
pub(super) fn of_delta(
    first: usize,
    back: &[Tree<'_>],
    original: &[Tree<'_>],
    delta: &Delta,
    why: &dyn Fn(usize, &str, &Lost) -> Why,
    losses: &mut Vec<Loss>,
) {
    let mut walk = Walk {
        first,
        index: first,
        path: String::new(),
        why,
        losses,
        elsewhere: Elsewhere::default(),
    };
    let Delta::Of(steps) = delta else {
        walk.lost(Lost::Changed(String::new()));
        return;
    };
    walk.elsewhere = Elsewhere::of(back, steps);
    let mut next = 0;
    for step in steps {
        let (start, end) = match step {
            Step::Run(start, count) => (*start, start + count),
            Step::Item(index, _) => (*index, index + 1),
            Step::Is(_) => (next, next),
        };
        if start < next {
            walk.lost(Lost::Order(String::new()));
        }
        next = end;
        match step {
            Step::Run(_, count) => walk.index += count,
            Step::Item(index, delta) => {
                walk.delta(back.get(*index).copied(), delta, "");
                walk.index += 1;
            }
            Step::Is(_) => {
                let piece = original.get(walk.index - first).copied();
                walk.lost(Lost::Whole(piece.map(kind).unwrap_or_default()));
                walk.index += 1;
            }
        }
    }
}

/// What of a value is not in what came back of it.
#[cfg(feature = "async-openai")]
pub(crate) fn of_value(value: &Json, back: &Json) -> Vec<Loss> {
    let mut losses = Vec::new();
    let (back, value) = (Tape::of(back), Tape::of(value));
    let back = back.tree();
    if let Some(delta) = Delta::between_trees(back, value.tree()) {
        let mut walk = Walk {
            first: 0,
            index: 0,
            path: String::new(),
            why: &|_, _, _| Why::NoPlace,
            losses: &mut losses,
            elsewhere: Elsewhere::default(),
        };
        walk.delta(Some(back), &delta, "");
    }
    losses
}

struct Walk<'a, 't> {
    first: usize,
    index: usize,
    path: String,
    why: &'a dyn Fn(usize, &str, &Lost) -> Why,
    losses: &'a mut Vec<Loss>,
    elsewhere: Elsewhere<'t>,
}

/// Blocks that came back, but not in the message that they were in: of several
/// blocks on a line, each comes back on a line of its own.
#[derive(Default)]
struct Elsewhere<'t> {
    blocks: Vec<Option<Tree<'t>>>,
    /// Blocks by all that they are, and by their kinds and IDs.
    places: HashMap<u64, VecDeque<usize>>,
}

/// Whether the steps name all of a piece that came back, except for some pieces.
pub(super) fn are_all_named(back: &[Tree<'_>], steps: &[Step], except: &[bool]) -> bool {
    let named = named(back.len(), steps);
    let pieces = back.iter().zip(&named).zip(except);
    pieces
        .filter(|((_, named), except)| !named.all && !**except)
        .all(|((piece, named), _)| (0..content(*piece).len()).all(|index| named.has(index)))
}

/// The blocks of the pieces that came back which the steps do not name.
fn unnamed<'t>(back: &[Tree<'t>], steps: &[Step]) -> Vec<Tree<'t>> {
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

/// What the steps name of each piece.
fn named(pieces: usize, steps: &[Step]) -> Vec<Named> {
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
            Step::Item(index, delta) => {
                if let Some(named) = named.get_mut(*index) {
                    named.note(delta);
                }
            }
            Step::Is(_) => {}
        }
    }
    named
}

/// The pieces that came back of which the blocks are not named, and are in a piece that
/// is made of another one: each with that one. Nothing, if one is in no such piece, or
/// may be in several.
pub(super) fn parts(
    back: &[Tree<'_>],
    steps: &[Step],
    is_named: &[bool],
) -> Option<Vec<(usize, usize)>> {
    let mut homes: HashMap<u64, Option<usize>> = HashMap::new();
    for step in steps {
        let Step::Item(piece, delta) = step else {
            continue;
        };
        let message = member(delta, "message");
        let Some(Delta::Of(steps)) = message.and_then(|it| member(it, "content")) else {
            continue;
        };
        for step in steps {
            if let Step::Is(block) = step {
                let block = Tape::of(block);
                for key in keys(block.tree()) {
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

    /// Notes what a piece is made of.
    fn note(&mut self, delta: &Delta) {
        let message = member(delta, "message");
        let Some(Delta::Of(steps)) = message.and_then(|it| member(it, "content")) else {
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
        // An item of the other list is named once.
        let after = self.runs.partition_point(|run| run.start <= index);
        let run = after.checked_sub(1).and_then(|last| self.runs.get(last));
        run.is_some_and(|run| run.contains(&index))
    }
}

fn member<'d>(delta: &'d Delta, name: &str) -> Option<&'d Delta> {
    match delta {
        Delta::In { members, .. } => members.get(name),
        _ => None,
    }
}

impl<'t> Elsewhere<'t> {
    fn of(back: &[Tree<'t>], steps: &[Step]) -> Self {
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

    /// The block that this one became.
    fn take(&mut self, block: Tree<'_>) -> Option<Tree<'t>> {
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

/// The blocks of a piece.
fn content(piece: Tree<'_>) -> Vec<Tree<'_>> {
    let content = piece.member("message").and_then(|it| it.member("content"));
    content.map(Tree::items).unwrap_or_default()
}

/// By what a block is found: all of it, or its kind and its ID.
fn keys(block: Tree<'_>) -> impl Iterator<Item = u64> + use<> {
    let id = block
        .string_at("id")
        .or_else(|| block.string_at("tool_use_id"));
    let id = id.map(|id| {
        let kind = xxh3_64(kind(block).as_bytes());
        xxh3_64_with_seed(id.as_bytes(), kind)
    });
    [block.hash()].into_iter().chain(id)
}

impl Walk<'_, '_> {
    fn lost(&mut self, what: Lost) {
        self.losses.push(Loss {
            index: self.index,
            path: self.path.clone(),
            why: (self.why)(self.index - self.first, &self.path, &what),
            what,
        });
    }

    fn at(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        for character in key.chars() {
            match character {
                '~' => self.path.push_str("~0"),
                '/' => self.path.push_str("~1"),
                character => self.path.push(character),
            }
        }
        look(self);
        self.path.truncate(length);
    }

    fn delta(&mut self, back: Option<Tree<'_>>, delta: &Delta, name: &str) {
        match delta {
            Delta::Is(_) => self.lost(Lost::Changed(name.to_owned())),
            Delta::In { members, more, .. } => {
                self.more(back, more.as_deref().unwrap_or_default());
                let back = back.and_then(Tree::members).unwrap_or_default();
                let back = back.by_name();
                for (key, delta) in members {
                    self.at(key, |walk| match (delta, back.get(key)) {
                        // It says as much as if it were not there.
                        (Delta::Is(value), None) if value.is_null() => {}
                        (Delta::Is(_), None) => walk.lost(Lost::Member(key.clone())),
                        (delta, back) => walk.delta(back, delta, key),
                    });
                }
            }
            Delta::Of(steps) => self.steps(&back.map(Tree::items).unwrap_or_default(), steps, name),
        }
    }

    /// Members that a reader does not see.
    fn more(&mut self, back: Option<Tree<'_>>, more: &[(Json, Json)]) {
        let back = match more {
            [] => return,
            _ => back.and_then(Tree::members).unwrap_or_default().more,
        };
        for (token, value) in more {
            let value = Tape::of(value);
            let member = (tree::Name::of(token), value.tree());
            if back.iter().any(|it| tree::is_same_member(*it, member)) {
                continue;
            }
            // Half a surrogate pair is U+FFFD.
            let name: String = token.read().unwrap_or_default();
            self.at(&name, |walk| {
                walk.lost(match token::text(token.get()).is_some() {
                    true => Lost::Duplicate(name.clone()),
                    false => Lost::Member(name.clone()),
                });
            });
        }
    }

    fn steps(&mut self, back: &[Tree<'_>], steps: &[Step], name: &str) {
        let mut item = 0;
        let mut next = 0;
        let mut in_order = true;
        for step in steps {
            match step {
                Step::Run(first, count) => {
                    in_order &= *first >= next;
                    next = first + count;
                    item += count;
                }
                Step::Item(index, delta) => {
                    in_order &= *index >= next;
                    next = index + 1;
                    let back = back.get(*index).copied();
                    self.at(&item.to_string(), |walk| walk.delta(back, delta, name));
                    item += 1;
                }
                Step::Is(value) => {
                    let value = Tape::of(value);
                    let value = value.tree();
                    let is_block = self.path == "/message/content";
                    let elsewhere = is_block.then(|| self.elsewhere.take(value)).flatten();
                    self.at(&item.to_string(), |walk| match elsewhere {
                        None => walk.lost(Lost::Item(kind(value))),
                        Some(back) => {
                            if let Some(delta) = Delta::between_trees(back, value) {
                                walk.delta(Some(back), &delta, name);
                            }
                        }
                    });
                    item += 1;
                }
            }
        }
        if !in_order {
            self.lost(Lost::Order(name.to_owned()));
        }
    }
}

/// What a value is, in a word.
fn kind(value: Tree<'_>) -> String {
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
