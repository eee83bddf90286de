//! Components of the schemas of types.

use crate::json::{Json, Members, Number};
use crate::open::Field;
#[doc(hidden)]
pub use schemars;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The schema of an object, while it is being put together.
#[doc(hidden)]
#[derive(Debug)]
pub struct Object {
    description: String,
    properties: Map<String, Value>,
    pub(super) required: Vec<Value>,
}

impl Object {
    pub fn new(docs: &[&str]) -> Self {
        Self {
            description: description(docs),
            properties: Map::new(),
            required: vec![],
        }
    }

    /// A member that says what the object is.
    pub fn tag(&mut self, name: &str, value: &str) {
        self.properties
            .insert(name.to_owned(), json!({ "const": value }));
        self.required.push(name.into());
    }

    pub fn member<T: Field + JsonSchema>(
        &mut self,
        generator: &mut SchemaGenerator,
        name: &str,
        docs: &[&str],
    ) {
        let mut schema = generator.subschema_for::<T>();
        schema.insert("description".to_owned(), description(docs).into());
        self.set(name, schema);
        if T::IS_REQUIRED {
            self.required.push(name.into());
        }
    }

    pub(super) fn set(&mut self, name: &str, schema: Schema) {
        self.properties.insert(name.to_owned(), schema.to_value());
    }

    pub fn finish(self) -> Schema {
        let mut schema = json_schema!({
            "description": self.description,
            "type": "object",
        });
        if !self.properties.is_empty() {
            schema.insert("properties".to_owned(), self.properties.into());
        }
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.into());
        }
        schema
    }
}

/// One of several.
#[doc(hidden)]
pub fn any_of(docs: &[&str], kinds: impl IntoIterator<Item = Schema>) -> Schema {
    let kinds: Vec<Value> = kinds.into_iter().map(Schema::to_value).collect();
    json_schema!({ "description": description(docs), "anyOf": kinds })
}

/// An object of a kind that the types do not know.
#[doc(hidden)]
pub fn unknown_kind() -> Schema {
    json_schema!({ "description": "A kind that is not described here.", "type": "object" })
}

/// These strings, and any other.
#[doc(hidden)]
pub fn words(known: &[&str]) -> [Schema; 2] {
    [
        json_schema!({ "enum": known }),
        json_schema!({ "type": "string" }),
    ]
}

/// The documentation of an item as one text, its lines joined as they are
/// read.
fn description(docs: &[&str]) -> String {
    let lines: Vec<&str> = docs
        .iter()
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    lines
        .join("\n")
        .split("\n\n")
        .map(|paragraph| paragraph.replace('\n', " "))
        .collect::<Vec<_>>()
        .join("\n\n")
        .trim()
        .to_owned()
}

/// The lines of documentation among an item's attributes.
#[doc(hidden)]
#[macro_export]
macro_rules! docs {
    ($([$($attribute:tt)*])*) => {
        &[$( $crate::schema::doc_line!($($attribute)*), )*]
    };
}
#[doc(hidden)]
pub use docs;

#[doc(hidden)]
#[macro_export]
macro_rules! doc_line {
    (doc = $line:expr) => {
        $line
    };
    ($($other:tt)*) => {
        ""
    };
}
#[doc(hidden)]
pub use doc_line;

/// Types whose schema is a word.
macro_rules! simple {
    ($($type:ty: $name:literal = $schema:tt,)*) => {$(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

simple! {
    Json: "Json" = {},
    Number: "Number" = { "type": "number" },
    Members: "Members" = { "type": "object" },
}

/// The name of a type in a schema, and its identity.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($name:ident) => {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            stringify!($name).into()
        }

        fn schema_id() -> std::borrow::Cow<'static, str> {
            concat!(module_path!(), "::", stringify!($name)).into()
        }
    };
}
#[doc(hidden)]
pub use named;

/// Types that are one of several others, told apart by their JSON kind or by
/// hand: `Effort = "a description": Level, Number`.
macro_rules! one_of {
    ($name:ident = $docs:literal: $($type:ty),+) => {
        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            $crate::schema::named!($name);

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let kinds = [$( generator.subschema_for::<$type>() ),+];
                $crate::schema::any_of(&[$docs], kinds)
            }
        }
    };
}
pub(crate) use one_of;
