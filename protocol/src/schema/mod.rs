//! Generates JSON Schemas (2020-12) of the wire protocol from the types: for
//! other languages, for editors, and to compare the types with a newer agent.
//!
//! The schemas are as open as the types. They allow members, kinds and values
//! that they do not name.

mod shape;

pub(crate) use shape::one_of;
#[doc(hidden)]
pub use shape::{Object, any_of, doc_line, docs, named, schemars, unknown_kind, words};

use crate::control::{
    self, ControlCancel, ControlRequest, ControlResponse, HostRequest, every_host_request,
};
use crate::dialog::UserDialogResult;
use crate::hook::HookOutput;
use crate::mcp::{McpElicitationResult, McpReply};
use crate::message::Message;
use crate::permission::PermissionResult;
#[cfg(feature = "tools")]
use schemars::json_schema;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

/// Returns the schema of any line, in either direction.
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

/// Returns the schema of the responses to control requests of the agent and of
/// the host. It is an object with a member for each subtype. The value is the
/// member `response` of the `response` of a `control_response`. `mcp_message`
/// is sent in both directions, and only the host's response has content.
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

/// Returns the schema of the inputs and outputs of the agent's built-in tools.
/// It is an object with a member for each tool, which has the members `input`
/// and `output`.
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

/// A control request of the host. There is no such type in this crate, because
/// any type that implements [`HostRequest`] can be a request.
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

/// The requests of the host, and their responses by subtype.
type HostRequests = (Vec<Schema>, Vec<(&'static str, Schema)>);

macro_rules! host_requests {
    ($($request:ident),*) => {
        fn host_requests(generator: &mut SchemaGenerator) -> HostRequests {
            (
                vec![$( generator.subschema_for::<control::$request>() ),*],
                vec![$((
                    <control::$request as HostRequest>::SUBTYPE,
                    generator.subschema_for::<<control::$request as HostRequest>::Response>(),
                )),*],
            )
        }
    };
}
every_host_request!(host_requests);

/// Returns a schema with the definitions of all types that it refers to.
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
