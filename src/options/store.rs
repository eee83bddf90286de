//! Session store options.

use super::Options;
use crate::attachment::Attach;
use crate::event::Error;
use crate::store::{SessionStore, SharedStore, Source, StoreFlush};
use std::sync::Arc;
use std::time::Duration;

/// Copying the session to a store, and resuming it from there.
impl Options {
    /// Copies every entry of the agent's transcripts to a store
    /// (`--session-mirror`), and resumes sessions from it.
    ///
    /// ```no_run
    /// use agentwire::store::MemoryStore;
    /// use agentwire::{Options, query};
    ///
    /// # async fn example() -> Result<(), agentwire::Error> {
    /// let store = MemoryStore::new();
    /// let options = Options::new().session_store(store.clone());
    /// let first = query("My name is Ferris.", options.clone()).await?.result().await?;
    /// let id = first.session_id.unwrap_or_default();
    /// // From here on the agent's own files may be gone.
    /// query("What is my name?", options.resume(id)).await?.result().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Writing
    ///
    /// The agent writes its own files as well. The store is written concurrently and does
    /// not delay the session, unless it is asked to:
    /// [`StoreFlush::BeforeResult`].
    /// [`Handle::flush_store`](crate::Handle::flush_store) waits until the store
    /// has everything received so far.
    ///
    /// What the store does not take waits and is attempted again, with growing pauses of up
    /// to 30 seconds, and [`Notice::StoreBehind`](crate::Notice::StoreBehind) says so. Up to
    /// 64 MiB wait in memory ([`Options::session_store_memory`]). What exceeds that is read
    /// from the agent's own file when it is its turn. In this way the store always has the beginning of each transcript. It never has
    /// an entry without those before it. Where the agent's files cannot be read, because it
    /// runs on another machine, a transcript ends in the store where the memory did not
    /// suffice: [`Notice::NotMirrored`](crate::Notice::NotMirrored).
    ///
    /// At the end of the session, the store has ten seconds for the remaining
    /// entries. The last event, and [`Client::close`](crate::Client::close),
    /// come after that. [`Client::abort`](crate::Client::abort),
    /// [`close_all`](crate::close_all) and a runtime shutdown do not wait for
    /// it. What the store has not taken by then is sent by the next session that resumes
    /// this one with the store on the same machine.
    ///
    /// # Resuming
    ///
    /// [`Options::resume`] asks the store for that session first.
    /// [`Options::continue_latest`] asks it for the most recently changed
    /// session of this project. [`Options::load_timeout`] limits each response.
    /// If the store does not have the session, `resume` uses the agent's own
    /// files, and `continue_latest` starts a new session.
    ///
    /// What only this machine has of the session is resumed too, and sent to the store: from
    /// the agent's own files, and from the private folder of a session whose program was killed.
    /// Entries are compared by `uuid`. If the session has gone on elsewhere meanwhile, the
    /// store is right; what it lacks stays where it is, and
    /// [`Notice::NotMirrored`](crate::Notice::NotMirrored) says how much that is. A session of
    /// which entries are missing in between is not resumed: [`Error::SessionStore`] with
    /// [`TranscriptFailure::Hole`](crate::store::TranscriptFailure::Hole), unless
    /// [`Options::resume_with_holes`] allows it.
    ///
    /// The session is written to a private configuration folder
    /// (`CLAUDE_CONFIG_DIR`), which is removed after the session; if the store is behind then,
    /// its transcripts are copied to the user's own folder first. It contains
    /// copies of the user's settings and credentials, and nothing else of the
    /// user's own folder: no agents, skills, plugins or memories. Changes that
    /// the agent makes to its configuration are lost. The folder stays behind
    /// in the system's temporary files, as `agentwire-resume-…`, if the program
    /// is killed, or if it exits while a dropped session is still shutting down
    /// (see [`ExitGuard`](crate::ExitGuard)).
    ///
    /// [`Options::command_line`] does not ask the store, so its result does not
    /// show any of this. Over [`Pipes`](crate::transport::Pipes), or another
    /// [`Transport`](crate::transport::Transport) that does not start the agent, entries are
    /// copied to the store, and no session is loaded from it.
    ///
    /// # Attachments
    ///
    /// A store may bring an [attachment](crate::attachment), such as that of
    /// `agentwire-stores` by which a session is one host's at a time.
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        let attachment = store.attachment();
        self.session_store = Some(SharedStore::new(store));
        self.store_attachment = attachment.clone();
        let this = self.switch("--session-mirror", true);
        match attachment {
            Some(attachment) => attachment.configure(this),
            None => this,
        }
    }

    /// Adds an [attachment](crate::attachment): an optional part of the session.
    pub fn attachment(mut self, attach: impl Attach) -> Self {
        let attach = Arc::new(attach);
        self.attachments.push(attach.clone());
        attach.configure(self)
    }

    /// Resumes a session from a store, on any machine: [`Options::session_store`] and
    /// [`Options::resume`] in one, for a session that has to be in the store. If it is not,
    /// connecting fails with [`Error::SessionStore`] and
    /// [`TranscriptFailure::Missing`](crate::store::TranscriptFailure::Missing), where `resume` would look for
    /// it in the agent's own files.
    pub fn resume_from(mut self, store: impl SessionStore, session_id: impl Into<String>) -> Self {
        self.resumes_from_store = true;
        self.session_store(store).resume(session_id)
    }

    /// Sets when entries are sent to the [store](Options::session_store); in
    /// batches if unset.
    pub fn session_store_flush(mut self, flush: StoreFlush) -> Self {
        self.store_flush = flush;
        self
    }

    /// Sets how many bytes of entries wait in memory for the
    /// [store](Options::session_store), by their size on the wire; 64 MiB if unset. What
    /// exceeds that is read from the agent's own file when it is its turn. One message of any
    /// size is always kept.
    pub fn session_store_memory(mut self, bytes: usize) -> Self {
        self.store_memory = bytes;
        self
    }

    /// Sets the timeout of each response of the [store](Options::session_store)
    /// when a session is loaded; 60 seconds if unset. After that, connecting
    /// fails with [`Error::SessionStore`].
    #[doc(alias = "loadTimeoutMs")]
    #[doc(alias = "load_timeout_ms")]
    pub fn load_timeout(mut self, time: Duration) -> Self {
        self.load_timeout = time;
        self
    }

    /// Sets whether a session is resumed of which the [store](Options::session_store) lacks
    /// entries in between; `false` if unset. The agent would go on without a word, and the
    /// model would not know what is missing.
    pub fn resume_with_holes(mut self, yes: bool) -> Self {
        self.resume_with_holes = yes;
        self
    }

    /// Returns what makes the attachments of the session: first that of the store.
    pub(crate) fn all_attachments(&self) -> impl Iterator<Item = &Arc<dyn Attach>> {
        self.store_attachment.iter().chain(&self.attachments)
    }

    pub(super) fn source(&self) -> Option<Source> {
        let store = self.session_store.clone()?;
        Some(Source {
            store,
            limit: self.load_timeout,
            allows_holes: self.resume_with_holes,
            has_session: self.resumes_from_store,
        })
    }

    /// Rejects options that conflict with a store.
    pub(super) fn check_store(&self) -> Result<(), Error> {
        if self.session_store.is_none() {
            return Ok(());
        }
        let refused = |problem: &str| Err(Error::option("session_store", problem));
        if self.has("--no-session-persistence") {
            return refused("needs a persisted session: remove `persist_session(false)`");
        }
        let is_checkpoint = |name: &str| name == "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
        if self.markers.iter().any(|(name, _)| is_checkpoint(name)) {
            let problem = "cannot be combined with `file_checkpointing`: the store has no file \
                           backups, so a resumed session could not restore them";
            return refused(problem);
        }
        Ok(())
    }
}
