//! What a member of an object can be.

use super::{read_kept, trace};
use crate::json::{Json, Members, Number};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A type that a member of an object can have.
pub trait Field: DeserializeOwned {
    /// Reads the value. Lists and maps read their items one by one, so that an
    /// error says which it was.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }

    /// Reads a value that was kept until somebody knew how to read it.
    fn of_kept<E: de::Error>(kept: Json) -> Result<Self, E> {
        read_kept(&kept)
    }

    /// What the value is when the member is not there; nothing, when it has to
    /// be there.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether it is what it is when the member is not there.
    fn is_absent(&self) -> bool {
        false
    }
}

/// What a declared member is when it is not there.
pub fn absent<T: Field, E: de::Error>(name: &'static str) -> Result<T, E> {
    T::absent().ok_or_else(|| E::missing_field(name))
}

/// Types that are read in one piece.
macro_rules! plain {
    ($($type:ty),*) => { $( impl Field for $type {} )* };
}
plain!(bool, u16, u32, u64, i64, String, Number, Members, usize);

impl Field for Json {
    fn of_kept<E: de::Error>(kept: Json) -> Result<Self, E> {
        Ok(kept)
    }
}

/// Reads a [`Field`] where serde wants a seed.
pub(super) struct FieldSeed<T>(pub(super) PhantomData<T>);

impl<'de, T: Field> DeserializeSeed<'de> for FieldSeed<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::read(deserializer)
    }
}

impl<T: Field> Field for Option<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionVisitor<T>(PhantomData<T>);
        impl<'de, T: Field> Visitor<'de> for OptionVisitor<T> {
            type Value = Option<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or null")
            }

            fn visit_unit<E>(self) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_none<E>(self) -> Result<Option<T>, E> {
                Ok(None)
            }

            fn visit_some<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Option<T>, D::Error> {
                T::read(deserializer).map(Some)
            }
        }
        deserializer.deserialize_option(OptionVisitor(PhantomData))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Field> Field for Box<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(Box::new)
    }
}

impl<T: Field> Field for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(PhantomData<T>);
        impl<'de, T: Field> Visitor<'de> for ListVisitor<T> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<T>, A::Error> {
                read_list(seq)
            }
        }
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

/// Reads the items of a list.
pub(crate) fn read_list<'de, T: Field, A: SeqAccess<'de>>(mut seq: A) -> Result<Vec<T>, A::Error> {
    let mut items = Vec::new();
    while let Some(item) = seq
        .next_element_seed(FieldSeed(PhantomData))
        .inspect_err(|_| trace::item(items.len()))?
    {
        items.push(item);
    }
    Ok(items)
}

impl<K: DeserializeOwned + Ord + AsRef<str>, T: Field> Field for BTreeMap<K, T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<K, T>(PhantomData<(K, T)>);
        impl<'de, K: DeserializeOwned + Ord + AsRef<str>, T: Field> Visitor<'de> for MapVisitor<K, T> {
            type Value = BTreeMap<K, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BTreeMap<K, T>, A::Error> {
                let mut values = BTreeMap::new();
                while let Some(key) = map.next_key::<K>()? {
                    let value = map
                        .next_value_seed(FieldSeed(PhantomData))
                        .inspect_err(|_| trace::member(key.as_ref()))?;
                    values.insert(key, value);
                }
                Ok(values)
            }
        }
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}
