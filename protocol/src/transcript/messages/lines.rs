//! Splits a transcript into lines.

use super::value::object;
use crate::{Json, Members};
use memchr::memchr;

/// Returns the lines that are JSON objects. Skips other lines.
pub(super) fn objects(text: &[u8]) -> impl Iterator<Item = Members> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            // White space and control characters before a line are ignored.
            let start = line.iter().position(|it| *it > b' ');
            if let Some(members) = start.and_then(|start| members(&line[start..])) {
                return Some(members);
            }
        }
        None
    })
}

fn members(line: &[u8]) -> Option<Members> {
    let line = String::from_utf8_lossy(line);
    let json: Json = line.parse().ok()?;
    object(Some(&json))
}
