//! JSON as a tree that borrows from its text. It is read and hashed in one pass. Duplicate members,
//! lone surrogates and the digits of numbers are distinguished.

use super::outline::is_plain;
use super::{Outline, hash, token};
use agentwire_protocol::Json;
use agentwire_protocol::text::{Cursor, Invalid};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

/// The maximum depth. Deeper values are compared by their text.
pub(super) const MAX_DEPTH: usize = 64;

/// The values of a text in one allocation, each before its children.
pub(super) struct Tape<'t> {
    text: &'t str,
    nodes: Vec<Node>,
}

/// A value on the tape, with offsets of 32 bits.
#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    start: u32,
    end: u32,
    /// The index after the last node of the value.
    next: u32,
    kind: Kind,
    /// The name of the value, if it is a member.
    name: Span,
    name_hash: u64,
    has_escapes: bool,
}

#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    List,
    /// A value that is not an object or a list, or that is too deep.
    Leaf,
}

/// A JSON value.
#[derive(Clone, Copy)]
pub(super) struct Tree<'t> {
    tape: &'t Tape<'t>,
    index: usize,
}

/// The names of the members that are tags.
pub(super) const TAGS: [&str; 3] = ["type", "block_type", "role"];

/// Reads a string token, with U+FFFD for lone surrogates. Returns `None` if it is not a string
/// token.
pub(super) fn string(token: &str) -> Option<Cow<'_, str>> {
    if !token.starts_with('"') {
        return None;
    }
    let text = token::text(token);
    text.or_else(|| Json::of_text(token).read().ok().map(Cow::Owned))
}

/// The name of a member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'t> {
    /// The token with its quotes.
    pub(super) token: &'t str,
    hash: u64,
    has_escapes: bool,
}

/// A member of an object.
pub(super) type Member<'t> = (Name<'t>, Tree<'t>);

/// The members of an object.
#[derive(Debug, Default)]
pub(super) struct Members<'t> {
    /// The last member of each name.
    pub(super) seen: Vec<Member<'t>>,
    /// The hidden members. A hidden member is one that a later member replaces, or one whose name
    /// has a lone surrogate.
    pub(super) more: Vec<Member<'t>>,
}

impl<'t> Name<'t> {
    /// Returns the name. Returns `None` if it has a lone surrogate.
    pub(super) fn text(self) -> Option<Cow<'t, str>> {
        match self.has_escapes {
            false => self.token.get(1..self.token.len() - 1).map(Cow::Borrowed),
            true => token::text(self.token),
        }
    }

    /// Returns the name with U+FFFD for lone surrogates.
    pub(super) fn lossy_text(self) -> Cow<'t, str> {
        string(self.token).unwrap_or_default()
    }

    pub(super) fn is(self, name: &str) -> bool {
        match self.has_escapes {
            false => is_plain(self.token.as_bytes(), name),
            true => self.text().is_some_and(|it| it == name),
        }
    }

    fn is_same(self, other: Name<'_>) -> bool {
        self.token == other.token
            || self.hash == other.hash && token::bytes(self.token) == token::bytes(other.token)
    }
}

impl<'t> Tape<'t> {
    /// Reads a value.
    pub(super) fn of(json: &'t Json) -> Self {
        Self::read(json.get(), 0)
    }

    /// Reads an item of a list of pieces.
    pub(super) fn of_item(text: &'t str) -> Self {
        Self::read(text, 1)
    }

    /// Reads only the members with these names of an item, by token. Of the other members, only the
    /// text is known. If the item has members with other names, it never equals another item.
    pub(super) fn of_members(outline: &'t Outline, names: &[&str]) -> Self {
        let text = outline.text();
        if !Self::is_object(text) {
            return Self::of_item(text);
        }
        let mut reading = Reading::new(text);
        match reading.members(outline, names) {
            Ok(()) => Self {
                text,
                nodes: reading.nodes,
            },
            Err(_) => Self::of_item(text),
        }
    }

    /// Creates an unread item, which equals no other one.
    pub(super) fn unread(text: &'t str) -> Self {
        let nodes = Vec::new();
        Self { text, nodes }
    }

    /// Returns whether a tape reads the members of this value.
    pub(super) fn is_object(text: &str) -> bool {
        text.starts_with('{') && u32::try_from(text.len()).is_ok()
    }

    fn read(text: &'t str, depth: usize) -> Self {
        let mut reading = Reading::new(text);
        // Texts that need larger offsets than 32 bits are compared as a whole.
        let is_read = u32::try_from(text.len()).is_ok() && reading.value(depth).is_ok();
        let mut nodes = reading.nodes;
        if !is_read {
            nodes.clear();
            nodes.push(Node {
                hash: hash::of_leaf(text, true),
                end: u32::try_from(text.len()).unwrap_or(u32::MAX),
                next: 1,
                ..Node::EMPTY
            });
        }
        Self { text, nodes }
    }

    pub(super) fn tree(&'t self) -> Tree<'t> {
        Tree {
            tape: self,
            index: 0,
        }
    }
}

impl Node {
    const EMPTY: Self = Self {
        hash: 0,
        start: 0,
        end: 0,
        next: 0,
        kind: Kind::Leaf,
        name: Span { start: 0, end: 0 },
        name_hash: 0,
        has_escapes: false,
    };
}

impl<'t> Tree<'t> {
    fn node(self) -> &'t Node {
        const NONE: &Node = &Node::EMPTY;
        self.tape.nodes.get(self.index).unwrap_or(NONE)
    }

    /// Returns the children of a value.
    fn values(self) -> impl Iterator<Item = Self> + use<'t> {
        let end = self.node().next;
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            let value = Self { index, ..self };
            (index < end as usize).then(|| {
                index = value.node().next as usize;
                value
            })
        })
    }

    fn name(self) -> Name<'t> {
        let node = self.node();
        let name = node.name.start as usize..node.name.end as usize;
        Name {
            token: self.tape.text.get(name).unwrap_or_default(),
            hash: node.name_hash,
            has_escapes: node.has_escapes,
        }
    }

    /// Returns the text of the value.
    pub(super) fn text(self) -> &'t str {
        let Node { start, end, .. } = *self.node();
        let text = match self.index {
            // The text is too long or was not read.
            0 if self.tape.nodes.len() <= 1 => self.tape.text.get(start as usize..),
            _ => self.tape.text.get(start as usize..end as usize),
        };
        text.unwrap_or_default()
    }

    /// Returns the value.
    pub(super) fn json(self) -> Json {
        Json::of_text(self.text())
    }

    pub(super) fn hash(self) -> u64 {
        self.node().hash
    }

    pub(super) fn kind(self) -> Kind {
        self.node().kind
    }

    /// Returns the items of a list.
    pub(super) fn items(self) -> Vec<Self> {
        match self.kind() {
            Kind::List => self.values().collect(),
            Kind::Object | Kind::Leaf => Vec::new(),
        }
    }

    /// Returns all members of an object as they are written.
    pub(super) fn all_members(self) -> impl Iterator<Item = Member<'t>> + use<'t> {
        let values = (self.kind() == Kind::Object).then(|| self.values());
        let values = values.into_iter().flatten();
        values.map(|value| (value.name(), value))
    }

    /// Returns the last member with this name.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        let [member] = self.find([name]);
        member
    }

    /// Returns the last members with these names.
    pub(super) fn find<const N: usize>(self, names: [&str; N]) -> [Option<Self>; N] {
        let mut found = [None; N];
        for (name, value) in self.all_members() {
            for (wanted, found) in names.iter().zip(&mut found) {
                if name.is(wanted) {
                    *found = Some(value);
                }
            }
        }
        found
    }

    /// Returns the text, with U+FFFD for lone surrogates. Returns `None` if the value is not a
    /// string.
    pub(super) fn string(self) -> Option<Cow<'t, str>> {
        string(self.text())
    }

    /// Returns the text of the last member with this name.
    pub(super) fn string_at(self, name: &str) -> Option<Cow<'t, str>> {
        self.member(name)?.string()
    }

    /// Returns the tag of an object.
    pub(super) fn tag(self) -> Option<Cow<'t, str>> {
        let tags = self.find(TAGS);
        tags.into_iter().flatten().find_map(Self::string)
    }

    /// Returns the members of an object.
    pub(super) fn members(self) -> Option<Members<'t>> {
        if self.kind() != Kind::Object {
            return None;
        }
        let all: Vec<_> = self.all_members().collect();
        let mut split = Members {
            seen: Vec::with_capacity(all.len()),
            more: Vec::new(),
        };
        let mut seen = SeenNames::new(all.len());
        for (name, value) in all.into_iter().rev() {
            let is_seen = !name.has_escapes || name.text().is_some();
            match is_seen && seen.is_first(&split.seen, name) {
                true => split.seen.push((name, value)),
                false => split.more.push((name, value)),
            }
        }
        split.seen.reverse();
        split.more.reverse();
        Some(split)
    }

    /// Returns whether two values are equal. The order of members, the spelling of strings and
    /// spaces are ignored.
    pub(super) fn is_same(self, other: Tree<'_>) -> bool {
        let (one, two) = (self.node(), other.node());
        if one.hash != two.hash || one.kind != two.kind {
            return false;
        }
        if self.text() == other.text() {
            return true;
        }
        match one.kind {
            Kind::Object => {
                // The order of duplicate members counts.
                let (one, other) = (self.by_hash(), other.by_hash());
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(&other)
                        .all(|(one, other)| is_same_member(*one, *other))
            }
            Kind::List => {
                let (one, other) = (self.items(), other.items());
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(&other)
                        .all(|(one, other)| one.is_same(*other))
            }
            Kind::Leaf => {
                let one = token::bytes(self.text());
                one.is_some() && one == token::bytes(other.text())
            }
        }
    }

    fn by_hash(self) -> Vec<Member<'t>> {
        let mut members: Vec<_> = self.all_members().collect();
        members.sort_by_key(|(name, _)| name.hash);
        members
    }
}

impl fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl<'t> Members<'t> {
    /// Returns the members that are not hidden, by name.
    pub(super) fn by_name(&self) -> ByName<'_, 't> {
        let seen = self.seen.iter();
        ByName {
            seen: &self.seen,
            map: (self.seen.len() > FEW).then(|| {
                let named = seen.filter_map(|(name, value)| Some((name.text()?, *value)));
                named.collect()
            }),
        }
    }
}

/// The maximum number of members for which a linear search is used.
const FEW: usize = 16;

/// The members of an object by name.
pub(super) struct ByName<'a, 't> {
    seen: &'a [Member<'t>],
    map: Option<HashMap<Cow<'t, str>, Tree<'t>>>,
}

impl<'t> ByName<'_, 't> {
    pub(super) fn get(&self, name: Name<'_>) -> Option<Tree<'t>> {
        match &self.map {
            Some(map) => map.get(&*name.text()?).copied(),
            None => {
                let mut seen = self.seen.iter();
                seen.find_map(|(it, value)| it.is_same(name).then_some(*value))
            }
        }
    }
}

/// Returns whether two lists of members are equal.
pub(super) fn are_same(one: &[Member<'_>], other: &[Member<'_>]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| is_same_member(*one, *other))
}

pub(super) fn is_same_member(one: Member<'_>, other: Member<'_>) -> bool {
    one.0.is_same(other.0) && one.1.is_same(other.1)
}

/// The names that were read so far. Small objects are searched linearly.
struct SeenNames<'t>(Option<HashSet<Cow<'t, str>>>);

impl<'t> SeenNames<'t> {
    fn new(members: usize) -> Self {
        Self((members > FEW).then(HashSet::new))
    }

    fn is_first(&mut self, before: &[Member<'t>], name: Name<'t>) -> bool {
        match &mut self.0 {
            Some(seen) => name.text().is_some_and(|name| seen.insert(name)),
            None => before.iter().all(|(before, _)| !before.is_same(name)),
        }
    }
}

/// A tape under construction.
struct Reading<'t> {
    text: &'t str,
    cursor: Cursor<'t>,
    nodes: Vec<Node>,
    /// The hashes of the members of an object.
    members: Vec<(u64, u64)>,
}

impl<'t> Reading<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            cursor: Cursor::new(text.as_bytes()),
            // A value typically has this number of bytes.
            nodes: Vec::with_capacity((text.len() / 24).clamp(1, 64)),
            members: Vec::with_capacity(16),
        }
    }

    /// Reads only these members of an item. See [`Tape::of_members`].
    fn members(&mut self, outline: &Outline, names: &[&str]) -> Result<(), Invalid> {
        // The depth is the same as in `value` and `object`.
        let depth = 2;
        self.nodes.push(Node::EMPTY);
        for member in outline.members() {
            let token = self.text.get(member.name.clone()).unwrap_or_default();
            let value = self.nodes.len();
            if member.has_escapes || names.contains(&token) {
                self.cursor.go_to(member.value.start);
                self.value(depth)?;
            } else {
                self.nodes.push(Node {
                    start: offset(member.value.start),
                    end: offset(member.value.end),
                    next: offset(value + 1),
                    ..Node::EMPTY
                });
            }
            let name_hash = self.hash(token, member.has_escapes, depth);
            self.name(value, member.name.clone(), member.has_escapes, name_hash);
        }
        let node = Node {
            hash: self.of_members(0),
            end: offset(self.text.len()),
            next: offset(self.nodes.len()),
            kind: Kind::Object,
            ..Node::EMPTY
        };
        if let Some(first) = self.nodes.first_mut() {
            *first = node;
        }
        Ok(())
    }

    /// Reads a value, and returns the index of its node.
    fn value(&mut self, depth: usize) -> Result<usize, Invalid> {
        let index = self.nodes.len();
        let first = self.cursor.peek();
        let start = self.cursor.at();
        self.nodes.push(Node::EMPTY);
        let is_opened = depth < MAX_DEPTH;
        let (hash, kind) = match first {
            Some(b'{') if is_opened => (self.object(index, depth + 1)?, Kind::Object),
            Some(b'[') if is_opened => (self.list(depth + 1)?, Kind::List),
            Some(b'"') => {
                let is_escaped = self.cursor.string("a string")?.escaped;
                (self.token(start, is_escaped, depth), Kind::Leaf)
            }
            _ => {
                self.cursor.skip()?;
                (self.token(start, true, depth), Kind::Leaf)
            }
        };
        let (end, next) = (self.cursor.at(), self.nodes.len());
        if let Some(node) = self.nodes.get_mut(index) {
            *node = Node {
                hash,
                start: offset(start),
                end: offset(end),
                next: offset(next),
                kind,
                ..*node
            };
        }
        Ok(index)
    }

    fn object(&mut self, index: usize, depth: usize) -> Result<u64, Invalid> {
        self.cursor.take(b'{');
        let mut is_first = true;
        while let Some(name) = self.cursor.next_key(is_first)? {
            is_first = false;
            let has_escapes = name.escaped;
            let name = name.start - 1..name.end + 1;
            let token = self.text.get(name.clone()).unwrap_or_default();
            let name_hash = self.hash(token, has_escapes, depth);
            let value = self.value(depth)?;
            self.name(value, name, has_escapes, name_hash);
        }
        Ok(self.of_members(index))
    }

    /// Sets the name of a member.
    fn name(&mut self, value: usize, name: Range<usize>, has_escapes: bool, hash: u64) {
        if let Some(node) = self.nodes.get_mut(value) {
            node.name_hash = hash;
            node.has_escapes = has_escapes;
            node.name = Span {
                start: offset(name.start),
                end: offset(name.end),
            };
        }
    }

    /// Hashes the object whose members are on the tape.
    fn of_members(&mut self, index: usize) -> u64 {
        self.members.clear();
        let mut member = index + 1;
        while let Some(node) = self.nodes.get(member) {
            self.members.push((node.name_hash, node.hash));
            member = node.next as usize;
        }
        hash::of_object(&mut self.members)
    }

    /// Hashes the token that begins at `start`.
    fn token(&self, start: usize, may_have_escapes: bool, depth: usize) -> u64 {
        let token = self.text.get(start..self.cursor.at()).unwrap_or_default();
        self.hash(token, may_have_escapes, depth)
    }

    fn hash(&self, token: &str, may_have_escapes: bool, depth: usize) -> u64 {
        match token.get(1..token.len().saturating_sub(1)) {
            _ if may_have_escapes || depth == MAX_DEPTH => hash::of_leaf(token, depth == MAX_DEPTH),
            inside => hash::of_plain(inside.unwrap_or_default()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<u64, Invalid> {
        self.cursor.take(b'[');
        let mut is_first = true;
        let mut hash = hash::of_list();
        while self.cursor.next_item(is_first)? {
            is_first = false;
            let item = self.value(depth)?;
            let item = self.nodes.get(item).map_or(0, |node| node.hash);
            hash = hash::both(hash, item);
        }
        Ok(hash)
    }
}

/// Converts an offset, which always fits. See [`Tape::of`].
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
