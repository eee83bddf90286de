//! Unions that preserve unknown kinds.

use super::form::{Form, How, Union};

/// Declares a union of objects with one tag.
///
/// `"old" | "new" => Kind(Type)` reads both tags. Box a kind that is much
/// larger than the others. An object with an unknown tag, or without one, is
/// preserved as `Unknown`. `pub enum Name: tolerant` is read tolerantly, by
/// itself or in a list.
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
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "the very large kinds are in boxes")]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($($type)+), )*
            /// A kind unknown to this version, with all its members.
            Unknown($crate::json::Members),
        }

        impl $name {
            /// Returns the tag on the wire, if there is one.
            #[inline]
            #[must_use]
            pub fn tag(&self) -> Option<String> {
                $crate::open::tag_of(self)
            }
        }

        $( $crate::open::from_kind!($name, $variant, $($type)+); )*

        const _: () = {
            #[allow(clippy::enum_variant_names, reason = "they are called as the kinds are")]
            enum At {
                $( $variant, )*
            }

            static KINDS: $crate::open::Kinds = $crate::open::Kinds {
                names: &[$( stringify!($variant) ),*],
                how: $crate::open::How::Tag($tag, &[
                    $( $( ($value, At::$variant as usize), )+ )*
                ]),
                empty: [$( At::$variant ),*].len(),
                untyped: None,
            };

            impl $crate::open::Union for $name {
                fn kinds(&self) -> &'static $crate::open::Kinds {
                    &KINDS
                }

                fn kind(&self) -> (usize, $crate::open::Form<'_>) {
                    match self {
                        $( Self::$variant(value) => {
                            (At::$variant as usize, $crate::open::Field::form(value))
                        } )*
                        Self::Unknown(members) => (KINDS.empty, $crate::open::Form::Members(members)),
                    }
                }

                fn choose(&mut self, number: usize) -> $crate::open::Slot<'_> {
                    const ALL: &[At] = &[$( At::$variant ),*];
                    *self = match ALL.get(number) {
                        $( Some(At::$variant) => Self::$variant($crate::open::Field::fresh()), )*
                        None => Self::Unknown($crate::open::Constant::EMPTY),
                    };
                    match self {
                        $( Self::$variant(value) => $crate::open::Field::slot(value), )*
                        Self::Unknown(members) => $crate::open::Slot::Members(members),
                    }
                }
            }

            impl $crate::open::Constant for $name {
                const EMPTY: Self = Self::Unknown($crate::open::Constant::EMPTY);
            }

            impl $crate::open::Field for $name {
                $( const IS_TOLERANT: bool = $crate::open::tolerance!($tolerant); )?

                #[inline(never)]
                fn form(&self) -> $crate::open::Form<'_> {
                    $crate::open::Form::Union(self)
                }

                #[inline(never)]
                fn slot(&mut self) -> $crate::open::Slot<'_> {
                    $crate::open::Slot::Union(self)
                }

                fn fresh() -> Self {
                    $crate::open::Constant::EMPTY
                }
            }
        };

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

        $crate::open::wire_type!($name);
    };
}
pub use union;

/// Declares an enumeration whose variants have one value each. The function
/// `fn(&mut Reader) -> Result<usize, Error>` returns the index of a value's
/// kind. The first kind provides the empty value.
#[doc(hidden)]
#[macro_export]
macro_rules! choice {
    ($name:ident by $look:expr; untyped $untyped:expr; $($variant:ident($type:ty)),+ $(,)?) => {
        const _: () = {
            #[allow(clippy::enum_variant_names, reason = "they are called as the kinds are")]
            enum At {
                $( $variant, )*
            }

            const ALL: &[At] = &[$( At::$variant ),*];

            static KINDS: $crate::open::Kinds = $crate::open::Kinds {
                names: &[$( stringify!($variant) ),*],
                how: $crate::open::How::Look($look),
                empty: 0,
                untyped: $untyped,
            };

            impl $crate::open::Union for $name {
                fn kinds(&self) -> &'static $crate::open::Kinds {
                    &KINDS
                }

                fn kind(&self) -> (usize, $crate::open::Form<'_>) {
                    match self {
                        $( Self::$variant(value) => {
                            (At::$variant as usize, $crate::open::Field::form(value))
                        } )*
                    }
                }

                fn choose(&mut self, number: usize) -> $crate::open::Slot<'_> {
                    *self = match ALL.get(number) {
                        $( Some(At::$variant) => Self::$variant($crate::open::Field::fresh()), )*
                        None => $crate::open::Constant::EMPTY,
                    };
                    match self {
                        $( Self::$variant(value) => $crate::open::Field::slot(value), )*
                    }
                }
            }

            impl $crate::open::Constant for $name {
                const EMPTY: Self = $crate::first_kind!($($variant($type)),*);
            }

            impl $crate::open::Field for $name {
                #[inline(never)]
                fn form(&self) -> $crate::open::Form<'_> {
                    $crate::open::Form::Union(self)
                }

                #[inline(never)]
                fn slot(&mut self) -> $crate::open::Slot<'_> {
                    $crate::open::Slot::Union(self)
                }

                fn fresh() -> Self {
                    $crate::open::Constant::EMPTY
                }
            }
        };

        $crate::open::wire_type!($name);
    };
}
pub use choice;

/// Returns the empty value of an enumeration's first kind.
#[doc(hidden)]
#[macro_export]
macro_rules! first_kind {
    ($variant:ident($type:ty) $($others:tt)*) => {
        Self::$variant(<$type as $crate::open::Constant>::EMPTY)
    };
}

/// Returns whether a union is declared `tolerant`.
#[doc(hidden)]
#[macro_export]
macro_rules! tolerance {
    (tolerant) => {
        true
    };
}
pub use tolerance;

/// Converts a kind, which may be boxed, to its union.
#[doc(hidden)]
#[macro_export]
macro_rules! from_kind {
    ($name:ident, $variant:ident, Box<$type:ty>) => {
        impl From<$type> for $name {
            #[inline]
            fn from(value: $type) -> Self {
                Self::$variant(Box::new(value))
            }
        }
    };
    ($name:ident, $variant:ident, $type:ty) => {
        impl From<$type> for $name {
            #[inline]
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        }
    };
}
pub use from_kind;

/// Returns the tag of a union on the wire, if there is one.
#[must_use]
pub fn tag_of(union: &dyn Union) -> Option<String> {
    let How::Tag(tag, tags) = union.kinds().how else {
        return None;
    };
    match union.kind() {
        (_, Form::Members(members)) => members.get_str(tag),
        (number, _) => {
            let mut tags = tags.iter().rev();
            tags.find(|(_, it)| *it == number)
                .map(|(tag, _)| (*tag).to_owned())
        }
    }
}
