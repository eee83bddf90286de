//! Types of the wire for those who read with serde.

use super::compare::copy as copy_value;
use super::error::Located;
use super::form::{Field, Slot};
use super::reader::Reader;
use crate::json::Members;
use crate::text::contains;
use crate::text::{TextDeserializer, mended, raw_text};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

thread_local! {
    /// Where reading a type of the wire failed, while a caller asks for it: an
    /// error of serde has no room for it.
    static FAILED: RefCell<Option<Vec<Located>>> = const { RefCell::new(None) };
}

/// Reads a type of the wire from any deserializer.
///
/// # Errors
///
/// When the value is not what it should be, and those of the deserializer.
#[inline(never)]
pub fn deserialize<'de, T: Field, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut value = T::fresh();
    let text = raw_text(deserializer)?;
    match read_noted(&text, T::IS_TOLERANT, &mut value.slot()) {
        Ok(()) => Ok(value),
        Err(message) => Err(de::Error::custom(message)),
    }
}

/// Reads a text, and notes where that failed.
fn read_noted(text: &str, is_tolerant: bool, slot: &mut Slot<'_>) -> Result<(), String> {
    Reader::read_text(text, is_tolerant, slot).map_err(|error| {
        let message = error.to_string();
        note(error.located());
        message
    })
}

/// Clones a type of the wire.
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
/// When the value is none.
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

/// Reads a text that is known to be JSON as any type, with U+FFFD for lone
/// surrogates. Where a type of ours fails, that says where.
pub(crate) fn read_anything<T: DeserializeOwned>(text: &str) -> Result<T, Located> {
    FAILED.set(Some(vec![]));
    let read = T::deserialize(TextDeserializer(text)).or_else(|error| match mended(text) {
        Some(text) => T::deserialize(TextDeserializer(&text)),
        None => Err(error),
    });
    let failed = FAILED.take();
    read.map_err(|error| located(&error, failed))
}

/// Returns where a type of ours has failed, if that is why.
fn located(error: &serde_json::Error, failed: Option<Vec<Located>>) -> Located {
    let reason = error.to_string();
    // One that did not matter may have come before.
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
