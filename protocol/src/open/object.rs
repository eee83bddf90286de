//! Structs that keep the members they do not know.

/// The wire name of a member: its own, or the one that is given.
#[doc(hidden)]
#[macro_export]
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}
pub use wire_name;

/// Declares a struct for a JSON object.
///
/// Members are required unless they are an `Option`; `= "name"` gives the name
/// on the wire where it is not the field's. `tags("type" = "text")` names the
/// members that say what the object is; they are written, and checked when
/// they are read.
#[doc(hidden)]
#[macro_export]
macro_rules! object {
    (
        $(#[$($meta:tt)*])*
        pub struct $name:ident $(tags($($tag:literal = $value:literal),+ $(,)?))? {
            $( $(#[$($field_meta:tt)*])* pub $field:ident : $type:ty $(= $wire:literal)?, )*
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$($field_meta)*])* pub $field: $type, )*
            /// Members that this type does not know, and the declared ones
            /// that were `null`.
            pub extra: $crate::json::Members,
        }

        const _: () = {
            $crate::if_audit! {
                #[allow(unused_imports)]
                use $crate::Untyped as _;
            }

            #[derive(Default)]
            struct Partial {
                $( $field: Option<$type>, )*
                extra: $crate::json::Members,
            }

            impl Partial {
                fn member<'de, A: serde::de::MapAccess<'de>>(
                    &mut self,
                    key: &str,
                    rest: &mut $crate::open::Rest<'de, A>,
                ) -> Result<(), A::Error> {
                    match key {
                        $($(
                            $tag => {
                                if rest.read_tag(key)?.quoted() != $value {
                                    return Err(serde::de::Error::custom(concat!(
                                        "expected the tag `", $value, "`"
                                    )));
                                }
                            }
                        )+)?
                        $(
                            $crate::open::wire_name!($field $($wire)?) => {
                                let read: $type = rest.read(key)?;
                                if $crate::open::Field::is_absent(&read) {
                                    self.extra.push(
                                        $crate::open::wire_name!($field $($wire)?),
                                        $crate::json::Json::null(),
                                    );
                                }
                                self.$field = Some(read);
                            }
                        )*
                        _ => {
                            let read: $crate::json::Json = rest.read(key)?;
                            self.extra.push(key.to_owned(), read);
                        }
                    }
                    Ok(())
                }
            }

            impl $crate::open::Object for $name {
                fn of_members<'de, A: serde::de::MapAccess<'de>>(
                    rest: &mut $crate::open::Rest<'de, A>,
                ) -> Result<Self, A::Error> {
                    let mut read = Partial::default();
                    while let Some($crate::open::Key(key)) = rest.next_key()? {
                        read.member(&key, rest)?;
                    }
                    Ok(Self {
                        $(
                            $field: match read.$field {
                                Some(read) => read,
                                None => $crate::open::absent($crate::open::wire_name!($field $($wire)?))?,
                            },
                        )*
                        extra: read.extra,
                    })
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
                        $(
                            at.member($crate::open::wire_name!($field $($wire)?), |at| {
                                self.$field.collect_untyped(at, found);
                            });
                        )*
                        for (key, _) in self.extra.iter() {
                            match key {
                                // Declared, and `null`.
                                $( $crate::open::wire_name!($field $($wire)?) => {} )*
                                _ => at.member(key, |at| found.push(at.as_str().to_owned())),
                            }
                        }
                    }
                }
            }

            $crate::if_schema! {
                impl $crate::schema::schemars::JsonSchema for $name {
                    $crate::schema::named!($name);

                    #[allow(unused_variables, reason = "an object without members asks nothing")]
                    fn json_schema(generator: &mut $crate::schema::schemars::SchemaGenerator) -> $crate::schema::schemars::Schema {
                        #[allow(unused_mut)]
                        let mut object = $crate::schema::Object::new($crate::schema::docs!($([$($meta)*])*));
                        $($( object.tag($tag, $value); )+)?
                        $(
                            object.member::<$type>(
                                generator,
                                $crate::open::wire_name!($field $($wire)?),
                                $crate::schema::docs!($([$($field_meta)*])*),
                            );
                        )*
                        object.finish()
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
                    use serde::ser::SerializeMap as _;
                    let mut map = serializer.serialize_map(None)?;
                    $($( map.serialize_entry($tag, $value)?; )+)?
                    $(
                        if !$crate::open::Field::is_absent(&self.$field) {
                            map.serialize_entry($crate::open::wire_name!($field $($wire)?), &self.$field)?;
                        }
                    )*
                    for (key, value) in self.extra.iter() {
                        // A member that was read as `null` and set since.
                        let written = match key {
                            $($( $tag => true, )+)?
                            $( $crate::open::wire_name!($field $($wire)?) => !$crate::open::Field::is_absent(&self.$field), )*
                            _ => false,
                        };
                        if !written {
                            map.serialize_entry(key, value)?;
                        }
                    }
                    map.end()
                }
            }
        };
    };
}
pub use object;
