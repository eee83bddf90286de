//! Checks that a value is written as it was read.

use crate::exact::Exact;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a text as a type. Asserts that it is written as the same value.
#[track_caller]
pub(crate) fn survives<T: DeserializeOwned + Serialize>(text: &str) -> T {
    let read: T = serde_json::from_str(text).unwrap();
    assert_writes(&read, text);
    read
}

#[track_caller]
pub(crate) fn assert_writes<T: Serialize>(value: &T, text: &str) {
    let written = serde_json::to_string(value).unwrap();
    assert_eq!(
        Exact::of(&written),
        Exact::of(text),
        "{written}\n is not\n{text}"
    );
}

pub(crate) const NUMBERS: [&str; 12] = [
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1e0",
    "1e400",
    "-1E+400",
    "0.00014000000000000001",
    "9223372036854775809",
    "123456789012345678901234567890",
    "0.1e-7",
];
