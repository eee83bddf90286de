//! Reads, copies and removes directories.

use agentwire_protocol::Json;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A file, a folder or a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    File { bytes: Vec<u8>, mode: u32 },
    Folder { mode: u32 },
    Link(PathBuf),
}

/// Returns the contents of a directory by relative path.
pub(crate) fn read(folder: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut entries = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inside)).unwrap() {
            let entry = entry.unwrap();
            let path = inside.join(entry.file_name());
            let metadata = fs::symlink_metadata(entry.path()).unwrap();
            let mode = mode(&metadata);
            let read = if metadata.is_symlink() {
                let to = fs::read_link(entry.path()).unwrap();
                Entry::Link(to.strip_prefix(folder).map_or(to.clone(), Path::to_owned))
            } else if metadata.is_dir() {
                folders.push(path.clone());
                Entry::Folder { mode }
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                Entry::File { bytes, mode }
            };
            entries.insert(path, read);
        }
    }
    entries
}

/// Copies a file, or a folder with its contents. Links are changed to lead into the copy.
pub(crate) fn copy(from: &Path, to: &Path) {
    copy_inside(from, to, from, to);
}

fn copy_inside(from: &Path, to: &Path, root: &Path, copied: &Path) {
    let metadata = fs::symlink_metadata(from).unwrap();
    if metadata.is_symlink() {
        let target = fs::read_link(from).unwrap();
        let inside = target.strip_prefix(root).map(|it| copied.join(it));
        link(&inside.unwrap_or(target), to);
    } else if metadata.is_dir() {
        fs::create_dir_all(to).unwrap();
        fs::set_permissions(to, metadata.permissions()).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy_inside(&from.join(&name), &to.join(&name), root, copied);
        }
    } else {
        fs::copy(from, to).unwrap();
        let file = File::options().append(true).open(to).unwrap();
        file.set_modified(metadata.modified().unwrap()).unwrap();
    }
}

/// Gives a file the time of another one.
pub(crate) fn level_time(from: &Path, to: &Path) {
    let time = |path| fs::metadata(path).unwrap().modified().unwrap();
    let wanted = time(from);
    if time(to) != wanted {
        let file = File::options().append(true).open(to).unwrap();
        file.set_modified(wanted).unwrap();
    }
}

/// Removes a file, or a folder with its contents, if it exists.
pub(crate) fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(it) if it.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Returns the sessions with a transcript.
pub(crate) fn sessions(config: &Path) -> HashSet<String> {
    let mut sessions = HashSet::new();
    for project in fs::read_dir(config.join("projects")).unwrap() {
        let files = fs::read_dir(project.unwrap().path()).into_iter().flatten();
        let names = files.map(|it| it.unwrap().file_name().to_string_lossy().into_owned());
        sessions.extend(names.filter_map(|it| Some(it.strip_suffix(".jsonl")?.to_owned())));
    }
    sessions
}

/// Returns the IDs in a session's records. IDs near compactions are repeated.
pub(crate) fn ids(config: &Path, session: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for project in fs::read_dir(config.join("projects")).unwrap() {
        let path = project.unwrap().path().join(format!("{session}.jsonl"));
        let text = fs::read(path).unwrap_or_default();
        // IDs near compactions are the most difficult. A compaction consists of two or three
        // records.
        let mut near = 0;
        for line in text.split(|it| *it == b'\n') {
            let Ok(line) = String::from_utf8_lossy(line).parse::<Json>() else {
                continue;
            };
            let inside = ["attachment", "fold"].map(|it| line.member(it));
            let inside = inside.into_iter().flatten();
            let sources = inside.filter_map(|it| it.member("source_uuid"));
            let found = line.member("uuid").into_iter().chain(sources);
            let found: Vec<String> = found.filter_map(|it| it.read().ok()).collect();
            if line.get().contains("compact_boundary") {
                near = 3;
            }
            // A copy cannot end with these records.
            let is_odd = ["\"progress\"", "fork_briefing", "teamName"]
                .iter()
                .any(|it| line.get().contains(it));
            let times = if near > 0 || is_odd { 5 } else { 1 };
            near -= usize::from(near > 0);
            ids.extend((0..times).flat_map(|_| found.clone()));
        }
    }
    ids
}

fn mode(metadata: &fs::Metadata) -> u32 {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    #[cfg(not(unix))]
    u32::from(metadata.permissions().readonly())
}

fn link(to: &Path, from: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, from).unwrap();
    #[cfg(not(unix))]
    let _ = (to, from);
}
