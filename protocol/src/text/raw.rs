//! Provides the text of a value, without copying where possible.
//!
//! The wire types are read from text. `serde_json` provides the text of a value
//! if the value is requested by the internal name that `RawValue` uses. This
//! module obtains the name from `RawValue` itself. `&RawValue` only borrows and
//! `Box<RawValue>` always copies; this module borrows where possible. With any
//! other deserializer, it reads the value and writes its text.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{self, Serialize, SerializeStruct as _, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::sync::LazyLock;

/// The name by which `serde_json` provides raw text. `None` if it cannot be
/// obtained.
static NAME: LazyLock<Option<&'static str>> = LazyLock::new(|| {
    let Err(RequestedName(name)) = <&RawValue>::deserialize(NameProbe) else {
        return None;
    };
    let mut probe = serde_json::Deserializer::from_str(" -1.10 ");
    let read = (&mut probe)
        .deserialize_newtype_struct(name?, TextVisitor(name))
        .ok()?;
    if matches!(read, Cow::Borrowed("-1.10")) {
        name
    } else {
        None
    }
});

/// The member name that `serde_json` uses for a number with its exact digits,
/// if another deserializer has buffered the number as an object.
const NUMBER: &str = "$serde_json::private::Number";

/// Returns the text of the value in a deserializer.
pub(crate) fn raw_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Cow<'de, str>, D::Error> {
    match *NAME {
        Some(name) => deserializer.deserialize_newtype_struct(name, TextVisitor(Some(name))),
        None => {
            let raw = Box::<RawValue>::deserialize(deserializer)?;
            Ok(Cow::Owned(raw.get().to_owned()))
        }
    }
}

/// Returns whether this name requests raw text.
pub(super) fn is_raw(name: &str) -> bool {
    *NAME == Some(name)
}

/// Serializes valid JSON text verbatim.
pub(crate) fn serialize_raw<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match *NAME {
        Some(name) => {
            let mut raw = serializer.serialize_struct(name, 1)?;
            raw.serialize_field(name, text)?;
            raw.end()
        }
        None => {
            let raw: &RawValue = serde_json::from_str(text).map_err(ser::Error::custom)?;
            raw.serialize(serializer)
        }
    }
}

/// Accepts the raw value of `serde_json`, which is an object with one member
/// that contains the text, and plain values of other deserializers.
struct TextVisitor(Option<&'static str>);

impl TextVisitor {
    fn written<'de, T: Display, E>(value: T) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(value.to_string()))
    }

    fn json<'de, T: Serialize, E: de::Error>(value: T) -> Result<Cow<'de, str>, E> {
        serde_json::to_string(&value)
            .map(Cow::Owned)
            .map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cow<'de, str>, A::Error> {
        let mut text = String::from("{");
        while let Some(AnyString(key)) = map.next_key()? {
            if text.len() == 1 && (Some(&*key) == self.0 || key == NUMBER) {
                return map.next_value().map(|AnyString(text)| text);
            }
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&Self::json::<_, A::Error>(key)?);
            text.push(':');
            let Raw(value) = map.next_value()?;
            text.push_str(&value);
        }
        text.push('}');
        Ok(Cow::Owned(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cow<'de, str>, A::Error> {
        let mut text = String::from("[");
        while let Some(Raw(item)) = seq.next_element()? {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&item);
        }
        text.push(']');
        Ok(Cow::Owned(text))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_none<E>(self) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed("null"))
    }

    fn visit_unit<E>(self) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed("null"))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Cow<'de, str>, E> {
        Self::written(value)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Cow<'de, str>, E> {
        Self::written(value)
    }

    fn visit_i128<E>(self, value: i128) -> Result<Cow<'de, str>, E> {
        Self::written(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Cow<'de, str>, E> {
        Self::written(value)
    }

    fn visit_u128<E>(self, value: u128) -> Result<Cow<'de, str>, E> {
        Self::written(value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Cow<'de, str>, E> {
        Self::json(value)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Cow<'de, str>, E> {
        Self::json(value)
    }
}

/// The text of a nested value.
struct Raw<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        raw_text(deserializer).map(Self)
    }
}

/// A string, borrowed if possible.
struct AnyString<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for AnyString<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GivenVisitor;
        impl<'de> Visitor<'de> for GivenVisitor {
            type Value = AnyString<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<AnyString<'de>, E> {
                Ok(AnyString(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<AnyString<'de>, E> {
                Ok(AnyString(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<AnyString<'de>, E> {
                Ok(AnyString(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(GivenVisitor)
    }
}

/// A deserializer without input that reports the requested name.
struct NameProbe;

#[derive(Debug)]
struct RequestedName(Option<&'static str>);

impl<'de> Deserializer<'de> for NameProbe {
    type Error = RequestedName;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, RequestedName> {
        Err(RequestedName(None))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, RequestedName> {
        Err(RequestedName(Some(name)))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl fmt::Display for RequestedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is nothing to read")
    }
}

impl std::error::Error for RequestedName {}

impl de::Error for RequestedName {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(None)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer as _;
    use serde_json::json;

    #[test]
    fn text_is_borrowed_from_a_borrowed_input() {
        assert!(NAME.is_some());
        let Raw(text) = serde_json::from_str(r#" "a\u0062" "#).unwrap();
        assert!(matches!(text, Cow::Borrowed(r#""a\u0062""#)));
        let Raw(text) = serde_json::from_slice(b"[1.10]").unwrap();
        assert!(matches!(text, Cow::Borrowed("[1.10]")));
    }

    #[test]
    fn text_is_copied_from_a_reader() {
        let mut reader = serde_json::Deserializer::from_reader(&b"1.10"[..]);
        assert_eq!(raw_text(&mut reader).unwrap(), "1.10");
        assert_eq!(raw_text(json!({"a": "b"})).unwrap(), r#"{"a":"b"}"#);
    }

    #[test]
    fn other_deserializers_values_are_written_as_text() {
        let values = [("a", 1_u8), ("b\"", 2)].into_iter();
        let map = de::value::MapDeserializer::<_, de::value::Error>::new(values);
        assert_eq!(raw_text(map).unwrap(), r#"{"a":1,"b\"":2}"#);
        let list = vec![1.5, f64::NAN].into_deserializer();
        assert_eq!(
            raw_text::<de::value::SeqDeserializer<_, de::value::Error>>(list).unwrap(),
            "[1.5,null]"
        );

        // serde buffers the value until the variant is known.
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum NumberOrRawText<'a> {
            Number(u8),
            #[serde(borrow)]
            Text(Raw<'a>),
        }
        let text = r#"{"a":[1,-2,2.5,"é\n",null,true,{}]}"#;
        match serde_json::from_str(text).unwrap() {
            NumberOrRawText::Text(Raw(kept)) => assert_eq!(kept, text),
            NumberOrRawText::Number(number) => panic!("{number}"),
        }
    }

    #[test]
    fn text_is_serialized_verbatim() {
        struct Written;
        impl Serialize for Written {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serialize_raw("1.10", serializer)
            }
        }
        assert_eq!(serde_json::to_string(&[Written]).unwrap(), "[1.10]");
    }
}
