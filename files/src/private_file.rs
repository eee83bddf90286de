//! Files that only this user can read, in folders where others may have planted links.
//!
//! A link at the last segment of a path is not followed, and a pipe is not opened. Folders
//! above it are: the configuration folder and `projects` may be links that the user made, and
//! who can replace them can replace everything below. [`check_folder`] is for folders below
//! them, where links come with a session or an archive.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use uuid::Uuid;

/// How often a file is opened that is replaced meanwhile.
const ATTEMPTS: usize = 1000;

/// Opens a regular file with these options; a link, a pipe and a folder are errors.
///
/// The file is looked at before it is opened and compared afterwards, so that nothing is
/// read from or written to what a link leads to. What takes its place in between is not
/// followed or waited for. The options must not create or truncate.
///
/// # Errors
///
/// As [`OpenOptions::open`]; [`io::ErrorKind::InvalidInput`] if it is no regular file.
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
            return Err(not_regular(&before));
        }
        let file = match options.open(path) {
            // A link or a pipe took its place meanwhile, and may be gone again.
            Err(error) if is_of_link(&error) || !fs::symlink_metadata(path)?.is_file() => continue,
            file => file?,
        };
        // Otherwise another file took its place meanwhile, such as the lock of the next owner.
        if is_same(&before, &file.metadata()?) {
            return Ok(file);
        }
    }
    Err(refused("it is replaced again and again"))
}

/// Returns whether a link was not followed.
fn is_of_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    let is_of_link = rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP);
    #[cfg(not(unix))]
    let is_of_link = {
        let _ = error;
        false
    };
    is_of_link
}

/// Opens a regular file with these options, or creates it so that only this user can read
/// it. Others lose their access to one that exists.
///
/// # Errors
///
/// As [`open`]; also if the access of others cannot be removed.
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

/// Creates a file that only this user can read. Whatever has the name, a dangling link
/// too, is an error.
///
/// # Errors
///
/// As [`OpenOptions::open`] with `create_new`.
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
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open(path, File::options().read(true))?.read_to_end(&mut text)?;
    Ok(text)
}

/// Removes the access of others to a file that is open.
///
/// # Errors
///
/// If the file is another user's, or its file system is read-only.
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

/// Writes a file that only this user can read, in place of what has the name: a link is
/// replaced, not followed. After a crash the file is there as a whole or not at all.
///
/// # Errors
///
/// If it cannot be written or renamed.
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // The name of no session, which nobody can guess.
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

/// Removes the access of others to a file, without opening it. Does nothing if there is no
/// regular file.
///
/// # Errors
///
/// If the file is another user's, or its file system is read-only.
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

/// Creates a folder and those above it that do not exist, which only this user can access.
/// Follows links.
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

/// Creates a folder that only this user can access, in one that exists. Returns whether it
/// is new.
///
/// # Errors
///
/// If there is a link or a file with this name, or the folder cannot be created.
pub fn create_folder(path: &Path) -> io::Result<bool> {
    loop {
        match builder().create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| true),
        }
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => return Ok(false),
            Ok(_) => return Err(not_folder(path)),
            // It was removed meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Creates a folder as [`create_folder`], and removes the access of others to one that
/// exists.
///
/// # Errors
///
/// As [`create_folder`]; also if the access of others cannot be removed.
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
                false => return Err(not_folder(path)),
            }
        }
    }
    Ok(is_new)
}

/// Fails if a folder is a link, unless it leads to another folder directly in `root`, as
/// that of a project that was moved.
///
/// # Errors
///
/// As said; also if the folder or the root cannot be read.
pub fn check_folder(root: &Path, folder: &Path) -> io::Result<()> {
    if fs::symlink_metadata(folder)?.is_dir() {
        return Ok(());
    }
    let real = fs::canonicalize(folder)?;
    match real.is_dir() && real.parent() == Some(&*fs::canonicalize(root)?) {
        true => Ok(()),
        false => Err(not_folder(folder)),
    }
}

fn not_folder(path: &Path) -> io::Error {
    let why = format!(
        "{} is a link or a file, not a folder of its own",
        path.display()
    );
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn not_regular(metadata: &Metadata) -> io::Error {
    refused(match metadata.is_symlink() {
        true => "it is a link, and not followed",
        false => "it is not a regular file",
    })
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Returns whether what was opened is what was looked at before.
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

    /// Ends the other thread, also if the test fails.
    struct Over<'a>(&'a AtomicBool);

    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// A reader of a pipe without a writer would wait for ever.
    #[test]
    fn what_takes_the_place_of_a_file_meanwhile_is_not_followed_or_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "ours").unwrap();
        fs::write(at("precious"), "precious").unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        fs::hard_link(at("file"), at("path")).unwrap();
        let is_over = AtomicBool::new(false);
        let (mut files, mut others) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for what in ["pipe", "file", "precious", "file"].iter().cycle() {
                    match *what {
                        "precious" => symlink(at(what), at("next")).unwrap(),
                        _ => fs::hard_link(at(what), at("next")).unwrap(),
                    }
                    fs::rename(at("next"), at("path")).unwrap();
                    // What is the same file already is not renamed.
                    fs::remove_file(at("next")).ok();
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
            let over = Over(&is_over);
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
            drop(over);
        });
        assert!(files > 0 && others > 0, "{files} files, {others} others");
    }
}
