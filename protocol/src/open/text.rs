//! The text of a value, without a copy where it is still there.
//!
//! `&RawValue` is that, but only of a text that outlives what is read from it;
//! `Box<RawValue>` is a copy. A tag is looked at and thrown away, and a number
//! is short: for these a copy costs more than reading them. So what
//! `serde_json` does for both is done here for either: the name by which it
//! knows that the text is wanted is asked of its own `Deserialize`, and if one
//! day that is not how it works any more, copies are made.

use crate::json::Json;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

/// The text of a JSON value, as it was written.
#[derive(Debug)]
pub struct Text<'de>(pub Cow<'de, str>);

/// What `serde_json` calls a value whose text is wanted, when asking for it
/// works.
static NAME: LazyLock<Option<&'static str>> = LazyLock::new(|| {
    let Err(Asked(name)) = <&RawValue>::deserialize(AskedFor) else {
        return None;
    };
    let mut probe = serde_json::Deserializer::from_str(" -1.10 ");
    let read = named(name?, &mut probe).ok()?;
    if matches!(read.0, Cow::Borrowed("-1.10")) {
        name
    } else {
        None
    }
});

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match *NAME {
            Some(name) => named(name, deserializer),
            None => {
                let raw = Box::<RawValue>::deserialize(deserializer)?;
                Ok(Self(Cow::Owned(raw.get().to_owned())))
            }
        }
    }
}

impl<'de> Text<'de> {
    /// The same string without needless escapes, where it has some: tags are
    /// told apart by their text.
    pub(super) fn plain(self) -> Self {
        if self.0.contains('\\')
            && let Ok(string) = serde_json::from_str::<String>(&self.0)
            && let Ok(text) = serde_json::to_string(&string)
        {
            return Self(Cow::Owned(text));
        }
        self
    }

    /// What is between the quotes; nothing, for what is no string.
    pub fn quoted(&self) -> &str {
        let string = self.0.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        string.unwrap_or_default()
    }
}

impl From<Text<'_>> for Json {
    fn from(text: Text<'_>) -> Self {
        RawValue::from_string(text.0.into_owned()).map_or_else(|_| Self::null(), Self::from)
    }
}

impl<'a> From<&'a Json> for Text<'a> {
    fn from(json: &'a Json) -> Self {
        Self(Cow::Borrowed(json.get())).plain()
    }
}

fn named<'de, D: Deserializer<'de>>(
    name: &'static str,
    deserializer: D,
) -> Result<Text<'de>, D::Error> {
    deserializer.deserialize_newtype_struct(name, RawVisitor)
}

/// Takes what `serde_json` gives for a raw value: an object with one member,
/// which is the text.
struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'de>, A::Error> {
        map.next_key::<de::IgnoredAny>()?;
        map.next_value::<Given<'_>>().map(|Given(text)| Text(text))
    }
}

/// A string, borrowed where it can be.
struct Given<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Given<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GivenVisitor;
        impl<'de> Visitor<'de> for GivenVisitor {
            type Value = Given<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Given<'de>, E> {
                Ok(Given(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Given<'de>, E> {
                Ok(Given(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Given<'de>, E> {
                Ok(Given(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(GivenVisitor)
    }
}

/// Has nothing to read, and says as what it was asked to read it.
struct AskedFor;

#[derive(Debug)]
struct Asked(Option<&'static str>);

impl<'de> Deserializer<'de> for AskedFor {
    type Error = Asked;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Asked> {
        Err(Asked(None))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(Some(name)))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is nothing to read")
    }
}

impl std::error::Error for Asked {}

impl de::Error for Asked {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(None)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_borrowed_where_it_is_still_there() {
        assert!(NAME.is_some());
        let text: Text<'_> = serde_json::from_str(r#" "a\u0062" "#).unwrap();
        assert!(matches!(text.0, Cow::Borrowed(r#""a\u0062""#)));
        let text: Text<'_> = serde_json::from_slice(b"[1.10]").unwrap();
        assert!(matches!(text.0, Cow::Borrowed("[1.10]")));
    }

    #[test]
    fn a_text_is_copied_where_it_goes_away() {
        let mut reader = serde_json::Deserializer::from_reader(&b"1.10"[..]);
        let text = Text::deserialize(&mut reader).unwrap();
        assert_eq!(text.0, "1.10");
        let text = Text::deserialize(serde_json::json!({"a": "b"})).unwrap();
        assert_eq!(text.0, r#"{"a":"b"}"#);
    }
}
