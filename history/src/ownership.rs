//! Which project a session belongs to, where the names of two projects' folders are
//! the same.

use super::folders::real;
use agentwire_files::dashed;
use std::path::Path;

/// Returns whether a session is not the project's, although it is in its folder: it
/// was started in another directory that exists. `directory` is the session's.
pub(super) fn is_of_another(directory: &str, project: &str, own: &[String]) -> bool {
    if is_inside(directory, own) || !are_mixed_up(directory, project) {
        return false;
    }
    if is_unusual(directory) || is_unusual(project) || !Path::new(directory).exists() {
        return false;
    }
    are_mixed_up(&real(Path::new(directory)), &real(Path::new(project)))
}

/// Returns whether a directory is one of these, or in one.
fn is_inside(directory: &str, own: &[String]) -> bool {
    let directory = slashes(directory);
    own.iter().map(|it| slashes(it)).any(|it| {
        let rest = directory.strip_prefix(it.as_str());
        rest.is_some_and(|rest| rest.is_empty() || it.ends_with('/') || rest.starts_with('/'))
    })
}

/// Returns whether two directories have the same name of a folder and are different.
fn are_mixed_up(directory: &str, other: &str) -> bool {
    dashed(directory) == dashed(other) && slashes(directory) != slashes(other)
}

/// Returns whether a path may be slow to look at, or is no plain path.
fn is_unusual(path: &str) -> bool {
    let first = path.split('/').find(|it| !it.is_empty() && *it != ".");
    let first = first.unwrap_or_default().to_ascii_lowercase();
    path.starts_with("//")
        || path.starts_with(r"\\")
        || path.split(['/', '\\']).any(|it| it == "..")
        || path.starts_with('/') && (first == "net" || first == "network")
}

fn slashes(path: &str) -> String {
    path.replace('\\', "/")
}
