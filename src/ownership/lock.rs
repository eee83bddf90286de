//! The lock of a session.

use agentwire_files::private_file;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The folder of the locks, in the agent's configuration folder.
const FOLDER: &str = "agentwire";

/// A session that is locked as long as this lives, and no longer than this process.
#[derive(Debug)]
pub(crate) struct SessionLock {
    id: String,
    path: PathBuf,
    pub(super) file: File,
    /// Who had it locked was killed, and its agent may still run.
    was_abandoned: bool,
    is_taken: bool,
}

impl SessionLock {
    /// Locks a session, for [`SessionLock::take`]. Returns the PID of who has taken it, if it
    /// can be read; who only looks has none.
    ///
    /// # Errors
    ///
    /// If there is no configuration folder, it cannot be written, its file system knows
    /// no locks, or a link or another file has the name of the folder or of the lock.
    pub(super) fn new(config: &Path, id: &str) -> io::Result<Result<Self, Option<u32>>> {
        let folder = config.join(FOLDER);
        let path = folder.join(format!("{id}.lock"));
        loop {
            private_file::create_folder(&folder)?;
            let options = File::options().read(true).write(true).clone();
            let mut file = match private_file::open_or_create(&path, &options) {
                Ok(file) => file,
                // The last one in there was unlocked just now, and the folder removed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut pid = String::new();
                    let _ = file.read_to_string(&mut pid);
                    // Otherwise a killed one has left it, and who has the lock only looks.
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
                is_taken: false,
            }));
        }
    }

    /// Whether the file is that of a program that was killed.
    pub(super) fn was_abandoned(&self) -> bool {
        self.was_abandoned
    }

    /// Takes the session. The file, which is left if this program is killed, is removed
    /// afterwards.
    pub(super) fn take(&mut self) -> io::Result<()> {
        self.is_taken = true;
        self.file.set_len(0)?;
        writeln!(self.file, "{}", std::process::id())
    }

    pub(crate) fn is_of(&self, id: &str) -> bool {
        self.id == id
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // Removed while it is locked: see `is_at`. Where that is not possible, it stays, empty.
        if self.is_taken {
            let _ = self.file.set_len(0);
        }
        let is_done = self.is_taken || !self.was_abandoned;
        if cfg!(unix) && is_done && fs::remove_file(&self.path).is_ok() {
            let _ = self.path.parent().map(fs::remove_dir);
        }
        // A child that another thread has forked and that has not loaded its program yet has
        // the file open too, and closing it here would leave it locked.
        let _ = self.file.unlock();
    }
}

/// Whether an open file is the one at this path: who had it locked before may have removed
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
