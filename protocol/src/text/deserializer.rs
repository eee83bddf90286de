//! A serde deserializer for text that is known to be valid JSON.
//!
//! The wire types request the raw text, which this deserializer returns without
//! scanning it. `serde_json` would scan the text first. Other requests are
//! forwarded to `serde_json`.

use super::{raw, without_lone_surrogates};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::{Error, Result};

/// Text that is a single valid JSON value.
pub(crate) struct TextDeserializer<'de>(pub(crate) &'de str);

/// Deserializes text that is a single valid JSON value. Lone surrogates, which a Rust
/// string cannot represent, become U+FFFD.
///
/// # Errors
///
/// If the value does not have the shape of `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    T::deserialize(TextDeserializer(text)).or_else(|error| match without_lone_surrogates(text) {
        Some(text) => T::deserialize(TextDeserializer(&text)),
        None => Err(error),
    })
}

/// The form in which `serde_json` passes on raw text, which is an object with
/// one member.
struct OnlyText<'de> {
    name: Option<&'static str>,
    text: &'de str,
}

impl<'de> MapAccess<'de> for OnlyText<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let name = self.name.take().map(BorrowedStrDeserializer::new);
        name.map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(BorrowedStrDeserializer::new(self.text))
    }
}

/// Forwards methods to `serde_json`.
macro_rules! forward {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value> {
            (&mut serde_json::Deserializer::from_str(self.0)).$method($($argument,)* visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for TextDeserializer<'de> {
    type Error = Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if raw::is_raw(name) {
            let text = self.0.trim_matches([' ', '\n', '\r', '\t']);
            return visitor.visit_map(OnlyText {
                name: Some(name),
                text,
            });
        }
        (&mut serde_json::Deserializer::from_str(self.0)).deserialize_newtype_struct(name, visitor)
    }

    forward! {
        deserialize_any()
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_i128()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_u128()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_option()
        deserialize_unit()
        deserialize_unit_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier()
        deserialize_ignored_any()
    }
}
