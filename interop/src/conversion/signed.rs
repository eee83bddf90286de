//! Thinking and its signature: a signature is of exactly one text.

use super::Fingerprint;
use super::exact::{self, MAX_DEPTH, Object};
use agentwire_protocol::Json;
use std::collections::{HashMap, HashSet};

/// A signature, and the thinking that it signs.
pub(super) type Signed = (Fingerprint, Fingerprint);

/// The signatures in a value, each with its thinking.
pub(super) fn signed(value: &Json) -> Vec<Signed> {
    let mut found = Vec::new();
    if may_have(value) {
        collect(value, 0, &mut found);
    }
    found
}

fn collect(value: &Json, depth: usize, found: &mut Vec<Signed>) {
    if depth == MAX_DEPTH {
        return;
    }
    let mut inside = |value: &str| {
        if let Ok(value) = value.parse::<Json>()
            && may_have(&value)
        {
            collect(&value, depth + 1, found);
        }
    };
    match value.get().as_bytes().first() {
        Some(b'[') => _ = exact::items(value.get(), inside),
        Some(b'{') => match of_block(value) {
            Some(signed) => found.push(signed),
            None => {
                _ = exact::members(value.get(), |name, value| {
                    if name != INPUT {
                        inside(value);
                    }
                });
            }
        },
        _ => {}
    }
}

/// What a tool is given is no message, whatever it looks like.
const INPUT: &str = r#""input""#;

fn may_have(value: &Json) -> bool {
    value.get().contains(r#""signature""#)
}

/// The signature of a block of thinking.
fn of_block(value: &Json) -> Option<Signed> {
    let kind: String = value.member("type")?.read().ok()?;
    let [signature, thinking] = ["signature", "thinking"].map(|name| value.member(name));
    let signature = signature.filter(|it| !it.is_null())?;
    (kind == "thinking").then(|| {
        let thinking = thinking.unwrap_or_default();
        (Fingerprint::of(&signature), Fingerprint::of(&thinking))
    })
}

/// What signatures are known to sign.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<Fingerprint, HashSet<Fingerprint>>);

impl Known {
    pub(super) fn note(&mut self, (signature, thinking): Signed) {
        self.0.entry(signature).or_default().insert(thinking);
    }

    /// The value without signatures that sign something else. Nothing, when it has
    /// none.
    pub(super) fn without_stale(&self, value: &Json) -> Option<Json> {
        if self.0.is_empty() || !may_have(value) {
            return None;
        }
        self.removed(value, 0)
    }

    fn removed(&self, value: &Json, depth: usize) -> Option<Json> {
        if depth == MAX_DEPTH || !may_have(value) {
            return None;
        }
        match value.get().as_bytes().first() {
            Some(b'[') => {
                let mut items: Vec<Json> = value.read().ok()?;
                let mut is_changed = false;
                for item in &mut items {
                    if let Some(changed) = self.removed(item, depth + 1) {
                        *item = changed;
                        is_changed = true;
                    }
                }
                is_changed.then(|| Json::from_value(&items).ok()).flatten()
            }
            Some(b'{') => {
                let mut object = Object::of(value)?;
                if let Some((signature, thinking)) = of_block(value) {
                    let known = self.0.get(&signature)?;
                    if known.contains(&thinking) {
                        return None;
                    }
                    object.members.remove("signature");
                    return object.write();
                }
                let changed: Vec<(String, Json)> = object
                    .members
                    .iter()
                    .filter(|(name, _)| *name != "input")
                    .filter_map(|(name, value)| {
                        Some((name.to_owned(), self.removed(value, depth + 1)?))
                    })
                    .collect();
                if changed.is_empty() {
                    return None;
                }
                for (name, value) in changed {
                    object.members.set(name, value);
                }
                object.write()
            }
            _ => None,
        }
    }
}
