//! The tables of types: a file for each public module of the crate.
//!
//! - `objects!` has the fields of each struct, with their names on the wire
//!   where those are others;
//! - `unions!` has the kinds of each union, with their tags;
//! - `either!` has the kinds of what is told apart without a tag, in the order
//!   of the schema;
//! - `enums!` has the values of each enumeration, with what is on the wire.

use agentwire_protocol::Fault;
use serde::Serialize;
use serde_json::Value;

/// A struct for a JSON object.
pub(crate) struct Object {
    pub(crate) name: &'static str,
    /// The file that has it in its table.
    pub(crate) file: &'static str,
    /// The fields, as they are called on the wire.
    pub(crate) members: &'static [&'static str],
    /// Reads an object: what the fields hold, and behind them what the type
    /// does not know.
    pub(crate) read: fn(&str) -> serde_json::Result<Vec<Value>>,
    /// Reads an object tolerantly, and may give a field what another object has.
    pub(crate) odd: fn(&str, Option<(usize, &str)>) -> Odd,
}

/// An object that was read tolerantly.
pub(crate) struct Odd {
    /// What the fields hold, and behind them what the type does not know.
    pub(crate) held: Vec<String>,
    /// The text that is written.
    pub(crate) written: String,
    /// What is told of it.
    pub(crate) faults: Vec<Fault>,
    /// Whether a strict reader reads it as well.
    pub(crate) is_read_strictly: bool,
}

/// A union of objects that are told apart by a tag.
pub(crate) struct Union {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    /// The member that is the tag.
    pub(crate) tag: &'static str,
    /// The kinds and their tags.
    pub(crate) kinds: &'static [(&'static str, &'static str)],
    pub(crate) read: ReadKind,
}

/// One of several types that are told apart without a tag.
pub(crate) struct Either {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) kinds: &'static [&'static str],
    pub(crate) read: ReadKind,
}

/// Reads a value: of which kind it is, and what it holds.
pub(crate) type ReadKind = fn(&str) -> serde_json::Result<(&'static str, Value)>;

/// An enumeration of strings.
pub(crate) struct Enum {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    /// The values, as they are on the wire.
    pub(crate) values: &'static [&'static str],
    /// Takes a value: which of `values` it is, and how it is written.
    pub(crate) take: fn(&str) -> (Option<&'static str>, String),
}

/// What a field holds. Each type of a field is compiled for this once, so
/// nothing else is done here.
pub(crate) fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("JSON")
}

/// The text of what a field holds.
pub(crate) fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("JSON")
}

macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $wire:literal) => {
        $wire
    };
}
pub(crate) use wire_name;

macro_rules! objects {
    ($module:ident: $( $name:ident { $( $field:ident $(= $wire:literal)? ),* $(,)? } )*) => {
        pub(crate) const OBJECTS: &[$crate::fields::table::Object] = &[$(
            $crate::fields::table::Object {
                name: stringify!($name),
                file: file!(),
                members: &[$( $crate::fields::table::wire_name!($field $($wire)?) ),*],
                read: |text| {
                    let read: agentwire_protocol::$module::$name = serde_json::from_str(text)?;
                    Ok(vec![
                        $( $crate::fields::table::json(&read.$field), )*
                        $crate::fields::table::json(&read.extra),
                    ])
                },
                odd: |text, edit| {
                    use agentwire_protocol::open::Reader;
                    use agentwire_protocol::$module::$name;
                    let (read, faults) = Reader::read_with_faults::<$name>(text);
                    #[allow(unused_mut, reason = "some have no fields")]
                    let mut read = read.unwrap_or_else(|error| panic!("{error}: {text}"));
                    if let Some((at, other)) = edit {
                        let other: $name = serde_json::from_str(other).unwrap();
                        #[allow(unused_mut, reason = "some have no fields")]
                        let mut fields = 0..;
                        $( if fields.next() == Some(at) { read.$field = other.$field.clone(); } )*
                        let _ = (fields, at, other);
                    }
                    $crate::fields::table::Odd {
                        held: vec![
                            $( $crate::fields::table::text(&read.$field), )*
                            $crate::fields::table::text(&read.extra),
                        ],
                        written: serde_json::to_string(&read).unwrap(),
                        faults,
                        is_read_strictly: Reader::read_strictly::<$name>(text).is_ok(),
                    }
                },
            }
        ),*];
    };
}
pub(crate) use objects;

macro_rules! unions {
    ($module:ident: $(
        $name:ident by $tag:literal { $( $kind:ident = $value:literal ),* $(,)? }
    )*) => {
        pub(crate) const UNIONS: &[$crate::fields::table::Union] = &[$(
            $crate::fields::table::Union {
                name: stringify!($name),
                file: file!(),
                tag: $tag,
                kinds: &[$( (stringify!($kind), $value) ),*],
                read: $crate::fields::table::read_kind!($module $name: $($kind)* Unknown),
            }
        ),*];
    };
}
pub(crate) use unions;

macro_rules! either {
    ($module:ident: $( $name:ident { $( $kind:ident ),* $(,)? } )*) => {
        pub(crate) const EITHER: &[$crate::fields::table::Either] = &[$(
            $crate::fields::table::Either {
                name: stringify!($name),
                file: file!(),
                kinds: &[$( stringify!($kind) ),*],
                read: $crate::fields::table::read_kind!($module $name: $($kind)*),
            }
        ),*];
    };
}
pub(crate) use either;

macro_rules! read_kind {
    ($module:ident $name:ident: $($kind:ident)*) => {
        |text| {
            use agentwire_protocol::$module::$name;
            #[allow(unreachable_patterns, reason = "some can have more kinds one day")]
            Ok(match serde_json::from_str(text)? {
                $( $name::$kind(held) => (stringify!($kind), $crate::fields::table::json(&held)), )*
                _ => ("a kind that is not in the table", serde_json::Value::Null),
            })
        }
    };
}
pub(crate) use read_kind;

macro_rules! enums {
    ($module:ident: $( $name:ident { $( $value:ident = $wire:literal ),* $(,)? } )*) => {
        pub(crate) const ENUMS: &[$crate::fields::table::Enum] = &[$(
            $crate::fields::table::Enum {
                name: stringify!($name),
                file: file!(),
                values: &[$( $wire ),*],
                take: |text| {
                    use agentwire_protocol::$module::$name;
                    let taken = $name::from(text);
                    let value = match &taken {
                        $( $name::$value => Some($wire), )*
                        $name::Unknown(_) => None,
                        _ => Some("a value that is not in the table"),
                    };
                    (value, taken.as_str().to_owned())
                },
            }
        ),*];
    };
}
pub(crate) use enums;
