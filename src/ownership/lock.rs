//! The lock of a session.

use agentwire_files::private_file;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The folder of the lock files, in the agent's configuration folder.
const FOLDER: &str = "agentwire";

/// A locked session. It is unlocked on drop, or when this process exits.
#[derive(Debug)]
pub(crate) struct SessionLock {
    id: String,
    path: PathBuf,
    pub(super) file: File,
    /// Whether the previous owner was killed, so that its agent may still run.
    was_abandoned: bool,
    is_owned: bool,
}

impl SessionLock {
    /// Locks a session without taking it: see [`SessionLock::take`]. If the session is locked,
    /// returns the PID of its owner; `None` if the PID cannot be read or the other process has not
    /// taken the session.
    ///
    /// # Errors
    ///
    /// If there is no configuration folder, it is not writable, its file system does not support
    /// locks, or the path of the folder or of the lock is a link or another kind of file.
    pub(super) fn new(config: &Path, id: &str) -> io::Result<Result<Self, Option<u32>>> {
        let folder = config.join(FOLDER);
        let path = folder.join(format!("{id}.lock"));
        loop {
            private_file::create_folder(&folder)?;
            let options = File::options().read(true).write(true).clone();
            let mut file = match private_file::open_or_create(&path, &options) {
                Ok(file) => file,
                // The previous owner has just removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut pid = String::new();
                    let _ = file.read_to_string(&mut pid);
                    // A killed owner left this PID, and the process with the lock has not taken the
                    // session.
                    let is_alive = |pid: &u32| crate::process::start(*pid).is_some();
                    return Ok(Err(pid.trim().parse().ok().filter(is_alive)));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            if !is_at(&file, &path) {
                continue;
            }
            let was_abandoned = file.metadata()?.len() > 0;
            return Ok(Ok(Self {
                id: id.to_owned(),
                path,
                file,
                was_abandoned,
                is_owned: false,
            }));
        }
    }

    /// Returns whether the file was left by a killed process.
    pub(super) fn was_abandoned(&self) -> bool {
        self.was_abandoned
    }

    /// Takes the session: writes the PID. The file is removed on drop; it remains if this program
    /// is killed.
    pub(super) fn take(&mut self) -> io::Result<()> {
        self.is_owned = true;
        self.file.set_len(0)?;
        writeln!(self.file, "{}", std::process::id())
    }

    pub(crate) fn is_of(&self, id: &str) -> bool {
        self.id == id
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // Removed while locked: see `is_at`. If that fails, an empty file remains.
        if self.is_owned {
            let _ = self.file.set_len(0);
        }
        let is_done = self.is_owned || !self.was_abandoned;
        if cfg!(unix) && is_done && fs::remove_file(&self.path).is_ok() {
            let _ = self.path.parent().map(fs::remove_dir);
        }
        // A forked child that has not called `exec` yet has the file open too, so closing it here
        // would not unlock it.
        let _ = self.file.unlock();
    }
}

/// Returns whether an open file is the one at this path. The previous owner may have removed
/// it.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |it: fs::Metadata| (it.dev(), it.ino());
    let (file, path) = (
        file.metadata().map(place),
        fs::symlink_metadata(path).map(place),
    );
    matches!((file, path), (Ok(file), Ok(path)) if file == path)
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
