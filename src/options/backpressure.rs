//! What a session does about slow consumers.

/// What a session does when one of its streams has more than
/// [`Options::unread_limit`](crate::Options::unread_limit) bytes unread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backpressure {
    /// Pauses reading the agent's output until the stream is down to half of
    /// its limit. Nothing is dropped below
    /// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit).
    ///
    /// Only streams in use pause reading. Turns, text streams and subscriptions
    /// are in use from their creation, the client's own stream from its first
    /// poll. If you never poll the client, its stream does not pause the
    /// session and keeps only its newest events.
    ///
    /// To avoid deadlocks, reading continues while something depends on further
    /// input:
    ///
    /// - a control request without a response,
    /// - a line that the pipe has not accepted yet,
    /// - a polled future of this crate that waits for input: `next` on a stream
    ///   without events, the futures of [`Submission`](crate::Submission) and
    ///   [`InterruptFuture`](crate::control::InterruptFuture),
    ///   [`send_when_room`](crate::Handle::send_when_room),
    /// - connecting and closing.
    ///
    /// A stream polled as a [`Stream`](futures_core::Stream) counts as waiting
    /// until its next event, because it cannot tell when its consumer goes
    /// away. `next` counts as waiting until its future is dropped. With
    /// callbacks or in-process MCP servers, reading continues up to the hard
    /// limit, because their requests may be in the unread part.
    ///
    /// The agent does not necessarily stop. Claude Code buffers its output in
    /// memory and keeps working: in 12 seconds without a reader it ran 179
    /// tools and grew to 269 to 348 MB.
    #[default]
    Pause,
    /// Keeps reading. Drops the oldest events of a stream beyond
    /// [`Options::unread_limit`](crate::Options::unread_limit), after joining
    /// partial messages, and puts a [`Notice::Lagged`](crate::Notice::Lagged)
    /// in front of the remaining events.
    DropOldest,
}

/// The two limits on the unread bytes of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnreadLimits {
    /// Reading pauses from here on.
    pub(crate) pause: usize,
    /// Beyond this, the oldest events are dropped. Never less than `pause`.
    pub(crate) hard: usize,
}

pub(super) const MIB: usize = 1024 * 1024;

impl Default for UnreadLimits {
    fn default() -> Self {
        Self {
            pause: 8 * MIB,
            hard: 64 * MIB,
        }
    }
}
