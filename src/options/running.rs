//! How a session runs: what the host does, and nothing that the CLI is told.

use super::Options;
use crate::process::ClosePolicy;
use agentwire_protocol::host::Queueing;
use agentwire_protocol::outbox::Limits;
use std::sync::Arc;
use std::time::Duration;

/// How the session runs, on this side of the pipes.
impl Options {
    /// Called with what the CLI says on standard error, as it comes. Its end
    /// is in every error in any case. The callback may be slow, but what comes
    /// while it is more than 8 MiB behind does not reach it. One that panics is
    /// not called again.
    pub fn on_stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr = Some(Arc::new(callback));
        self
    }

    /// How long a control request may take, the first one included; 60
    /// seconds if not set.
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.request_timeout = time;
        self
    }

    /// How the session is closed.
    pub fn close_policy(mut self, policy: ClosePolicy) -> Self {
        self.close = policy;
        self
    }

    /// The longest line that is kept, in bytes; 64 MiB if not set. A longer
    /// one is reported and passed over.
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// How much may wait to be written, in bytes. Beyond it
    /// [`Handle::send`](crate::Handle::send) and requests fail with
    /// [`Error::Full`](crate::Error::Full), and
    /// [`Handle::send_when_room`](crate::Handle::send_when_room) waits.
    pub fn outbound_queue_limits(mut self, limits: Limits) -> Self {
        self.outbound_queue_limits = limits;
        self
    }

    /// Who sees to the priorities of user messages: the CLI, or, for one that
    /// knows none, this host. [`Queueing::Auto`] with `merge`, if not set.
    pub fn queueing(mut self, queueing: Queueing) -> Self {
        self.queueing = queueing;
        self
    }

    /// How long a [`query`](crate::query()) whose turn is over goes on for what
    /// the agent has left running in the background, and may tell of in
    /// another turn; ten minutes if not set. A server that was started in the
    /// background never ends.
    pub fn background_limit(mut self, time: Duration) -> Self {
        self.background_limit = time;
        self
    }

    /// Whether every user message is sent as [`UserMessage::verbatim`] says:
    /// no file expansion, no commands. For programs whose prompts are not
    /// typed at this agent by a person. Not if not set.
    ///
    /// [`UserMessage::verbatim`]: crate::UserMessage::verbatim
    pub fn verbatim_prompts(mut self, wanted: bool) -> Self {
        self.verbatim_prompts = wanted;
        self
    }
}
