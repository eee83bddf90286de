//! Unions that keep the kinds they do not know.

/// Declares a union of objects told apart by one member.
///
/// `"old" | "new" => Kind(Type)` reads both tags. What has another tag, or
/// none, is kept whole as `Unknown`.
macro_rules! union {
    (
        $(#[$($meta:tt)*])*
        pub enum $name:ident by $tag:literal {
            $( $(#[$variant_meta:meta])* $($value:literal)|+ => $variant:ident($type:ty), )*
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "read once, looked at, dropped")]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($type), )*
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

        $(
            impl From<$type> for $name {
                fn from(value: $type) -> Self {
                    Self::$variant(value)
                }
            }
        )*

        const _: () = {
            #[allow(unreachable_pub, clippy::large_enum_variant)]
            pub enum Partial {
                Undecided($crate::json::Members),
                Unknown($crate::json::Members),
                $( $variant(<$type as $crate::open::Object>::Partial), )*
            }

            impl Default for Partial {
                fn default() -> Self {
                    Self::Undecided($crate::json::Members::default())
                }
            }

            impl $crate::open::Object for $name {
                const KEEPS_TAG: bool = true;
                type Partial = Partial;

                fn member<S: $crate::open::MemberValue>(
                    partial: &mut Partial,
                    key: &str,
                    value: S,
                ) -> Result<(), S::Error> {
                    match partial {
                        Partial::Undecided(kept) if key == $tag => {
                            let tag: $crate::json::Json = value.read()?;
                            let mut kept = std::mem::take(kept);
                            *partial = match &*$crate::open::tag_name(&tag) {
                                $( $($value)|+ => {
                                    let mut chosen = <$type as $crate::open::Object>::Partial::default();
                                    if <$type as $crate::open::Object>::KEEPS_TAG {
                                        kept.push($tag, tag);
                                    }
                                    $crate::open::replay::<$type, S::Error>(&mut chosen, kept)?;
                                    Partial::$variant(chosen)
                                } )*
                                _ => {
                                    kept.push($tag, tag);
                                    Partial::Unknown(kept)
                                }
                            };
                            Ok(())
                        }
                        Partial::Undecided(kept) | Partial::Unknown(kept) => {
                            let value: $crate::json::Json = value.read()?;
                            kept.push(key.to_owned(), value);
                            Ok(())
                        }
                        $(
                            // The tag a second time. The last one counts, but what came
                            // before it has been read already.
                            Partial::$variant(_) if key == $tag => {
                                match &*$crate::open::tag_name(&value.read::<$crate::json::Json>()?) {
                                    $($value)|+ => Ok(()),
                                    _ => Err(serde::de::Error::duplicate_field($tag)),
                                }
                            }
                            Partial::$variant(chosen) => <$type>::member(chosen, key, value),
                        )*
                    }
                }

                fn finish<E: serde::de::Error>(partial: Partial) -> Result<Self, E> {
                    Ok(match partial {
                        Partial::Undecided(kept) | Partial::Unknown(kept) => Self::Unknown(kept),
                        $( Partial::$variant(chosen) => Self::$variant(<$type>::finish(chosen)?), )*
                    })
                }
            }

            impl $crate::open::Field for $name {}

            #[cfg(feature = "audit")]
            impl $crate::untyped::Untyped for $name {
                fn collect_untyped(
                    &self,
                    at: &mut $crate::untyped::Pointer,
                    found: &mut Vec<String>,
                ) {
                    match self {
                        $( Self::$variant(value) => value.collect_untyped(at, found), )*
                        Self::Unknown(members) => members.collect_untyped(at, found),
                    }
                }
            }

            #[cfg(feature = "schema")]
            impl schemars::JsonSchema for $name {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    stringify!($name).into()
                }

                fn schema_id() -> std::borrow::Cow<'static, str> {
                    concat!(module_path!(), "::", stringify!($name)).into()
                }

                fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    let kinds = [
                        $( generator.subschema_for::<$type>(), )*
                        $crate::schema::unknown_kind(),
                    ];
                    $crate::schema::any_of($crate::schema::docs!($([$($meta)*])*), kinds)
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
pub(crate) use union;
