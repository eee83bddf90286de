//! JSON objects as they are written, including duplicate members.

use super::token;
use super::tree::{Member, Tape};
use agentwire_protocol::{Json, Members};

/// An object with its hidden members.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    /// The last member of each name.
    pub(super) members: Members,
    /// The hidden members, as tokens. A hidden member is one that a later member replaces, or one
    /// whose name has a lone surrogate.
    pub(super) more: Vec<(Json, Json)>,
}

impl Object {
    /// Reads an object. Returns `None` if the value is not one.
    pub(super) fn of(value: &Json) -> Option<Self> {
        let tape = Tape::of(value);
        let all = tape.tree().members()?;
        let mut object = Self::default();
        for (name, value) in all.seen {
            let name = name.text().unwrap_or_default();
            object.members.push(name.into_owned(), value.json());
        }
        object.more = all.more.into_iter().map(written).collect();
        Some(object)
    }

    /// Writes the object. Returns `None` if a name is not a string token.
    pub(super) fn write(&self) -> Option<Json> {
        if self.more.is_empty() {
            return Json::from_value(&self.members).ok();
        }
        let mut text = String::from("{");
        for (name, value) in &self.more {
            token::bytes(name.get())?;
            text.push_str(name.get());
            text.push(':');
            text.push_str(value.get());
            text.push(',');
        }
        let members = Json::from_value(&self.members).ok()?;
        match members.get().strip_prefix('{')? {
            "}" => {
                text.pop();
                text.push('}');
            }
            rest => text.push_str(rest),
        }
        text.parse().ok()
    }
}

/// Returns the tokens of a member.
pub(super) fn written((name, value): Member<'_>) -> (Json, Json) {
    (Json::of_text(name.token), value.json())
}
