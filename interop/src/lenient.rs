//! Unions whose tag may be left out.

/// Declares a union as `agentwire_protocol::open::union!` does, of objects
/// whose tag `type` may be left out where a member tells the kind as well:
/// `"text" or "text" => Text(TextContent)`. The kinds hold the tag, as a member
/// that may be absent.
macro_rules! lenient_union {
    (
        $(#[$($meta:tt)*])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $value:literal $(or $member:literal)? => $variant:ident($type:ty), )*
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "all kinds are of some 200 bytes")]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($type), )*
            /// A kind that this version does not know, with all its members.
            Unknown(agentwire_protocol::Members),
        }

        $( agentwire_protocol::open::from_kind!($name, $variant, $type); )*

        const _: () = {
            use agentwire_protocol::Members;
            use agentwire_protocol::open::{Error, Field, Reader, deserialize, string_of};

            impl Field for $name {
                fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
                    *self = 'kind: {
                        if let Some(tag) = reader.look_for("type")? {
                            break 'kind match string_of(Some(tag)).as_deref() {
                                $( Some($value) => Self::$variant(reader.value()?), )*
                                _ => Self::Unknown(reader.value()?),
                            };
                        }
                        $($(
                            if reader.look_for($member)?.is_some() {
                                break 'kind Self::$variant(reader.value()?);
                            }
                        )?)*
                        Self::Unknown(reader.value()?)
                    };
                    Ok(())
                }

                fn empty() -> Self {
                    Self::Unknown(Members::default())
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
                            Self::Unknown(members) => members.collect_untyped(at, found),
                        }
                    }
                }
            }

            agentwire_protocol::if_schema! {
                impl agentwire_protocol::schema::schemars::JsonSchema for $name {
                    agentwire_protocol::schema::named!($name);

                    fn json_schema(generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator) -> agentwire_protocol::schema::schemars::Schema {
                        let kinds = [
                            $( generator.subschema_for::<$type>(), )*
                            agentwire_protocol::schema::unknown_kind(),
                        ];
                        agentwire_protocol::schema::any_of(agentwire_protocol::schema::docs!($([$($meta)*])*), kinds)
                    }
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    deserialize(deserializer)
                }
            }

            impl agentwire_protocol::open::Written for $name {
                fn form(&self) -> agentwire_protocol::open::Form<'_> {
                    match self {
                        $( Self::$variant(value) => value.form(), )*
                        Self::Unknown(members) => members.form(),
                    }
                }
            }

            agentwire_protocol::open::serialize_written!($name);
        };
    };
}
pub(crate) use lenient_union;
