//! Untyped JSON, stored as text.

use crate::text::{self, Cursor, member, raw_text, serialize_raw};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// A JSON value that is stored as text. Numbers keep every digit, and a large
/// value costs a copy of its text instead of a tree.
///
/// Two values are equal if their texts are equal.
#[derive(Clone, Default)]
pub struct Json(
    /// The text. `None` is `null`, which is very frequent.
    Option<Box<str>>,
);

impl Json {
    /// Creates the value `null`.
    #[must_use]
    pub const fn null() -> Self {
        Self(None)
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.as_deref().unwrap_or("null")
    }

    /// Returns whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.0.is_none()
    }

    /// Creates a value from valid JSON text without surrounding whitespace. The
    /// text is not checked. Only the other crates of this workspace may call
    /// this.
    #[doc(hidden)]
    #[must_use]
    pub fn of_text(text: impl Into<Box<str>> + AsRef<str>) -> Self {
        Self((text.as_ref() != "null").then(|| text.into()))
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn into_text(self) -> String {
        match self.0 {
            Some(text) => text.into(),
            None => "null".to_owned(),
        }
    }

    /// Deserializes the value. Lone surrogates, which a Rust string cannot
    /// represent, become U+FFFD.
    ///
    /// # Errors
    ///
    /// If the value does not have the shape of `T`.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        text::read(self.get())
    }

    /// Serializes a value.
    ///
    /// # Errors
    ///
    /// If the value's `Serialize` fails, or if a map has keys that are not
    /// strings.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        to_raw_value(value).map(Self::from)
    }

    /// Converts the value to a [`Value`].
    ///
    /// # Errors
    ///
    /// If a [`Value`] cannot represent the value, because it has a number
    /// beyond `f64` or more than 128 levels.
    pub fn to_value(&self) -> serde_json::Result<Value> {
        self.read()
    }

    /// Returns the member `key`, if the value is an object that has it. If the
    /// member occurs more than once, returns the last one.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<Json> {
        member(self.get(), key).map(Self::of_text)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Json {}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        to_raw_value(&value).map_or_else(|_| Self::null(), Self::from)
    }
}

/// Converts like [`Json::to_value`].
impl TryFrom<Json> for Value {
    type Error = serde_json::Error;

    fn try_from(json: Json) -> serde_json::Result<Self> {
        json.to_value()
    }
}

/// Converts like [`Json::to_value`].
impl TryFrom<&Json> for Value {
    type Error = serde_json::Error;

    fn try_from(json: &Json) -> serde_json::Result<Self> {
        json.to_value()
    }
}

/// Parses JSON text. `From<&str>`, in contrast, creates a JSON string with this
/// text.
impl FromStr for Json {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> serde_json::Result<Self> {
        let mut cursor = Cursor::new(text.as_bytes());
        if let Ok(start) = cursor.skip()
            && let Some(value) = text.get(start..cursor.at())
            && cursor.end().is_ok()
        {
            return Ok(Self::of_text(value));
        }
        // This is slower, but returns an error with a location.
        serde_json::from_str(text)
    }
}

impl From<Map<String, Value>> for Json {
    fn from(map: Map<String, Value>) -> Self {
        Value::Object(map).into()
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Value::from(text).into()
    }
}

impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Self {
        Self::of_text(Box::<str>::from(raw))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_raw(self.get(), serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        raw_text(deserializer).map(Self::of_text)
    }
}

/// A JSON number that is stored as text, because costs and durations have more
/// digits than an `f64`.
#[derive(Clone, PartialEq, Eq)]
pub struct Number(Digits);

/// The text of a number. Few numbers are so long that they need an allocation.
#[derive(Clone, PartialEq, Eq)]
enum Digits {
    Short(u8, [u8; MAX_INLINE_LENGTH]),
    Long(Box<str>),
}

/// The maximum length of a short text. With its length and the discriminant,
/// such a text is no larger than a `String`.
const MAX_INLINE_LENGTH: usize = 22;

impl Number {
    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        match &self.0 {
            Digits::Short(len, bytes) => bytes
                .get(..usize::from(*len))
                .and_then(|bytes| std::str::from_utf8(bytes).ok())
                .unwrap_or_default(),
            Digits::Long(text) => text,
        }
    }

    /// Returns the nearest `f64`. Infinite if the number is out of range.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.get().parse().unwrap_or(f64::NAN)
    }

    pub(crate) const fn zero() -> Self {
        let mut bytes = [0; MAX_INLINE_LENGTH];
        bytes[0] = b'0';
        Self(Digits::Short(1, bytes))
    }

    /// Creates a number from its text, which must be valid.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut bytes = [0; MAX_INLINE_LENGTH];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(text.as_bytes());
                Self(Digits::Short(len, bytes))
            }
            _ => Self(Digits::Long(text.into())),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self::of_text(&number.to_string())
    }
}

impl From<f64> for Number {
    /// Converts a float. Values that JSON cannot represent (infinities, NaN)
    /// become 0.
    fn from(number: f64) -> Self {
        match serde_json::Number::from_f64(number) {
            Some(number) => Self::of_text(&number.to_string()),
            None => 0.into(),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_raw(self.get(), serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = raw_text(deserializer)?;
        if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            Ok(Self::of_text(&text))
        } else {
            Err(serde::de::Error::custom("not a number"))
        }
    }
}

/// Members of a JSON object, in order. These are the unknown members of a typed
/// object, or all members of an object of an unknown kind.
#[derive(Clone, Default)]
pub struct Members {
    /// The name of a declared member that was `null`, if there is no other
    /// member to preserve, as in most messages.
    null: Option<&'static &'static str>,
    list: Option<Box<MemberList>>,
}

static NULL: Json = Json(None);

#[derive(Clone, Default)]
struct MemberList {
    entries: Vec<(Cow<'static, str>, Json)>,
    /// Missing and invalid members.
    faulty: Option<Box<Faulty>>,
    /// An index, which is created when one of many members is set or removed.
    places: Option<Box<Places>>,
}

#[derive(Clone, Default)]
struct Faulty {
    /// Required members that were missing.
    missing: Vec<&'static str>,
    /// The values of fields whose JSON is missing or invalid, if they differ
    /// from that JSON. `None` is the empty value of the type.
    given: Vec<(&'static str, Option<Json>)>,
}

/// The number of members up to which a linear search is used.
const FEW: usize = 64;

/// An index of the members. An agent may add a member with every message that
/// is merged into an object.
#[derive(Clone, Default)]
struct Places {
    /// The number of the last member with a key, and whether the key occurs
    /// more than once.
    last: HashMap<Cow<'static, str>, (u64, bool)>,
    /// The numbers of the members, in ascending order.
    numbers: Vec<u64>,
    next: u64,
}

impl Places {
    fn push(&mut self, key: Cow<'static, str>) {
        let number = self.next;
        self.next += 1;
        self.numbers.push(number);
        let (last, has_more) = self.last.entry(key).or_insert((number, false));
        *has_more |= *last != number;
        *last = number;
    }
}

impl MemberList {
    fn push(&mut self, key: Cow<'static, str>, value: Json) {
        if let Some(places) = &mut self.places {
            places.push(key.clone());
        }
        self.entries.push((key, value));
    }

    /// Returns the position of the last member with this key.
    fn last(&self, key: &str) -> Option<usize> {
        match &self.places {
            Some(places) => {
                let (number, _) = places.last.get(key)?;
                places.numbers.binary_search(number).ok()
            }
            None => self.entries.iter().rposition(|(k, _)| k == key),
        }
    }

    /// Creates the index, if there are many members. Setting or removing a
    /// member usually repeats.
    fn place(&mut self) {
        if self.places.is_none() && self.entries.len() > FEW {
            let mut places = Places::default();
            for (key, _) in &self.entries {
                places.push(key.clone());
            }
            self.places = Some(Box::new(places));
        }
    }

    fn remove(&mut self, key: &str) -> Option<Json> {
        self.place();
        let at = self.last(key)?;
        let Some(places) = &mut self.places else {
            let (_, last) = self.entries.remove(at);
            self.entries.retain(|(k, _)| k != key);
            return Some(last);
        };
        places.numbers.remove(at);
        let (_, last) = self.entries.remove(at);
        if places
            .last
            .remove(key)
            .is_some_and(|(_, has_more)| has_more)
        {
            self.entries.retain(|(k, _)| k != key);
            self.places = None;
        }
        Some(last)
    }
}

impl Members {
    pub(crate) const fn none() -> Self {
        Self {
            null: None,
            list: None,
        }
    }

    /// Returns whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.null.is_some()) + self.list.as_ref().map_or(0, |list| list.entries.len())
    }

    /// Returns the value of `key`. If `key` occurs more than once, returns the
    /// last value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        if let Some(list) = &self.list
            && let Some(at) = list.last(key)
        {
            return Some(&list.entries[at].1);
        }
        (*self.null? == key).then_some(&NULL)
    }

    /// Returns the value of `key` if it is a string.
    #[must_use]
    pub fn get_str(&self, key: &str) -> Option<String> {
        self.get(key)?.read().ok()
    }

    /// Sets `key`, at its existing position if it has one.
    pub fn set(&mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Json>) {
        let (key, value) = (key.into(), value.into());
        let list = self.together();
        list.place();
        match list.last(&key) {
            Some(at) => list.entries[at].1 = value,
            None => list.push(key, value),
        }
    }

    /// Removes `key` and returns its value. If `key` occurs more than once,
    /// removes the last one.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        if self.is_clean() {
            return None;
        }
        self.together().remove(key)
    }

    /// Appends a member without searching for an existing one, so that reading
    /// an object with a million members stays linear.
    pub fn push(&mut self, key: impl Into<Cow<'static, str>>, value: Json) {
        self.list_mut().push(key.into(), value);
    }

    /// Appends a declared member, like `push`.
    pub(crate) fn push_declared(&mut self, name: &'static &'static str, value: Json) {
        if value.is_null() && self.is_clean() {
            self.null = Some(name);
        } else {
            self.push(*name, value);
        }
    }

    /// Returns the members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        let entries = self.list.as_ref().map_or(&[][..], |list| &list.entries);
        let entries = entries.iter().map(|(key, value)| (&**key, value));
        self.null
            .map(|name| (*name, &NULL))
            .into_iter()
            .chain(entries)
    }

    fn list_mut(&mut self) -> &mut MemberList {
        self.list.get_or_insert_default()
    }

    /// Moves all members into one list.
    fn together(&mut self) -> &mut MemberList {
        let null = self.null.take();
        let list = self.list_mut();
        if let Some(name) = null {
            list.entries.insert(0, ((*name).into(), Json::null()));
            list.places = None;
        }
        list
    }

    /// Returns the names of required members that were missing when the object
    /// was read tolerantly. Their fields hold the empty value of their type,
    /// and are only written if they were set.
    pub fn missing(&self) -> impl Iterator<Item = &'static str> {
        let faulty = self.list.as_ref().and_then(|list| list.faulty.as_ref());
        faulty
            .map_or(&[][..], |faulty| &faulty.missing)
            .iter()
            .copied()
    }

    pub(crate) fn is_missing(&self, name: &str) -> bool {
        self.missing().any(|missing| missing == name)
    }

    /// Records a missing member.
    #[doc(hidden)]
    pub fn push_missing(&mut self, name: &'static str) {
        self.faulty().missing.push(name);
    }

    fn faulty(&mut self) -> &mut Faulty {
        self.list_mut().faulty.get_or_insert_default()
    }

    /// Records the value that the field of a missing or invalid member was set
    /// to.
    pub(crate) fn push_given(&mut self, name: &'static str, value: Option<Json>) {
        self.faulty().given.push((name, value));
    }

    /// Returns the value that the field of a missing or invalid member was set
    /// to, if it differs from the value of its JSON.
    pub(crate) fn given(&self, name: &str) -> Option<Option<&Json>> {
        let given = &self.list.as_ref()?.faulty.as_ref()?.given;
        given
            .iter()
            .find(|(it, _)| *it == name)
            .map(|(_, value)| value.as_ref())
    }

    /// Returns whether no members are preserved.
    #[inline]
    /// Returns whether the only preserved member is this declared one, which was `null`.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.list.is_none() && self.null.is_some_and(|it| *it == name)
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.null.is_none() && self.list.is_none()
    }

    pub(crate) fn into_entries(mut self) -> Vec<(Cow<'static, str>, Json)> {
        std::mem::take(&mut self.together().entries)
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter()) && self.missing().eq(other.missing())
    }
}

impl Eq for Members {}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DECLARED_NAMES: &[&str] = &["a", "b"];

    fn names(members: &Members) -> Vec<&str> {
        members.iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn a_first_null_is_a_member_like_any_other() {
        let mut members = Members::default();
        members.push_declared(&DECLARED_NAMES[0], Json::null());
        members.push_declared(&DECLARED_NAMES[1], Json::null());
        members.push("c", Json::of_text("1"));
        assert_eq!(names(&members), ["a", "b", "c"]);
        assert_eq!((members.len(), members.get("a")), (3, Some(&Json::null())));

        let mut copy = members.clone();
        copy.set("a", Json::of_text("2"));
        assert_eq!(names(&copy), ["a", "b", "c"]);
        assert_eq!(copy.get("a"), Some(&Json::of_text("2")));
        assert_ne!(copy, members);

        assert_eq!(members.remove("a"), Some(Json::null()));
        assert_eq!(members.remove("a"), None);
        assert_eq!(names(&members), ["b", "c"]);
        // A member that is added again comes last.
        members.push_declared(&DECLARED_NAMES[0], Json::null());
        assert_eq!(names(&members), ["b", "c", "a"]);
        assert_eq!(members.into_entries().len(), 3);
    }

    #[test]
    fn a_single_null_can_be_removed_and_taken() {
        let mut members = Members::default();
        members.push_declared(&DECLARED_NAMES[0], Json::null());
        assert_eq!(members.clone().into_entries().len(), 1);
        assert_eq!(members.remove("b"), None);
        assert_eq!(members.remove("a"), Some(Json::null()));
        assert!(members.is_empty());
        assert_eq!(members, Members::default());
    }

    /// Generates texts that are JSON, or nearly: pieces of JSON in any order.
    fn nearly_json() -> impl Strategy<Value = String> {
        let pieces = vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            " ",
            "\n",
            "\t",
            "\u{b}",
            "\u{0}",
            "\u{a0}",
            "\u{feff}",
            "\"",
            "\"a\"",
            "\"\\u0061\"",
            "\"\\ud800\"",
            "\"\\ud80\"",
            "\"\\x\"",
            "\"\n\"",
            "\"é\"",
            "\"a\":1",
            "0",
            "-0",
            "-",
            "01",
            "1.",
            "1.5",
            ".5",
            "1e400",
            "1E+2",
            "1e",
            "+1",
            "NaN",
            "true",
            "tru",
            "null",
            "nul",
            "false",
            "'a'",
            "//",
            "\\",
        ];
        let pieces = prop::collection::vec(prop::sample::select(pieces), 0..8);
        let valid = Just(r#" {"a":[1,-2.5e3,{"b":"\u00e9\n"},null],"a":true, "":[]} "#.to_owned());
        let spoilt =
            (valid, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(text, index, byte)| {
                let mut bytes = text.into_bytes();
                let index = index.index(bytes.len());
                bytes[index] = byte % 128;
                String::from_utf8_lossy(&bytes).into_owned()
            });
        prop_oneof![pieces.prop_map(|pieces| pieces.concat()), spoilt]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn a_text_is_parsed_as_serde_json_parses_it(text in nearly_json(), depth in 0..200_usize) {
            for text in [format!("{}{text}{}", "[".repeat(depth), "]".repeat(depth)), text] {
                let ours = text.parse::<Json>();
                let theirs = serde_json::from_str::<Json>(&text);
                prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", text);
                if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
                    prop_assert_eq!(ours, theirs);
                }
            }
        }
    }
}
