//! A private folder for files that the CLI reads.

use crate::private_file;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;
use uuid::Uuid;

/// The number of attempts to remove the folder. A process that is being killed may still
/// write to it.
const ATTEMPTS: u32 = 5;

/// A private folder that is removed on drop.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    is_retained: AtomicBool,
}

/// The path that could not be written, and the cause.
pub type WriteError = (PathBuf, io::Error);

impl PrivateFolder {
    /// Creates a folder with the prefix `name` in the folder of temporary files.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created.
    pub fn new(name: &str) -> Result<Self, WriteError> {
        let folder = Self {
            path: std::env::temp_dir().join(format!("{name}-{}", Uuid::new_v4())),
            is_retained: AtomicBool::new(false),
        };
        private_file::create_folders(&folder.path).map_err(|error| (folder.path.clone(), error))?;
        Ok(folder)
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets whether the folder is retained on drop.
    pub fn keep(&self, retain: bool) {
        self.is_retained.store(retain, Ordering::Relaxed);
    }

    /// Writes a new file, and creates its parent folders. Returns its path.
    ///
    /// # Errors
    ///
    /// If the file exists or cannot be written.
    pub fn write(&self, name: &str, text: &[u8]) -> Result<PathBuf, WriteError> {
        self.write_with(name, |file| file.write_all(text))
    }

    /// Writes a new file like [`PrivateFolder::write`], but in several steps.
    ///
    /// # Errors
    ///
    /// The errors of [`PrivateFolder::write`].
    pub fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<PathBuf, WriteError> {
        let path = self.path.join(name);
        let written = (|| {
            private_file::create_folders(path.parent().unwrap_or(&self.path))?;
            let mut file = BufWriter::new(private_file::create(&path, &File::options())?);
            write(&mut file)?;
            file.flush()
        })();
        match written {
            Ok(()) => Ok(path),
            Err(error) => Err((path, error)),
        }
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if *self.is_retained.get_mut() {
            return;
        }
        for attempt in 1..=ATTEMPTS {
            match fs::remove_dir_all(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound && attempt < ATTEMPTS => {
                    sleep(Duration::from_millis(100) * attempt);
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let folder = self.path.display();
                    tracing::warn!(%folder, %error, "cannot remove a session's private folder");
                }
                _ => return,
            }
        }
    }
}
