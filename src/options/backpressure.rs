//! The policy for slow consumers.

/// The policy when a stream of the session has more than
/// [`Options::unread_limit`](crate::Options::unread_limit) bytes unread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backpressure {
    /// Pauses reading the agent's output until the stream is down to half of its limit. Nothing is
    /// discarded below [`Options::unread_hard_limit`](crate::Options::unread_hard_limit).
    ///
    /// Only streams in use pause reading. Turns, text streams and subscriptions are in use from
    /// their creation, the client's own stream from its first poll. If you never poll the client,
    /// its stream does not pause the session and retains only its newest events.
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
    /// A stream polled as a [`Stream`](futures_core::Stream) counts as waiting until its next
    /// event, because it cannot detect that its consumer stopped waiting. `next` counts as waiting
    /// until its future is dropped. With callbacks or in-process MCP servers, reading continues up
    /// to the hard limit, because their requests may be in the unread part.
    ///
    /// The agent does not necessarily stop. Claude Code buffers its output in
    /// memory and keeps working: in 12 seconds without a reader it ran 179
    /// tools and grew to 269 to 348 MB.
    #[default]
    Pause,
    /// Continues reading. Beyond [`Options::unread_limit`](crate::Options::unread_limit), joins
    /// partial messages, then discards the oldest events of a stream and puts a
    /// [`Notice::Lagged`](crate::Notice::Lagged) before the remaining ones.
    DropOldest,
}

/// The two limits on the unread bytes of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnreadLimits {
    /// The size at which reading pauses.
    pub(crate) pause: usize,
    /// The size beyond which the oldest events are discarded. At least `pause`.
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
