//! Members that are an object or another JSON value.

use super::{Constant, Field, Form, How, Kinds, Slot, Union};
use crate::json::Json;
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
#[cfg(feature = "schema")]
use std::borrow::Cow;

/// An object, or another JSON value. It is for members that are not an object
/// in every version of the agent.
///
/// An object that cannot be read as a `T` is an error. Any value that is not an
/// object is preserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loose<T> {
    /// An object.
    Object(T),
    /// Another JSON value.
    Other(Json),
}

impl<T> Loose<T> {
    /// Returns the object, if the value is one.
    #[must_use]
    pub fn object(&self) -> Option<&T> {
        match self {
            Self::Object(object) => Some(object),
            Self::Other(_) => None,
        }
    }
}

impl<T> From<T> for Loose<T> {
    fn from(object: T) -> Self {
        Self::Object(object)
    }
}

impl<T: Field> Serialize for Loose<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::serialize(self.form(), serializer)
    }
}

impl<'de, T: Field> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::deserialize(deserializer)
    }
}

static KINDS: Kinds = Kinds {
    names: &["Object", "Other"],
    how: How::Look(|reader| Ok(usize::from(reader.peek() != Some(b'{')))),
    empty: 1,
    untyped: Some(1),
};

impl<T: Field> Union for Loose<T> {
    fn kinds(&self) -> &'static Kinds {
        &KINDS
    }

    fn kind(&self) -> (usize, Form<'_>) {
        match self {
            Self::Object(object) => (0, object.form()),
            Self::Other(json) => (1, json.form()),
        }
    }

    fn choose(&mut self, number: usize) -> Slot<'_> {
        *self = match number {
            0 => Self::Object(T::fresh()),
            _ => Self::EMPTY,
        };
        match self {
            Self::Object(object) => object.slot(),
            Self::Other(json) => json.slot(),
        }
    }
}

impl<T: Field> Field for Loose<T> {
    fn form(&self) -> Form<'_> {
        Form::Union(self)
    }

    fn slot(&mut self) -> Slot<'_> {
        Slot::Union(self)
    }

    fn fresh() -> Self {
        Self::EMPTY
    }
}

impl<T> Constant for Loose<T> {
    const EMPTY: Self = Self::Other(Json::null());
}

/// Returns the schema of the object, which is the intended form.
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Loose<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

#[cfg(feature = "audit")]
impl<T: Untyped> Untyped for Loose<T> {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        match self {
            Self::Object(object) => object.collect_untyped(at, found),
            Self::Other(_) => found.push(at.as_str().to_owned()),
        }
    }
}
