//! Unions that keep the kinds they do not know.

/// Declares a union of objects told apart by one member.
///
/// `"old" | "new" => Kind(Type)` reads both tags. A kind that is much larger
/// than the others goes into a box. What has another tag, or none, is kept
/// whole as `Unknown`.
#[doc(hidden)]
#[macro_export]
macro_rules! union {
    (
        $(#[$($meta:tt)*])*
        pub enum $name:ident by $tag:literal {
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
                const KEEPS_TAG: bool = true;

                fn of_members<'de, A: serde::de::MapAccess<'de>>(
                    rest: &mut $crate::open::Rest<'de, A>,
                ) -> Result<Self, A::Error> {
                    let mut before = $crate::json::Members::default();
                    while let Some($crate::open::Key(key)) = rest.next_key()? {
                        if key != $tag {
                            let value = rest.read(&key)?;
                            before.push(key.into_owned(), value);
                            continue;
                        }
                        let tag = rest.read_tag(&key)?;
                        return match tag.quoted() {
                            $( $($value)|+ => {
                                rest.put_back_with_tag::<$($type)+>(before, $tag, tag);
                                <$($type)+ as $crate::open::Object>::of_members(rest)
                                    .map(Self::$variant)
                            } )*
                            _ => {
                                rest.put_back_with_tag::<$crate::json::Members>(before, $tag, tag);
                                $crate::open::Object::of_members(rest).map(Self::Unknown)
                            }
                        };
                    }
                    rest.put_back(before);
                    $crate::open::Object::of_members(rest).map(Self::Unknown)
                }
            }

            impl $crate::open::Field for $name {}

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
                    $crate::open::read_object(deserializer)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    match self {
                        $( Self::$variant(value) => value.serialize(serializer), )*
                        Self::Unknown(members) => members.serialize(serializer),
                    }
                }
            }
        };
    };
}
pub use union;

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
