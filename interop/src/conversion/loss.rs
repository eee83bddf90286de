//! What a conversion loses.

use super::exact::{self, Object};
use super::{Delta, Step};
use agentwire_protocol::{Json, Members};
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::fmt;

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
    back: &Json,
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
    let back = items(back);
    walk.elsewhere = Elsewhere::of(&back, steps);
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
                walk.delta(back.get(*index), delta, "");
                walk.index += 1;
            }
            Step::Is(value) => {
                walk.lost(Lost::Whole(kind(value)));
                walk.index += 1;
            }
        }
    }
}

/// What of a value is not in what came back of it.
#[cfg(feature = "async-openai")]
pub(crate) fn of_value(value: &Json, back: &Json) -> Vec<Loss> {
    let mut losses = Vec::new();
    if let Some(delta) = Delta::between(back, value) {
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

struct Walk<'a> {
    first: usize,
    index: usize,
    path: String,
    why: &'a dyn Fn(usize, &str, &Lost) -> Why,
    losses: &'a mut Vec<Loss>,
    elsewhere: Elsewhere,
}

/// Blocks that came back, but not in the message that they were in: of several
/// blocks on a line, each comes back on a line of its own.
#[derive(Default)]
struct Elsewhere {
    blocks: Vec<Option<Json>>,
    places: HashMap<String, VecDeque<usize>>,
}

/// Whether what pieces are made of is all of what came back.
pub(super) fn are_all_named(back: &[Json], steps: &[Step]) -> bool {
    Elsewhere::of(back, steps).blocks.is_empty()
}

impl Elsewhere {
    /// The blocks of the pieces that came back which the steps do not name.
    fn of(back: &[Json], steps: &[Step]) -> Self {
        let mut blocks: Vec<Vec<Option<Json>>> = back
            .iter()
            .map(|piece| content(piece).into_iter().map(Some).collect())
            .collect();
        for step in steps {
            match step {
                Step::Run(first, count) => {
                    let end = first.saturating_add(*count).min(blocks.len());
                    for piece in blocks.get_mut(*first..end).into_iter().flatten() {
                        piece.clear();
                    }
                }
                Step::Item(index, delta) => {
                    if let Some(piece) = blocks.get_mut(*index) {
                        remove_named(piece, delta);
                    }
                }
                Step::Is(_) => {}
            }
        }
        let mut elsewhere = Self::default();
        for block in blocks.into_iter().flatten().flatten() {
            for key in keys(&block) {
                let places = elsewhere.places.entry(key).or_default();
                places.push_back(elsewhere.blocks.len());
            }
            elsewhere.blocks.push(Some(block));
        }
        elsewhere
    }

    /// The block that this one became.
    fn take(&mut self, block: &Json) -> Option<Json> {
        if self.blocks.is_empty() {
            return None;
        }
        keys(block).into_iter().find_map(|key| {
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
fn content(piece: &Json) -> Vec<Json> {
    let content = piece.member("message").and_then(|it| it.member("content"));
    content
        .filter(|it| it.get().starts_with('['))
        .map(|it| items(&it))
        .unwrap_or_default()
}

/// Removes the blocks that a piece is made of.
fn remove_named(blocks: &mut Vec<Option<Json>>, delta: &Delta) {
    let member = |delta: &'_ Delta, name: &str| match delta {
        Delta::In { members, .. } => members.get(name).cloned(),
        _ => None,
    };
    let content = member(delta, "message").and_then(|it| member(&it, "content"));
    let Some(Delta::Of(steps)) = content else {
        blocks.clear();
        return;
    };
    for step in steps {
        let named = match step {
            Step::Run(first, count) => first..first.saturating_add(count),
            Step::Item(index, _) => index..index.saturating_add(1),
            Step::Is(_) => continue,
        };
        let end = named.end.min(blocks.len());
        blocks
            .get_mut(named.start..end)
            .into_iter()
            .flatten()
            .for_each(|block| *block = None);
    }
}

/// By what a block is found: all of it, or its kind and its ID.
fn keys(block: &Json) -> Vec<String> {
    let id = ["id", "tool_use_id"]
        .iter()
        .find_map(|name| block.member(name)?.read::<String>().ok());
    let id = id.map(|id| format!("{} {id}", kind(block)));
    let mut keys = vec![super::Fingerprint::of(block).to_string()];
    keys.extend(id);
    keys
}

impl Walk<'_> {
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
        self.path
            .push_str(&key.replace('~', "~0").replace('/', "~1"));
        look(self);
        self.path.truncate(length);
    }

    fn delta(&mut self, back: Option<&Json>, delta: &Delta, name: &str) {
        match delta {
            Delta::Is(_) => self.lost(Lost::Changed(name.to_owned())),
            Delta::In { members, more, .. } => {
                self.more(back, more.as_deref().unwrap_or_default());
                let back: Members = back.and_then(|back| back.read().ok()).unwrap_or_default();
                for (key, delta) in members {
                    self.at(key, |walk| match (delta, back.get(key)) {
                        // It says as much as if it were not there.
                        (Delta::Is(value), None) if value.is_null() => {}
                        (Delta::Is(_), None) => walk.lost(Lost::Member(key.clone())),
                        (delta, back) => walk.delta(back, delta, key),
                    });
                }
            }
            Delta::Of(steps) => self.steps(&back.map(items).unwrap_or_default(), steps, name),
        }
    }

    /// Members that a reader does not see.
    fn more(&mut self, back: Option<&Json>, more: &[(Json, Json)]) {
        let back = match more {
            [] => return,
            _ => back.and_then(Object::of).unwrap_or_default().more,
        };
        for member in more {
            if back.iter().any(|it| exact::is_same_member(it, member)) {
                continue;
            }
            let name = exact::name(&member.0);
            self.at(&name, |walk| {
                walk.lost(match exact::is_text(&member.0) {
                    true => Lost::Duplicate(name.clone()),
                    false => Lost::Member(name.clone()),
                });
            });
        }
    }

    fn steps(&mut self, back: &[Json], steps: &[Step], name: &str) {
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
                    let back = back.get(*index);
                    self.at(&item.to_string(), |walk| walk.delta(back, delta, name));
                    item += 1;
                }
                Step::Is(value) => {
                    let is_block = self.path == "/message/content";
                    let elsewhere = is_block.then(|| self.elsewhere.take(value)).flatten();
                    self.at(&item.to_string(), |walk| match elsewhere {
                        None => walk.lost(Lost::Item(kind(value))),
                        Some(back) => {
                            if let Some(delta) = Delta::between(&back, value) {
                                walk.delta(Some(&back), &delta, name);
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

fn items(list: &Json) -> Vec<Json> {
    list.read().unwrap_or_default()
}

/// What a value is, in a word.
fn kind(value: &Json) -> String {
    let tag = value.read::<Members>().ok().and_then(|members| {
        ["type", "block_type", "role"]
            .iter()
            .find_map(|name| members.get_str(name))
    });
    tag.unwrap_or_else(|| {
        match value.get().as_bytes().first() {
            Some(b'{') => "object",
            Some(b'[') => "list",
            Some(b'"') => "text",
            Some(b't' | b'f') => "truth value",
            Some(b'n') => "null",
            _ => "number",
        }
        .to_owned()
    })
}
