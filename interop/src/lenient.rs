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
            use agentwire_protocol::open::{Field, Key, Object, Rest, read_object};

            enum Kind { $( $variant, )* Unknown }

            impl Kind {
                fn of_tag(tag: &str) -> Self {
                    match tag {
                        $( $value => Self::$variant, )*
                        _ => Self::Unknown,
                    }
                }

                fn of_members(members: &Members) -> Self {
                    $($( if members.get($member).is_some() { return Self::$variant; } )?)*
                    let _ = members;
                    Self::Unknown
                }
            }

            impl Object for $name {
                const KEEPS_TAG: bool = true;

                fn of_members<'de, A: serde::de::MapAccess<'de>>(
                    rest: &mut Rest<'de, A>,
                ) -> Result<Self, A::Error> {
                    let mut before = Members::default();
                    let mut kind = None;
                    while let Some(Key(key)) = rest.next_key()? {
                        if key == "type" {
                            let tag = rest.read_tag(&key)?;
                            kind = Some(Kind::of_tag(tag.quoted()));
                            before.push("type", tag.into());
                            break;
                        }
                        let value = rest.read(&key)?;
                        before.push(key.into_owned(), value);
                    }
                    let kind = kind.unwrap_or_else(|| Kind::of_members(&before));
                    rest.put_back(before);
                    match kind {
                        $( Kind::$variant => <$type as Object>::of_members(rest).map(Self::$variant), )*
                        Kind::Unknown => Members::of_members(rest).map(Self::Unknown),
                    }
                }
            }

            impl Field for $name {}

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
                    read_object(deserializer)
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
pub(crate) use lenient_union;
