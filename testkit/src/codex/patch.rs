//! Patches of the tool `apply_patch`, and diffs.

use super::core::Core;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The number of unchanged lines around a change, in an item and in the diff of
/// a turn.
const ITEM_CONTEXT: usize = 1;
const CONTEXT: usize = 3;

/// The maximum number of line pairs that a diff compares.
const MAX_PAIRS: usize = 4_000_000;

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: String,
    moved: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

/// The files that a turn has changed: their text before, and their new path.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles(BTreeMap<String, (Option<String>, String)>);

/// Parses a patch. Returns `None` if it is invalid.
pub(super) fn parse(core: &Core, cwd: &str, text: &str) -> Option<Vec<Change>> {
    let absolute = |path: &str| match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{cwd}/{path}"),
    };
    let mut lines = text.trim().lines().peekable();
    if lines.next()? != "*** Begin Patch" {
        return None;
    }
    let mut changes = vec![];
    loop {
        let line = lines.next()?;
        let is_body = |line: &&str| !line.starts_with("*** ");
        if line == "*** End Patch" {
            return (!changes.is_empty()).then_some(changes);
        } else if let Some(path) = line.strip_prefix("*** Add File: ") {
            let mut after = String::new();
            while let Some(line) = lines.next_if(is_body) {
                after.push_str(line.strip_prefix('+')?);
                after.push('\n');
            }
            let path = absolute(path);
            changes.push(Change {
                before: core.file(&path),
                path,
                moved: None,
                after: Some(after),
            });
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            let path = absolute(path);
            let before = Some(core.file(&path).unwrap_or_default());
            changes.push(Change {
                path,
                moved: None,
                before,
                after: None,
            });
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            let path = absolute(path);
            let moved = lines.next_if(|line| line.starts_with("*** Move to: "));
            let moved = moved
                .and_then(|it| it.strip_prefix("*** Move to: "))
                .map(absolute);
            let (mut old, mut new) = (vec![], vec![]);
            let mut hunks = vec![];
            while let Some(line) = lines.next_if(|line| is_body(line) || *line == "*** End of File")
            {
                match line.chars().next() {
                    Some('@') => hunks.push((std::mem::take(&mut old), std::mem::take(&mut new))),
                    Some('-') => old.push(&line[1..]),
                    Some('+') => new.push(&line[1..]),
                    Some(' ') => {
                        old.push(&line[1..]);
                        new.push(&line[1..]);
                    }
                    Some('*') => {}
                    None => {
                        old.push("");
                        new.push("");
                    }
                    Some(_) => return None,
                }
            }
            hunks.push((old, new));
            hunks.retain(|(old, new)| !old.is_empty() || !new.is_empty());
            let lines =
                |lines: &[&str]| lines.iter().map(|it| format!("{it}\n")).collect::<String>();
            // A file that cannot be read has the lines of the patch.
            let all: String = hunks.iter().map(|(old, _)| lines(old)).collect();
            let before = core.file(&path).unwrap_or(all);
            let mut after = before.clone();
            for (old, new) in &hunks {
                let (old, new) = (lines(old), lines(new));
                // Added lines alone go to the end.
                let at = if old.is_empty() {
                    after.len()
                } else {
                    after.find(&old)?
                };
                after.replace_range(at..at + old.len(), &new);
            }
            changes.push(Change {
                path,
                moved,
                before: Some(before),
                after: Some(after),
            });
        } else {
            return None;
        }
    }
}

impl Change {
    /// Returns the change in the format of items.
    pub(super) fn json(&self) -> Value {
        let (kind, diff) = match (&self.before, &self.after) {
            (None, Some(after)) => (json!({ "type": "add" }), after.clone()),
            (Some(before), None) => (json!({ "type": "delete" }), before.clone()),
            (before, after) => {
                let text = |it: &Option<String>| it.clone().unwrap_or_default();
                let mut diff = unified(&text(before), &text(after), ITEM_CONTEXT);
                if let Some(moved) = &self.moved {
                    write!(diff, "\n\nMoved to: {moved}").unwrap_or_default();
                }
                (json!({ "type": "update", "move_path": self.moved }), diff)
            }
        };
        json!({ "path": self.path, "kind": kind, "diff": diff })
    }
}

impl ChangedFiles {
    /// Applies changes to the files in memory, and on the disk if `writes`.
    pub(super) fn apply(&mut self, core: &mut Core, changes: &[Change], writes: bool) {
        for change in changes {
            let path = change.moved.as_ref().unwrap_or(&change.path).clone();
            let entry = self.0.entry(change.path.clone());
            let entry = entry.or_insert_with(|| (change.before.clone(), path.clone()));
            entry.1.clone_from(&path);
            core.files.insert(change.path.clone(), None);
            core.files.insert(path.clone(), change.after.clone());
            if writes {
                if change.after.is_none() || path != change.path {
                    core.disk.remove(&change.path);
                }
                if let Some(text) = &change.after {
                    core.disk.write(&path, text);
                }
            }
        }
    }

    /// Returns the diff of the turn, if there is one. It has no blob IDs.
    pub(super) fn diff(&self, core: &Core, cwd: &str) -> Option<String> {
        let relative = |path: &str| {
            let rest = path.strip_prefix(cwd).and_then(|it| it.strip_prefix('/'));
            rest.unwrap_or(path).to_owned()
        };
        let mut text = String::new();
        for (path, (before, new)) in &self.0 {
            let after = core.file(new);
            if *before == after && path == new {
                continue;
            }
            let (old, new) = (relative(path), relative(new));
            let mut from = format!("a/{old}");
            let mut to = format!("b/{new}");
            text.push_str(&format!("diff --git {from} {to}\n"));
            if before.is_none() {
                text.push_str("new file mode 100644\n");
                "/dev/null".clone_into(&mut from);
            } else if after.is_none() {
                text.push_str("deleted file mode 100644\n");
                "/dev/null".clone_into(&mut to);
            }
            text.push_str(&format!("--- {from}\n+++ {to}\n"));
            text.push_str(&unified(
                before.as_deref().unwrap_or_default(),
                after.as_deref().unwrap_or_default(),
                CONTEXT,
            ));
        }
        (!text.is_empty()).then_some(text)
    }
}

/// Returns the hunks of a unified diff.
fn unified(before: &str, after: &str, context: usize) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let script = edits(&old, &new);
    let mut text = String::new();
    let is_changed = |(sign, _): &(char, &str)| *sign != ' ';
    let mut begin = 0;
    // A hunk ends before more unchanged lines than two contexts.
    while let Some(first) = script[begin..].iter().position(is_changed) {
        let first = begin + first;
        let mut last = first;
        while let Some(next) = script[last + 1..].iter().position(is_changed) {
            if next > 2 * context {
                break;
            }
            last += next + 1;
        }
        let from = first.saturating_sub(context).max(begin);
        let to = (last + 1 + context).min(script.len());
        let count = |lines: &[(char, &str)], other: char| {
            lines.iter().filter(|(sign, _)| *sign != other).count()
        };
        let range = |other: char| {
            let (before, length) = (
                count(&script[..from], other),
                count(&script[from..to], other),
            );
            let start = before + usize::from(length > 0);
            if length == 1 {
                start.to_string()
            } else {
                format!("{start},{length}")
            }
        };
        text.push_str(&format!("@@ -{} +{} @@\n", range('+'), range('-')));
        for (sign, line) in &script[from..to] {
            text.push(*sign);
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
        begin = last + 1;
    }
    text
}

/// Returns the lines of both texts, each with ` `, `-` or `+`.
fn edits<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let mut edits = vec![];
    if old.len().saturating_mul(new.len()) > MAX_PAIRS {
        edits.extend(old.iter().map(|line| ('-', *line)));
        edits.extend(new.iter().map(|line| ('+', *line)));
        return edits;
    }
    // The length of the longest common subsequence from each pair of lines.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for o in (0..old.len()).rev() {
        for n in (0..new.len()).rev() {
            common[o][n] = match old[o] == new[n] {
                true => common[o + 1][n + 1] + 1,
                false => common[o + 1][n].max(common[o][n + 1]),
            };
        }
    }
    let (mut o, mut n) = (0, 0);
    while o < old.len() || n < new.len() {
        if o < old.len() && n < new.len() && old[o] == new[n] {
            edits.push((' ', old[o]));
            (o, n) = (o + 1, n + 1);
        } else if n == new.len() || o < old.len() && common[o + 1][n] >= common[o][n + 1] {
            edits.push(('-', old[o]));
            o += 1;
        } else {
            edits.push(('+', new[n]));
            n += 1;
        }
    }
    edits
}
