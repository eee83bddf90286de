//! Unions that keep the kinds they do not know.

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
            /// A kind that this version does not know, with all its members.
            Unknown($crate::json::Members),
        }

        impl $name {
            /// The tag on the wire, when there is one.
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
            impl $crate::open::Object for $name {
                #[inline(never)]
                fn read_object(
                    reader: &mut $crate::open::Reader<'_>,
                    _: Option<&'static str>,
                ) -> Result<Self, $crate::open::Error> {
                    let place = reader.place();
                    let read = match reader.tag_of($tag)?.as_deref() {
                        $( Some($($value)|+) => {
                            reader.kind::<$($type)+, _>($tag, Self::$variant)
                        } )*
                        _ => return $crate::open::Field::read(reader).map(Self::Unknown),
                    };
                    match read {
                        Err(error) if reader.is_other_kind(&error) => {
                            reader.go_to(place);
                            $crate::open::Field::read(reader).map(Self::Unknown)
                        }
                        read => read,
                    }
                }
            }

            impl $crate::open::Field for $name {
                $( const IS_TOLERANT: bool = $crate::open::tolerance!($tolerant); )?

                fn read(
                    reader: &mut $crate::open::Reader<'_>,
                ) -> Result<Self, $crate::open::Error> {
                    $crate::open::Object::read_object(reader, None)
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
