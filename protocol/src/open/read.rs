//! Reading objects member by member.

use super::field::{Field, FieldSeed};
use super::trace;
use crate::json::{Json, Members};
use serde::de::{self, Deserializer, MapAccess, Visitor};
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
        key: &str,
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
    fn read<T: Field>(self) -> Result<T, Self::Error>;
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
            T::member(&mut partial, &key, FromMap(&mut map, &key, PhantomData))?;
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

/// The value of the member that a map is at.
struct FromMap<'a, 'de, A>(&'a mut A, &'a str, PhantomData<&'de ()>);

impl<'de, A: MapAccess<'de>> MemberValue for FromMap<'_, 'de, A> {
    type Error = A::Error;

    fn read<T: Field>(self) -> Result<T, A::Error> {
        let Self(map, key, _) = self;
        map.next_value_seed(FieldSeed(PhantomData))
            .inspect_err(|_| trace::member(key))
    }
}

/// A value that came before the tag that says how to read it.
struct Kept<'a, E>(&'a str, Json, PhantomData<E>);

impl<E: de::Error> MemberValue for Kept<'_, E> {
    type Error = E;

    fn read<T: Field>(self) -> Result<T, E> {
        let Self(key, value, _) = self;
        read_kept(&value).inspect_err(|_| trace::member(key))
    }
}

/// Reads a value that was kept, as a part of what is being read.
pub(crate) fn read_kept<T: Field, E: de::Error>(value: &Json) -> Result<T, E> {
    let mut deserializer = serde_json::Deserializer::from_str(value.get());
    T::read(&mut deserializer).map_err(|error| E::custom(trace::without_place(&error)))
}

/// Hands members that were kept to the kind that the tag named.
pub(crate) fn replay<T: Object, E: de::Error>(
    partial: &mut T::Partial,
    kept: Members,
) -> Result<(), E> {
    for (key, value) in kept.into_entries() {
        T::member(partial, &key, Kept::<E>(&key, value, PhantomData))?;
    }
    Ok(())
}

/// The text of a tag; empty for what is no string.
pub(crate) fn tag_name(tag: &Json) -> Cow<'_, str> {
    match tag
        .get()
        .strip_prefix('"')
        .and_then(|it| it.strip_suffix('"'))
    {
        Some(name) if !name.contains('\\') => Cow::Borrowed(name),
        Some(_) => Cow::Owned(tag.read().unwrap_or_default()),
        None => Cow::Borrowed(""),
    }
}

impl Object for Members {
    const KEEPS_TAG: bool = true;
    type Partial = Members;

    fn member<S: MemberValue>(partial: &mut Members, key: &str, value: S) -> Result<(), S::Error> {
        let value: Json = value.read()?;
        partial.push(key.to_owned(), value);
        Ok(())
    }

    fn finish<E: de::Error>(partial: Members) -> Result<Self, E> {
        Ok(partial)
    }
}
