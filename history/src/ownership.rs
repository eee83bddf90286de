//! Distinguishes projects whose folders have the same name.

use super::folders::real;
use agentwire_files::dashed;
use std::path::Path;

/// Returns whether a session in the project's folder belongs to another existing directory.
/// `directory` is the session's working directory.
pub(super) fn belongs_to_another(directory: &str, project: &str, own: &[String]) -> bool {
    if is_inside(directory, own) || !collide(directory, project) {
        return false;
    }
    if is_unusual(directory) || is_unusual(project) || !Path::new(directory).exists() {
        return false;
    }
    collide(&real(Path::new(directory)), &real(Path::new(project)))
}

/// Returns whether a directory is equal to one of `own`, or is inside one of them.
fn is_inside(directory: &str, own: &[String]) -> bool {
    let directory = slashes(directory);
    own.iter().map(|it| slashes(it)).any(|it| {
        let rest = directory.strip_prefix(it.as_str());
        rest.is_some_and(|rest| rest.is_empty() || it.ends_with('/') || rest.starts_with('/'))
    })
}

/// Returns whether two directories are different but have the same folder name.
fn collide(directory: &str, other: &str) -> bool {
    dashed(directory) == dashed(other) && slashes(directory) != slashes(other)
}

/// Returns whether a path contains `..` or may be on a network.
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
