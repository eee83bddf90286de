//! The lines of a transcript.

use super::value::object;
use crate::{Json, Members};
use memchr::memchr;

/// The objects that lines are. Other lines are skipped.
pub(super) fn objects(text: &[u8]) -> impl Iterator<Item = Members> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            // Whatever is no letter before a line does not count.
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
