//! Validates the names of gates, which are also file names.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The suffix of the file that marks a gate as reached.
pub(crate) const REACHED: &str = ".reached";

/// Returns whether a gate can have this name.
fn is_name(name: &str) -> bool {
    let is_fine = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    (1..=100).contains(&name.len())
        && name.chars().all(is_fine)
        && !name.starts_with('.')
        && !name.ends_with(REACHED)
}

pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    if is_name(&name) {
        Ok(name)
    } else {
        Err(D::Error::custom(format_args!(
            "{name:?} is not a valid gate name: use letters, digits, `-`, `_` and `.`, \
             without a leading `.` or the suffix `{REACHED}`"
        )))
    }
}

pub(super) fn read_optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    read(deserializer).map(Some)
}
