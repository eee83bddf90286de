//! Declares values of several JSON types.

/// Declares an enumeration whose variants are distinguished by JSON type: a text, a list, an
/// object, `null`.
macro_rules! shapes {
    (
        $(#[doc = $docs:literal])*
        pub enum $name:ident ($expected:literal) {
            $( $(#[$variant_meta:meta])* $shape:ident => $variant:ident($type:ty), )*
        }
    ) => {
        $(#[doc = $docs])*
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($type), )*
        }

        agentwire_protocol::open::choice! {
            $name by |reader| {
                let mut number = 0;
                $(
                    if $crate::cua::shapes::is_shape!($shape, reader) {
                        return Ok(number);
                    }
                    number += 1;
                )*
                let _ = number;
                Err(reader.unexpected($expected))
            };
            untyped None;
            $( $variant($type), )*
        }

        $(
            impl From<$type> for $name {
                fn from(value: $type) -> Self {
                    Self::$variant(value)
                }
            }
        )*

        $crate::one_of_schema!($name, &[$($docs),*], [$($type),*]);
    };
}
pub(super) use shapes;

/// Returns whether the next value has this JSON type.
macro_rules! is_shape {
    (text, $reader:ident) => {
        $reader.peek() == Some(b'"')
    };
    (list, $reader:ident) => {
        $reader.peek() == Some(b'[')
    };
    (object, $reader:ident) => {
        $reader.peek() == Some(b'{')
    };
    (null, $reader:ident) => {
        $reader.peek() == Some(b'n')
    };
}
pub(super) use is_shape;
