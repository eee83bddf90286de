//! Implements serde for wire types.

use super::compare::copy as copy_value;
use super::error::Located;
use super::form::{Field, Slot};
use super::reader::Reader;
use crate::json::Members;
use crate::text::contains;
use crate::text::{TextDeserializer, raw_text, without_lone_surrogates};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

thread_local! {
    /// The locations of errors in wire types, while a caller records them. An
    /// error of serde cannot carry a location.
    static FAILED: RefCell<Option<Vec<Located>>> = const { RefCell::new(None) };
}

/// Reads a wire type from any deserializer.
///
/// # Errors
///
/// If the value has another type, or if the deserializer fails.
#[inline(never)]
pub fn deserialize<'de, T: Field, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut value = T::fresh();
    let text = raw_text(deserializer)?;
    match read_noted(&text, T::IS_TOLERANT, &mut value.slot()) {
        Ok(()) => Ok(value),
        Err(message) => Err(de::Error::custom(message)),
    }
}

/// Reads a text. Records the location of an error.
fn read_noted(text: &str, is_tolerant: bool, slot: &mut Slot<'_>) -> Result<(), String> {
    Reader::read_text(text, is_tolerant, slot).map_err(|error| {
        let message = error.to_string();
        note(error.located());
        message
    })
}

/// Clones a wire type.
#[inline(never)]
pub fn clone<T: Field>(value: &T) -> T {
    let mut copy = T::fresh();
    copy_value(&mut copy.slot(), value.form());
    copy
}

#[cold]
fn note(located: Located) {
    FAILED.with_borrow_mut(|failed| {
        if let Some(failed) = failed {
            failed.push(located);
        }
    });
}

/// Reads a string from any deserializer.
///
/// # Errors
///
/// If the value is not a string.
pub fn deserialize_str<'de, T: for<'a> From<&'a str>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct StrVisitor<T>(PhantomData<T>);

    impl<T: for<'a> From<&'a str>> Visitor<'_> for StrVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E>(self, value: &str) -> Result<T, E> {
            Ok(value.into())
        }
    }

    deserializer.deserialize_str(StrVisitor(PhantomData))
}

/// Reads valid JSON as any type, with U+FFFD for lone surrogates. An error in a
/// wire type has a location.
pub(crate) fn read_anything<T: DeserializeOwned>(text: &str) -> Result<T, Located> {
    FAILED.set(Some(vec![]));
    let read =
        T::deserialize(TextDeserializer(text)).or_else(|error| {
            match without_lone_surrogates(text) {
                Some(text) => T::deserialize(TextDeserializer(&text)),
                None => Err(error),
            }
        });
    let failed = FAILED.take();
    read.map_err(|error| located(&error, failed))
}

/// Returns the recorded location, if a wire type caused the error.
fn located(error: &serde_json::Error, failed: Option<Vec<Located>>) -> Located {
    let reason = error.to_string();
    // Earlier entries may be errors that were handled.
    let mut failed = failed.unwrap_or_default().into_iter().rev();
    failed
        .find(|located| contains(&reason, &located.reason))
        .unwrap_or(Located {
            path: ".".to_owned(),
            reason,
        })
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}
