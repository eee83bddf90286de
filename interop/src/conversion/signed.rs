//! Signatures of thinking.

use super::Fingerprint;
use super::exact::Object;
use super::tree::{Kind, MAX_DEPTH, Tape, Tree};
use agentwire_protocol::Json;
use memchr::memmem;
use std::collections::{HashMap, HashSet};

/// The fingerprints of a signature and of its thinking.
pub(super) type Signed = (Fingerprint, Fingerprint);

/// Returns the signatures in a value with their thinking.
pub(super) fn signed(value: Tree<'_>) -> Vec<Signed> {
    let mut found = Vec::new();
    if may_have(value.text()) {
        collect(value, &mut found);
    }
    found
}

fn collect(value: Tree<'_>, found: &mut Vec<Signed>) {
    match value.kind() {
        Kind::List => value
            .items()
            .into_iter()
            .for_each(|item| collect(item, found)),
        Kind::Object => match of_block(value) {
            Some(signed) => found.push(signed),
            None => {
                for (name, value) in value.all_members() {
                    if name.token != INPUT {
                        collect(value, found);
                    }
                }
            }
        },
        Kind::Leaf => {}
    }
}

/// The name of the member with the input of a tool, which is not searched.
const INPUT: &str = r#""input""#;

fn may_have(text: &str) -> bool {
    memmem::find(text.as_bytes(), br#""signature""#).is_some()
}

/// Returns the signature of a block of thinking.
fn of_block(value: Tree<'_>) -> Option<Signed> {
    let kind = value.string_at("type")?;
    let signature = value.member("signature").filter(|it| it.text() != "null")?;
    let thinking = value.member("thinking");
    (kind == "thinking").then(|| {
        let none = || Fingerprint::of(&Json::null());
        let thinking = thinking.map_or_else(none, Fingerprint::of_tree);
        (Fingerprint::of_tree(signature), thinking)
    })
}

/// The known signatures.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<Fingerprint, HashSet<Fingerprint>>);

impl Known {
    pub(super) fn note(&mut self, (signature, thinking): Signed) {
        self.0.entry(signature).or_default().insert(thinking);
    }

    /// Removes the signatures of changed thinking. Returns `None` if there are none.
    pub(super) fn without_stale_signatures(&self, value: &Json) -> Option<Json> {
        if self.0.is_empty() || !may_have(value.get()) {
            return None;
        }
        self.removed(value, 0)
    }

    fn removed(&self, value: &Json, depth: usize) -> Option<Json> {
        if depth == MAX_DEPTH || !may_have(value.get()) {
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
                if let Some((signature, thinking)) = of_block(Tape::of(value).tree()) {
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
