//! Finds the parts of a value that its type does not cover. They show how far
//! the types are behind a newer agent.

use crate::json::{Json, Members, Number};
use std::collections::BTreeMap;

/// A type that can report its unknown members.
pub trait Untyped {
    /// Collects the JSON pointers (RFC 6901) of members without a typed field,
    /// and of objects of an unknown kind. `at` is the pointer of the value
    /// itself.
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>);

    /// Returns the JSON pointers of members without a typed field, and of
    /// objects of an unknown kind.
    fn untyped(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.collect_untyped(&mut Pointer::default(), &mut found);
        found
    }
}

/// A JSON pointer to the current position in a traversal.
#[derive(Debug, Default)]
pub struct Pointer(String);

impl Pointer {
    /// Calls `look` with the pointer of the member `key`.
    pub fn member(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        let length = self.0.len();
        self.0.push('/');
        for character in key.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                character => self.0.push(character),
            }
        }
        look(self);
        self.0.truncate(length);
    }

    /// Calls `look` with the pointer of the item `index`.
    pub fn item(&mut self, index: usize, look: impl FnOnce(&mut Self)) {
        self.member(&index.to_string(), look);
    }

    /// Returns the pointer as text. Empty for the whole value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Implements [`Untyped`] for types without members.
macro_rules! leaves {
    ($($type:ty),*) => {$(
        impl Untyped for $type {
            fn collect_untyped(&self, _: &mut Pointer, _: &mut Vec<String>) {}
        }
    )*};
}
leaves!(bool, usize, u16, u32, u64, i64, String, Json, Number);

impl Untyped for Members {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        found.push(at.as_str().to_owned());
    }
}

impl<T: Untyped> Untyped for Option<T> {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        if let Some(value) = self {
            value.collect_untyped(at, found);
        }
    }
}

impl<T: Untyped> Untyped for Box<T> {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        (**self).collect_untyped(at, found);
    }
}

impl<T: Untyped> Untyped for Vec<T> {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        for (index, item) in self.iter().enumerate() {
            at.item(index, |at| item.collect_untyped(at, found));
        }
    }
}

impl<K: AsRef<str>, T: Untyped> Untyped for BTreeMap<K, T> {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        for (key, value) in self {
            at.member(key.as_ref(), |at| value.collect_untyped(at, found));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Untyped as _;
    use crate::message::Message;

    fn untyped(text: &str) -> Vec<String> {
        serde_json::from_str::<Message>(text).unwrap().untyped()
    }

    #[test]
    fn members_without_a_typed_field_are_listed_by_pointer() {
        assert_eq!(
            untyped(
                r#"{"type":"assistant","uuid":null,"new/1":1,"message":{"id":"m","content":[
                    {"type":"text","text":"x","new~2":{"a":1}},
                    {"type":"hologram","frames":9}]}}"#
            ),
            ["/message/content/0/new~02", "/message/content/1", "/new~11"]
        );
        assert_eq!(untyped(r#"{"type":"weather","wind":3}"#), [""]);
        assert_eq!(untyped(r#"{"type":"system","subtype":"storm"}"#), [""]);
    }
}
