//! Writing objects member by member.

use super::reader::{Field, Reader};
use crate::json::{Json, Members};
use serde::Serialize;
use serde::ser::SerializeMap;

/// Writes a tag, if it was not missing.
///
/// # Errors
///
/// Those of the serializer.
pub fn write_tag<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &'static str,
    extra: &Members,
) -> Result<(), M::Error> {
    if !extra.is_clean() && extra.is_missing(name) {
        return Ok(());
    }
    map.serialize_entry(name, value)
}

/// Writes a declared member, if it is not as it was read: then what was there
/// is written with the members that the type does not know, or nothing, where
/// it was missing.
///
/// # Errors
///
/// Those of the serializer.
pub fn write_member<M: SerializeMap, T: Field + Serialize + PartialEq>(
    map: &mut M,
    name: &'static str,
    value: &T,
    extra: &Members,
) -> Result<(), M::Error> {
    if value.is_absent() || !extra.is_clean() && is_as_read(name, value, extra) {
        return Ok(());
    }
    map.serialize_entry(name, value)
}

/// Whether a field still holds what was read of a `null`, invalid or missing
/// member.
pub fn is_as_read<T: Field + PartialEq>(name: &str, value: &T, extra: &Members) -> bool {
    let Some(read) = as_read(name, extra) else {
        return false;
    };
    let read = read.and_then(|it| Reader::read_again(it.get()).ok());
    read.unwrap_or_else(T::empty) == *value
}

/// The JSON of what was read of such a member, or `None` for the empty value; nothing
/// for any other member.
fn as_read<'a>(name: &str, extra: &'a Members) -> Option<Option<&'a Json>> {
    let kept = extra.get(name);
    if kept.is_none() && !extra.is_missing(name) {
        return None;
    }
    Some(extra.given(name).unwrap_or(kept))
}
