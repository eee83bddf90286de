//! Output files of commands, which are written completely or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// The files of one command, each of which can be read or written once.
#[derive(Debug, Default)]
pub(crate) struct Files(Vec<Identity>);

/// The identity of a file. It does not depend on the name of the file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    #[cfg(unix)]
    Inode { device: u64, inode: u64 },
    /// The path of a file that does not exist yet.
    Path(PathBuf),
}

/// A file that is being written.
///
/// Output goes to a temporary file in the same folder, which replaces the file on
/// [`finish`](Self::finish). Without `finish`, the file is unchanged. Devices,
/// pipes and standard output are written directly.
#[derive(Debug)]
pub(crate) struct NewFile(Kind);

#[derive(Debug)]
enum Kind {
    Direct(File),
    Standard(io::Stdout),
    Atomic {
        temporary: NamedTempFile,
        target: PathBuf,
        /// The existing file, if the command must overwrite it. A new file would have another
        /// owner, or would lose the file's hard links.
        overwrites: Option<File>,
    },
}

impl Files {
    /// Records that the command reads this file; `-` is standard input.
    pub(crate) fn reads(&mut self, path: &Path) {
        // Errors are reported when the file is read.
        let metadata = match is_standard(path) {
            true => metadata_of_stdin(),
            false => fs::metadata(path),
        };
        if let Ok(metadata) = metadata
            && metadata.is_file()
        {
            self.0.extend(identity(&metadata, path));
        }
    }

    /// Begins to write a file that the user named; `-` is standard output.
    ///
    /// # Errors
    ///
    /// Fails if the command reads or writes the file already, if the path is a symbolic link
    /// that belongs to another user or is dangling, or if the file cannot be created.
    pub(crate) fn write(&mut self, path: &Path) -> io::Result<NewFile> {
        if is_standard(path) {
            return Ok(NewFile(Kind::Standard(io::stdout())));
        }
        // These folders also contain the open files of processes.
        let is_special = ["/dev", "/proc"].iter().any(|it| path.starts_with(it));
        if !is_special {
            check_link(path)?;
        }
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.begin(path, None),
            Err(error) => return Err(error),
        };
        if is_special || !metadata.is_file() {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(NewFile(Kind::Direct(file)));
        }
        self.begin(&fs::canonicalize(path)?, Some(&metadata))
    }

    /// Begins to write a file in a folder that the user named. A symbolic link at
    /// the path is replaced, not followed.
    ///
    /// # Errors
    ///
    /// The errors of [`write`](Self::write), but links are accepted. Also fails if something
    /// other than a file or a link is at the path.
    pub(crate) fn write_in_folder(&mut self, path: &Path) -> io::Result<NewFile> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => self.begin(path, Some(&metadata)),
            Ok(metadata) if metadata.is_symlink() => self.begin(path, None),
            Ok(_) => Err(refused("it exists and is not a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.begin(path, None),
            Err(error) => Err(error),
        }
    }

    fn begin(&mut self, path: &Path, old: Option<&Metadata>) -> io::Result<NewFile> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let target = fs::canonicalize(folder)?.join(name);
        let identity = match old {
            Some(old) => identity(old, &target),
            None => Some(Identity::Path(target.clone())),
        };
        if let Some(identity) = identity {
            if self.0.contains(&identity) {
                return Err(refused("it is read or written by the same command"));
            }
            self.0.push(identity);
        }
        // The file is accessible only to the owner, unless it copies the mode of an old file.
        let new_in = |folder: &Path| Builder::new().prefix(".agentwire-").tempfile_in(folder);
        let temporary = new_in(folder);
        let Some(old) = old else {
            let temporary = temporary?;
            return Ok(NewFile(Kind::Atomic {
                temporary,
                target,
                overwrites: None,
            }));
        };
        // Do not replace a file to which this user must not write.
        let existing = OpenOptions::new().write(true).open(path)?;
        let temporary = temporary
            .and_then(|temporary| copy_owner_and_mode(&temporary, old).map(|()| temporary));
        let (temporary, overwrites) = match temporary {
            Ok(temporary) if has_single_link(old) => (temporary, None),
            _ => (new_in(&std::env::temp_dir())?, Some(existing)),
        };
        Ok(NewFile(Kind::Atomic {
            temporary,
            target,
            overwrites,
        }))
    }
}

impl NewFile {
    /// Completes the file. It replaces the old file, if one exists.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::Direct(mut file) => file.flush(),
            Kind::Standard(mut stdout) => stdout.flush(),
            Kind::Atomic {
                temporary,
                target,
                overwrites: None,
            } => {
                temporary.persist(target)?;
                Ok(())
            }
            Kind::Atomic {
                temporary,
                overwrites: Some(mut old),
                ..
            } => {
                old.set_len(0)?;
                io::copy(&mut temporary.reopen()?, &mut old)?;
                Ok(())
            }
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Direct(file) => file.write(bytes),
            Kind::Standard(stdout) => stdout.write(bytes),
            Kind::Atomic { temporary, .. } => temporary.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Direct(file) => file.flush(),
            Kind::Standard(stdout) => stdout.flush(),
            Kind::Atomic { temporary, .. } => temporary.flush(),
        }
    }
}

/// Opens a file to append lines to it. A new file is readable only by this user,
/// because sessions are private.
///
/// # Errors
///
/// Fails if the path is a symbolic link that belongs to another user or is dangling, or if the
/// file cannot be opened.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    check_link(path)?;
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates the folder `below` in `root`, and its parents. New folders are
/// accessible only to this user, because sessions are private.
///
/// # Errors
///
/// Fails if a part of the path below `root` is a symbolic link or not a folder, or if a folder
/// cannot be created.
pub(crate) fn private_folders(root: &Path, below: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(root)?;
    let mut folder = root.to_owned();
    for part in below.components() {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(refused("a part of the path is not a folder")),
            Err(_) => builder.create(&folder)?,
        }
    }
    Ok(())
}

/// Returns an error if the path is a symbolic link that belongs to another user or is dangling.
fn check_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(link) if link.is_symlink() && !is_ours(&link) => Err(refused(
            "it is a symbolic link that belongs to another user",
        )),
        Ok(link) if link.is_symlink() => match fs::metadata(path) {
            Ok(_) => Ok(()),
            Err(error) => {
                let why = format!("it is a symbolic link, and its target cannot be used: {error}");
                Err(io::Error::new(error.kind(), why))
            }
        },
        // Other errors are reported when the file is opened.
        _ => Ok(()),
    }
}

fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(unix)]
fn metadata_of_stdin() -> io::Result<Metadata> {
    use std::os::fd::AsFd;

    File::from(io::stdin().as_fd().try_clone_to_owned()?).metadata()
}

#[cfg(not(unix))]
fn metadata_of_stdin() -> io::Result<Metadata> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
fn identity(metadata: &Metadata, _path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;

    Some(Identity::Inode {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata, path: &Path) -> Option<Identity> {
    fs::canonicalize(path).ok().map(Identity::Path)
}

#[cfg(unix)]
fn is_ours(link: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    // Links of root are accepted: root can change the files anyway.
    [0, rustix::process::geteuid().as_raw()].contains(&link.uid())
}

#[cfg(not(unix))]
fn is_ours(_link: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn has_single_link(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) == 1
}

#[cfg(not(unix))]
fn has_single_link(_file: &Metadata) -> bool {
    true
}

/// Gives a new file the owner and the mode of an old one.
fn copy_owner_and_mode(new: &NamedTempFile, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};

        let metadata = new.as_file().metadata()?;
        if (metadata.uid(), metadata.gid()) != (old.uid(), old.gid()) {
            fchown(new.as_file(), Some(old.uid()), Some(old.gid()))?;
        }
    }
    new.as_file().set_permissions(old.permissions())
}
