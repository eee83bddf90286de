//! JSON values as the official SDK handles them. Any member may have any value,
//! and JavaScript's truthiness decides.

use crate::{Json, Members};

/// Returns whether a value is truthy in JavaScript. An absent member is not.
pub(super) fn is_truthy(value: Option<&Json>) -> bool {
    match value.map(Json::get) {
        None | Some("null" | "false" | "\"\"") => false,
        Some(text) if text.starts_with(['-', '0']) => text.parse() != Ok(0.0_f64),
        Some(_) => true,
    }
}

/// Returns whether a value is exactly `true`.
pub(super) fn is_true(value: Option<&Json>) -> bool {
    value.is_some_and(|value| value.get() == "true")
}

/// Returns the value, if it is a string.
pub(super) fn string(value: Option<&Json>) -> Option<String> {
    let value = value.filter(|value| is_string(value))?;
    value.read().ok()
}

pub(super) fn is_string(value: &Json) -> bool {
    value.get().starts_with('"')
}

pub(super) fn is_array(value: &Json) -> bool {
    value.get().starts_with('[')
}

/// Returns the members of a value, if it is an object.
pub(super) fn object(value: Option<&Json>) -> Option<Members> {
    let value = value.filter(|value| value.get().starts_with('{'))?;
    value.read().ok()
}

/// Returns the elements of a value. If it is not an array, returns none.
pub(super) fn elements(value: Option<&Json>) -> Vec<Json> {
    let value = value.filter(|value| is_array(value));
    value.and_then(|it| it.read().ok()).unwrap_or_default()
}

/// Returns whether a value equals this string.
pub(super) fn is(value: Option<&Json>, text: &str) -> bool {
    value.is_some_and(|value| match value.get() {
        raw if raw.contains('\\') => value.read::<String>().is_ok_and(|it| it == text),
        raw => raw.strip_prefix('"').and_then(|it| it.strip_suffix('"')) == Some(text),
    })
}

/// Returns a key that is equal for equal strings, even if they are escaped
/// differently. The key of any other value is its JSON, which never equals the
/// key of a string.
pub(super) fn key(value: &Json) -> Box<str> {
    match value.get() {
        raw if raw.starts_with('"') && raw.contains('\\') => match value.read::<String>() {
            Ok(text) => Json::from(&*text).get().into(),
            Err(_) => raw.into(),
        },
        raw => raw.into(),
    }
}

/// Returns the ID of a run, if the SDK accepts it: up to 128 letters, digits
/// and some punctuation characters.
pub(super) fn run_id(value: Option<&Json>) -> Option<String> {
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"_.:-".contains(&it);
    let id = string(value)?;
    ((1..=128).contains(&id.len()) && id.bytes().all(is_letter)).then_some(id)
}

/// Returns whether a text is a valid ID of a sub-agent.
pub(super) fn is_agent_id(id: &str) -> bool {
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"_-".contains(&it);
    (1..=128).contains(&id.len()) && id.bytes().all(is_letter)
}
