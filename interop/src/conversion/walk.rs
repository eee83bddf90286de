//! Derives losses from a difference.

use super::difference::{Difference, Inside, Step};
use super::named::{ReturnedElsewhere, kind};
use super::original::Original;
#[cfg(feature = "async-openai")]
use super::tree::Tape;
use super::tree::{Member, Tree, is_same_member};
use super::{Loss, Lost, Why};
#[cfg(feature = "async-openai")]
use agentwire_protocol::Json;

/// Adds the losses of the steps from the returned pieces to the input. `first` is the index
/// of the first piece.
pub(super) fn of_steps<'t>(
    first: usize,
    back: &[Tree<'t>],
    original: &Original<'t>,
    steps: &[Step<'t>],
    why: &dyn Fn(usize, &str, &Lost) -> Why,
    losses: &mut Vec<Loss>,
) {
    let mut walk = Walk {
        first,
        index: first,
        path: String::new(),
        why,
        losses,
        elsewhere: ReturnedElsewhere::of(back, steps),
    };
    walk.losses.reserve(steps.len());
    let mut next = 0;
    for step in steps {
        let (start, end) = match step {
            Step::Run(start, count) => (*start, start + count),
            Step::Item(index, _) => (*index, index + 1),
            Step::Is(_) => (next, next),
        };
        if start < next {
            walk.push_loss(Lost::Order(String::new()));
        }
        next = end;
        match step {
            Step::Run(_, count) => walk.index += count,
            Step::Item(_, difference) => {
                walk.difference(difference, "");
                walk.index += 1;
            }
            Step::Is(piece) => {
                let tag = original.tag(walk.index - first);
                let kind = tag.map_or_else(|| kind(*piece), str::to_owned);
                walk.push_loss(Lost::Whole(kind));
                walk.index += 1;
            }
        }
    }
}

/// Returns the losses of a value that was converted forth and back.
#[cfg(feature = "async-openai")]
pub(crate) fn of_value(value: &Json, back: &Json) -> Vec<Loss> {
    let mut losses = Vec::new();
    let (back, value) = (Tape::of(back), Tape::of(value));
    if let Some(difference) = Difference::between(back.tree(), value.tree()) {
        let mut walk = Walk {
            first: 0,
            index: 0,
            path: String::new(),
            why: &|_, _, _| Why::NoPlace,
            losses: &mut losses,
            elsewhere: ReturnedElsewhere::default(),
        };
        walk.difference(&difference, "");
    }
    losses
}

struct Walk<'a, 't> {
    first: usize,
    index: usize,
    path: String,
    why: &'a dyn Fn(usize, &str, &Lost) -> Why,
    losses: &'a mut Vec<Loss>,
    elsewhere: ReturnedElsewhere<'t>,
}

impl<'t> Walk<'_, 't> {
    fn push_loss(&mut self, what: Lost) {
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
        match key.contains(['~', '/']) {
            true => self.path += &key.replace('~', "~0").replace('/', "~1"),
            false => self.path += key,
        }
        look(self);
        self.path.truncate(length);
    }

    fn difference(&mut self, difference: &Difference<'t>, name: &str) {
        match difference {
            Difference::Is(_) => self.push_loss(Lost::Changed(name.to_owned())),
            Difference::In(inside) => self.inside(inside),
            Difference::Of(steps) => self.steps(steps, name),
        }
    }

    fn inside(&mut self, inside: &Inside<'t>) {
        if let Some((old, new)) = &inside.more {
            self.more(old, new);
        }
        for member in &inside.members {
            let name = member.name.text().unwrap_or_default();
            match (&member.difference, member.old) {
                // `null` means the same as an absent member.
                (Difference::Is(value), None) if value.text() == "null" => {}
                (Difference::Is(_), None) => self.at(&name, |walk| {
                    walk.push_loss(Lost::Member(name.clone().into_owned()));
                }),
                (difference, _) => self.at(&name, |walk| walk.difference(difference, &name)),
            }
        }
    }

    /// Compares hidden members: those that a later member replaces, or whose name has a lone
    /// surrogate.
    fn more(&mut self, old: &[Member<'_>], new: &[Member<'_>]) {
        for member in new {
            if old.iter().any(|it| is_same_member(*it, *member)) {
                continue;
            }
            // A lone surrogate becomes U+FFFD.
            let (token, _) = member;
            let name = token.lossy_text();
            self.at(&name, |walk| {
                walk.push_loss(match token.text().is_some() {
                    true => Lost::Duplicate(name.clone().into_owned()),
                    false => Lost::Member(name.clone().into_owned()),
                });
            });
        }
    }

    fn steps(&mut self, steps: &[Step<'t>], name: &str) {
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
                Step::Item(index, difference) => {
                    in_order &= *index >= next;
                    next = index + 1;
                    self.at(&item.to_string(), |walk| walk.difference(difference, name));
                    item += 1;
                }
                Step::Is(value) => {
                    let is_block = self.path == "/message/content";
                    let elsewhere = is_block.then(|| self.elsewhere.take(*value)).flatten();
                    self.at(&item.to_string(), |walk| match elsewhere {
                        None => walk.push_loss(Lost::Item(kind(*value))),
                        Some(old) => {
                            if let Some(difference) = Difference::between(old, *value) {
                                walk.difference(&difference, name);
                            }
                        }
                    });
                    item += 1;
                }
            }
        }
        if !in_order {
            self.push_loss(Lost::Order(name.to_owned()));
        }
    }
}
