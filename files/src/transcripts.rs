//! The transcripts of a session as lists of entries.

use crate::{PrivateFolder, TranscriptKey, WriteError, private_file};
use agentwire_protocol::Json;
use agentwire_protocol::json::Members;
use serde::Deserialize;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// A transcript and its key.
pub type Transcript = (TranscriptKey, Vec<Json>);

/// The type and the ID of an entry.
#[derive(Debug, Deserialize)]
pub struct EntryHead {
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The ID of the entry.
    pub uuid: Option<String>,
}

impl EntryHead {
    /// Reads the head of an entry. Returns `None` if the JSON is not an entry.
    #[must_use]
    pub fn of(entry: &Json) -> Option<Self> {
        entry.read().ok()
    }

    /// Returns whether the entry is the metadata of a sub-agent, which is a separate file on disk.
    #[must_use]
    pub fn is_metadata(&self) -> bool {
        self.kind.as_deref() == Some("agent_metadata")
    }
}

/// Parses a line of a transcript as an entry and its `uuid`. Returns `None` if the line is not an
/// entry, or an entry that the agent does not report to hosts.
#[must_use]
pub fn entry_of_line(line: &[u8]) -> Option<(Json, Option<String>)> {
    let entry: Json = serde_json::from_slice(line).ok()?;
    let EntryHead { kind, uuid } = EntryHead::of(&entry)?;
    let is_reported = kind.is_none_or(|kind| !kind.starts_with("api-request"));
    is_reported.then_some((entry, uuid))
}

/// Reads the transcripts of a session from the configuration directory of an agent: first
/// its own transcript, then those of its sub-agents. Returns an empty list if the session
/// does not exist.
///
/// # Errors
///
/// If a file or a folder exists and cannot be read.
pub fn transcripts(config: &Path, session: &TranscriptKey) -> io::Result<Vec<Transcript>> {
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
            // Do not follow links: they may form a cycle.
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

/// Reads a transcript up to its last complete line.
fn read(path: &Path) -> io::Result<Option<Vec<Json>>> {
    let is_file = fs::metadata(path).is_ok_and(|it| it.is_file());
    if !is_file {
        return Ok(None);
    }
    let mut lines = BufReader::new(File::open(path)?);
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

/// Reads the metadata file of a sub-agent as an entry.
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

/// Writes transcripts to the configuration directory of an agent. An existing transcript is replaced
/// if the new one has all of its entries. Follows no link below the folder `projects`.
///
/// # Errors
///
/// If a file cannot be written, or an existing one has other entries.
pub fn write_transcripts(config: &Path, transcripts: &[Transcript]) -> Result<(), WriteError> {
    let folder = PrivateFolder::new("agentwire-transcripts")?;
    for (key, entries) in transcripts {
        write_transcript(&folder, key, entries)?;
    }
    let projects = config.join("projects");
    merge_transcripts(&folder.path().join("projects"), &projects).map_err(|error| (projects, error))
}

/// Writes a transcript to `folder`, in the layout of an agent's configuration directory.
///
/// # Errors
///
/// If the transcript cannot be written.
pub fn write_transcript(
    folder: &PrivateFolder,
    key: &TranscriptKey,
    entries: &[Json],
) -> Result<(), WriteError> {
    let (project, session_id) = (key.project(), key.session_id());
    let Some(subpath) = key.subpath() else {
        let file = format!("projects/{project}/{session_id}.jsonl");
        return write_lines(folder, &file, entries.iter());
    };
    let file = format!("projects/{project}/{session_id}/{subpath}");
    // The metadata of a sub-agent is a file next to its transcript.
    let is_metadata = |entry: &&Json| EntryHead::of(entry).is_some_and(|it| it.is_metadata());
    let (metadata, lines): (Vec<_>, Vec<_>) = entries.iter().partition(is_metadata);
    if !lines.is_empty() {
        write_lines(folder, &format!("{file}.jsonl"), lines.into_iter())?;
    }
    let Some(metadata) = metadata.last() else {
        return Ok(());
    };
    let text = without_type(metadata);
    let written = folder.write(&format!("{file}.meta.json"), text.get().as_bytes());
    written.map(drop)
}

fn write_lines<'a>(
    folder: &PrivateFolder,
    name: &str,
    entries: impl Iterator<Item = &'a Json>,
) -> Result<(), WriteError> {
    let written = folder.write_with(name, |file| {
        for entry in entries {
            // Remove line breaks between members; strings contain none.
            let line = entry.get().replace(['\n', '\r'], " ");
            file.write_all(line.as_bytes())?;
            file.write_all(b"\n")?;
        }
        Ok(())
    });
    written.map(drop)
}

fn without_type(entry: &Json) -> Json {
    let mut rest = Members::default();
    for (name, value) in entry.read::<Members>().unwrap_or_default().iter() {
        if name != "type" {
            rest.set(name.to_owned(), value.clone());
        }
    }
    Json::from_value(&rest).unwrap_or_default()
}

/// Copies transcripts from one folder `projects` to another one. An existing transcript is replaced
/// if the copy has all of its entries. Follows no link below that folder.
///
/// # Errors
///
/// If a file cannot be read or written, or an existing one has other entries.
pub fn merge_transcripts(from: &Path, projects: &Path) -> io::Result<()> {
    private_file::create_folders(projects)?;
    for project in fs::read_dir(from)? {
        let project = project?;
        let to = projects.join(project.file_name());
        if fs::symlink_metadata(&to).is_ok() {
            private_file::check_folder(projects, &to)?;
        } else {
            private_file::create_folder(&to)?;
        }
        merge_folder(&project.path(), &to)?;
    }
    Ok(())
}

fn merge_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            private_file::create_folder(&to)?;
            merge_folder(&from, &to)?;
        } else if entry.file_type()?.is_file() {
            if !has_all(&from, &to)? {
                let why = format!("{} has other entries", to.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
            }
            private_file::replace(&to, |file| {
                io::copy(&mut File::open(&from)?, file).map(drop)
            })?;
        }
    }
    Ok(())
}

/// Returns whether a transcript has all entries of another one, or the other one does not
/// exist.
fn has_all(copy: &Path, other: &Path) -> io::Result<bool> {
    let is_transcript = other.extension().is_some_and(|it| it == "jsonl");
    if !is_transcript || fs::symlink_metadata(other).is_err() {
        return Ok(true);
    }
    let uuids = |path| -> io::Result<HashSet<String>> {
        let text = private_file::read(path)?;
        let lines = text.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| entry_of_line(line)?.1).collect())
    };
    Ok(uuids(other)?.is_subset(&uuids(copy)?))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
