//! Random numbers, seeds, temporary folders and counts for the tests of this workspace.
//!
//! No crate of the workspace is a dependency, so that all can use it.

mod folder;
mod random;
mod seeds;

pub use folder::{TempDir, tempdir};
pub use random::Random;
pub use seeds::{number, simulate};

use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Prints how many items a test ran, even if the harness captures output.
/// `.ci/run` adds the numbers up.
pub fn counted(number: impl Display, what: &str) {
    let line = format!("counted: {number} {what}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Returns the recorded sessions of `testkit/recordings`, sorted by name.
///
/// # Panics
///
/// If the folder cannot be read.
#[must_use]
pub fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/recordings");
    let entries = folder.read_dir().expect("the recordings are readable");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the recordings are readable").path())
        .filter(|path| path.extension().is_some_and(|it| it == "ndjson"))
        .collect();
    paths.sort();
    assert!(paths.len() > 10, "{}", folder.display());
    paths
}
