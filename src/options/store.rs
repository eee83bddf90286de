//! Session store options.

use super::Options;
use crate::attachment::Attach;
use crate::event::Error;
use crate::store::{SessionStore, SharedStore, Source, StoreFlush};
use std::sync::Arc;
use std::time::Duration;

/// Copying the session to a store, and resuming it from the store.
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
    /// The agent also writes its own files. The store is written concurrently and does not delay
    /// the session, except with [`StoreFlush::BeforeResult`].
    /// [`Handle::flush_store`](crate::Handle::flush_store) waits until the store has everything
    /// received so far.
    ///
    /// If a call of the store fails, it is repeated, with growing pauses of up to 30 seconds, and a
    /// [`Notice::StoreBehind`](crate::Notice::StoreBehind) is delivered. Meanwhile up to 64 MiB of
    /// entries are buffered in memory ([`Options::session_store_memory`]). Further entries are
    /// later read from the agent's own file. Entries are stored in order, so the store always has a
    /// prefix of each transcript. If the agent's files cannot be read, because it runs on another
    /// machine, the stored transcript ends where the memory was full:
    /// [`Notice::NotMirrored`](crate::Notice::NotMirrored).
    ///
    /// At the end of the session, the store has ten seconds for the remaining entries. The last
    /// event is delivered, and [`Client::close`](crate::Client::close) returns, after that.
    /// [`Client::abort`](crate::Client::abort), [`close_all`](crate::close_all) and a runtime
    /// shutdown do not wait. Entries that are not stored by then are sent by the next session that
    /// resumes this one with the store on the same machine.
    ///
    /// # Resuming
    ///
    /// [`Options::resume`] first loads that session from the store. [`Options::continue_latest`]
    /// first looks for the most recently changed session of this project in the store.
    /// [`Options::load_timeout`] limits each call. If the store does not have the session, `resume`
    /// uses the agent's own files, and `continue_latest` starts a new session.
    ///
    /// Entries that only this machine has are resumed too, and sent to the store: from the agent's
    /// own files, and from the private folder of a session whose program was killed. Entries are
    /// compared by `uuid`. If the session has continued elsewhere meanwhile, the store takes
    /// precedence; the other entries remain where they are, and a
    /// [`Notice::NotMirrored`](crate::Notice::NotMirrored) reports their number. A session with
    /// missing entries in between is not resumed: connecting fails with [`Error::SessionStore`] and
    /// [`TranscriptFailure::Hole`](crate::store::TranscriptFailure::Hole), unless
    /// [`Options::resume_with_holes`] allows it.
    ///
    /// The session is written to a private configuration folder (`CLAUDE_CONFIG_DIR`), which is
    /// removed after the session; if the store lacks entries then, the transcripts are first copied
    /// to the user's own folder. The private folder contains copies of the user's settings and
    /// credentials, but no agents, skills, plugins or memories. Changes that the agent makes to its
    /// configuration are lost. The folder remains in the system's temporary files, as
    /// `agentwire-resume-…`, if the program is killed, or if it exits while a dropped session is
    /// still shutting down (see [`ExitGuard`](crate::ExitGuard)).
    ///
    /// [`Options::command_line`] does not access the store, so its result does not reflect any of
    /// this. Over [`Pipes`](crate::transport::Pipes), or another
    /// [`Transport`](crate::transport::Transport) that does not start the agent, entries are copied
    /// to the store, but no session is loaded from it.
    ///
    /// # Attachments
    ///
    /// A store may have an [attachment](crate::attachment), such as that of `agentwire-stores`,
    /// which ensures that only one host owns a session at a time.
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

    /// Resumes a session from a store, on any machine. Combines [`Options::session_store`] and
    /// [`Options::resume`], for a session that must be in the store. Otherwise connecting fails
    /// with [`Error::SessionStore`] and
    /// [`TranscriptFailure::Missing`](crate::store::TranscriptFailure::Missing), where `resume`
    /// would use the agent's own files.
    pub fn resume_from(mut self, store: impl SessionStore, session_id: impl Into<String>) -> Self {
        self.resumes_from_store = true;
        self.session_store(store).resume(session_id)
    }

    /// Sets when entries are sent to the [store](Options::session_store). Default: in batches.
    pub fn session_store_flush(mut self, flush: StoreFlush) -> Self {
        self.store_flush = flush;
        self
    }

    /// Sets how many bytes of entries are buffered in memory for the
    /// [store](Options::session_store), by their size on the wire. Default: 64 MiB. Further entries
    /// are later read from the agent's own file. A single message of any size is always buffered.
    pub fn session_store_memory(mut self, bytes: usize) -> Self {
        self.store_memory = bytes;
        self
    }

    /// Sets the timeout of each call of the [store](Options::session_store) when a session is
    /// loaded. Default: 60 seconds. On a timeout, connecting fails with [`Error::SessionStore`].
    #[doc(alias = "loadTimeoutMs")]
    #[doc(alias = "load_timeout_ms")]
    pub fn load_timeout(mut self, time: Duration) -> Self {
        self.load_timeout = time;
        self
    }

    /// Sets whether to resume a session of which the [store](Options::session_store) lacks entries
    /// in between. Default: `false`, because the agent would resume without an error, and the model
    /// would lack the missing part.
    pub fn resume_with_holes(mut self, yes: bool) -> Self {
        self.resume_with_holes = yes;
        self
    }

    /// Returns the factories of the session's attachments, that of the store first.
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
