//! Converts keys to file names that are distinct on any file system.

use super::file::reject_links;
use crate::session_log::LogKey;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum length of a file name in bytes, without prefix and extension. Longer keys use
/// several folders.
const MAX_LENGTH: usize = 200;

/// Returns the path of a session's log.
pub(super) fn path(root: &Path, session: &LogKey) -> PathBuf {
    let project = folder(root, &session.project);
    let mut path = nested_path(&project, "s", &session.session_id);
    path.as_mut_os_string().push(".log");
    path
}

/// Returns the folder of a project.
fn folder(root: &Path, project: &str) -> PathBuf {
    nested_path(root, "p", project)
}

/// Returns the path of a name. Folders that contain the start of a long name have the prefix `c-`.
fn nested_path(parent: &Path, kind: &str, name: &str) -> PathBuf {
    let name = encode(name);
    let mut path = parent.to_owned();
    let mut rest = &*name;
    while rest.len() > MAX_LENGTH {
        let (part, after) = rest.split_at(MAX_LENGTH);
        path.push(format!("c-{part}"));
        rest = after;
    }
    path.push(format!("{kind}-{rest}"));
    path
}

/// Percent-encodes a name. Capitals are encoded, too, because many file systems do not distinguish
/// `A` from `a`.
fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => encoded.push(char::from(byte)),
            _ => drop(write!(encoded, "%{byte:02x}")),
        }
    }
    encoded
}

fn decode(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        if let ([b'%'], [_, _, then @ ..]) = ([*first], after) {
            let digits = str::from_utf8(&after[..2]).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = then;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the IDs of a project's sessions with the paths of their logs.
pub(super) fn sessions(root: &Path, project: &str) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let folder = folder(root, project);
    reject_links(root, &folder.join("log"))?;
    collect(&folder, "", &mut found)?;
    Ok(found)
}

fn collect(folder: &Path, start: &str, found: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if let Some(part) = name.strip_prefix("c-") {
            if !entry.file_type()?.is_dir() {
                continue;
            }
            collect(&path, &format!("{start}{part}"), found)?;
        } else if let Some(rest) = name
            .strip_prefix("s-")
            .and_then(|it| it.strip_suffix(".log"))
            && let Some(id) = decode(&format!("{start}{rest}"))
        {
            found.push((id, path));
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_stay_in_the_directory() {
        let long = "Ü".repeat(500);
        for name in [
            "", ".", "..", "a/b", "A", "%41", "a\\b", "\0", "🦀", "c-x", &long,
        ] {
            assert_eq!(decode(&encode(name)).as_deref(), Some(name));
            let path = path(Path::new("/root"), &LogKey::new(name, name));
            for part in path.iter() {
                let part = part.to_str().unwrap();
                assert!(
                    part.len() <= MAX_LENGTH + 6 && part != ".." && part != ".",
                    "{part}"
                );
            }
        }
    }
}
