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

        impl agentwire_protocol::open::Field for $name {}

        $(
            impl From<$type> for $name {
                fn from(value: $type) -> Self {
                    Self::$variant(value)
                }
            }
        )*

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(value) => value.serialize(serializer), )*
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ShapeVisitor;
                impl<'de> serde::de::Visitor<'de> for ShapeVisitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expected)
                    }

                    $( $crate::cua::shapes::visit!($shape, $name, $variant, $type); )*
                }
                deserializer.deserialize_any(ShapeVisitor)
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

/// How a shape is read.
macro_rules! visit {
    (text, $name:ident, $variant:ident, $type:ty) => {
        fn visit_str<E>(self, text: &str) -> Result<$name, E> {
            Ok($name::$variant(text.to_owned()))
        }
    };
    (list, $name:ident, $variant:ident, $type:ty) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, seq: A) -> Result<$name, A::Error> {
            let list = serde::de::value::SeqAccessDeserializer::new(seq);
            <$type as agentwire_protocol::open::Field>::read(list).map($name::$variant)
        }
    };
    (object, $name:ident, $variant:ident, $type:ty) => {
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
            let object = serde::de::value::MapAccessDeserializer::new(map);
            <$type as agentwire_protocol::open::Field>::read(object).map($name::$variant)
        }
    };
}
pub(super) use visit;
