//! A home for each tenant or session: configuration, credentials and temporary files apart from
//! those of the user that runs this program.
//!
//! ```no_run
//! use agentwire::{Client, Options};
//! use agentwire_pool::home::{Credentials, Home};
//!
//! # async fn run(key: String) -> Result<(), Box<dyn std::error::Error>> {
//! let home = Home::new("/srv/tenants/anna")?.credentials(Credentials::ApiKey(key));
//! let options = home.apply(Options::new().cwd("/srv/projects/anna"));
//! let mut client = Client::connect(options).await?;
//! client.prompt("Hello!").await?;
//! client.close().await;
//! home.remove()?;
//! # Ok(())
//! # }
//! ```
//!
//! A home is not a sandbox: [`Shared`] lists what sessions with different homes have in common.

use agentwire::attachment::{Attach, Attachment, Boxed, Opening};
use agentwire::process::Environment;
use agentwire::{Error, Options};
use std::fmt;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The file that sessions lock while they use a home. It also marks a folder as a home.
const LOCK: &str = "agentwire-home.lock";

/// The folders of a home: the CLI's configuration, the user's home and temporary files.
const FOLDERS: [&str; 3] = ["config", "home", "tmp"];

/// The inherited variables: where programs are, and on Windows what they need to run.
const INHERITED: &[&str] = if cfg!(windows) {
    &["ComSpec", "PATH", "PATHEXT", "SystemRoot"]
} else {
    &["PATH"]
};

/// A folder with the configuration, credentials and temporary files of a tenant or session.
///
/// | in the folder | contents | variable |
/// |---|---|---|
/// | `config` | settings, memories, skills, plugins, transcripts, a stored login | `CLAUDE_CONFIG_DIR` |
/// | `home` | files that tools look for in a home, such as `.gitconfig` and `.bashrc` | `HOME`; `USERPROFILE`, `APPDATA` and `LOCALAPPDATA` on Windows |
/// | `tmp` | temporary files of the CLI and of tools | `TMPDIR`; `TEMP` and `TMP` on Windows |
///
/// All are empty at first. Files that you write there have the same effect as those of a user.
#[derive(Debug, Clone)]
pub struct Home {
    folder: PathBuf,
    credentials: Option<Credentials>,
}

impl Home {
    /// Opens the home in a folder, which is created if it does not exist. On Unix, only this
    /// process's user can enter it. On Windows it has the permissions of its parent.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created or made private, or contains files but no home: such a
    /// folder is not changed.
    pub fn new(folder: impl AsRef<Path>) -> io::Result<Self> {
        create(folder.as_ref())?;
        let folder = fs::canonicalize(folder)?;
        let path = folder.join(LOCK);
        // The lock is the first file of a home.
        if fs::read_dir(&folder)?.next().is_some() && !path.exists() {
            let why = format!("{} contains files, but no home", folder.display());
            return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, why));
        }
        let _lock = loop {
            create(&folder)?;
            let lock = Lock::open(&path, true)?;
            lock.0.lock_shared()?;
            // The home may have been removed in between.
            if is_at(&lock.0, &path) {
                break lock;
            }
        };
        make_private(&folder)?;
        for name in FOLDERS {
            let folder = folder.join(name);
            create(&folder)?;
            make_private(&folder)?;
        }
        let credentials = None;
        Ok(Self {
            folder,
            credentials,
        })
    }

    /// Sets the credentials of the sessions. Default: the login that is stored in the home, if
    /// there is one. A login of this process's user is never used.
    #[must_use]
    pub fn credentials(self, credentials: Credentials) -> Self {
        Self {
            credentials: Some(credentials),
            ..self
        }
    }

    /// Returns the folder of settings and transcripts (`CLAUDE_CONFIG_DIR`), for example for
    /// `agentwire_history::History::in_directory`.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.folder.join("config")
    }

    /// Makes a session use this home.
    ///
    /// - The CLI inherits only `PATH` from this process, and on Windows `PATHEXT`, `ComSpec` and
    ///   `SystemRoot`. Set what your network requires, such as `HTTPS_PROXY`, with
    ///   [`Options::env`]. Variables set there are passed on, except those of [`Home`] and of the
    ///   credentials, which this call overrides.
    /// - Of the settings files, the CLI reads those in the home. To also read those of the working
    ///   directory and its parents, call
    ///   [`setting_sources(["user", "project"])`](Options::setting_sources) afterwards. If the
    ///   working directory is inside the home of this process's user, their `.claude` and
    ///   `CLAUDE.md` are among them.
    ///
    /// A session that is loaded from a [store](Options::session_store) has the settings and
    /// credentials of the home, but not its agents, skills, plugins and memories.
    /// Its transcript still contains context from the home in which it began.
    ///
    /// The home cannot be [removed](Self::remove) until the session has ended. Connecting fails
    /// with an [`Error::Transport`] if the home has been removed.
    pub fn apply(&self, options: Options) -> Options {
        let [config, home, tmp] = FOLDERS.map(|name| self.folder.join(name));
        let options = options
            .environment(Environment::only(INHERITED))
            .setting_sources(["user"])
            .attachment(InUse(self.folder.join(LOCK)))
            .env("CLAUDE_CONFIG_DIR", config);
        let options = if cfg!(windows) {
            options
                .env("APPDATA", home.join("AppData/Roaming"))
                .env("LOCALAPPDATA", home.join("AppData/Local"))
                .env("USERPROFILE", home)
                .env("TEMP", &tmp)
                .env("TMP", tmp)
        } else {
            options.env("HOME", home).env("TMPDIR", tmp)
        };
        match &self.credentials {
            Some(credentials) => {
                let (variable, value) = credentials.variable();
                options.env(variable, value)
            }
            None => options,
        }
    }

    /// Returns everything that sessions with different homes share.
    #[must_use]
    pub fn not_isolated(&self) -> &'static [Shared] {
        Shared::ALL
    }

    /// Removes the home with all its files, transcripts included.
    ///
    /// Sessions in other processes that use agentwire count. A CLI that was started otherwise, or
    /// whose program was killed, does not.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ResourceBusy`] if a session uses the home. Otherwise if a file cannot be
    /// removed; calling it again continues.
    pub fn remove(&self) -> io::Result<()> {
        let path = self.folder.join(LOCK);
        let lock = Lock::open(&path, false)?;
        lock.0.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                let why = format!("a session uses {}", self.folder.display());
                io::Error::new(io::ErrorKind::ResourceBusy, why)
            }
            TryLockError::Error(error) => error,
        })?;
        for name in FOLDERS {
            match fs::remove_dir_all(self.folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let others = fs::read_dir(&self.folder)?.flatten();
        if let Some(other) = others.map(|it| it.file_name()).find(|it| it != LOCK) {
            let why = format!("{} is not a part of the home", other.display());
            return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, why));
        }
        fs::remove_file(&path)?;
        fs::remove_dir(&self.folder)
    }
}

/// The credentials of a home. Tools can read them in their environment. `Debug` masks them.
#[derive(Clone)]
#[non_exhaustive]
pub enum Credentials {
    /// A key of the API (`ANTHROPIC_API_KEY`).
    ApiKey(String),
    /// A bearer token, such as for a gateway (`ANTHROPIC_AUTH_TOKEN`).
    AuthToken(String),
    /// A token of `claude setup-token` (`CLAUDE_CODE_OAUTH_TOKEN`).
    OAuthToken(String),
}

impl Credentials {
    fn variable(&self) -> (&'static str, &str) {
        match self {
            Self::ApiKey(key) => ("ANTHROPIC_API_KEY", key),
            Self::AuthToken(token) => ("ANTHROPIC_AUTH_TOKEN", token),
            Self::OAuthToken(token) => ("CLAUDE_CODE_OAUTH_TOKEN", token),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=***", self.variable().0)
    }
}

/// A resource that sessions with different homes share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shared {
    /// Settings that an administrator installed on the machine, with their hooks and `CLAUDE.md`.
    ManagedSettings,
    /// Files that the user can read, those of other homes included.
    Files,
    /// Processes of the same user. Their environments contain the credentials of their sessions.
    Processes,
    /// The network, services on this machine included.
    Network,
    /// Programs on the `PATH`, and their configuration for all users, such as `/etc/gitconfig`.
    Programs,
    /// The user's entry in the system's database. `ssh` takes the home from there, and so the keys
    /// of the user that runs this program, also below `git`.
    UserDatabase,
    /// The working directory: its `.git/config`, and the branch and commits that the CLI sends to the
    /// model.
    WorkingDirectory,
    /// Processors, memory and disk space; the limits of an account if homes have the same
    /// credentials.
    Resources,
}

impl Shared {
    /// All shared resources.
    pub const ALL: &[Self] = &[
        Self::ManagedSettings,
        Self::Files,
        Self::Processes,
        Self::Network,
        Self::Programs,
        Self::UserDatabase,
        Self::WorkingDirectory,
        Self::Resources,
    ];
}

/// Locks a home while a session uses it.
struct InUse(PathBuf);

/// The lock of a session.
struct SessionGuard(#[expect(dead_code, reason = "dropping it releases the lock")] Lock);

impl Attach for InUse {
    fn attach<'a>(
        &'a self,
        _: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>> {
        let locked = lock_shared(&self.0).map_err(|error| {
            let why = format!("the home of {} cannot be used: {error}", self.0.display());
            Error::transport(why)
        });
        Box::pin(async { Ok(Some(Box::new(SessionGuard(locked?)) as Box<dyn Attachment>)) })
    }
}

impl Attachment for SessionGuard {}

fn lock_shared(path: &Path) -> io::Result<Lock> {
    let lock = Lock::open(path, false)?;
    lock.0.try_lock_shared()?;
    if !is_at(&lock.0, path) {
        let why = "the home has been removed";
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    Ok(lock)
}

/// Returns whether this file is the one at the path.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(file), Ok(there)) = (file.metadata(), path.symlink_metadata()) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (file.dev(), file.ino()) == (there.dev(), there.ino())
    }
    #[cfg(not(unix))]
    {
        file.len() == there.len()
    }
}

/// The file of a lock, which is released on drop.
struct Lock(File);

impl Lock {
    fn open(path: &Path, create: bool) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true).create(create);
        Ok(Self(options.open(path)?))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A forked child that has not called `exec` yet has the file open too, so closing it here
        // would not unlock it.
        let _ = self.0.unlock();
    }
}

/// Creates a folder that only this user can enter, unless it exists.
fn create(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Lets only this user enter a folder. A link is not followed: a session can have made it.
fn make_private(folder: &Path) -> io::Result<()> {
    if folder.symlink_metadata()?.is_symlink() {
        let why = format!("{} is a symbolic link", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotADirectory, why));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}
