//! The sessions that an agent CLI has stored on disk: list and read them, fork, rename, tag,
//! archive and delete them.
//!
//! [`History`] reads the agent's own files, without starting the agent. The results are those of the functions `listSessions`, `getSessionInfo`,
//! `getSessionMessages`, `listSubagents` and `getSubagentMessages` of the official
//! TypeScript SDK, version 0.3.332, for the same directory. What changes a session has
//! the effects of its functions `renameSession`, `tagSession`, `archiveSession`,
//! `unarchiveSession`, `deleteSession` and `forkSession`.
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
//! An agent that is running the session keeps what it knows in memory, and appends to
//! the transcript. Titles, tags and archive marks can be set meanwhile. A fork has the
//! messages that the agent has written by then. Do not delete a session that an agent
//! is running: it may write the transcript anew, without its beginning.
//!
//! # Blocking
//!
//! The functions block: they read files, and with a [project](History::project)
//! they run `git worktree list`, for up to five seconds. In async code call them in
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
//! # What is not as in the official SDK
//!
//! - A folder or a transcript that exists and cannot be read is a
//!   [`HistoryError`]; the official functions return nothing then. Among the
//!   sessions of a list, unreadable ones are skipped here too.
//! - Lone surrogates in titles and other strings are read as U+FFFD.
//! - A time without an offset is UTC, not the machine's local time.
//! - A transcript that is a link is not appended to ([`HistoryError::NotRegular`]), so
//!   that no file elsewhere is written to. The same holds for what is in a project's or a
//!   session's folder that is a link, unless it leads to another project. The configuration
//!   directory itself and its `projects` may be links, such as to another disk. Where the
//!   transcript does not end with a whole line, because the agent was killed, a title or a
//!   tag begins a new line.
//! - A fork has its name only once it is complete. Numbers and strings that are copied
//!   keep their JSON text.
//! - Tags are not normalised to NFKC, and unassigned characters are kept.
//! - Session stores are not changed: the functions are about files. The crate
//!   `agentwire-stores` copies sessions between files and stores.
//! - An empty `CLAUDE_CONFIG_DIR` counts as unset, and paths are not normalised to
//!   NFC.

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
use agentwire_protocol::transcript::{session_messages, subagent_messages, tag_line, title_line};
use change::Place;
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
    /// Returns the history of an agent that is started with the environment of this
    /// process: that in `CLAUDE_CONFIG_DIR`, or else in `.claude` in the home
    /// directory. Reads nothing yet.
    ///
    /// # Errors
    ///
    /// [`HistoryError::NoHome`] if there is no home directory.
    pub fn new() -> Result<Self, HistoryError> {
        Self::of_environment(|name| std::env::var_os(name))
    }

    /// Returns the history of an agent with another environment, such as
    /// `Options::passed_environment` of a session. `variable` returns the value of a variable.
    ///
    /// # Errors
    ///
    /// As for [`History::new`].
    pub fn of_environment<V: AsRef<OsStr>>(
        variable: impl Fn(&str) -> Option<V>,
    ) -> Result<Self, HistoryError> {
        let configuration = Configuration::of(&variable).ok_or(HistoryError::NoHome)?;
        let mut history = Self::in_directory(configuration.directory);
        history.projects.name = given_name(variable);
        Ok(history)
    }

    /// Returns the history in a configuration directory.
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

    /// Restricts the history to the sessions that were started in `directory`, and
    /// in the other worktrees of its git repository. By default it has those of all
    /// directories.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// Lists the sessions, those that were modified last first; of those with the
    /// same time in milliseconds the greatest ID first. Of each transcript the
    /// first and the last 64 KiB are read, with up to four threads.
    ///
    /// Sessions of sub-agents are not listed, nor are those that have no title, no
    /// prompt and no attachment.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Unreadable`] if the folder of the projects cannot be read.
    /// If it does not exist, there are no sessions.
    #[doc(alias = "listSessions")]
    pub fn list_sessions(&self, list: &ListSessions) -> Result<Vec<SessionInfo>, HistoryError> {
        listing::list(&self.projects, self.project.as_deref(), list)
    }

    /// Returns what a list shows of a session; `None` if there is no such session,
    /// if it is a sub-agent's, or if there is nothing to show.
    ///
    /// # Errors
    ///
    /// As for [`History::list_sessions`].
    #[doc(alias = "getSessionInfo")]
    pub fn session_info(&self, id: &str) -> Result<Option<SessionInfo>, HistoryError> {
        if !is_session_id(id) {
            return Ok(None);
        }
        let found = find(&self.projects, self.project.as_deref(), id)?;
        let first = found.into_iter().next();
        Ok(first.and_then(|found| SessionInfo::read(&found, id)))
    }

    /// Returns the messages of a session that lead to its last message; `None` if
    /// there is no such session. Messages from before a compaction are not among
    /// them, unless the compaction preserved them.
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

    /// Returns the IDs of a session's sub-agents, in the order of their paths.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Unreadable`] if the folder of the projects cannot be read.
    #[doc(alias = "listSubagents")]
    pub fn list_subagents(&self, id: &str) -> Result<Vec<String>, HistoryError> {
        let files = self.subagents(id)?;
        Ok(files.into_iter().map(|it| it.id).collect())
    }

    /// Returns the messages of a session's sub-agent; `None` if there is no such
    /// session or sub-agent.
    ///
    /// # Errors
    ///
    /// As for [`History::session_messages`].
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

    /// Gives a session a title. The white space around it is removed.
    ///
    /// Appends a record to the session's transcript, in one write, and so also while
    /// an agent writes to it. If the session is in several projects, the first one's
    /// transcript is changed, which is the one that [`History::session_info`] reads.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`], [`HistoryError::BlankTitle`]
    /// - [`HistoryError::NotFound`] if there is no such session
    /// - [`HistoryError::NotRegular`] if its transcript is a link
    /// - [`HistoryError::Unwritable`], [`HistoryError::Unreadable`]
    #[doc(alias = "renameSession")]
    pub fn rename_session(&self, id: &str, title: &str) -> Result<(), HistoryError> {
        self.place(id).check()?;
        let line = title_line(id, title).ok_or(HistoryError::BlankTitle)?;
        change::append(&self.place(id), &line)
    }

    /// Gives a session a tag; with `None` it has no tag then. The white space around
    /// the tag is removed, and with it characters that are not visible: format
    /// characters, and those for private use.
    ///
    /// Appends a record to the transcript, as [`History::rename_session`] does.
    ///
    /// # Errors
    ///
    /// As for [`History::rename_session`], with [`HistoryError::BlankTag`].
    #[doc(alias = "tagSession")]
    pub fn tag_session(&self, id: &str, tag: Option<&str>) -> Result<(), HistoryError> {
        self.place(id).check()?;
        let line = tag_line(id, tag).ok_or(HistoryError::BlankTag)?;
        change::append(&self.place(id), &line)
    }

    /// Archives a session: [`SessionInfo::archived`] is `Some(true)` until a prompt is
    /// sent in it. The session is listed as before, and can be resumed.
    ///
    /// Writes the file `archived.json` in the folder beside the transcript, in each
    /// project that has the session. The transcript is not changed.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`]
    /// - [`HistoryError::NotFound`] if there is no such session
    /// - [`HistoryError::Unwritable`], [`HistoryError::Unreadable`]
    #[doc(alias = "archiveSession")]
    pub fn archive_session(&self, id: &str) -> Result<(), HistoryError> {
        change::archive(&self.place(id), true)
    }

    /// Unarchives a session: [`SessionInfo::archived`] is `Some(false)` then.
    ///
    /// # Errors
    ///
    /// As for [`History::archive_session`].
    #[doc(alias = "unarchiveSession")]
    pub fn unarchive_session(&self, id: &str) -> Result<(), HistoryError> {
        change::archive(&self.place(id), false)
    }

    /// Deletes a session: its transcript, and the folder beside it with its
    /// sub-agents. This cannot be undone. If the session is in several projects, it is
    /// deleted in the first one.
    ///
    /// Do not delete a session that an agent is running: it may write the transcript
    /// anew, without its beginning.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`]
    /// - [`HistoryError::NotFound`] if there is no such session
    /// - [`HistoryError::Undeletable`]. If it names the folder, the transcript has
    ///   been deleted already, and the folder is left.
    /// - [`HistoryError::NotRegular`] if the transcript is a folder, or its project's folder a
    ///   link that leads out of the folder of all projects
    /// - [`HistoryError::Unreadable`]
    #[doc(alias = "deleteSession")]
    pub fn delete_session(&self, id: &str) -> Result<(), HistoryError> {
        change::delete(&self.place(id))
    }

    /// Copies a session, whole or up to a message, and returns the ID of the copy. To
    /// continue the copy, resume it in the same working directory.
    ///
    /// The copy has the messages of the main conversation under new IDs. The messages
    /// of sub-agents, the snapshots of files that the agent can return to, and the tag
    /// are not copied. The copy is written to the same folder, at once: after a crash
    /// it is there as a whole or not at all. The session itself is not changed, and a
    /// process may be running it.
    ///
    /// # Errors
    ///
    /// - [`HistoryError::InvalidId`]
    /// - [`HistoryError::NotFound`] if there is no such session
    /// - [`HistoryError::NoMessages`] if there is nothing to copy
    /// - [`HistoryError::UnknownMessage`] if it has no message
    ///   [to copy up to](ForkSession::up_to)
    /// - [`HistoryError::Unreadable`], [`HistoryError::Unwritable`]
    #[doc(alias = "forkSession")]
    pub fn fork_session(&self, id: &str, fork: &ForkSession) -> Result<String, HistoryError> {
        change::fork(&self.place(id), fork)
    }

    fn place<'p>(&'p self, id: &'p str) -> Place<'p> {
        Place {
            projects: &self.projects,
            project: self.project.as_deref(),
            id,
        }
    }

    /// Returns the path of a session's transcript; `None` if there is no such session.
    /// `agentwire_protocol::transcript` reads what is in it.
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
