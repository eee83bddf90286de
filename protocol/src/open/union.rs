//! Unions that preserve unknown kinds.

use super::error::Error;
use super::reader::{Object, Reader, Tag};
use crate::json::Members;

/// Declares a union of objects told apart by one member.
///
/// `"old" | "new" => Kind(Type)` reads both tags. A kind that is much larger
/// than the others goes into a box. What has another tag, or none, is kept
/// whole as `Unknown`. `pub enum Name: tolerant` is read tolerantly, by itself or in
/// a list.
#[doc(hidden)]
#[macro_export]
macro_rules! union {
    (
        $(#[$($meta:tt)*])*
        pub enum $name:ident $(: $tolerant:ident)? by $tag:literal {
            $( $(#[$variant_meta:meta])* $($value:literal)|+ => $variant:ident($($type:tt)+), )*
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "the very large kinds are in boxes")]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($($type)+), )*
            /// A kind unknown to this version, with all its members.
            Unknown($crate::json::Members),
        }

        impl $name {
            /// Returns the tag on the wire, if there is one.
            #[must_use]
            pub fn tag(&self) -> Option<String> {
                match self {
                    $( Self::$variant(_) => {
                        let tags: &[&str] = &[$($value),+];
                        tags.last().map(|tag| (*tag).to_owned())
                    } )*
                    Self::Unknown(members) => members.get_str($tag),
                }
            }
        }

        $( $crate::open::from_kind!($name, $variant, $($type)+); )*

        const _: () = {
            impl $crate::open::Union for $name {
                fn choose(&mut self, tag: &str) -> Option<&mut dyn $crate::open::Object> {
                    match tag {
                        $( $($value)|+ => *self = Self::$variant($crate::open::Field::empty()), )*
                        _ => return None,
                    }
                    match self {
                        $( Self::$variant(kind) => Some(kind), )*
                        Self::Unknown(_) => None,
                    }
                }

                fn set_unknown(&mut self, members: $crate::json::Members) {
                    *self = Self::Unknown(members);
                }
            }

            impl $crate::open::Object for $name {
                fn read_object(
                    &mut self,
                    reader: &mut $crate::open::Reader<'_>,
                    chosen_by: Option<$crate::open::Tag>,
                ) -> Result<(), $crate::open::Error> {
                    $crate::open::read_union(self, $tag, reader, chosen_by)
                }
            }

            impl $crate::open::Field for $name {
                $( const IS_TOLERANT: bool = $crate::open::tolerance!($tolerant); )?

                fn read(
                    &mut self,
                    reader: &mut $crate::open::Reader<'_>,
                ) -> Result<(), $crate::open::Error> {
                    $crate::open::Object::read_object(self, reader, None)
                }

                fn empty() -> Self {
                    Self::Unknown($crate::json::Members::default())
                }
            }

            $crate::if_audit! {
                impl $crate::Untyped for $name {
                    fn collect_untyped(
                        &self,
                        at: &mut $crate::Pointer,
                        found: &mut Vec<String>,
                    ) {
                        match self {
                            $( Self::$variant(value) => value.collect_untyped(at, found), )*
                            Self::Unknown(members) => members.collect_untyped(at, found),
                        }
                    }
                }
            }

            $crate::if_schema! {
                impl $crate::schema::schemars::JsonSchema for $name {
                    $crate::schema::named!($name);

                    fn json_schema(generator: &mut $crate::schema::schemars::SchemaGenerator) -> $crate::schema::schemars::Schema {
                        let kinds = [
                            $( generator.subschema_for::<$($type)+>(), )*
                            $crate::schema::unknown_kind(),
                        ];
                        $crate::schema::any_of($crate::schema::docs!($([$($meta)*])*), kinds)
                    }
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    $crate::open::deserialize(deserializer)
                }
            }

            impl $crate::open::Written for $name {
                fn form(&self) -> $crate::open::Form<'_> {
                    match self {
                        $( Self::$variant(value) => value.form(), )*
                        Self::Unknown(members) => members.form(),
                    }
                }
            }

            $crate::open::serialize_written!($name);
        };
    };
}
pub use union;

/// What unions have in common.
pub trait Union {
    /// Makes it an empty object of the kind with this tag, if there is one.
    fn choose(&mut self, tag: &str) -> Option<&mut dyn Object>;

    /// Makes it an object of an unknown kind.
    fn set_unknown(&mut self, members: Members);
}

/// Reads a union, itself perhaps a kind of another one, by its tag.
///
/// # Errors
///
/// If it is something else.
#[inline(never)]
pub fn read_union(
    union: &mut dyn Union,
    tag: &'static str,
    reader: &mut Reader<'_>,
    chosen_by: Option<Tag>,
) -> Result<(), Error> {
    reader.before_tag(chosen_by);
    let place = reader.place();
    let (tag, value) = reader.tag_of(tag)?;
    if let Some(kind) = value.and_then(|value| union.choose(&value)) {
        match kind.read_object(reader, Some(tag)) {
            Err(error) if reader.is_other_kind(&error) => {}
            read => return read,
        }
    }
    reader.go_to(place);
    union.set_unknown(reader.value()?);
    Ok(())
}

/// The word that makes a union one that is read tolerantly.
#[doc(hidden)]
#[macro_export]
macro_rules! tolerance {
    (tolerant) => {
        true
    };
}
pub use tolerance;

/// Makes a union of one of its kinds, which may be in a box.
#[doc(hidden)]
#[macro_export]
macro_rules! from_kind {
    ($name:ident, $variant:ident, Box<$type:ty>) => {
        impl From<$type> for $name {
            fn from(value: $type) -> Self {
                Self::$variant(Box::new(value))
            }
        }
    };
    ($name:ident, $variant:ident, $type:ty) => {
        impl From<$type> for $name {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        }
    };
}
pub use from_kind;
