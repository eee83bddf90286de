//! Private files in folders that may contain planted links.
//!
//! A link as the last segment of a path is not followed, and a pipe is not opened. Links
//! above the last segment are followed: the user may have made the configuration
//! directory and `projects` links, and whoever can replace them can replace everything
//! below. [`check_folder`] checks folders below `projects`, where links may come with a
//! session or an archive.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use uuid::Uuid;

/// The maximum number of attempts to open a file that is being replaced.
const ATTEMPTS: usize = 1000;

/// Opens a regular file. Returns an error for a link, a pipe or a folder.
///
/// The file is checked before it is opened and compared afterwards, so that nothing is read from
/// or written to the target of a link, even if the file is replaced in between. The options must
/// not create or truncate.
///
/// # Errors
///
/// The errors of [`OpenOptions::open`], and [`io::ErrorKind::InvalidInput`] if the path
/// is not a regular file.
pub fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    let options = {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = options.clone();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
        options
    };
    for _ in 0..ATTEMPTS {
        let before = fs::symlink_metadata(path)?;
        if !before.is_file() {
            return Err(not_regular_error(&before));
        }
        let file = match options.open(path) {
            // A link or a pipe has replaced the file after the check.
            Err(error) if is_link_error(&error) || !fs::symlink_metadata(path)?.is_file() => {
                continue;
            }
            file => file?,
        };
        // Otherwise, another file has replaced it, such as the lock of the next owner.
        if is_same(&before, &file.metadata()?) {
            return Ok(file);
        }
    }
    Err(refused("the file is being replaced repeatedly"))
}

/// Returns whether the error is that of a link that was not followed.
fn is_link_error(error: &io::Error) -> bool {
    #[cfg(unix)]
    let is_link_error = rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP);
    #[cfg(not(unix))]
    let is_link_error = {
        let _ = error;
        false
    };
    is_link_error
}

/// Opens or creates a regular file. Only this user can access a new file. Other users
/// lose their access to an existing one.
///
/// # Errors
///
/// The errors of [`open`]. Also fails if the access of other users cannot be removed.
pub fn open_or_create(path: &Path, options: &OpenOptions) -> io::Result<File> {
    loop {
        match open(path, options) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            file => {
                let file = file?;
                make_private(&file)?;
                return Ok(file);
            }
        }
        match create(path, options) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return file,
        }
    }
}

/// Creates a private file. An existing file or link, even a dangling one, is an error.
///
/// # Errors
///
/// The errors of [`OpenOptions::open`] with `create_new`.
pub fn create(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let mut options = options.clone();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Reads a regular file.
///
/// # Errors
///
/// The errors of [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open(path, File::options().read(true))?.read_to_end(&mut text)?;
    Ok(text)
}

/// Removes the access of other users to an open file.
///
/// # Errors
///
/// If the file belongs to another user or its file system is read-only.
pub fn make_private(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let mode = file.metadata()?.mode();
        if mode & 0o077 != 0 {
            return file.set_permissions(fs::Permissions::from_mode(mode & 0o700));
        }
    }
    let _ = file;
    Ok(())
}

/// Replaces a file by a new private one atomically, even in a crash. A link is replaced, not
/// followed.
///
/// # Errors
///
/// If the file cannot be written or renamed.
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // The name cannot be guessed, and is not that of a session.
    let temporary = path.with_file_name(format!(".{}.agentwire.tmp", Uuid::new_v4()));
    let written = (|| {
        let mut file = create(&temporary, &File::options())?;
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        fs::remove_file(&temporary).ok();
    }
    written
}

/// Removes the access of other users to a regular file without opening it. Does nothing
/// for other paths.
///
/// # Errors
///
/// If the file belongs to another user or its file system is read-only.
pub fn make_path_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        if let Ok(found) = fs::symlink_metadata(path)
            && found.is_file()
            && found.mode() & 0o077 != 0
        {
            return fs::set_permissions(path, fs::Permissions::from_mode(found.mode() & 0o700));
        }
    }
    let _ = path;
    Ok(())
}

/// Creates a private folder and its missing parents. Follows links.
///
/// # Errors
///
/// If a folder cannot be created.
pub fn create_folders(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "folders have no mode there"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Creates a private folder in an existing one. Returns whether the folder is new.
///
/// # Errors
///
/// If a link or a file has this name, or the folder cannot be created.
pub fn create_folder(path: &Path) -> io::Result<bool> {
    loop {
        match builder().create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| true),
        }
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => return Ok(false),
            Ok(_) => return Err(not_a_folder_error(path)),
            // The folder was removed after the attempt to create it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Creates a folder like [`create_folder`]. Removes the access of other users to an
/// existing one.
///
/// # Errors
///
/// The errors of [`create_folder`]. Also fails if the access of other users cannot be
/// removed.
pub fn create_private_folder(path: &Path) -> io::Result<bool> {
    let is_new = create_folder(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = fs::symlink_metadata(path)?;
        if found.is_dir() && found.mode() & 0o077 != 0 {
            let folder = File::open(path)?;
            match is_same(&found, &folder.metadata()?) {
                true => make_private(&folder)?,
                false => return Err(not_a_folder_error(path)),
            }
        }
    }
    Ok(is_new)
}

/// Returns an error if a folder is a link, except to another folder directly in `root`, such as the
/// new folder of a project that was moved.
///
/// # Errors
///
/// If the folder is such a link, or the folder or the root cannot be read.
pub fn check_folder(root: &Path, folder: &Path) -> io::Result<()> {
    if fs::symlink_metadata(folder)?.is_dir() {
        return Ok(());
    }
    let real = fs::canonicalize(folder)?;
    match real.is_dir() && real.parent() == Some(&*fs::canonicalize(root)?) {
        true => Ok(()),
        false => Err(not_a_folder_error(folder)),
    }
}

fn not_a_folder_error(path: &Path) -> io::Error {
    let why = format!("{} is a link or a file, not a folder", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn not_regular_error(metadata: &Metadata) -> io::Error {
    refused(match metadata.is_symlink() {
        true => "the path is a link, which is not followed",
        false => "the path is not a regular file",
    })
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Returns whether the opened file is the one that was checked.
fn is_same(before: &Metadata, opened: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (before.dev(), before.ino()) == (opened.dev(), opened.ino())
    }
    #[cfg(not(unix))]
    {
        before.file_type() == opened.file_type()
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Stops the other thread on drop, even if the test fails.
    struct StopOnDrop<'a>(&'a AtomicBool);

    impl Drop for StopOnDrop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Opening a pipe without a writer would block forever.
    #[test]
    fn links_and_pipes_that_replace_a_file_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "ours").unwrap();
        fs::write(at("precious"), "precious").unwrap();
        let created = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(created.unwrap().success());
        fs::hard_link(at("file"), at("path")).unwrap();
        let is_stopped = AtomicBool::new(false);
        let (mut files, mut others) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for what in ["pipe", "file", "precious", "file"].iter().cycle() {
                    match *what {
                        "precious" => symlink(at(what), at("next")).unwrap(),
                        _ => fs::hard_link(at(what), at("next")).unwrap(),
                    }
                    fs::rename(at("next"), at("path")).unwrap();
                    // Renaming a file to itself does nothing.
                    fs::remove_file(at("next")).ok();
                    if is_stopped.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
            let stop = StopOnDrop(&is_stopped);
            for _ in 0..50_000 {
                match read(&at("path")) {
                    Ok(text) => {
                        assert_eq!(text, b"ours");
                        files += 1;
                    }
                    Err(error) => {
                        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
                        others += 1;
                    }
                }
            }
            drop(stop);
        });
        assert!(files > 0 && others > 0, "{files} files, {others} others");
    }
}
