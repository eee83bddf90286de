//! A private folder for files that the CLI reads.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;
use uuid::Uuid;

/// How many times removing the folder is tried: a process that is being killed
/// may still write to it.
const ATTEMPTS: u32 = 5;

/// A folder that only this user can read. It is removed on drop.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    is_kept: AtomicBool,
}

/// The file or folder that could not be written, and the cause.
pub(crate) type WriteError = (PathBuf, io::Error);

impl PrivateFolder {
    /// Creates a folder whose name starts with `name`.
    pub(crate) fn new(name: &str) -> Result<Self, WriteError> {
        let folder = Self {
            path: std::env::temp_dir().join(format!("{name}-{}", Uuid::new_v4())),
            is_kept: AtomicBool::new(false),
        };
        create_folder(&folder.path).map_err(|error| (folder.path.clone(), error))?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Sets whether the folder stays.
    pub(crate) fn keep(&self, wanted: bool) {
        self.is_kept.store(wanted, Ordering::Relaxed);
    }

    /// Writes a new file, and creates its parent folders. Returns its path.
    pub(crate) fn write(&self, name: &str, text: &[u8]) -> Result<PathBuf, WriteError> {
        self.write_with(name, |file| file.write_all(text))
    }

    /// Like [`PrivateFolder::write`], but writes in several steps.
    pub(crate) fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<PathBuf, WriteError> {
        let path = self.path.join(name);
        let written = (|| {
            create_folder(path.parent().unwrap_or(&self.path))?;
            let mut file = BufWriter::new(create_file(&path)?);
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
        if *self.is_kept.get_mut() {
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

fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn create_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
