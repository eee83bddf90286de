//! The store of sessions in this program.

use super::Options;
use crate::event::Error;
use crate::store::{SessionStore, SharedStore, Source, StoreFlush};
use std::time::Duration;

/// A store that gets a copy of the session, and from which it can be resumed.
impl Options {
    /// Gives every entry that the agent adds to its transcripts to a store as
    /// well (`--session-mirror`), and lets sessions go on from there.
    ///
    /// ```no_run
    /// use agentwire::{MemoryStore, Options, query};
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
    /// The agent writes its own files as ever. The store runs beside the session
    /// and never holds it up; what it does not take is a
    /// [`Notice::NotMirrored`](crate::Notice::NotMirrored).
    /// [`Handle::mirrored`](crate::Handle::mirrored) waits until it has all that
    /// has come. When the session is over, the store has ten seconds for what is
    /// left: the last event, and [`Client::close`](crate::Client::close), come
    /// after that. [`Client::abort`](crate::Client::abort),
    /// [`close_all`](crate::close_all) and the end of the runtime do not wait for
    /// it.
    ///
    /// With [`Options::resume`] the store is asked for that session first, with
    /// [`Options::continue_latest`] for the one of this project that was changed
    /// last; [`Options::load_timeout`] says how long each answer may take. What
    /// comes is written into a private configuration folder (`CLAUDE_CONFIG_DIR`),
    /// which goes when the session has gone. The agent finds the user's settings
    /// and what it logs in with there, as copies, and nothing else that the
    /// user's own folder has: no agents, skills, plugins or memories. What it
    /// changes in its configuration is gone afterwards. A session that the store
    /// does not know is resumed from the agent's own files, if it is there; and
    /// when no session can be continued, a new one begins. When the program is
    /// killed without warning, or exits while a session that it has dropped is
    /// still ending ([`ExitGuard`](crate::ExitGuard)), the folder stays, among
    /// the system's temporary files, as `agentwire-resume-…`.
    /// [`Options::command_line`] asks no store, and so says nothing of all this.
    ///
    /// It is [`LocalCli`](crate::LocalCli) that asks the store. An agent that is
    /// reached by another [`Transport`](crate::Transport) has its copies made as
    /// well, but goes on from what it finds itself.
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        self.session_store = Some(SharedStore::new(store));
        self.switch("--session-mirror", true)
    }

    /// When entries go to the [store](Options::session_store); in batches, if
    /// not set.
    pub fn session_store_flush(mut self, flush: StoreFlush) -> Self {
        self.store_flush = flush;
        self
    }

    /// How long each answer of the [store](Options::session_store) may take when
    /// a session is to go on from it; 60 seconds if not set. Then connecting
    /// fails with [`Error::SessionStore`].
    pub fn load_timeout(mut self, time: Duration) -> Self {
        self.load_timeout = time;
        self
    }

    pub(super) fn source(&self) -> Option<Source> {
        let store = self.session_store.clone()?;
        Some(Source {
            store,
            limit: self.load_timeout,
        })
    }

    /// What does not go together with a store.
    pub(super) fn check_store(&self) -> Result<(), Error> {
        if self.session_store.is_none() {
            return Ok(());
        }
        let refused = |problem: &str| Err(Error::option("session_store", problem));
        if self.has("--no-session-persistence") {
            return refused("needs a session that is kept: the store gets a copy of what is");
        }
        let is_checkpoint = |name: &str| name == "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
        if self.markers.iter().any(|(name, _)| is_checkpoint(name)) {
            let problem = "cannot be combined with `file_checkpointing`: the store has no copies \
                           of files, which could not be put back when the session goes on";
            return refused(problem);
        }
        Ok(())
    }
}
