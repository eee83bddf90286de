//! Reading objects member by member.

use super::field::{Field, FieldSeed};
use super::text::Text;
use super::trace;
use crate::json::{Json, Members};
use serde::de::value::MapDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

/// Something that is read from a JSON object, member by member.
pub trait Object: Sized {
    /// Whether it has to see the tag by which a union chose it: an object of
    /// a kind that nobody knows keeps the tag among its members.
    const KEEPS_TAG: bool = false;

    /// Takes all the members that are left.
    fn of_members<'de, A: MapAccess<'de>>(rest: &mut Rest<'de, A>) -> Result<Self, A::Error>;
}

/// The members of an object that nobody has read yet: those that came before
/// the tag and were kept until somebody knew how to read them, and then those
/// that are still in the text.
#[derive(Debug)]
pub struct Rest<'de, A> {
    /// The tag by which a union chose the kind that reads the rest, and which
    /// only those have to see that keep everything.
    tag: Option<(&'static str, Text<'de>)>,
    kept: std::vec::IntoIter<(Cow<'static, str>, Json)>,
    /// The value of the member that it is at, when that was kept.
    value: Option<Json>,
    map: A,
}

impl<'de, A: MapAccess<'de>> Rest<'de, A> {
    fn new(map: A) -> Self {
        Self {
            tag: None,
            kept: vec![].into_iter(),
            value: None,
            map,
        }
    }

    /// Goes to the next member.
    pub fn next_key(&mut self) -> Result<Option<Key<'de>>, A::Error> {
        match self.kept.next() {
            Some((key, value)) => {
                self.value = Some(value);
                Ok(Some(Key(key)))
            }
            None => self.map.next_key(),
        }
    }

    /// Reads the value of the member that it is at, whose name is `key`.
    pub fn read<T: Field>(&mut self, key: &str) -> Result<T, A::Error> {
        match self.value.take() {
            Some(kept) => T::of_kept(kept),
            None => self.map.next_value_seed(FieldSeed(PhantomData)),
        }
        .inspect_err(|_| trace::member(key))
    }

    /// Reads the tag that it is at, whose name is `key`.
    pub fn read_tag(&mut self, key: &str) -> Result<Text<'de>, A::Error> {
        let text = match self.value.take() {
            Some(kept) => Text(Cow::Owned(kept.get().to_owned())),
            None => self.map.next_value().inspect_err(|_| trace::member(key))?,
        };
        Ok(text.plain())
    }

    /// Gives members back, as the next ones.
    pub fn put_back(&mut self, members: Members) {
        if !members.is_empty() {
            let mut members = members.into_entries();
            members.extend(&mut self.kept);
            self.kept = members.into_iter();
        }
    }

    /// Gives back what came before a tag, and the tag, by which the kind `T`
    /// has been chosen.
    pub fn put_back_with_tag<T: Object>(
        &mut self,
        mut before: Members,
        name: &'static str,
        tag: Text<'de>,
    ) {
        if T::KEEPS_TAG {
            if before.is_empty() && self.tag.is_none() {
                self.tag = Some((name, tag));
            } else {
                before.push(name, tag.into());
            }
        }
        self.put_back(before);
    }
}

/// Reads an object from members that were kept.
pub(crate) fn read_members<T: Object, E: de::Error>(members: Members) -> Result<T, E> {
    let nothing = MapDeserializer::<_, E>::new(std::iter::empty::<(&str, &str)>());
    let mut rest = Rest::new(nothing);
    rest.put_back(members);
    T::of_members(&mut rest)
}

/// Reads any [`Object`] from a deserializer.
pub fn read_object<'de, T, D>(deserializer: D) -> Result<T, D::Error>
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

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let _level = Level::enter()?;
        T::of_members(&mut Rest::new(map))
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
#[derive(Debug)]
pub struct Key<'de>(pub Cow<'de, str>);

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

/// Reads a value that was kept, as a part of what is being read.
pub(crate) fn read_kept<T: Field, E: de::Error>(value: &Json) -> Result<T, E> {
    let mut deserializer = serde_json::Deserializer::from_str(value.get());
    T::read(&mut deserializer).map_err(|error| E::custom(trace::without_place(&error)))
}

/// In a box, so that the other kinds of a union need not have its size.
impl<T: Object> Object for Box<T> {
    const KEEPS_TAG: bool = T::KEEPS_TAG;

    fn of_members<'de, A: MapAccess<'de>>(rest: &mut Rest<'de, A>) -> Result<Self, A::Error> {
        T::of_members(rest).map(Box::new)
    }
}

impl Object for Members {
    const KEEPS_TAG: bool = true;

    fn of_members<'de, A: MapAccess<'de>>(rest: &mut Rest<'de, A>) -> Result<Self, A::Error> {
        let mut members = Self::default();
        if let Some((name, tag)) = rest.tag.take() {
            members.push(name, tag.into());
        }
        while let Some(Key(key)) = rest.next_key()? {
            let value = rest.read(&key)?;
            members.push(key.into_owned(), value);
        }
        Ok(members)
    }
}
