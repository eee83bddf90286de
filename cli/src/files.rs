//! Files that commands write: whole, or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// The files of one command: none is written that it reads, or that it writes
/// as well.
#[derive(Debug, Default)]
pub(crate) struct Files(Vec<Identity>);

/// What a file is told by, whatever it is called.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    #[cfg(unix)]
    Inode { device: u64, inode: u64 },
    /// One that is not there yet.
    Place(PathBuf),
}

/// A file that is being written.
///
/// What is written goes to a temporary file beside it, which takes its place
/// when [`finish`](Self::finish) says that it is whole; without that, all is as
/// it was. Devices, pipes and standard output are written as it comes.
#[derive(Debug)]
pub(crate) struct NewFile(Kind);

#[derive(Debug)]
enum Kind {
    AsItComes(File),
    Standard(io::Stdout),
    Whole {
        temporary: NamedTempFile,
        place: PathBuf,
        /// The file that is there, where it can only be written over: another
        /// one in its place would be somebody else's, or would have other
        /// names no more.
        over: Option<File>,
    },
}

impl Files {
    /// The command reads this file; `-` is standard input.
    pub(crate) fn reads(&mut self, path: &Path) {
        // What cannot be looked at is told by who reads it.
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

    /// Begins to write a file that somebody has named; `-` is standard output.
    ///
    /// Fails if the command reads it, or writes it already; if it is a link
    /// that belongs to another user, or leads nowhere; and as creating a file
    /// does.
    pub(crate) fn write(&mut self, path: &Path) -> io::Result<NewFile> {
        if is_standard(path) {
            return Ok(NewFile(Kind::Standard(io::stdout())));
        }
        // What a process has open has its name there as well.
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
            return Ok(NewFile(Kind::AsItComes(file)));
        }
        self.begin(&fs::canonicalize(path)?, Some(&metadata))
    }

    /// Begins to write a file in a folder that somebody has named. A link in its
    /// place is replaced, and not followed.
    ///
    /// Fails as [`write`](Self::write).
    pub(crate) fn write_in_folder(&mut self, path: &Path) -> io::Result<NewFile> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => self.begin(path, Some(&metadata)),
            Ok(metadata) if metadata.is_symlink() => self.begin(path, None),
            Ok(_) => Err(refused("there is something else of that name")),
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
        let place = fs::canonicalize(folder)?.join(name);
        let identity = match old {
            Some(old) => identity(old, &place),
            None => Some(Identity::Place(place.clone())),
        };
        if let Some(identity) = identity {
            if self.0.contains(&identity) {
                return Err(refused("it is read, or written, by the same command"));
            }
            self.0.push(identity);
        }
        // For nobody else, unless the old one is for others.
        let new_in = |folder: &Path| Builder::new().prefix(".agentwire-").tempfile_in(folder);
        let temporary = new_in(folder);
        let Some(old) = old else {
            let temporary = temporary?;
            return Ok(NewFile(Kind::Whole {
                temporary,
                place,
                over: None,
            }));
        };
        // Who may not write the old one may not replace it either.
        let over = OpenOptions::new().write(true).open(path)?;
        let temporary =
            temporary.and_then(|temporary| become_like(&temporary, old).map(|()| temporary));
        let (temporary, over) = match temporary {
            Ok(temporary) if has_one_name(old) => (temporary, None),
            _ => (new_in(&std::env::temp_dir())?, Some(over)),
        };
        Ok(NewFile(Kind::Whole {
            temporary,
            place,
            over,
        }))
    }
}

impl NewFile {
    /// It is whole.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::AsItComes(mut file) => file.flush(),
            Kind::Standard(mut stdout) => stdout.flush(),
            Kind::Whole {
                temporary,
                place,
                over: None,
            } => {
                temporary.persist(place)?;
                Ok(())
            }
            Kind::Whole {
                temporary,
                over: Some(mut over),
                ..
            } => {
                over.set_len(0)?;
                io::copy(&mut temporary.reopen()?, &mut over)?;
                Ok(())
            }
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::AsItComes(file) => file.write(bytes),
            Kind::Standard(stdout) => stdout.write(bytes),
            Kind::Whole { temporary, .. } => temporary.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::AsItComes(file) => file.flush(),
            Kind::Standard(stdout) => stdout.flush(),
            Kind::Whole { temporary, .. } => temporary.flush(),
        }
    }
}

/// Opens a file to which lines are added as they come. A new one is for nobody
/// else: what is said in a session is nobody else's business.
///
/// Fails if it is a link of another user's, and as opening a file does.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    check_link(path)?;
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a folder for what was said in sessions, and those that it is in: for
/// nobody else. Fails where a link is in the way, below `root`.
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
            Ok(_) => return Err(refused("there is something in the way that is no folder")),
            Err(_) => builder.create(&folder)?,
        }
    }
    Ok(())
}

/// Fails if this is a link that somebody else has put here, or that leads
/// nowhere.
fn check_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(link) if link.is_symlink() && !is_ours(&link) => {
            Err(refused("it is a link of another user's"))
        }
        Ok(link) if link.is_symlink() => match fs::metadata(path) {
            Ok(_) => Ok(()),
            Err(error) => {
                let why = format!("it is a link to a file that cannot be used: {error}");
                Err(io::Error::new(error.kind(), why))
            }
        },
        // What else is wrong with it is told by who opens it.
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
    fs::canonicalize(path).ok().map(Identity::Place)
}

#[cfg(unix)]
fn is_ours(link: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    // Root needs no link to do harm.
    [0, rustix::process::geteuid().as_raw()].contains(&link.uid())
}

#[cfg(not(unix))]
fn is_ours(_link: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn has_one_name(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) == 1
}

#[cfg(not(unix))]
fn has_one_name(_file: &Metadata) -> bool {
    true
}

/// Gives a new file the owner and the mode of an old one.
fn become_like(new: &NamedTempFile, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};

        let is = new.as_file().metadata()?;
        if (is.uid(), is.gid()) != (old.uid(), old.gid()) {
            fchown(new.as_file(), Some(old.uid()), Some(old.gid()))?;
        }
    }
    new.as_file().set_permissions(old.permissions())
}
