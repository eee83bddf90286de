//! JSON Schema (2020-12) of the wire, from the types: for other languages, for
//! editors, and to see how far the types have fallen behind an agent.
//!
//! The schemas are as open as the types: members, kinds and values that they
//! do not name are allowed. They stand in the folder `schema` of this crate,
//! where a test holds them against the types.

use crate::control::{
    self, ControlCancel, ControlRequest, ControlResponse, HostRequest, every_host_request,
};
use crate::conversation::Conversation;
use crate::dialog::UserDialogResult;
use crate::hook::HookOutput;
use crate::json::{Json, Members, Number};
use crate::mcp::{McpElicitationResult, McpReply};
use crate::message::Message;
use crate::open::Field;
use crate::permission::PermissionResult;
#[doc(hidden)]
pub use schemars;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Any line, in either direction.
#[must_use]
pub fn lines() -> Schema {
    whole(|generator| {
        let kinds = [
            generator.subschema_for::<Message>(),
            generator.subschema_for::<HostControlRequest>(),
            generator.subschema_for::<ControlRequest>(),
            generator.subschema_for::<ControlResponse>(),
            generator.subschema_for::<ControlCancel>(),
        ];
        any_of(&[" A line of the protocol, in either direction."], kinds)
    })
}

/// A conversation, as [`Conversation`] is written.
#[must_use]
pub fn conversation() -> Schema {
    whole(SchemaGenerator::subschema_for::<Conversation>)
}

/// What the answer to each control request holds, the agent's requests and the
/// host's: an object with a member for each subtype. The answer itself is the
/// member `response` of a `control_response`'s `response`. `mcp_message` goes
/// both ways, and only the host's answer holds anything.
#[must_use]
pub fn answers() -> Schema {
    whole(|generator| {
        let mut object = Object::new(&[" What the answers to control requests hold, by subtype."]);
        for (subtype, schema) in host_requests(generator).1 {
            object.set(subtype, schema);
        }
        for (subtype, schema) in [
            (
                "can_use_tool",
                generator.subschema_for::<PermissionResult>(),
            ),
            (
                "elicitation",
                generator.subschema_for::<McpElicitationResult>(),
            ),
            ("hook_callback", generator.subschema_for::<HookOutput>()),
            ("mcp_message", generator.subschema_for::<McpReply>()),
            (
                "request_user_dialog",
                generator.subschema_for::<UserDialogResult>(),
            ),
        ] {
            object.set(subtype, schema);
        }
        object.finish()
    })
}

/// What the agent's own tools take and give: an object with a member for each
/// tool, which has the members `input` and `output`.
#[cfg(feature = "tools")]
#[must_use]
pub fn tools() -> Schema {
    whole(|generator| {
        let mut object = Object::new(&[" What the agent's own tools take and give, by name."]);
        for (tool, input, output) in crate::tool::schemas(generator) {
            let sides = json_schema!({
                "type": "object",
                "properties": { "input": input, "output": output },
            });
            object.set(tool, sides);
        }
        object.finish()
    })
}

/// A control request of the host's. It has no type of its own: a request is
/// written from whatever implements [`HostRequest`].
struct HostControlRequest;

impl JsonSchema for HostControlRequest {
    fn schema_name() -> Cow<'static, str> {
        "HostControlRequest".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut kinds = host_requests(generator).0;
        kinds.push(unknown_kind());
        let mut object = Object::new(&[" A request of the host's."]);
        object.tag("type", "control_request");
        object.member::<String>(
            generator,
            "request_id",
            &[" The id that the answer has to carry."],
        );
        object.set("request", any_of(&[" What is asked."], kinds));
        object.required.push("request".into());
        object.finish()
    }
}

/// The requests that the host can make, and their answers by subtype.
type HostRequests = (Vec<Schema>, Vec<(&'static str, Schema)>);

macro_rules! host_requests {
    ($($request:ident),*) => {
        fn host_requests(generator: &mut SchemaGenerator) -> HostRequests {
            (
                vec![$( generator.subschema_for::<control::$request>() ),*],
                vec![$((
                    <control::$request as HostRequest>::SUBTYPE,
                    generator.subschema_for::<<control::$request as HostRequest>::Answer>(),
                )),*],
            )
        }
    };
}
every_host_request!(host_requests);

/// A schema with the definitions of all that it mentions.
fn whole(root: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Schema {
    let mut generator = SchemaGenerator::default();
    let mut schema = root(&mut generator);
    schema.insert(
        "$schema".to_owned(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    schema.insert("$defs".to_owned(), generator.take_definitions(true).into());
    schema
}

/// The schema of an object, while it is being put together.
#[doc(hidden)]
#[derive(Debug)]
pub struct Object {
    description: String,
    properties: Map<String, Value>,
    required: Vec<Value>,
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
        if T::absent().is_none() {
            self.required.push(name.into());
        }
    }

    fn set(&mut self, name: &str, schema: Schema) {
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

/// How a type is called in a schema, and by what it is told apart from others.
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
