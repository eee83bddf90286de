//! Session store options.

use super::Options;
use crate::callback::{Hook, HookCall};
use crate::event::Error;
use crate::store::{SessionStore, SharedStore, Source, StoreFlush};
use agentwire_protocol::hook::{PreSkillShellCommand, PreToolUse};
use std::time::Duration;

/// How long the agent waits before a tool for a host that may have been stopped.
const GATE: Duration = Duration::from_secs(5);

/// Lets each tool and each shell command of a skill run. A session whose lease is lost
/// does not respond, and the agent runs nothing.
///
/// The second hook is no [gate](Hook::gate), so that CLIs without the event are supported.
/// The CLI runs no command whose hook does not respond in time, gate or not.
fn lease_gates() -> [Hook; 2] {
    let tool = Hook::new(|_: HookCall<PreToolUse>| async {});
    let command = Hook::new(|_: HookCall<PreSkillShellCommand>| async {});
    [tool.gate().timeout(GATE), command.timeout(GATE)]
}

/// Copying the session to a store, and resuming it from there.
impl Options {
    /// Copies every entry of the agent's transcripts to a store
    /// (`--session-mirror`), and resumes sessions from it.
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
    /// # Writing
    ///
    /// The agent writes its own files as well. The store is written concurrently and does
    /// not delay the session, unless it is asked to:
    /// [`StoreFlush::BeforeResult`](crate::StoreFlush::BeforeResult).
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
    /// [`StoreFailure::Hole`](crate::StoreFailure::Hole), unless
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
    /// show any of this. Over [`Pipes`](crate::Pipes), or another
    /// [`Transport`](crate::Transport) that does not start the agent, entries are
    /// copied to the store, and no session is loaded from it.
    ///
    /// # Leases
    ///
    /// If the store has [leases](crate::SessionStore::lease), the session is claimed before it
    /// is loaded, and no other host has it meanwhile ([`Options::when_owned`]). A new session
    /// gets its ID from the host. When the lease is lost, because the store cannot be reached
    /// or this program was stopped, the session ends with
    /// [`EndReason::LeaseLost`](crate::EndReason::LeaseLost): nothing is written to the agent
    /// any more, no callback is called, and the agent is killed with all that it has started,
    /// before another host can have the session. A program that is stopped can kill nothing;
    /// so the agent asks before each tool (a [gate](crate::Hook::gate) on `PreToolUse`) and
    /// before each shell command in the text of a skill (`PreSkillShellCommand`, since Claude
    /// Code 2.1.332), and runs nothing that is not allowed within five seconds. Older versions
    /// run such commands without asking.
    ///
    /// A user message is accepted when the [inbox](crate::SessionStore::append_inbox) of the
    /// session in the store has it: until then it is not sent to the agent, and awaiting its
    /// [`Submission`](crate::Submission) waits. When this host ends or loses the session before
    /// it has told what became of the message, the next host has it, and reports it with
    /// [`Notice::Inherited`](crate::Notice::Inherited): if no turn had picked it up, it is sent
    /// again, and otherwise handed back. That a turn has picked it up is noted in the inbox
    /// before the first tool runs. A message that was not accepted when the session was lost
    /// can be sent again under the same `uuid`: it is the same message. The result of a turn is
    /// given out when the store has the turn, as with
    /// [`StoreFlush::BeforeResult`](crate::StoreFlush).
    ///
    /// Not prevented is what already runs: a tool that was begun before, and requests to the
    /// model. Neither are agents that were started by hand.
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        let has_leases = store.lease().is_some();
        self.session_store = Some(SharedStore::new(store));
        let this = self.switch("--session-mirror", true);
        match has_leases {
            true => lease_gates().into_iter().fold(this, Self::hook),
            false => this,
        }
    }

    /// Resumes a session from a store, on any machine: [`Options::session_store`] and
    /// [`Options::resume`] in one, for a session that has to be in the store. If it is not,
    /// connecting fails with [`Error::SessionStore`] and
    /// [`StoreFailure::Missing`](crate::StoreFailure::Missing), where `resume` would look for
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
