//! Structs that preserve unknown members.

/// Returns the wire name of a member, which is given or that of the field.
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
/// - Members are required unless they are an `Option`.
/// - `= "name"` sets the name on the wire if it differs from the field's name.
/// - `tags("type" = "text")` declares the members that identify the kind of the
///   object. They are written, and checked when they are read.
/// - `pub struct Name: tolerant` makes the struct be read tolerantly, by itself
///   or in a list.
/// - `; boxed` is necessary if a required member is a `Box`, because the empty
///   value is then not a constant. It precedes `then`.
/// - `then name` calls the method `name` after the object was read.
#[doc(hidden)]
#[macro_export]
macro_rules! object {
    (
        $(#[$($meta:tt)*])*
        pub struct $name:ident $(: $tolerant:ident)? $(tags($($tag:literal = $value:literal),+ $(,)?))? $(; $boxed:ident)? $(then $then:ident)? {
            $( $(#[$($field_meta:tt)*])* pub $field:ident : $type:ty $(= $wire:literal)?, )*
        }
    ) => {
        $(#[$($meta)*])*
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$($field_meta)*])* pub $field: $type, )*
            /// Unknown members, and the JSON of declared members that were
            /// `null` or invalid.
            pub extra: $crate::json::Members,
        }

        const _: () = {
            static DECLARED: $crate::open::Declared = $crate::open::Declared {
                name: stringify!($name),
                members: &[$( $crate::open::wire_name!($field $($wire)?) ),*],
                required: $crate::open::required(&[
                    $( <$type as $crate::open::Field>::IS_REQUIRED ),*
                ]),
                tags: &[$($( ($tag, $value) ),+)?],
            };

            impl $crate::open::Fields for $name {
                fn forms<'a>(&'a self, look: &mut $crate::open::WithForms<'a, '_>) {
                    look(
                        &DECLARED,
                        &[$( $crate::open::Field::form(&self.$field) ),*],
                        &self.extra,
                    );
                }

                fn slots(&mut self, set: &mut $crate::open::WithSlots<'_>) {
                    set(
                        &DECLARED,
                        &mut [$( $crate::open::Field::slot(&mut self.$field) ),*],
                        &mut self.extra,
                    );
                }

                fn with_fresh(&self, set: &mut dyn FnMut(&mut dyn $crate::open::Fields)) {
                    set(&mut <Self as $crate::open::Field>::fresh());
                }

                $( fn finish(&mut self) {
                    self.$then();
                } )?
            }

            $crate::fresh! { $name $([$boxed])? $($field)* }

            impl $crate::open::Field for $name {
                $( const IS_TOLERANT: bool = $crate::open::tolerance!($tolerant); )?

                #[inline(never)]
                fn form(&self) -> $crate::open::Form<'_> {
                    $crate::open::Form::Object(self)
                }

                #[inline(never)]
                fn slot(&mut self) -> $crate::open::Slot<'_> {
                    $crate::open::Slot::Object(self)
                }

                fn fresh() -> Self {
                    Self::fresh_object()
                }
            }
        };

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

        $crate::open::wire_type!($name);
    };
}
pub use object;

/// The empty value of an object. It is a constant, unless it contains a `Box`.
#[doc(hidden)]
#[macro_export]
macro_rules! fresh {
    ($name:ident $($field:ident)*) => {
        impl $crate::open::Constant for $name {
            const EMPTY: Self = Self {
                $( $field: $crate::open::Constant::EMPTY, )*
                extra: $crate::open::Constant::EMPTY,
            };
        }

        impl $name {
            #[inline]
            fn fresh_object() -> Self {
                $crate::open::Constant::EMPTY
            }
        }
    };
    ($name:ident [boxed] $($field:ident)*) => {
        impl $name {
            fn fresh_object() -> Self {
                Self {
                    $( $field: $crate::open::Field::fresh(), )*
                    extra: $crate::open::Constant::EMPTY,
                }
            }
        }
    };
}
