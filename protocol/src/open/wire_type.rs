//! Implements the traits of all wire types.

/// Implements the traits of std and serde for a wire type through its form. The
/// implementations are inline, so that they are compiled only if they are used.
#[doc(hidden)]
#[macro_export]
macro_rules! wire_type {
    ($name:ident) => {
        const _: () = {
            use $crate::open::{Field, clone, debug, deserialize, is_same, serialize};

            impl Clone for $name {
                #[inline]
                fn clone(&self) -> Self {
                    clone(self)
                }
            }

            impl PartialEq for $name {
                #[inline]
                fn eq(&self, other: &Self) -> bool {
                    is_same(self.form(), other.form())
                }
            }

            impl std::fmt::Debug for $name {
                #[inline]
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    debug(self.form(), f)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    serialize(self.form(), serializer)
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    deserialize(deserializer)
                }
            }

            $crate::if_audit! {
                impl $crate::Untyped for $name {
                    fn collect_untyped(
                        &self,
                        at: &mut $crate::Pointer,
                        found: &mut Vec<String>,
                    ) {
                        $crate::open::collect_untyped(self.form(), at, found);
                    }
                }
            }
        };
    };
}
pub use wire_type;

/// Implements `Serialize` through the form of a value.
#[doc(hidden)]
#[macro_export]
macro_rules! serialize_written {
    ($name:ty) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::open::serialize($crate::open::Field::form(self), serializer)
            }
        }
    };
}
pub use serialize_written;
