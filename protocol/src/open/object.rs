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
/// they are read. `pub struct Name: tolerant` is read tolerantly, by itself or in
/// a list. `then name` calls that method of what was read.
#[doc(hidden)]
#[macro_export]
macro_rules! object {
    (
        $(#[$($meta:tt)*])*
        pub struct $name:ident $(: $tolerant:ident)? $(tags($($tag:literal = $value:literal),+ $(,)?))? $(then $then:ident)? {
            $( $(#[$($field_meta:tt)*])* pub $field:ident : $type:ty $(= $wire:literal)?, )*
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$($field_meta)*])* pub $field: $type, )*
            /// Unknown members, and the JSON of declared ones that were `null`
            /// or invalid.
            pub extra: $crate::json::Members,
        }

        const _: () = {
            $crate::if_audit! {
                #[allow(unused_imports)]
                use $crate::Untyped as _;
            }

            /// The number of each field.
            #[allow(non_camel_case_types, dead_code, reason = "they are called as the fields are")]
            enum At {
                $( $field, )*
            }

            const NAMES: &[&str] = &[$( $crate::open::wire_name!($field $($wire)?) ),*];
            const _: () = assert!(NAMES.len() <= 128, "a bit each");
            /// The fields whose members are required, a bit each.
            const REQUIRED: u128 = 0 $(
                | if <$type as $crate::open::Field>::IS_REQUIRED { 1 << At::$field as u8 } else { 0 }
            )*;

            impl $crate::open::Object for $name {
                fn read_object(
                    reader: &mut $crate::open::Reader<'_>,
                    chosen_by: Option<&'static str>,
                ) -> Result<Self, $crate::open::Error> {
                    let mut inside = reader.object(chosen_by)?;
                    let mut read = <Self as $crate::open::Field>::empty();
                    while let Some(key) = reader.next_key(&mut inside)? {
                        match &*key {
                            $($( $tag => reader.tag(&mut inside, $tag, $value), )+)?
                            $(
                                $crate::open::wire_name!($field $($wire)?) => reader.member(
                                    &mut inside,
                                    At::$field as u8,
                                    $crate::open::wire_name!($field $($wire)?),
                                    &mut read.$field,
                                    &mut read.extra,
                                ),
                            )*
                            _ => reader.unknown(&mut inside, key, &mut read.extra),
                        }?;
                    }
                    $($( reader.without_tag(&inside, $tag, &mut read.extra); )+)?
                    reader.require(&inside, REQUIRED, NAMES, &mut read.extra)?;
                    $( read.$then(); )?
                    Ok(read)
                }
            }

            impl $crate::open::Field for $name {
                $( const IS_TOLERANT: bool = $crate::open::tolerance!($tolerant); )?

                fn read(
                    reader: &mut $crate::open::Reader<'_>,
                ) -> Result<Self, $crate::open::Error> {
                    $crate::open::Object::read_object(reader, None)
                }

                fn empty() -> Self {
                    Self {
                        $( $field: $crate::open::Field::empty(), )*
                        extra: $crate::json::Members::default(),
                    }
                }
            }

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
                                // Declared, and `null` or invalid.
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
                    $crate::open::deserialize(deserializer)
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    use serde::ser::SerializeMap as _;
                    let mut map = serializer.serialize_map(None)?;
                    $($( $crate::open::write_tag(&mut map, $tag, $value, &self.extra)?; )+)?
                    $(
                        $crate::open::write_member(
                            &mut map,
                            $crate::open::wire_name!($field $($wire)?),
                            &self.$field,
                            &self.extra,
                        )?;
                    )*
                    for (key, value) in self.extra.iter() {
                        match key {
                            $($( $tag => {} )+)?
                            $(
                                $crate::open::wire_name!($field $($wire)?) => {
                                    if $crate::open::is_as_read(key, &self.$field, &self.extra) {
                                        map.serialize_entry(key, value)?;
                                    }
                                }
                            )*
                            _ => map.serialize_entry(key, value)?,
                        }
                    }
                    map.end()
                }
            }
        };
    };
}
pub use object;
