//! Enumerations that preserve unknown values.

/// Returns the index of a value in the list of known ones.
pub fn number_of(value: &str, known: &[&str]) -> Option<usize> {
    known.iter().position(|it| *it == value)
}

/// Declares an enumeration of strings that preserves unknown values.
#[doc(hidden)]
#[macro_export]
macro_rules! open_enum {
    (
        $(#[$($meta:tt)*])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $value:literal, )*
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_meta])* $variant, )*
            /// A value unknown to this version.
            Unknown(Box<str>),
        }

        impl $name {
            /// Returns the value on the wire. If this was inlined, each of the
            /// functions below would contain a table.
            #[inline(never)]
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $value, )*
                    Self::Unknown(value) => value,
                }
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                const KNOWN: &[$name] = &[$( $name::$variant ),*];
                match $crate::open::number_of(value, &[$($value),*]) {
                    Some(number) => KNOWN[number].clone(),
                    None => Self::Unknown(value.into()),
                }
            }
        }

        impl AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::open::Word for $name {
            fn set(&mut self, text: &str) {
                *self = text.into();
            }
        }

        impl $crate::open::Constant for $name {
            const EMPTY: Self = $crate::first_value!($($variant)*);
        }

        impl $crate::open::Field for $name {
            fn form(&self) -> $crate::open::Form<'_> {
                $crate::open::Form::Text(self.as_str())
            }

            #[inline(never)]
            fn slot(&mut self) -> $crate::open::Slot<'_> {
                $crate::open::Slot::Word(self)
            }

            fn fresh() -> Self {
                $crate::open::Constant::EMPTY
            }
        }

        $crate::if_audit! {
            impl $crate::Untyped for $name {
                fn collect_untyped(
                    &self,
                    _: &mut $crate::Pointer,
                    _: &mut Vec<String>,
                ) {
                }
            }
        }

        $crate::open::serialize_written!($name);

        $crate::if_schema! {
            impl $crate::schema::schemars::JsonSchema for $name {
                $crate::schema::named!($name);

                fn json_schema(_: &mut $crate::schema::schemars::SchemaGenerator) -> $crate::schema::schemars::Schema {
                    let kinds = $crate::schema::words(&[$($value),*]);
                    $crate::schema::any_of($crate::schema::docs!($([$($meta)*])*), kinds)
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $crate::open::deserialize_str(deserializer)
            }
        }
    };
}
pub use open_enum;

/// The first value of an enumeration, which needs no allocation.
#[doc(hidden)]
#[macro_export]
macro_rules! first_value {
    ($first:ident $($others:ident)*) => {
        Self::$first
    };
}
