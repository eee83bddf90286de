//! Lists, reads, forks, renames, tags, archives and deletes the sessions that an agent CLI has
//! stored on disk.
//!
//! [`History`] reads the agent's files without starting the agent. Its results are those of the
//! functions `listSessions`, `getSessionInfo`, `getSessionMessages`, `listSubagents` and
//! `getSubagentMessages` of the official TypeScript SDK, version 0.3.332. Its changes have the
//! effects of `renameSession`, `tagSession`, `archiveSession`, `unarchiveSession`,
//! `deleteSession` and `forkSession`.
//!
//! ```no_run
//! use agentwire_history::{History, HistoryError, ListSessions, MessageSelection};
//!
//! fn main() -> Result<(), HistoryError> {
//!     let history = History::new()?.project("/home/crab/project");
//!     for session in history.list_sessions(&ListSessions::new().limit(10))? {
//!         println!("{} {}", session.session_id, session.summary);
//!         let messages = history.session_messages(&session.session_id, MessageSelection::new())?;
//!         println!("  {} messages", messages.len());
//!     }
//!     Ok(())
//! }
//! ```
//!
//! A fork is a copy of a session up to some message. A new session resumes it
//! (`agentwire::Options::resume`):
//!
//! ```no_run
//! use agentwire_history::{ForkSession, History, HistoryError};
//!
//! # fn example(id: &str, message_uuid: &str) -> Result<String, HistoryError> {
//! let history = History::new()?.project("/home/crab/project");
//! history.rename_session(id, "First attempt")?;
//! let fork = ForkSession::new().up_to(message_uuid).title("Second attempt");
//! history.fork_session(id, &fork)
//! # }
//! ```
//!
//! # Changes and running agents
//!
//! An agent that is running a session caches its contents and appends to the transcript. Titles,
//! tags and archive marks can be set while an agent runs. A fork has the messages that the agent
//! has written so far. Do not delete a session that an agent is running: the agent may write the
//! transcript again without its beginning.
//!
//! # Blocking
//!
//! All functions block: they read files and, with a [project](History::project), run
//! `git worktree list` for up to five seconds. In async code, call them in
//! `tokio::task::spawn_blocking`:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use agentwire_history::{History, ListSessions};
//!
//! let list = || History::new()?.list_sessions(&ListSessions::new());
//! let sessions = tokio::task::spawn_blocking(list).await??;
//! # Ok(())
//! # }
//! ```
//!
//! # Differences from the official SDK
//!
//! - An existing folder or transcript that cannot be read is a [`HistoryError`]; the official
//!   functions return nothing. Lists skip unreadable sessions, like the official ones.
//! - Lone surrogates in titles and other strings are read as U+FFFD.
//! - A time without an offset is UTC, not the machine's local time.
//! - Links are not written through: a transcript that is a link is an error
//!   ([`HistoryError::NotRegular`]), and so is a link to a project's or a session's folder, unless
//!   it leads to another project. The configuration directory and `projects` may be links.
//! - After an incomplete line, which a killed agent leaves, titles and tags begin a new line.
//! - Forks are written atomically. Copied numbers and strings are preserved as written.
//! - Tags are not normalised to NFKC, and unassigned characters are not removed.
//! - Session stores are not changed. The crate `agentwire-stores` copies sessions between files
//!   and stores.
//! - An empty `CLAUDE_CONFIG_DIR` counts as unset, and paths are not normalised to NFC.

mod change;
mod ends;
mod error;
mod find;
mod folders;
mod info;
mod listing;
mod ownership;
mod subagents;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod worktrees;

pub use agentwire_protocol::transcript::MessageSelection;
pub use change::ForkSession;
pub use error::HistoryError;
pub use info::SessionInfo;
pub use listing::ListSessions;

use agentwire_files::{Configuration, given_name, is_session_id, private_file};
use agentwire_protocol::Message;
use agentwire_protocol::transcript::{
    Files, Place, session_messages, subagent_messages, tag_line, title_line,
};
use change::Target;
use error::existing;
use find::find;
use folders::Projects;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The sessions in a configuration directory of the agent. The [crate] has examples.
#[derive(Debug, Clone)]
#[must_use]
pub struct History {
    projects: Projects,
    project: Option<PathBuf>,
}

impl History {
    /// Creates the history of an agent with the environment of this process: in
    /// `CLAUDE_CONFIG_DIR`, or else in `.claude` in the home directory. Reads nothing.
    ///
    /// # Errors
    ///
    /// [`HistoryError::NoHome`] if there is no home directory.
    pub fn new() -> Result<Self, HistoryError> {
        Self::of_environment(|name| std::env::var_os(name))
    }

    /// Creates the history of an agent with another environment, such as
    /// `Options::passed_environment` of a session. `variable` returns the value of a variable.
    ///
    /// # Errors
    ///
    /// The errors of [`History::new`].
    pub fn of_environment<V: AsRef<OsStr>>(
        variable: impl Fn(&str) -> Option<V>,
    ) -> Result<Self, HistoryError> {
        let configuration = Configuration::of(&variable).ok_or(HistoryError::NoHome)?;
        let mut history = Self::in_directory(configuration.directory);
        history.projects.name = given_name(variable);
        Ok(history)
    }

    /// Creates the history in a configuration directory.
    pub fn in_directory(configuration: impl AsRef<Path>) -> Self {
        Self {
            projects: Projects {
                folder: configuration.as_ref().join("projects"),
                name: None,
            },
            project: None,
        }
    }

    /// Returns the configuration directory.
    #[must_use]
    pub fn configuration(&self) -> &Path {
        let folder = &self.projects.folder;
        folder.parent().unwrap_or(folder)
    }

    /// Restricts the history to sessions that were started in `directory` or in another worktree
    /// of its git repository. Default: the sessions of all directories.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// Lists sessions by the time of the last modification, newest first (of equal times in
    /// milliseconds the greatest ID first). Reads the first and the last 64 KiB of each
    /// transcript with up to four threads.
    ///
    /// Does not list sessions of sub-agents and sessions without title, prompt and attachment.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Unreadable`] if the folder of the projects exists and cannot be read.
    #[doc(alias = "listSessions")]
    pub fn list_sessions(&self, list: &ListSessions) -> Result<Vec<SessionInfo>, HistoryError> {
        listing::list(&self.projects, self.project.as_deref(), list)
    }

    /// Returns information about a session. Returns `None` if
    /// [`list_sessions`](Self::list_sessions) would not list the session.
    ///
    /// # Errors
    ///
    /// The errors of [`History::list_sessions`].
    #[doc(alias = "getSessionInfo")]
    pub fn session_info(&self, id: &str) -> Result<Option<SessionInfo>, HistoryError> {
        if !is_session_id(id) {
            return Ok(None);
        }
        let found = find(&self.projects, self.project.as_deref(), id)?;
        let first = found.into_iter().next();
        Ok(first.and_then(|found| SessionInfo::read(&found, id)))
    }

    /// Returns the messages of a session that lead to its last message. The list is empty if the
    /// session does not exist. Omits messages from before a compaction unless the compaction
    /// preserved them.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Unreadable`] if the transcript cannot be read.
    #[doc(alias = "getSessionMessages")]
    pub fn session_messages(
        &self,
        id: &str,
        selection: MessageSelection,
    ) -> Result<Vec<Message>, HistoryError> {
        let Some(path) = self.transcript_path(id)? else {
            return Ok(Vec::new());
        };
        let text = existing(fs::read(&path)).map_err(HistoryError::unreadable(path))?;
        Ok(text.map_or_else(Vec::new, |text| session_messages(&text, selection)))
    }

    /// Returns the IDs of a session's sub-agents in the order of their paths.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Unreadable`] if the folder of the projects cannot be read.
    #[doc(alias = "listSubagents")]
    pub fn list_subagents(&self, id: &str) -> Result<Vec<String>, HistoryError> {
        let files = self.subagents(id)?;
        Ok(files.into_iter().map(|it| it.id).collect())
    }

    /// Returns the messages of a session's sub-agent. The list is empty if the session or the
    /// sub-agent does not exist.
    ///
    /// # Errors
    ///
    /// The errors of [`History::session_messages`].
    #[doc(alias = "getSubagentMessages")]
    pub fn subagent_messages(
        &self,
        id: &str,
        agent_id: &str,
        selection: MessageSelection,
    ) -> Result<Vec<Message>, HistoryError> {
        let files = self.subagents(id)?;
        let file = files
            .into_iter()
            .find(|it| it.id == agent_id && !agent_id.is_empty());
        let Some(file) = file else {
            return Ok(Vec::new());
        };
        let text = existing(fs::read(&file.path)).map_err(HistoryError::unreadable(&file.path))?;
        let meta = private_file::read(&file.path.with_extension("meta.json")).ok();
        let messages = |text: Vec<u8>| subagent_messages(&text, meta.as_deref(), selection);
        Ok(text.map_or_else(Vec::new, messages))
    }

    /// Reads all records of a session and of its sub-agents, also those from before a compaction
    /// and of abandoned branches. Returns `None` if the session does not exist.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Unreadable`] if a transcript cannot be read.
    pub fn session_files(&self, id: &str) -> Result<Option<Files>, HistoryError> {
        let Some(main) = self.transcript_path(id)? else {
            return Ok(None);
        };
        let mut files = Files::default();
        let mut add = |name: &str, text: &[u8]| {
            if let Some(place) = Place::of(name) {
                files.add(&place, &String::from_utf8_lossy(text));
            }
        };
        let text = existing(fs::read(&main)).map_err(HistoryError::unreadable(main))?;
        add(&format!("_/{id}.jsonl"), &text.unwrap_or_default());
        for subagents::AgentFile { id: agent, path } in self.subagents(id)? {
            let text = existing(fs::read(&path)).map_err(HistoryError::unreadable(&path))?;
            let name = format!("_/{id}/subagents/agent-{agent}");
            add(&format!("{name}.jsonl"), &text.unwrap_or_default());
            if let Ok(meta) = private_file::read(&path.with_extension("meta.json")) {
                add(&format!("{name}.meta.json"), &meta);
            }
        }
        Ok(Some(files))
    }

    /// Sets the title of a session. Trims white space.
    ///
    /// Appends a record to the transcript in one write, which is safe while an agent writes to
    /// it. If the session is in several projects, changes the transcript that
    /// [`History::session_info`] reads.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`], [`HistoryError::BlankTitle`]
    /// - [`HistoryError::NotFound`] if the session does not exist
    /// - [`HistoryError::NotRegular`] if its transcript is a link
    /// - [`HistoryError::Unwritable`], [`HistoryError::Unreadable`]
    #[doc(alias = "renameSession")]
    pub fn rename_session(&self, id: &str, title: &str) -> Result<(), HistoryError> {
        self.target(id).check()?;
        let line = title_line(id, title).ok_or(HistoryError::BlankTitle)?;
        change::append(&self.target(id), &line)
    }

    /// Sets the tag of a session; `None` removes it. Trims white space, and removes format
    /// characters and characters for private use.
    ///
    /// Appends a record to the transcript like [`History::rename_session`].
    ///
    /// # Errors
    ///
    /// The errors of [`History::rename_session`], and [`HistoryError::BlankTag`].
    #[doc(alias = "tagSession")]
    pub fn tag_session(&self, id: &str, tag: Option<&str>) -> Result<(), HistoryError> {
        self.target(id).check()?;
        let line = tag_line(id, tag).ok_or(HistoryError::BlankTag)?;
        change::append(&self.target(id), &line)
    }

    /// Archives a session: [`SessionInfo::archived`] is `Some(true)` until the next prompt. The
    /// session is still listed and can be resumed.
    ///
    /// Writes the file `archived.json` to the folder of the session in each project that has it.
    /// The transcript is not changed.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`]
    /// - [`HistoryError::NotFound`] if the session does not exist
    /// - [`HistoryError::Unwritable`], [`HistoryError::Unreadable`]
    #[doc(alias = "archiveSession")]
    pub fn archive_session(&self, id: &str) -> Result<(), HistoryError> {
        change::archive(&self.target(id), true)
    }

    /// Unarchives a session: [`SessionInfo::archived`] becomes `Some(false)`.
    ///
    /// # Errors
    ///
    /// The errors of [`History::archive_session`].
    #[doc(alias = "unarchiveSession")]
    pub fn unarchive_session(&self, id: &str) -> Result<(), HistoryError> {
        change::archive(&self.target(id), false)
    }

    /// Deletes a session: its transcript, and its folder with its sub-agents. If the session is in
    /// several projects, deletes it in the first one.
    ///
    /// Do not delete a session that an agent is running: the agent may write the transcript again
    /// without its beginning.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`]
    /// - [`HistoryError::NotFound`] if the session does not exist
    /// - [`HistoryError::Undeletable`]. If the error names the folder, the transcript is already
    ///   deleted
    /// - [`HistoryError::NotRegular`] if the transcript is a folder, or its project's folder a
    ///   link that leads out of the folder `projects`
    /// - [`HistoryError::Unreadable`]
    #[doc(alias = "deleteSession")]
    pub fn delete_session(&self, id: &str) -> Result<(), HistoryError> {
        change::delete(&self.target(id))
    }

    /// Copies a session, completely or up to a message, and returns the ID of the copy. To
    /// continue the copy, resume it in the same working directory.
    ///
    /// The copy has the messages of the main conversation under new IDs, without sub-agents, the
    /// tag and the agent's snapshots of files. The copy is written atomically to the folder of the
    /// original. The original is not changed, and an agent may be running it.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`]
    /// - [`HistoryError::NotFound`] if the session does not exist
    /// - [`HistoryError::NoMessages`] if there is nothing to copy
    /// - [`HistoryError::UnknownMessage`] if the message of [`ForkSession::up_to`] does not exist
    /// - [`HistoryError::Unreadable`], [`HistoryError::Unwritable`]
    #[doc(alias = "forkSession")]
    pub fn fork_session(&self, id: &str, fork: &ForkSession) -> Result<String, HistoryError> {
        change::fork(&self.target(id), fork)
    }

    fn target<'p>(&'p self, id: &'p str) -> Target<'p> {
        Target {
            projects: &self.projects,
            project: self.project.as_deref(),
            id,
        }
    }

    /// Returns the path of a session's transcript, or `None` if the session does not exist.
    /// `agentwire_protocol::transcript` reads transcripts.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Unreadable`] if the folder of the projects cannot be read.
    pub fn transcript_path(&self, id: &str) -> Result<Option<PathBuf>, HistoryError> {
        if !is_session_id(id) {
            return Ok(None);
        }
        let found = find(&self.projects, self.project.as_deref(), id)?;
        Ok(found.into_iter().next().map(|found| found.path))
    }

    fn subagents(&self, id: &str) -> Result<Vec<subagents::AgentFile>, HistoryError> {
        let path = self.transcript_path(id)?;
        let folder = path.map(|path| path.with_extension("").join("subagents"));
        Ok(folder.map_or_else(Vec::new, |folder| subagents::files(&folder)))
    }
}
