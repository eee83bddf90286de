//! Describes the action and the result of tool calls, from their inputs and outputs.

mod input;
mod output;

pub(crate) use input::{announce, describe, todo_items};
pub(crate) use output::{Outcome, ToolResult, attachment, items_of, links};

use crate::entry::{Diff, Hunk};
#[cfg(feature = "acp")]
use crate::text::lines;
use agentwire_protocol::Json;
use agentwire_protocol::text::{Cursor, read};
use serde::de::DeserializeOwned;

/// The members of an object, which are found in one pass and read when they are needed.
pub(crate) struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    pub(crate) fn of(object: &'a Json) -> Self {
        Self::in_text(object.get())
    }

    fn in_text(text: &'a str) -> Self {
        let mut members = Vec::with_capacity(8);
        let mut cursor = Cursor::new(text.as_bytes());
        let mut is_open = cursor.take(b'{');
        while is_open {
            let Ok(Some(key)) = cursor.next_key(members.is_empty()) else {
                break;
            };
            let key = text.get(key.start..key.end).unwrap_or_default();
            match cursor.skip() {
                Ok(start) => {
                    let value = text.get(start..cursor.at()).unwrap_or_default();
                    members.push((key, value));
                }
                Err(_) => is_open = false,
            }
        }
        Self(members)
    }

    fn raw(&self, name: &str) -> Option<&'a str> {
        let mut members = self.0.iter().rev();
        let (_, value) = members.find(|(key, _)| *key == name)?;
        Some(value).copied().filter(|value| *value != "null")
    }

    /// Returns the members of a member that is an object.
    pub(crate) fn object(&self, name: &str) -> Option<Self> {
        self.raw(name)
            .filter(|it| it.starts_with('{'))
            .map(Self::in_text)
    }

    pub(crate) fn json(&self, name: &str) -> Option<Json> {
        self.raw(name).map(Json::of_text)
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        read(self.raw(name)?).ok()
    }

    /// Returns a text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name)
    }

    /// Returns whether all members except those that are `false` have one of these names.
    pub(crate) fn are_among(&self, names: &[&str]) -> bool {
        let mut members = self.0.iter().filter(|(_, value)| *value != "false");
        members.all(|(name, _)| names.contains(name))
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.raw(name) == Some("true")
    }
}

/// Returns a path relative to the working directory, for a title.
pub(crate) fn short_path<'a>(path: &'a str, cwd: Option<&str>) -> &'a str {
    let inside = cwd
        .filter(|cwd| cwd.len() > 1)
        .and_then(|cwd| path.strip_prefix(cwd.trim_end_matches(['/', '\\'])))
        .and_then(|rest| rest.strip_prefix(['/', '\\']));
    inside.filter(|rest| !rest.is_empty()).unwrap_or(path)
}

/// Cuts the lines of a diff to at most `most` bytes.
pub(crate) fn cut_diff(diff: &mut Diff, most: usize) {
    let (mut left, mut omitted) = (most, 0);
    for hunk in &mut diff.hunks {
        let fits = hunk.lines.iter().position(|line| {
            let fits = left >= line.len();
            left = left.saturating_sub(line.len() + 1);
            !fits
        });
        let fits = fits.unwrap_or(hunk.lines.len());
        omitted += hunk.lines.len() - fits;
        hunk.lines.truncate(fits);
    }
    diff.hunks.retain(|hunk| !hunk.lines.is_empty());
    diff.omitted_lines = (omitted > 0).then_some(omitted as u64);
}

/// Returns a hunk with all lines of `old` and `new`.
pub(crate) fn replacement(old: &str, new: &str) -> Hunk {
    let of = |prefix: char, text: &str| {
        let lines = text.lines().map(move |line| format!("{prefix}{line}"));
        lines.collect::<Vec<_>>()
    };
    let (old, new): (Vec<_>, Vec<_>) = (of('-', old), of('+', new));
    // Lines that are the same at the beginning and at the end.
    let same = |(a, b): &(&String, &String)| a[1..] == b[1..];
    let before = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - before;
    let after = (old.iter().rev().zip(new.iter().rev()).take(rest))
        .take_while(same)
        .count();
    let context = |line: &String| format!(" {}", &line[1..]);
    let (o, n) = (old.len() - after, new.len() - after);
    let lines = (old[..before].iter().map(context))
        .chain(old[before..o].iter().cloned())
        .chain(new[before..n].iter().cloned())
        .chain(old[o..].iter().map(context));
    Hunk {
        old_start: None,
        new_start: None,
        lines: lines.collect(),
    }
}

/// Returns the diffs of a patch in the unified format. Without the headers of a file, the hunks
/// are those of the file with this path.
#[cfg(feature = "acp")]
pub(crate) fn patch(text: &str, path: &str, applied: bool) -> Vec<Diff> {
    let of_file = |path: &str| Diff {
        path: lines(path).into_owned(),
        is_new: false,
        applied,
        hunks: Vec::new(),
        omitted_lines: None,
    };
    let mut diffs = vec![of_file(path)];
    // The lines that the hunk has left in the old and in the new file.
    let (mut old_left, mut new_left) = (0_u64, 0_u64);
    for line in text.lines() {
        let Some(diff) = diffs.last_mut() else {
            break;
        };
        if (old_left, new_left) == (0, 0) {
            if let Some([old, new]) = ranges(line) {
                (old_left, new_left) = (old.1, new.1);
                diff.hunks.push(Hunk {
                    old_start: Some(old.0),
                    new_start: Some(new.0),
                    lines: Vec::new(),
                });
            } else if let Some(path) = line.strip_prefix("--- ") {
                if !diff.hunks.is_empty() {
                    diffs.push(of_file(path));
                } else if diff.path.is_empty() {
                    diff.path = lines(path).into_owned();
                }
                if let Some(diff) = diffs.last_mut() {
                    diff.is_new = path == "/dev/null";
                }
            } else if let Some(path) = line.strip_prefix("+++ ")
                && path != "/dev/null"
            {
                diff.path = lines(path).into_owned();
            }
            continue;
        }
        let (old, new) = match line.as_bytes().first() {
            Some(b'+') => (0, 1),
            Some(b'-') => (1, 0),
            Some(b'\\') => continue,
            _ => (1, 1),
        };
        (old_left, new_left) = (old_left.saturating_sub(old), new_left.saturating_sub(new));
        if let Some(hunk) = diff.hunks.last_mut() {
            hunk.lines.push(lines(line).into_owned());
        }
    }
    diffs
}

/// Returns the first line and the number of lines in the old and in the new file, from the
/// header of a hunk.
#[cfg(feature = "acp")]
fn ranges(line: &str) -> Option<[(u64, u64); 2]> {
    let (old, new) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let range = |range: &str| {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some([range(old)?, range(new.split(" @@").next()?)?])
}
