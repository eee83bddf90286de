//! Finds strings in the first or last bytes of a transcript, where lines may be
//! truncated. The official SDK searches text; this module searches bytes.

use crate::{Json, Members};
use memchr::{memchr, memchr2, memmem, memrchr};

/// Returns the patterns with which the SDK searches for the member `key`: with
/// and without a space before the value.
fn patterns(key: &str) -> [String; 2] {
    [format!("\"{key}\":\""), format!("\"{key}\": \"")]
}

/// Returns the first string value of a member, in any object.
pub(super) fn first_string(text: &[u8], key: &str) -> Option<String> {
    patterns(key).iter().find_map(|pattern| {
        let start = memmem::find(text, pattern.as_bytes())? + pattern.len();
        Some(unescaped(&text[start..string_end(text, start)?]))
    })
}

/// Returns the last string value of a member, in any object.
pub(super) fn last_string(text: &[u8], key: &str) -> Option<String> {
    let mut last: Option<(usize, &[u8])> = None;
    for pattern in patterns(key) {
        let finder = memmem::Finder::new(&pattern);
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|text| finder.find(text)) {
            let (at, start) = (from + found, from + found + pattern.len());
            let Some(end) = string_end(text, start) else {
                break;
            };
            if last.is_none_or(|(before, _)| at > before) {
                last = Some((at, &text[start..end]));
            }
            from = end + 1;
        }
    }
    last.map(|(_, raw)| unescaped(raw))
}

/// Returns the end of the string that begins at `start`.
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Unescapes a string. An invalid string is returned verbatim.
fn unescaped(raw: &[u8]) -> String {
    let raw = String::from_utf8_lossy(raw);
    let quoted = || format!("\"{raw}\"").parse::<Json>().ok()?.read().ok();
    match raw.contains('\\') {
        true => quoted().unwrap_or_else(|| raw.into_owned()),
        false => raw.into_owned(),
    }
}

/// Returns the lines that contain `pattern`, from the last to the first.
fn lines_with<'t>(text: &'t [u8], pattern: &str) -> impl Iterator<Item = &'t [u8]> {
    // Searching forward is faster than searching backward.
    let found: Vec<usize> = memmem::find_iter(text, pattern).collect();
    let mut before = text.len() + 1;
    found.into_iter().rev().filter_map(move |at| {
        if at >= before {
            return None;
        }
        let line = line_at(text, at);
        before = line.start;
        Some(&text[line])
    })
}

/// Returns the range of the line that contains this byte.
fn line_at(text: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = memrchr(b'\n', &text[..at]).map_or(0, |it| it + 1);
    let end = memchr(b'\n', &text[at..]).map_or(text.len(), |it| at + it);
    start..end
}

/// Parses a line, if it is an object.
pub(super) fn object(line: &[u8]) -> Option<Members> {
    let line = String::from_utf8_lossy(line);
    let json: Json = line.parse().ok()?;
    json.get()
        .starts_with('{')
        .then(|| json.read().ok())
        .flatten()
}

/// Returns the last string value of `key` in a complete line.
pub(super) fn last_of_lines(text: &[u8], key: &str) -> Option<String> {
    let pattern = format!("\"{key}\":");
    lines_with(text, &pattern).find_map(|line| string_of(&object(line)?, key))
}

/// Returns the last string value of `key` in a record of this type. The record may be
/// appended to a truncated line.
pub(super) fn last_of_records(text: &[u8], key: &str, kind: &str) -> Option<String> {
    let [type_is, spaced] = [
        format!("\"type\":\"{kind}\""),
        format!("\"type\": \"{kind}\""),
    ];
    lines_with(text, &format!("\"{key}\":")).find_map(|line| {
        has(line, &[&type_is, &spaced]).then_some(())?;
        value_of(
            &object(line).or_else(|| behind_cut(line, &type_is))?,
            key,
            kind,
        )
    })
}

/// Searches like [`last_of_records`], but only in records that are written
/// without spaces and are complete lines.
pub(super) fn last_of_whole_records(text: &[u8], key: &str, kind: &str) -> Option<String> {
    let type_is = format!("\"type\":\"{kind}\"");
    lines_with(text, &format!("\"{key}\":")).find_map(|line| {
        has(line, &[&type_is]).then_some(())?;
        value_of(&object(line)?, key, kind)
    })
}

/// Returns a member of a record, if the record has this type.
fn value_of(record: &Members, key: &str, kind: &str) -> Option<String> {
    let is_type = string_of(record, "type").as_deref() == Some(kind);
    string_of(record, key).filter(|_| is_type)
}

/// Returns a record that was appended to a truncated line.
fn behind_cut(line: &[u8], type_is: &str) -> Option<Members> {
    let text = String::from_utf8_lossy(line);
    if text.parse::<Json>().is_ok() {
        return None;
    }
    let start = memmem::rfind(line, format!("{{{type_is}").as_bytes())?;
    let is_inside = matches!(line.get(start.checked_sub(1)?), Some(b':' | b',' | b'['));
    (!is_inside).then(|| object(&line[start..])).flatten()
}

/// Returns the first string value of `key` in a complete line.
pub(super) fn first_of_lines(text: &[u8], key: &str) -> Option<String> {
    let pattern = format!("\"{key}\":");
    let mut from = 0;
    while let Some(found) = text
        .get(from..)
        .and_then(|it| memmem::find(it, pattern.as_bytes()))
    {
        let line = line_at(text, from + found);
        from = line.end + 1;
        if let Some(value) = object(&text[line]).and_then(|it| string_of(&it, key)) {
            return Some(value);
        }
    }
    None
}

/// Returns a member, if it is a string.
pub(super) fn string_of(members: &Members, key: &str) -> Option<String> {
    members.get_str(key)
}

/// Returns the lines. The first and the last line may be truncated.
pub(super) fn lines(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    text.split(|it| *it == b'\n')
}

/// Returns whether a text contains one of these patterns.
pub(super) fn has(text: &[u8], patterns: &[&str]) -> bool {
    patterns
        .iter()
        .any(|it| memmem::find(text, it.as_bytes()).is_some())
}

/// Returns the text, unless it is empty.
pub(super) fn filled(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.is_empty())
}
