//! Members that are a text or another type.

use agentwire_protocol::open::{Constant, Error, Field, Form, Own, Reader, Slot, deserialize};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text, or a list or an object.
#[derive(Debug, Clone, PartialEq)]
pub enum TextOr<T> {
    /// A text.
    Text(String),
    /// Another type.
    Other(T),
}

impl<T> TextOr<T> {
    /// Returns the text, if the value is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(_) => None,
        }
    }
}

impl<T> From<&str> for TextOr<T> {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T> From<String> for TextOr<T> {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T> From<Vec<T>> for TextOr<Vec<T>> {
    fn from(items: Vec<T>) -> Self {
        Self::Other(items)
    }
}

impl<T: Field> Own for TextOr<T> {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = match reader.peek() {
            Some(b'"') => Self::Text(reader.value()?),
            Some(b'[' | b'{') => Self::Other(reader.value()?),
            _ => return Err(reader.unexpected("a text, a list or an object")),
        };
        Ok(())
    }

    fn content(&self) -> Form<'_> {
        match self {
            Self::Text(text) => Form::Text(text),
            Self::Other(other) => other.form(),
        }
    }
}

impl<T: Field> Field for TextOr<T> {
    fn form(&self) -> Form<'_> {
        Form::Own(self)
    }

    fn slot(&mut self) -> Slot<'_> {
        Slot::Own(self)
    }

    fn fresh() -> Self {
        Self::EMPTY
    }
}

impl<T> Constant for TextOr<T> {
    const EMPTY: Self = Self::Text(String::new());
}

agentwire_protocol::if_audit! {
    impl<T: agentwire_protocol::Untyped> agentwire_protocol::Untyped for TextOr<T> {
        fn collect_untyped(&self, at: &mut agentwire_protocol::Pointer, found: &mut Vec<String>) {
            if let Self::Other(other) = self {
                other.collect_untyped(at, found);
            }
        }
    }
}

agentwire_protocol::if_schema! {
    impl<T: agentwire_protocol::schema::schemars::JsonSchema> agentwire_protocol::schema::schemars::JsonSchema for TextOr<T> {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> std::borrow::Cow<'static, str> {
            format!("TextOr{}", T::schema_name()).into()
        }

        fn json_schema(generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator) -> agentwire_protocol::schema::schemars::Schema {
            let kinds = [generator.subschema_for::<String>(), generator.subschema_for::<T>()];
            agentwire_protocol::schema::any_of(&[" A text, or something else."], kinds)
        }
    }
}

impl<T: Serialize> Serialize for TextOr<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Other(other) => other.serialize(serializer),
        }
    }
}

impl<'de, T: Field> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}
