//! Messages of `codex app-server`: the part that a driving client uses.
//!
//! All types are open, like those of [`agentwire_protocol`]: unknown members,
//! kinds and values are preserved when a value is read and written again.
//! Members that no client uses have no field and are in `extra`.

mod account;
mod agent_request;
mod client_request;
mod item;
mod notification;
mod settings;
mod thread;

pub use account::*;
pub use agent_request::*;
pub use client_request::*;
pub use item::*;
pub use notification::*;
pub use settings::*;
pub use thread::*;

use agentwire_protocol::open::{Field, Form, Reader};
use agentwire_protocol::{Fault, Json};

/// Reads a value tolerantly. An invalid member costs only that member, unless
/// the value has no use without it: a required member of the value itself, or
/// the `id` or the `type` of an object in it.
fn read_tolerantly<T: Field>(json: &Json) -> Result<T, Vec<Fault>> {
    if let Ok(value) = Reader::read_strictly(json.get()) {
        return Ok(value);
    }
    let (read, faults) = Reader::read_with_faults::<T>(json.get());
    match read {
        Ok(value) if !faults.iter().any(|it| is_essential(value.form(), &it.path)) => Ok(value),
        _ => Err(faults),
    }
}

/// Reads a value in which no member may be invalid.
fn read_strictly<T: Field>(json: &Json) -> Result<T, Vec<Fault>> {
    Reader::read_strictly(json.get()).map_err(|_| Reader::read_with_faults::<T>(json.get()).1)
}

/// Returns whether a value has no use without the member at this path.
fn is_essential(form: Form<'_>, path: &str) -> bool {
    let mut is_required = false;
    let form = match form {
        Form::Union(union) => union.kind().1,
        form => form,
    };
    if let Form::Object(object) = form {
        object.forms(&mut |declared, _, _| {
            let mut members = declared.members.iter();
            let number = members.position(|name| *name == path);
            is_required = number.is_some_and(|number| declared.required >> number & 1 == 1);
        });
    }
    is_required
        || path
            .split_once('.')
            .is_some_and(|(_, rest)| matches!(rest, "id" | "type"))
}

/// Declares objects like [`object`](agentwire_protocol::open::object).
/// `of(…)` adds members that many objects share.
macro_rules! objects {
    ($(
        $(#[$($meta:tt)*])*
        pub struct $name:ident $(of($($shared:ident),+))? $(tags($($tags:tt)+))? { $($members:tt)* }
    )*) => {$(
        $crate::wire::object_of! {
            [$($($shared)+)?] {$(#[$($meta)*])*} { $name $(tags($($tags)+))? } { $($members)* }
        }
    )*};
}
use objects;

/// Declares an object with shared members.
macro_rules! object_of {
    ([] {$($meta:tt)*} {$($name:tt)*} {$($members:tt)*}) => {
        agentwire_protocol::open::object! { $($meta)* pub struct $($name)* { $($members)* } }
    };
    ([thread $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [$($more)*] $meta $name {
            /// The ID of the thread.
            pub thread_id: String = "threadId",
            $($members)*
        } }
    };
    ([turn $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [thread $($more)*] $meta $name {
            /// The ID of the turn.
            pub turn_id: String = "turnId",
            $($members)*
        } }
    };
    ([item $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [turn $($more)*] $meta $name {
            /// The ID of the item.
            pub item_id: String = "itemId",
            $($members)*
        } }
    };
    ([identity $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [times $($more)*] $meta $name {
            /// The ID of the item.
            pub id: String,
            $($members)*
        } }
    };
    ([times $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [$($more)*] $meta $name {
            $($members)*
            /// The time of the start, as a Unix time in milliseconds.
            pub started_at_ms: Option<i64> = "startedAtMs",
            /// The time of the end, as a Unix time in milliseconds.
            pub completed_at_ms: Option<i64> = "completedAtMs",
        } }
    };
    ([page $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [$($more)*] $meta $name {
            $($members)*
            /// The cursor of a page. Default: the first page.
            pub cursor: Option<String>,
            /// The maximum length of the page.
            pub limit: Option<u32>,
        } }
    };
    ([policies $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [$($more)*] $meta $name {
            $($members)*
            /// The working directory.
            pub cwd: Option<String>,
            /// The model. Codex does not check the name.
            pub model: Option<String>,
            /// The approval policy.
            pub approval_policy: Option<$crate::wire::ApprovalPolicy> = "approvalPolicy",
            /// The reviewer of approvals.
            pub approvals_reviewer: Option<$crate::wire::ApprovalsReviewer> = "approvalsReviewer",
        } }
    };
    ([opening $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [policies $($more)*] $meta $name {
            $($members)*
            /// The provider of the model.
            pub model_provider: Option<String> = "modelProvider",
            /// The sandbox.
            pub sandbox: Option<$crate::wire::SandboxMode>,
            /// Settings that replace those of `config.toml`.
            pub config: Option<agentwire_protocol::Members>,
            /// The system prompt.
            pub base_instructions: Option<String> = "baseInstructions",
            /// Instructions in addition to the system prompt.
            pub developer_instructions: Option<String> = "developerInstructions",
        } }
    };
    ([settings $($more:ident)*] $meta:tt $name:tt {$($members:tt)*}) => {
        $crate::wire::object_of! { [policies $($more)*] $meta $name {
            $($members)*
            /// The reasoning effort, such as `high`.
            pub effort: Option<String>,
            /// The length of reasoning summaries, such as `auto` or `none`.
            pub summary: Option<String>,
            /// The sandbox.
            pub sandbox_policy: Option<$crate::wire::SandboxPolicy> = "sandboxPolicy",
            /// The collaboration mode. Experimental.
            pub collaboration_mode: Option<$crate::wire::CollaborationMode> = "collaborationMode",
        } }
    };
}
use object_of;

/// Declares enumerations like [`open_enum`](agentwire_protocol::open::open_enum).
macro_rules! enums {
    ($( $(#[$($meta:tt)*])* pub enum $name:ident { $($variants:tt)* } )*) => {$(
        agentwire_protocol::open::open_enum! {
            $(#[$($meta)*])*
            pub enum $name { $($variants)* }
        }
    )*};
}
use enums;

/// Declares an enumeration whose values are names, or objects with one member
/// that names the kind. The object has an optional field for each kind.
macro_rules! named_or {
    ($(#[$($meta:tt)*])* pub enum $name:ident { $names:ident, $object:ident }) => {
        $(#[$($meta)*])*
        #[non_exhaustive]
        pub enum $name {
            /// A value that is neither a name nor an object.
            Unknown(agentwire_protocol::Json),
            /// A name.
            Named($names),
            /// A kind with members of its own.
            Object($object),
        }

        agentwire_protocol::open::from_kind!($name, Named, $names);
        agentwire_protocol::open::from_kind!($name, Object, $object);

        agentwire_protocol::open::choice! {
            $name by |reader| Ok(match reader.peek() {
                Some(b'"') => 1,
                Some(b'{') => 2,
                _ => 0,
            });
            untyped Some(0);
            Unknown(agentwire_protocol::Json), Named($names), Object($object)
        }

        agentwire_protocol::if_schema! {
            impl agentwire_protocol::schema::schemars::JsonSchema for $name {
                agentwire_protocol::schema::named!($name);

                fn json_schema(
                    generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator,
                ) -> agentwire_protocol::schema::schemars::Schema {
                    let kinds = [
                        generator.subschema_for::<$names>(),
                        generator.subschema_for::<$object>(),
                    ];
                    agentwire_protocol::schema::any_of(
                        agentwire_protocol::schema::docs!($([$($meta)*])*),
                        kinds,
                    )
                }
            }
        }
    };
}
use named_or;

/// Declares the messages of one kind by their methods. `read` reads the
/// parameters.
macro_rules! messages {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $read:ident {
            $( $(#[$variant_meta:meta])* $method:literal => $variant:ident($type:ty), )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "few values exist at a time")]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($type), )*
            /// A message whose method has no type here.
            Unknown {
                /// The method.
                method: String,
                /// The parameters.
                params: agentwire_protocol::Json,
            },
            /// A message whose parameters do not fit its type.
            Unreadable {
                /// The method.
                method: String,
                /// The parameters.
                params: agentwire_protocol::Json,
                /// The missing and invalid members.
                faults: Vec<agentwire_protocol::Fault>,
            },
        }

        impl $name {
            /// Reads a message from its method and its parameters.
            #[must_use]
            pub fn read(method: &str, params: &agentwire_protocol::Json) -> Self {
                let read = match method {
                    $( $method => $crate::wire::$read(params).map(Self::$variant), )*
                    _ => {
                        let (method, params) = (method.to_owned(), params.clone());
                        return Self::Unknown { method, params };
                    }
                };
                read.unwrap_or_else(|faults| Self::Unreadable {
                    method: method.to_owned(),
                    params: params.clone(),
                    faults,
                })
            }

            /// Returns the method.
            #[must_use]
            pub fn method(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $method, )*
                    Self::Unknown { method, .. } | Self::Unreadable { method, .. } => method,
                }
            }

            /// Returns the parameters, with all members that were read.
            #[must_use]
            pub fn params(&self) -> agentwire_protocol::Json {
                match self {
                    // Serializing cannot fail: the names of all members are strings.
                    $( Self::$variant(params) => {
                        agentwire_protocol::Json::from_value(params).unwrap_or_default()
                    } )*
                    Self::Unknown { params, .. } | Self::Unreadable { params, .. } => params.clone(),
                }
            }
        }

        agentwire_protocol::if_audit! {
            impl agentwire_protocol::Untyped for $name {
                fn collect_untyped(
                    &self,
                    at: &mut agentwire_protocol::Pointer,
                    found: &mut Vec<String>,
                ) {
                    match self {
                        $( Self::$variant(params) => params.collect_untyped(at, found), )*
                        _ => found.push(at.as_str().to_owned()),
                    }
                }
            }
        }

        agentwire_protocol::if_schema! {
            impl $name {
                /// Returns the methods, and the schemas of their parameters.
                #[doc(hidden)]
                pub fn schemas(
                    generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator,
                ) -> Vec<(&'static str, agentwire_protocol::schema::schemars::Schema)> {
                    vec![$( ($method, generator.subschema_for::<$type>()) ),*]
                }
            }
        }
    };
}
use messages;
