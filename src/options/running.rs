//! Host-side options, which are not passed to the CLI.

use super::Options;
use crate::event::Notice;
use crate::process::ClosePolicy;
use crate::session::SessionGroup;
use agentwire_protocol::host::Queueing;
use agentwire_protocol::outbox::Limits;
use std::sync::Arc;
use std::time::Duration;

/// The host side of the session.
impl Options {
    /// Sets a callback for the CLI's standard error, called as output arrives. Errors contain its
    /// tail in any case. The callback may be slow: beyond 8 MiB of backlog, output is not passed to
    /// it. If it panics, it is not called again.
    #[doc(alias = "stderr")]
    pub fn on_stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr = Some(Arc::new(callback));
        self
    }

    /// Sets a callback for notices: problems that do not end the session, such as an
    /// [ignored option](Notice::IgnoredOption) or a permission request without a callback. With
    /// [`prompt`](crate::prompt()), nothing else reports them.
    ///
    /// The callback is called in the order of the notices, in a task of its own, and with all of
    /// them before the session's streams end. It may be slow: beyond 1,024 queued notices, others
    /// are not passed to it. If it panics, it is not called again. The streams deliver
    /// [`Event::Notice`](crate::Event) as without it. [`Notice::Lagged`] is about a single stream
    /// and only delivered there.
    ///
    /// ```
    /// use agentwire::Options;
    ///
    /// let options = Options::new().on_notice(|notice| eprintln!("agent: {notice}"));
    /// # drop(options);
    /// ```
    pub fn on_notice(mut self, callback: impl Fn(&Notice) + Send + Sync + 'static) -> Self {
        self.on_notice = Some(Arc::new(callback));
        self
    }

    /// Sets the timeout of control requests, including the first one, and of opening a
    /// [`Transport`](crate::transport::Transport). Default: 60 seconds.
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.request_timeout = time;
        self
    }

    /// Sets how the session is closed.
    pub fn close_policy(mut self, policy: ClosePolicy) -> Self {
        self.close = policy;
        self
    }

    /// Adds the session to a group, to close it together with others.
    pub fn group(mut self, group: &SessionGroup) -> Self {
        self.group = Some(group.clone());
        self
    }

    /// Sets the longest line that is accepted, in bytes. Default: 64 MiB. A longer one is reported
    /// and skipped.
    #[doc(alias = "max_buffer_size")]
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Sets the limits of the outbound queue. When it is full,
    /// [`Handle::send`](crate::Handle::send) and requests fail with
    /// [`Error::Full`](crate::Error::Full), and
    /// [`Handle::send_when_room`](crate::Handle::send_when_room) waits.
    pub fn outbound_queue_limits(mut self, limits: Limits) -> Self {
        self.outbound_queue_limits = limits;
        self
    }

    /// Sets where user messages are queued by priority: in the CLI, or in this host for CLIs
    /// without priorities. Default: [`Queueing::Auto`] with `merge`.
    pub fn queueing(mut self, queueing: Queueing) -> Self {
        self.queueing = queueing;
        self
    }

    /// Sets how long a [`query`](crate::query()) continues after its turn for the agent's
    /// background tasks, which may lead to another turn. Default: ten minutes. A server started in
    /// the background never exits by itself.
    pub fn background_limit(mut self, time: Duration) -> Self {
        self.background_limit = time;
        self
    }

    /// Sets whether every user message is sent as [`UserMessage::verbatim`]: without file expansion
    /// and commands. Use this if prompts are not typed by a user of the agent. Default: `false`.
    ///
    /// [`UserMessage::verbatim`]: crate::UserMessage::verbatim
    pub fn verbatim_prompts(mut self, wanted: bool) -> Self {
        self.verbatim_prompts = wanted;
        self
    }
}
