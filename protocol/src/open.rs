//! Open types: structs that keep the members they do not know, unions that
//! keep the kinds they do not know, enumerations that keep the values they do
//! not know.
//!
//! serde's own `flatten` and tagged enums buffer every value on the way,
//! lose the digits of large numbers and cannot hold raw JSON. So the three
//! macros here write their own `Deserialize`: one pass over the text, no
//! buffer when the tag comes first, and nothing lost:
//!
//! - a member that is declared and `null` is read as `None`, and the fact
//!   that it was there is kept among the unknown members, so that it is
//!   written again;
//! - of a member that comes twice the last one wins;
//! - an object whose tag is missing or unknown keeps all its members.

use crate::json::{Json, Members};
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

/// Reads a JSON object member by member.
///
/// Unions implement it too: their partial state is undecided until the tag
/// has been seen, then that of the kind which the tag named.
pub(crate) trait Object: Sized {
    /// Whether it has to see the tag by which a union chose it: an object of
    /// a kind that nobody knows keeps the tag among its members.
    const KEEPS_TAG: bool = false;

    /// What has been read so far.
    type Partial: Default;

    /// Takes one member.
    fn member<S: MemberValue>(
        partial: &mut Self::Partial,
        key: Cow<'_, str>,
        value: S,
    ) -> Result<(), S::Error>;

    /// All members were there.
    fn finish<E: de::Error>(partial: Self::Partial) -> Result<Self, E>;
}

/// A member's value that has not been read yet.
pub(crate) trait MemberValue {
    /// How reading fails.
    type Error: de::Error;

    /// Reads the value.
    fn read<T: DeserializeOwned>(self) -> Result<T, Self::Error>;
}

/// Reads any [`Object`] from a deserializer.
pub(crate) fn read_object<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Object,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let _level = Level::enter()?;
        let mut partial = T::Partial::default();
        while let Some(Key(key)) = map.next_key()? {
            T::member(&mut partial, key, FromMap(&mut map, PhantomData))?;
        }
        T::finish(partial)
    }
}

/// How many objects may be inside each other. `serde_json` has a limit of its
/// own, but counts anew for every value that was kept until its tag came.
const MAX_DEPTH: usize = 64;

thread_local! {
    /// Objects that are being read on this thread, one inside the other.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// An object that is being read.
struct Level;

impl Level {
    fn enter<E: de::Error>() -> Result<Self, E> {
        let depth = DEPTH.get();
        if depth == MAX_DEPTH {
            return Err(E::custom(format_args!(
                "more than {MAX_DEPTH} objects inside each other"
            )));
        }
        DEPTH.set(depth + 1);
        Ok(Self)
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// A member's name, borrowed from the text when it has no escapes.
pub(crate) struct Key<'de>(pub(crate) Cow<'de, str>);

impl<'de> de::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct FromMap<'a, 'de, A>(&'a mut A, PhantomData<&'de ()>);

impl<'de, A: MapAccess<'de>> MemberValue for FromMap<'_, 'de, A> {
    type Error = A::Error;

    fn read<T: DeserializeOwned>(self) -> Result<T, A::Error> {
        self.0.next_value()
    }
}

/// A value that came before the tag that says how to read it.
struct Kept<'a, E>(&'a str, Json, PhantomData<E>);

impl<E: de::Error> MemberValue for Kept<'_, E> {
    type Error = E;

    fn read<T: DeserializeOwned>(self) -> Result<T, E> {
        let Self(key, value, _) = self;
        read_located(value.get().as_bytes()).map_err(|Located { path, reason }| {
            let path = joined(key, &path);
            E::custom(format_args!("`{path}`: {reason}"))
        })
    }
}

/// Where in a text reading failed, and why.
pub(crate) struct Located {
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// Reads a text and says where it failed. A value that was kept until its tag
/// came was read as a text of its own: what that says of the place is joined
/// to the place of the value.
pub(crate) fn read_located<T: DeserializeOwned>(text: &[u8]) -> Result<T, Located> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.inner().to_string();
        let place = format!(
            " at line {} column {}",
            error.inner().line(),
            error.inner().column()
        );
        let reason = reason.strip_suffix(&place).unwrap_or(&reason);
        match reason
            .strip_prefix('`')
            .and_then(|rest| rest.split_once("`: "))
        {
            Some((inner, reason)) => Located {
                path: joined(&path, inner),
                reason: reason.to_owned(),
            },
            None => Located {
                path,
                reason: reason.to_owned(),
            },
        }
    })
}

fn joined(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        (".", path) | (path, ".") => path.to_owned(),
        (outer, inner) if inner.starts_with('[') => format!("{outer}{inner}"),
        (outer, inner) => format!("{outer}.{inner}"),
    }
}

/// Hands members that were kept to the kind that the tag named.
pub(crate) fn replay<T: Object, E: de::Error>(
    partial: &mut T::Partial,
    kept: Members,
) -> Result<(), E> {
    for (key, value) in kept.into_entries() {
        T::member(
            partial,
            Cow::Borrowed(&*key),
            Kept::<E>(&key, value, PhantomData),
        )?;
    }
    Ok(())
}

/// What a declared member is when it is not there: `None` for an `Option`,
/// an error for everything else.
pub(crate) fn missing<T: DeserializeOwned, E: de::Error>(name: &'static str) -> Result<T, E> {
    struct Missing<E>(&'static str, PhantomData<E>);
    impl<'de, E: de::Error> Deserializer<'de> for Missing<E> {
        type Error = E;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, E> {
            Err(E::missing_field(self.0))
        }

        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
            visitor.visit_none()
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes
            byte_buf unit unit_struct newtype_struct seq tuple tuple_struct map struct
            enum identifier ignored_any
        }
    }
    T::deserialize(Missing(name, PhantomData))
}

/// Whether a member is `None`, for any type: the inherent method is there
/// for `Option` alone, and wins where it is.
pub(crate) struct Probe<'a, T>(pub(crate) &'a T);

impl<T> Probe<'_, Option<T>> {
    pub(crate) fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

pub(crate) trait NeverAbsent {
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> NeverAbsent for Probe<'_, T> {}

impl Object for Members {
    const KEEPS_TAG: bool = true;
    type Partial = Members;

    fn member<S: MemberValue>(
        partial: &mut Members,
        key: Cow<'_, str>,
        value: S,
    ) -> Result<(), S::Error> {
        let value: Json = value.read()?;
        partial.push(&*key, value);
        Ok(())
    }

    fn finish<E: de::Error>(partial: Members) -> Result<Self, E> {
        Ok(partial)
    }
}

/// The wire name of a member: its own, or the one that is given.
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}
pub(crate) use wire_name;

/// Declares a struct for a JSON object.
///
/// Members are required unless they are an `Option`; `= "name"` gives the name
/// on the wire where it is not the field's. `tags("type" = "text")` names the
/// members that say what the object is; they are written, and checked when
/// they are read.
macro_rules! object {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(tags($($tag:literal = $value:literal),+ $(,)?))? {
            $( $(#[$field_meta:meta])* pub $field:ident : $type:ty $(= $wire:literal)?, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
            /// Members that this type does not know, and the declared ones
            /// that were `null`.
            pub extra: $crate::json::Members,
        }

        const _: () = {
            #[allow(unused_imports)]
            use $crate::open::NeverAbsent as _;
            #[cfg(feature = "audit")]
            #[allow(unused_imports)]
            use $crate::untyped::Untyped as _;

            #[derive(Default)]
            #[allow(unreachable_pub)]
            pub struct Partial {
                $( $field: Option<$type>, )*
                extra: $crate::json::Members,
            }

            impl $crate::open::Object for $name {
                type Partial = Partial;

                fn member<S: $crate::open::MemberValue>(
                    partial: &mut Partial,
                    key: std::borrow::Cow<'_, str>,
                    value: S,
                ) -> Result<(), S::Error> {
                    match &*key {
                        $($(
                            $tag => {
                                let tag: String = value.read()?;
                                if tag != $value {
                                    return Err(serde::de::Error::invalid_value(
                                        serde::de::Unexpected::Str(&tag),
                                        &concat!("`", $value, "`"),
                                    ));
                                }
                            }
                        )+)?
                        $(
                            $crate::open::wire_name!($field $($wire)?) => {
                                let read: $type = value.read()?;
                                if $crate::open::Probe(&read).is_absent() {
                                    partial.extra.push(&*key, $crate::json::Json::null());
                                }
                                partial.$field = Some(read);
                            }
                        )*
                        _ => partial.extra.push(&*key, value.read::<$crate::json::Json>()?),
                    }
                    Ok(())
                }

                fn finish<E: serde::de::Error>(partial: Partial) -> Result<Self, E> {
                    Ok(Self {
                        $(
                            $field: match partial.$field {
                                Some(read) => read,
                                None => $crate::open::missing($crate::open::wire_name!($field $($wire)?))?,
                            },
                        )*
                        extra: partial.extra,
                    })
                }
            }

            #[cfg(feature = "audit")]
            impl $crate::untyped::Untyped for $name {
                fn collect_untyped(
                    &self,
                    at: &mut $crate::untyped::Pointer,
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
                        if !$crate::open::Probe(&self.$field).is_absent() {
                            map.serialize_entry($crate::open::wire_name!($field $($wire)?), &self.$field)?;
                        }
                    )*
                    for (key, value) in self.extra.iter() {
                        // A member that was read as `null` and set since.
                        let written = match key {
                            $($( $tag => true, )+)?
                            $( $crate::open::wire_name!($field $($wire)?) => !$crate::open::Probe(&self.$field).is_absent(), )*
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
pub(crate) use object;

/// Declares a union of objects told apart by one member.
///
/// `"old" | "new" => Kind(Type)` reads both tags. What has another tag, or
/// none, is kept whole as `Unknown`.
macro_rules! union {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $tag:literal {
            $( $(#[$variant_meta:meta])* $($value:literal)|+ => $variant:ident($type:ty), )*
        }
    ) => {
        $(#[$meta])*
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
                    key: std::borrow::Cow<'_, str>,
                    value: S,
                ) -> Result<(), S::Error> {
                    match partial {
                        Partial::Undecided(kept) if key == $tag => {
                            let tag: $crate::json::Json = value.read()?;
                            let mut kept = std::mem::take(kept);
                            *partial = match &*tag.read::<String>().unwrap_or_default() {
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
                            kept.push(&*key, value.read::<$crate::json::Json>()?);
                            Ok(())
                        }
                        $(
                            // The tag a second time. The last one counts, but what came
                            // before it has been read already.
                            Partial::$variant(_) if key == $tag => {
                                match &*value.read::<$crate::json::Json>()?.read::<String>().unwrap_or_default() {
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

/// Declares an enumeration of strings that keeps values it does not know.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $value:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_meta])* $variant, )*
            /// A value that this version does not know.
            Unknown(Box<str>),
        }

        impl $name {
            /// The value on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $value, )*
                    Self::Unknown(value) => value,
                }
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                match value {
                    $( $value => Self::$variant, )*
                    _ => Self::Unknown(value.into()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        #[cfg(feature = "audit")]
        impl $crate::untyped::Untyped for $name {
            fn collect_untyped(
                &self,
                _: &mut $crate::untyped::Pointer,
                _: &mut Vec<String>,
            ) {
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                struct StrVisitor;
                impl serde::de::Visitor<'_> for StrVisitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a string")
                    }

                    fn visit_str<E>(self, value: &str) -> Result<$name, E> {
                        Ok(value.into())
                    }
                }
                deserializer.deserialize_str(StrVisitor)
            }
        }
    };
}
pub(crate) use open_enum;
