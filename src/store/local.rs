//! The agent's own files of a session, in the form of a store.

use super::{EntryHead, TranscriptKey};
use crate::private_file;
use agentwire_protocol::Json;
use agentwire_protocol::json::Members;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Returns the entry in a line of the agent's file and its `uuid`; `None` if it is none,
/// or one of those that the agent tells no host.
pub(crate) fn entry_of_line(line: &[u8]) -> Option<(Json, Option<String>)> {
    let entry: Json = serde_json::from_slice(line).ok()?;
    let EntryHead { kind, uuid } = EntryHead::of(&entry)?;
    let is_told = kind.is_none_or(|kind| !kind.starts_with("api-request"));
    is_told.then_some((entry, uuid))
}

/// Reads the transcripts of a session from the configuration folder of an agent: its
/// own, and those of its parts. None if it is not there.
pub(crate) fn transcripts(
    config: &Path,
    session: &TranscriptKey,
) -> io::Result<Vec<(TranscriptKey, Vec<Json>)>> {
    let projects = config.join("projects").join(session.project());
    let mut found = Vec::new();
    let own = projects.join(format!("{}.jsonl", session.session_id()));
    let Some(entries) = read(&own)? else {
        return Ok(found);
    };
    found.push((session.clone(), entries));
    let mut folders = vec![projects.join(session.session_id())];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            // Links may lead round in circles.
            if entry.file_type()?.is_dir() {
                folders.push(path);
                continue;
            }
            let inside = path.strip_prefix(config).ok().and_then(Path::to_str);
            let key = inside.and_then(TranscriptKey::of_file);
            let Some(key) = key.filter(|it| it.session_id() == session.session_id()) else {
                continue;
            };
            let Some(mut entries) = read(&path)? else {
                continue;
            };
            if let Some(metadata) = metadata(&path.with_extension("meta.json")) {
                entries.insert(0, metadata);
            }
            found.push((key, entries));
        }
    }
    found[1..].sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

/// Reads a transcript up to its last whole line.
fn read(path: &Path) -> io::Result<Option<Vec<Json>>> {
    let is_file = fs::metadata(path).is_ok_and(|it| it.is_file());
    if !is_file {
        return Ok(None);
    }
    let mut lines = BufReader::new(fs::File::open(path)?);
    let (mut entries, mut line) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        lines.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(Some(entries));
        }
        entries.extend(entry_of_line(&line).map(|(entry, _)| entry));
    }
}

/// What is known of a sub-agent is an entry in a store, and a file of its own here.
fn metadata(path: &Path) -> Option<Json> {
    let text = private_file::read(path).ok()?;
    let known: Members = serde_json::from_slice(&text).ok()?;
    let mut entry = Members::default();
    entry.set("type", Json::from_value("agent_metadata").ok()?);
    for (name, value) in known.iter() {
        entry.set(name.to_owned(), value.clone());
    }
    Json::from_value(&entry).ok()
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
