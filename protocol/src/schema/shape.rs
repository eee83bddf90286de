//! Builds the parts of the schemas of types.

use crate::json::{Json, Members, Number};
use crate::open::Field;
#[doc(hidden)]
pub use schemars;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The schema of an object under construction.
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

    /// Adds a member that identifies the kind of the object.
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

/// Returns the schema of a value that is one of several kinds.
#[doc(hidden)]
pub fn any_of(docs: &[&str], kinds: impl IntoIterator<Item = Schema>) -> Schema {
    let kinds: Vec<Value> = kinds.into_iter().map(Schema::to_value).collect();
    json_schema!({ "description": description(docs), "anyOf": kinds })
}

/// Returns the schema of an object whose kind is unknown.
#[doc(hidden)]
pub fn unknown_kind() -> Schema {
    json_schema!({ "description": "A kind that is not described here.", "type": "object" })
}

/// Returns the schemas of the known strings, and of any other string.
#[doc(hidden)]
pub fn words(known: &[&str]) -> [Schema; 2] {
    [
        json_schema!({ "enum": known }),
        json_schema!({ "type": "string" }),
    ]
}

/// Joins the lines of an item's documentation into one text.
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

/// Extracts the lines of documentation from an item's attributes.
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

/// Implements `JsonSchema` for types whose schema is one word.
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

/// Implements the name and the identity of a type in a schema.
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

/// Implements `JsonSchema` for types that are one of several others,
/// distinguished by their JSON type: `Effort = "a description": Level, Number`.
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
