//! Differences of JSON values, which borrow from both values. A residue contains a
//! [`Delta`](super::Delta) with copies instead.

use super::tree::{Kind, Member, Name, Tree, are_same};
use std::borrow::Cow;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The construction of a new value from an old one.
pub(super) enum Difference<'t> {
    /// The new value.
    Is(Tree<'t>),
    /// The old object with changes.
    In(Inside<'t>),
    /// A list that is constructed from items of the old list, in this order.
    Of(Vec<Step<'t>>),
}

/// The difference of two objects.
pub(super) struct Inside<'t> {
    /// The changed or added members.
    pub(super) members: Vec<Changed<'t>>,
    /// The names of removed members.
    pub(super) without: Vec<Name<'t>>,
    /// The hidden members of both objects, if they differ: those that a later member replaces, or
    /// whose name has a lone surrogate.
    pub(super) more: Option<(Vec<Member<'t>>, Vec<Member<'t>>)>,
}

/// A changed or added member.
pub(super) struct Changed<'t> {
    pub(super) name: Name<'t>,
    pub(super) old: Option<Tree<'t>>,
    pub(super) difference: Difference<'t>,
}

/// A step that constructs items of a list.
pub(super) enum Step<'t> {
    /// Copies items of the old list, given by the first index and the count.
    Run(usize, usize),
    /// Changes an item of the old list.
    Item(usize, Difference<'t>),
    /// Adds a new item.
    Is(Tree<'t>),
}

impl<'t> Difference<'t> {
    /// Returns the difference of two values. Returns `None` if they are equal.
    pub(super) fn between(old: Tree<'t>, new: Tree<'t>) -> Option<Self> {
        if old.is_same(new) {
            return None;
        }
        match (old.kind(), new.kind()) {
            (Kind::Object, Kind::Object) => Inside::between(old, new).map(Self::In),
            (Kind::List, Kind::List) => {
                let (old, new) = (old.items(), new.items());
                let kinds = Kinds::of(&old);
                let is_alone: Vec<bool> = new.iter().map(|item| !kinds.have(*item)).collect();
                steps(&old, &new, &is_alone).map(Self::Of)
            }
            _ => Some(Self::Is(new)),
        }
    }

    /// Returns the difference of a member.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::In(inside) => {
                let mut members = inside.members.iter();
                let member = members.find(|member| member.name.is(name))?;
                Some(&member.difference)
            }
            _ => None,
        }
    }
}

impl<'t> Inside<'t> {
    fn between(old: Tree<'t>, new: Tree<'t>) -> Option<Self> {
        let (old, new) = (old.members()?, new.members()?);
        let without = {
            let new = new.by_name();
            let names = old.seen.iter().map(|(name, _)| *name);
            names.filter(|name| new.get(*name).is_none()).collect()
        };
        let changed = {
            let old = old.by_name();
            new.seen.iter().filter_map(move |(name, value)| {
                let old = old.get(*name);
                let difference = match old {
                    Some(old) => Difference::between(old, *value)?,
                    None => Difference::Is(*value),
                };
                Some(Changed {
                    name: *name,
                    old,
                    difference,
                })
            })
        };
        let mut members: Vec<_> = changed.collect();
        members.sort_by(|one, other| one.name.text().cmp(&other.name.text()));
        let more = (!are_same(&old.more, &new.more)).then_some((old.more, new.more));
        let inside = Self {
            members,
            without,
            more,
        };
        let is_same =
            inside.members.is_empty() && inside.without.is_empty() && inside.more.is_none();
        (!is_same).then_some(inside)
    }
}

/// Constructs a list from the items of another list. An item is matched with an equal item in the
/// same place, then with an equal item elsewhere, and then with one that has the same ID, the same
/// content, the same kinds of blocks, or the same kind. Returns `None` if the lists are equal.
/// `is_alone` says, for each item, whether the old list has no item of its kind.
pub(super) fn steps<'t>(
    old: &[Tree<'t>],
    new: &[Tree<'t>],
    is_alone: &[bool],
) -> Option<Vec<Step<'t>>> {
    let plan = plan(old, new, is_alone);
    let mut steps: Vec<Step<'t>> = Vec::new();
    for (item, step) in new.iter().zip(plan) {
        match (steps.last_mut(), step) {
            (Some(Step::Run(first, count)), Some(Step::Run(index, _)))
                if *first + *count == index =>
            {
                *count += 1;
            }
            (_, Some(step)) => steps.push(step),
            (_, None) => steps.push(Step::Is(*item)),
        }
    }
    let is_all = match &steps[..] {
        [] => old.is_empty(),
        [Step::Run(0, count)] => *count == old.len(),
        _ => false,
    };
    (!is_all).then_some(steps)
}

/// Returns, for each new item that is constructed from an old one, the step that does so.
fn plan<'t>(old: &[Tree<'t>], new: &[Tree<'t>], is_alone: &[bool]) -> Vec<Option<Step<'t>>> {
    let mut taken = vec![false; old.len()];
    let same = new.iter().enumerate().map(|(index, item)| {
        let is_same = old.get(index).is_some_and(|old| old.is_same(*item));
        if let Some(taken) = taken.get_mut(index) {
            *taken = is_same;
        }
        is_same.then_some(Step::Run(index, 1))
    });
    let mut plan: Vec<Option<Step<'t>>> = same.collect();
    let keys: [fn(Tree<'_>) -> Option<u64>; 5] =
        [value, id, message_hash, blocks, |item| Some(kind_key(item))];
    for key in keys {
        let is_open = |(step, is_alone): (&Option<Step<'_>>, &bool)| step.is_none() && !is_alone;
        if !plan.iter().zip(is_alone).any(is_open) || !taken.contains(&false) {
            break;
        }
        let mut alike = Pool::new(old, &taken, key);
        for ((item, step), is_alone) in new.iter().zip(&mut plan).zip(is_alone) {
            // Items without a candidate, which are most, are skipped.
            if step.is_some() || *is_alone {
                continue;
            }
            let index = key(*item).and_then(|key| alike.take(key));
            let Some((index, old)) = index.and_then(|index| Some((index, *old.get(index)?))) else {
                continue;
            };
            if let Some(taken) = taken.get_mut(index) {
                *taken = true;
            }
            *step = Some(match Difference::between(old, *item) {
                Some(difference) => Step::Item(index, difference),
                None => Step::Run(index, 1),
            });
        }
    }
    plan
}

/// The items of a list by key. Each is taken once, in order.
struct Pool {
    /// The keys and indexes of the items, sorted.
    items: Vec<(u64, usize)>,
    /// The number of taken items of each key, at the index of the key's first item.
    taken: Vec<usize>,
}

impl Pool {
    /// Creates a pool of the items that are not taken.
    fn new(items: &[Tree<'_>], taken: &[bool], key: impl Fn(Tree<'_>) -> Option<u64>) -> Self {
        let items = items.iter().zip(taken).enumerate();
        let free = items.filter(|(_, (_, taken))| !**taken);
        let mut items: Vec<_> = free
            .filter_map(|(index, (item, _))| Some((key(*item)?, index)))
            .collect();
        items.sort_unstable();
        Self {
            taken: vec![0; items.len()],
            items,
        }
    }

    fn take(&mut self, key: u64) -> Option<usize> {
        let first = self.items.partition_point(|(it, _)| *it < key);
        let taken = self.taken.get_mut(first)?;
        let (it, index) = self.items.get(first + *taken)?;
        (*it == key).then(|| {
            *taken += 1;
            *index
        })
    }
}

/// Returns the hash of an item.
fn value(item: Tree<'_>) -> Option<u64> {
    Some(item.hash())
}

/// Returns the hash of an item's ID.
fn id(item: Tree<'_>) -> Option<u64> {
    let ids = item.find(["uuid", "id", "call_id", "tool_call_id", "tool_use_id"]);
    let id = ids.into_iter().flatten().find_map(Tree::string);
    id.map(|id| xxh3_64(id.as_bytes()))
}

fn content(item: Tree<'_>) -> Option<Tree<'_>> {
    item.member("message")?.member("content")
}

/// Returns the hash of a message's kind and content, without its envelope.
fn message_hash(item: Tree<'_>) -> Option<u64> {
    let content = content(item)?;
    Some(xxh3_64_with_seed(kind(item).as_bytes(), content.hash()))
}

/// Returns the hash of a message's kind, and of the kinds and calls of its blocks.
fn blocks(item: Tree<'_>) -> Option<u64> {
    let content = content(item)?;
    let mut key = xxh3_64(kind(item).as_bytes());
    if content.text().starts_with('"') {
        key = xxh3_64_with_seed(b"text", key);
    }
    for block in content.items() {
        key = xxh3_64_with_seed(kind(block).as_bytes(), key);
        if let Some(id) = id(block) {
            key = xxh3_64_with_seed(&id.to_le_bytes(), key);
        }
    }
    Some(key)
}

/// The kinds of items.
pub(super) struct Kinds(Vec<u64>);

impl Kinds {
    pub(super) fn of(items: &[Tree<'_>]) -> Self {
        let mut kinds: Vec<u64> = items.iter().map(|item| kind_key(*item)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Self(kinds)
    }

    fn have(&self, item: Tree<'_>) -> bool {
        self.0.binary_search(&kind_key(item)).is_ok()
    }

    /// Returns whether the list has an item of the kind of an object with this tag, or of another
    /// value.
    pub(super) fn have_tag(&self, is_object: bool, tag: Option<&str>) -> bool {
        let kind = if is_object {
            tag.unwrap_or(UNTAGGED)
        } else {
            ""
        };
        self.0.binary_search(&xxh3_64(kind.as_bytes())).is_ok()
    }
}

/// The name of the kind of objects without a tag.
const UNTAGGED: &str = "{}";

/// Returns the kind of an item.
fn kind(item: Tree<'_>) -> Cow<'_, str> {
    match item.kind() {
        Kind::Object => item.tag().unwrap_or(Cow::Borrowed(UNTAGGED)),
        Kind::List | Kind::Leaf => Cow::Borrowed(""),
    }
}

fn kind_key(item: Tree<'_>) -> u64 {
    xxh3_64(kind(item).as_bytes())
}
