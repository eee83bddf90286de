//! JSON as a tree that borrows from its text: read once, and hashed on the way.
//!
//! Members that occur twice, half surrogate pairs and the digits of numbers all
//! count. Fingerprints, deltas and losses see a value this way.

use super::exact;
use super::fingerprint::{self, Fingerprint};
use agentwire_protocol::Json;
use agentwire_protocol::text::{Cursor, Invalid};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// How deep is looked into a value. What is deeper is told apart by its text.
pub(super) const MAX_DEPTH: usize = 64;

/// A JSON value.
#[derive(Debug)]
pub(super) struct Tree<'t> {
    text: &'t str,
    hash: u64,
    parts: Parts<'t>,
}

/// What a value is made of.
#[derive(Debug)]
pub(super) enum Parts<'t> {
    /// The members of an object, as they are written.
    Object(Vec<(Name<'t>, Tree<'t>)>),
    /// The items of a list.
    List(Vec<Tree<'t>>),
    /// Anything else, and what is too deep.
    Leaf,
}

/// The name of a member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'t> {
    /// As it is written, with its quotes.
    pub(super) token: &'t str,
    hash: u64,
}

impl<'t> Name<'t> {
    /// A name by its token.
    pub(super) fn of(token: &'t Json) -> Self {
        let token = token.get();
        let hash = fingerprint::of_leaf(token, false);
        Self { token, hash }
    }

    /// The name as text. Nothing, when it has half a surrogate pair.
    pub(super) fn text(self) -> Option<Cow<'t, str>> {
        exact::text(self.token)
    }

    fn is(self, name: &str) -> bool {
        self.text().is_some_and(|it| it == name)
    }

    fn is_same(self, other: Name<'_>) -> bool {
        self.token == other.token
            || self.hash == other.hash && exact::bytes(self.token) == exact::bytes(other.token)
    }
}

/// A member of an object.
pub(super) type Member<'a, 't> = (Name<'t>, &'a Tree<'t>);

/// The members of an object.
#[derive(Debug, Default)]
pub(super) struct Members<'a, 't> {
    /// Those that a reader sees: the last one of each name.
    pub(super) seen: Vec<(Cow<'t, str>, &'a Tree<'t>)>,
    /// The others: those that occur again later, and those whose name has half a
    /// surrogate pair.
    pub(super) more: Vec<Member<'a, 't>>,
}

impl<'t> Tree<'t> {
    /// A value as a tree.
    pub(super) fn of(json: &'t Json) -> Self {
        let text = json.get();
        let mut cursor = Cursor::new(text.as_bytes());
        value(&mut cursor, text, 0).unwrap_or_else(|_| Self::leaf(text, 0))
    }

    fn leaf(text: &'t str, depth: usize) -> Self {
        Self {
            text,
            hash: fingerprint::of_leaf(text, depth == MAX_DEPTH),
            parts: Parts::Leaf,
        }
    }

    /// The value as it is written.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The value.
    pub(super) fn json(&self) -> Json {
        Json::of_text(self.text)
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::from(self.hash)
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    pub(super) fn parts(&self) -> &Parts<'t> {
        &self.parts
    }

    /// The items, if this is a list.
    pub(super) fn items(&self) -> &[Self] {
        match &self.parts {
            Parts::List(items) => items,
            _ => &[],
        }
    }

    /// The last member of this name.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        let Parts::Object(members) = &self.parts else {
            return None;
        };
        let mut members = members.iter().rev();
        members.find_map(|(key, value)| key.is(name).then_some(value))
    }

    /// The text of a string, with U+FFFD for half surrogate pairs.
    fn string(&self) -> Option<Cow<'t, str>> {
        let text = exact::text(self.text);
        text.or_else(|| self.json().read().ok().map(Cow::Owned))
    }

    /// The text of the last member of this name.
    pub(super) fn string_at(&self, name: &str) -> Option<Cow<'t, str>> {
        let value = self.member(name)?;
        value
            .text
            .starts_with('"')
            .then(|| value.string())
            .flatten()
    }

    /// What an object says that it is.
    pub(super) fn tag(&self) -> Option<Cow<'t, str>> {
        let names = ["type", "block_type", "role"];
        names.iter().find_map(|name| self.string_at(name))
    }

    /// The members, if this is an object.
    pub(super) fn members(&self) -> Option<Members<'_, 't>> {
        let Parts::Object(members) = &self.parts else {
            return None;
        };
        let mut split = Members::default();
        let mut seen = Seen::new(members.len());
        for (name, value) in members.iter().rev() {
            match name.text() {
                Some(text) if seen.is_first(&split.seen, &text) => split.seen.push((text, value)),
                _ => split.more.push((*name, value)),
            }
        }
        split.seen.reverse();
        split.more.reverse();
        Some(split)
    }

    /// Whether two values are the same: the order of members, the spelling of strings
    /// and the space between things do not matter.
    pub(super) fn is_same(&self, other: &Tree<'_>) -> bool {
        if self.text == other.text {
            return true;
        }
        if self.hash != other.hash {
            return false;
        }
        match (&self.parts, &other.parts) {
            (Parts::Object(one), Parts::Object(other)) => {
                // Of members with the same name, the order matters.
                let one = by_hash(one);
                let other = by_hash(other);
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(&other)
                        .all(|(one, other)| one.0.is_same(other.0) && one.1.is_same(&other.1))
            }
            (Parts::List(one), Parts::List(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| one.is_same(other))
            }
            _ => {
                let one = exact::bytes(self.text);
                one.is_some() && one == exact::bytes(other.text)
            }
        }
    }
}

impl<'t> Members<'_, 't> {
    /// The members that a reader sees, by their names.
    pub(super) fn by_name(&self) -> ByName<'_, 't> {
        ByName {
            seen: &self.seen,
            sorted: (self.seen.len() > FEW).then(|| {
                self.seen
                    .iter()
                    .map(|(name, value)| (&**name, *value))
                    .collect()
            }),
        }
    }
}

/// Up to so many members are looked through one by one.
const FEW: usize = 16;

/// The members of an object, to be found by their names.
pub(super) struct ByName<'a, 't> {
    seen: &'a [(Cow<'t, str>, &'a Tree<'t>)],
    sorted: Option<HashMap<&'a str, &'a Tree<'t>>>,
}

impl<'a, 't> ByName<'a, 't> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Tree<'t>> {
        match &self.sorted {
            Some(sorted) => sorted.get(name).copied(),
            None => {
                let mut seen = self.seen.iter();
                seen.find_map(|(it, value)| (it == name).then_some(*value))
            }
        }
    }
}

/// Whether two lists of members are the same.
pub(super) fn are_same(one: &[Member<'_, '_>], other: &[Member<'_, '_>]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| is_same_member(*one, *other))
}

pub(super) fn is_same_member(one: Member<'_, '_>, other: Member<'_, '_>) -> bool {
    one.0.is_same(other.0) && one.1.is_same(other.1)
}

fn by_hash<'a, 't>(members: &'a [(Name<'t>, Tree<'t>)]) -> Vec<&'a (Name<'t>, Tree<'t>)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| name.hash);
    members
}

/// Names that were seen. Most objects are small enough to look through them.
struct Seen(Option<HashSet<String>>);

impl Seen {
    fn new(members: usize) -> Self {
        Self((members > FEW).then(HashSet::new))
    }

    fn is_first(&mut self, before: &[(Cow<'_, str>, &Tree<'_>)], name: &str) -> bool {
        match &mut self.0 {
            Some(seen) => seen.insert(name.to_owned()),
            None => before.iter().all(|(before, _)| before != name),
        }
    }
}

/// Reads a value.
fn value<'t>(cursor: &mut Cursor<'t>, text: &'t str, depth: usize) -> Result<Tree<'t>, Invalid> {
    let first = cursor.peek();
    let start = cursor.at();
    let (hash, parts) = match first {
        Some(b'{') if depth < MAX_DEPTH => {
            cursor.take(b'{');
            let mut members = Vec::new();
            while let Some(name) = cursor.next_key(members.is_empty())? {
                let token = text.get(name.start - 1..=name.end).unwrap_or_default();
                let hash = fingerprint::of_leaf(token, depth + 1 == MAX_DEPTH);
                members.push((Name { token, hash }, value(cursor, text, depth + 1)?));
            }
            let hashes = members.iter().map(|(name, value)| (name.hash, value.hash));
            (fingerprint::of_object(hashes), Parts::Object(members))
        }
        Some(b'[') if depth < MAX_DEPTH => {
            cursor.take(b'[');
            let mut items: Vec<Tree<'_>> = Vec::new();
            while cursor.next_item(items.is_empty())? {
                items.push(value(cursor, text, depth + 1)?);
            }
            let hash = fingerprint::of_list(items.iter().map(|item| item.hash));
            (hash, Parts::List(items))
        }
        _ => {
            let start = cursor.skip()?;
            let text = text.get(start..cursor.at()).unwrap_or_default();
            return Ok(Tree::leaf(text, depth));
        }
    };
    Ok(Tree {
        text: text.get(start..cursor.at()).unwrap_or_default(),
        hash,
        parts,
    })
}
