//! A private configuration folder for one session. The agent resumes from files, so transcripts
//! from a store are written to files. They are removed with the session.

use super::TranscriptKey;
use crate::process::{PassedEnvironment, PrivateFolder, WriteError, start};
use agentwire_files::{Configuration, merge_transcripts, private_file, write_transcript};
use agentwire_protocol::Json;
use serde_json::{Map, Value};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// File name suffixes that depend on the login endpoint.
const LOGINS: [&str; 2] = ["", "-custom-oauth"];

/// Settings that refer to files installed in the user's own folder.
const INSTALLED: [&str; 3] = [
    "enabledPlugins",
    "extraKnownMarketplaces",
    "additionalMarketplaces",
];

/// Kinds of logins in the credentials file.
const ACCOUNTS: [&str; 2] = ["claudeAiOauth", "hybridOauth"];

/// The location of the user's own configuration.
#[derive(Debug, Clone)]
pub(crate) struct UsersHome {
    /// The folder of settings and transcripts.
    config: PathBuf,
    /// The folder of `.claude.json`.
    account: PathBuf,
    /// The value of `CLAUDE_CONFIG_DIR`, if set.
    configured: Option<OsString>,
    /// The value of `CLAUDE_SECURESTORAGE_CONFIG_DIR`, if set.
    secrets: Option<OsString>,
}

impl UsersHome {
    /// Returns the configuration of an agent with this environment; `None` if it has none.
    pub(crate) fn of(environment: &PassedEnvironment) -> Option<Self> {
        let value = |name: &str| environment.get(name).map(OsStr::to_owned);
        let Configuration {
            directory, account, ..
        } = Configuration::of(value)?;
        Some(Self {
            config: directory,
            account,
            configured: value("CLAUDE_CONFIG_DIR").filter(|it| !it.is_empty()),
            secrets: value("CLAUDE_SECURESTORAGE_CONFIG_DIR"),
        })
    }

    /// Returns the folder of settings and transcripts.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }
}

/// The prefix of the folders' names.
const NAME: &str = "agentwire-resume";

/// The file that the session's host locks while it lives.
const LOCK: &str = "agentwire.lock";

/// A configuration folder that only this user can read. It is removed on drop.
#[derive(Debug)]
pub(crate) struct PrivateHome {
    /// Closed before the folder is removed.
    _lock: Option<File>,
    folder: PrivateFolder,
    variables: Vec<(&'static str, OsString)>,
    users: Option<UsersHome>,
}

impl PrivateHome {
    /// Creates a folder with copies of the user's settings and credentials. The
    /// error names the file that could not be written.
    pub(crate) fn new(users: Option<&UsersHome>) -> Result<Self, WriteError> {
        let folder = PrivateFolder::new(NAME)?;
        let file = folder.write(LOCK, b"")?;
        let lock = File::options().write(true).open(&file);
        let lock = lock.and_then(|lock| lock.try_lock().map(|()| lock).map_err(io::Error::from));
        if lock.is_err() {
            // Without locks, this folder must not look like a leftover.
            fs::remove_file(&file).map_err(|error| (file, error))?;
        }
        let mut variables = vec![("CLAUDE_CONFIG_DIR", folder.path().into())];
        if let Some(users) = users
            && cfg!(any(windows, target_os = "macos"))
        {
            // The names of secrets outside files are derived from the folder's name.
            let folder = users.secrets.clone().or_else(|| users.configured.clone());
            variables.push((
                "CLAUDE_SECURESTORAGE_CONFIG_DIR",
                folder.unwrap_or_default(),
            ));
        }
        let home = Self {
            _lock: lock.ok(),
            folder,
            variables,
            users: users.cloned(),
        };
        if let Some(users) = users {
            home.copy(users)?;
        }
        Ok(home)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the variables to set in the agent's environment.
    pub(crate) fn variables(&self) -> &[(&'static str, OsString)] {
        &self.variables
    }

    /// Sets whether this folder is retained.
    pub(crate) fn retain(&self, wanted: bool) {
        self.folder.keep(wanted);
    }

    /// Copies the transcripts to the user's own folder, because the store lacks entries. On
    /// failure, this folder is retained.
    pub(crate) fn save_transcripts(&self) {
        let from = self.path().join("projects");
        let folder = match &self.users {
            Some(users) => merge_transcripts(&from, &users.config.join("projects")),
            None => Err(io::Error::other("the user has no configuration folder")),
        };
        if let Err(error) = folder {
            let folder = self.path().display();
            tracing::warn!(%folder, %error, "the session's transcripts remain in its private folder");
        } else {
            self.retain(false);
        }
    }

    fn copy(&self, users: &UsersHome) -> Result<(), WriteError> {
        let UsersHome {
            config, account, ..
        } = users;
        let credentials = ".credentials.json";
        // Without credentials, the agent would require a login.
        if let Some(text) = read(&config.join(credentials))? {
            self.write(credentials, &without_refresh_token(text))?;
        }
        let mut copies = vec![
            (config.join(".config.json"), ".config.json".to_owned()),
            (config.join("settings.json"), "settings.json".to_owned()),
            (
                config.join("cowork_settings.json"),
                "cowork_settings.json".to_owned(),
            ),
        ];
        for login in LOGINS {
            let global = format!(".claude{login}.json");
            copies.push((account.join(&global), global));
            let state = format!("state/hybrid-settings{login}.json");
            copies.push((config.join(&state), state));
        }
        for (from, to) in copies {
            match read(&from) {
                Ok(Some(text)) if to.ends_with("settings.json") => {
                    self.write(&to, &without_installed(text))?;
                }
                Ok(Some(text)) => self.write(&to, &text)?,
                Ok(None) => {}
                Err((_, error)) => {
                    tracing::debug!(file = to, %error, "cannot copy a file of the user's configuration");
                }
            }
        }
        Ok(())
    }

    /// Writes a transcript to the path where the agent reads it.
    pub(crate) fn write_transcript(
        &self,
        key: &TranscriptKey,
        entries: &[Json],
    ) -> Result<(), WriteError> {
        write_transcript(&self.folder, key, entries)
    }

    fn write(&self, name: &str, text: &[u8]) -> Result<(), WriteError> {
        self.folder.write(name, text).map(drop)
    }
}

/// A private folder whose host was killed.
#[derive(Debug)]
pub(crate) struct Leftover {
    path: PathBuf,
    /// Prevents other hosts from taking the folder.
    lock: File,
}

impl Leftover {
    /// Returns the leftover folders that contain this session.
    pub(crate) fn of_session(session: &TranscriptKey) -> Vec<Self> {
        let transcript = format!(
            "projects/{}/{}.jsonl",
            session.project(),
            session.session_id()
        );
        private_homes()
            .filter(|path| path.join(&transcript).is_file())
            .filter_map(Self::take)
            .collect()
    }

    /// Takes a folder, unless its host or its agent is alive.
    fn take(path: PathBuf) -> Option<Self> {
        let lock = private_file::open(&path.join(LOCK), File::options().read(true)).ok()?;
        lock.try_lock().ok()?;
        let sessions = fs::read_dir(path.join("sessions"));
        let mut pids = sessions.into_iter().flatten().filter_map(|entry| {
            let name = entry.ok()?.file_name();
            name.to_str()?.strip_suffix(".json")?.parse().ok()
        });
        match pids.any(|pid| start(pid).is_some()) {
            true => {
                // Closing the file is not enough: see `SessionLock`.
                let _ = lock.unlock();
                None
            }
            false => Some(Self { path, lock }),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder.
    pub(crate) fn remove(self) {
        drop(self.lock);
        if let Err(error) = fs::remove_dir_all(&self.path) {
            let folder = self.path.display();
            tracing::warn!(%folder, %error, "cannot remove what an earlier session left behind");
        }
    }
}

/// Returns the private configuration folders of all of this user's sessions, including
/// leftovers.
pub(crate) fn private_homes() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten();
    entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let is_one = entry.file_name().to_str()?.starts_with(NAME);
        let path = entry.path();
        (is_one && is_private(&path)).then_some(path)
    })
}

/// Returns whether a folder belongs to this user and no other user can write to it: anyone can
/// create folders with these names.
#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(folder).is_ok_and(|it| {
        it.is_dir() && it.mode() & 0o077 == 0 && it.uid() == rustix::process::geteuid().as_raw()
    })
}

/// The system's temporary folder is private to the user.
#[cfg(not(unix))]
fn is_private(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir())
}

/// Reads a file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    // Checked before opening, because opening a named pipe blocks.
    let bytes = fs::metadata(path).and_then(|about| match about.is_file() {
        true => fs::read(path).map(Some),
        false => Ok(None),
    });
    match bytes {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map_err(|error| (path.to_owned(), error)),
    }
}

/// Changes a JSON object. Returns the text unchanged if it is not an object or nothing changes.
fn changed(text: Vec<u8>, change: impl FnOnce(&mut Map<String, Value>) -> bool) -> Vec<u8> {
    let json = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
    match serde_json::from_slice::<Map<_, _>>(json) {
        Ok(mut members) => match change(&mut members) {
            true => Value::Object(members).to_string().into_bytes(),
            false => text,
        },
        Err(_) => text,
    }
}

/// Removes refresh tokens from credentials: a token can be refreshed only once, and the new one
/// would be lost with the folder.
fn without_refresh_token(text: Vec<u8>) -> Vec<u8> {
    changed(text, |members| {
        let accounts = ACCOUNTS.map(|account| {
            let account = members.get_mut(account).and_then(Value::as_object_mut);
            account.is_some_and(|it| it.remove("refreshToken").is_some())
        });
        accounts.contains(&true)
    })
}

/// Removes settings that refer to what is installed in the user's own folder.
fn without_installed(text: Vec<u8>) -> Vec<u8> {
    changed(text, |members| {
        let installed = INSTALLED.map(|name| members.remove(name).is_some());
        let variables = members.get_mut("env").and_then(Value::as_object_mut);
        let folder = variables.and_then(|it| it.remove("CLAUDE_CONFIG_DIR"));
        installed.contains(&true) || folder.is_some()
    })
}
