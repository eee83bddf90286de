//! JSON values that compare exactly: numbers by their text, members in any order. The last
//! occurrence of a repeated member counts.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A JSON value that preserves all digits of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Exact {
    /// `null`, `true`, `false`, or a number as it was written.
    Token(String),
    /// A string. A string with a lone surrogate is kept as it was written.
    Text(String),
    /// A list.
    List(Vec<Exact>),
    /// An object.
    Object(BTreeMap<String, Exact>),
}

impl Exact {
    /// Reads a text. Panics if the text is not JSON.
    pub(crate) fn of(text: &str) -> Self {
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        match raw.get().as_bytes()[0] {
            b'{' => {
                let members = BTreeMap::<String, &RawValue>::deserialize(
                    &mut serde_json::Deserializer::from_str(raw.get()),
                );
                let members = members.unwrap().into_iter();
                Self::Object(members.map(|(k, v)| (k, Self::of(v.get()))).collect())
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap();
                Self::List(items.into_iter().map(|v| Self::of(v.get())).collect())
            }
            b'"' => {
                Self::Text(serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned()))
            }
            _ => Self::Token(raw.get().to_owned()),
        }
    }
}
