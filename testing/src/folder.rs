use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The time for which removing a folder is retried.
const LIMIT: Duration = Duration::from_secs(10);

/// A temporary folder, which is removed on drop.
///
/// A host or an agent that is still ending may create a file while the folder is being removed.
/// `tempfile` then leaves the folder; this type tries again.
#[derive(Debug)]
pub struct TempDir(tempfile::TempDir);

impl TempDir {
    /// Creates a folder in [`std::env::temp_dir`].
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn new() -> io::Result<Self> {
        tempfile::tempdir().map(Self)
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for TempDir {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        self.0.disable_cleanup(true);
        let begun = Instant::now();
        loop {
            match fs::remove_dir_all(self.path()) {
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                _ => return,
            }
            if begun.elapsed() > LIMIT {
                return;
            }
            thread::yield_now();
        }
    }
}

/// Creates a [`TempDir`].
///
/// # Errors
///
/// If it cannot be created.
pub fn tempdir() -> io::Result<TempDir> {
    TempDir::new()
}
