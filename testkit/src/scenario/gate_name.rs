//! The names that gates can have, which are also those of files.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// What the name of the file that says that a gate was reached ends with.
pub(crate) const REACHED: &str = ".reached";

/// Whether a gate can have this name.
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
            "{name:?} cannot be the name of a gate: it has letters, digits, `-`, `_` and `.`, \
             begins with no `.` and does not end with `{REACHED}`"
        )))
    }
}

pub(super) fn read_optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    read(deserializer).map(Some)
}
