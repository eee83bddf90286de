//! Values that come in several shapes, told apart by what JSON they are.

/// Declares an enumeration whose kinds are told apart by their JSON: a text,
/// a list, an object.
macro_rules! shapes {
    (
        $(#[doc = $docs:literal])*
        pub enum $name:ident ($expected:literal) {
            $( $(#[$variant_meta:meta])* $shape:ident => $variant:ident($type:ty), )*
        }
    ) => {
        $(#[doc = $docs])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($type), )*
        }

        impl agentwire_protocol::open::Field for $name {
            fn read(
                &mut self,
                reader: &mut agentwire_protocol::open::Reader<'_>,
            ) -> Result<(), agentwire_protocol::open::Error> {
                $(
                    if $crate::cua::shapes::is_shape!($shape, reader) {
                        *self = Self::$variant(reader.value()?);
                        return Ok(());
                    }
                )*
                Err(reader.unexpected($expected))
            }

            #[allow(unreachable_code, reason = "the first kind it is")]
            fn empty() -> Self {
                $( return Self::$variant(agentwire_protocol::open::Field::empty()); )*
            }
        }

        $(
            impl From<$type> for $name {
                fn from(value: $type) -> Self {
                    Self::$variant(value)
                }
            }
        )*

        impl agentwire_protocol::open::Written for $name {
            fn form(&self) -> agentwire_protocol::open::Form<'_> {
                match self {
                    $( Self::$variant(value) => value.form(), )*
                }
            }
        }

        agentwire_protocol::open::serialize_written!($name);

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                agentwire_protocol::open::deserialize(deserializer)
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
                        $( Self::$variant(value) => value.collect_untyped(at, found), )*
                    }
                }
            }
        }

        agentwire_protocol::if_schema! {
            impl agentwire_protocol::schema::schemars::JsonSchema for $name {
                agentwire_protocol::schema::named!($name);

                fn json_schema(
                    generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator,
                ) -> agentwire_protocol::schema::schemars::Schema {
                    let kinds = [$( generator.subschema_for::<$type>() ),*];
                    agentwire_protocol::schema::any_of(&[$($docs),*], kinds)
                }
            }
        }
    };
}
pub(super) use shapes;

/// Whether a value has this shape.
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
