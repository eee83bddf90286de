//! Structs that preserve unknown members.

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
        #[derive(Debug)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$($field_meta)*])* pub $field: $type, )*
            /// Unknown members, and the JSON of declared ones that were `null`
            /// or invalid.
            pub extra: $crate::json::Members,
        }

        const _: () = {
            /// The number of each field.
            #[allow(non_camel_case_types, dead_code, reason = "they are called as the fields are")]
            enum At {
                $( $field, )*
            }

            const FIELDS: &[At] = &[$( At::$field ),*];
            const _: () = assert!(FIELDS.len() <= 128, "a bit each");

            static DECLARED: $crate::open::Declared = $crate::open::Declared {
                members: &[$( $crate::open::wire_name!($field $($wire)?) ),*],
                required: 0 $(
                    | if <$type as $crate::open::Field>::IS_REQUIRED { 1 << At::$field as u8 } else { 0 }
                )*,
                tags: &[$($( ($tag, $value) ),+)?],
            };

            impl $crate::open::Fields for $name {
                fn declared(&self) -> &'static $crate::open::Declared {
                    &DECLARED
                }

                fn field(&self, number: usize) -> Option<&dyn $crate::open::Member> {
                    match *FIELDS.get(number)? {
                        $( At::$field => Some(&self.$field), )*
                    }
                }

                fn field_mut(&mut self, number: usize) -> Option<&mut dyn $crate::open::Member> {
                    match *FIELDS.get(number)? {
                        $( At::$field => Some(&mut self.$field), )*
                    }
                }

                fn extra(&self) -> &$crate::json::Members {
                    &self.extra
                }

                fn extra_mut(&mut self) -> &mut $crate::json::Members {
                    &mut self.extra
                }
            }

            impl $crate::open::Object for $name {
                fn read_object(
                    &mut self,
                    reader: &mut $crate::open::Reader<'_>,
                    chosen_by: Option<$crate::open::Tag>,
                ) -> Result<(), $crate::open::Error> {
                    $crate::open::read_fields(self, reader, chosen_by)?;
                    $( self.$then(); )?
                    Ok(())
                }
            }

            impl $crate::open::Field for $name {
                $( const IS_TOLERANT: bool = $crate::open::tolerance!($tolerant); )?

                fn read(
                    &mut self,
                    reader: &mut $crate::open::Reader<'_>,
                ) -> Result<(), $crate::open::Error> {
                    $crate::open::Object::read_object(self, reader, None)
                }

                #[inline(never)]
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
                        $crate::open::collect_untyped(self, at, found);
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

            impl $crate::open::Written for $name {
                fn form(&self) -> $crate::open::Form<'_> {
                    $crate::open::Form::Map(None, self)
                }
            }

            impl $crate::open::Entries for $name {
                fn each(&self, write: &mut dyn FnMut(&str, &dyn $crate::open::Written)) {
                    $crate::open::write_fields(self, write);
                }
            }

            impl Clone for $name {
                #[inline(never)]
                fn clone(&self) -> Self {
                    let mut copy = <Self as $crate::open::Field>::empty();
                    $crate::open::copy_fields(&mut copy, self);
                    copy
                }
            }

            impl PartialEq for $name {
                #[inline(never)]
                fn eq(&self, other: &Self) -> bool {
                    $crate::open::is_same(self, other)
                }
            }

            $crate::open::serialize_written!($name);
        };
    };
}
pub use object;
