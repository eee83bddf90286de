//! What happens to what the program does not read.

/// What a session does when the program has more unread than
/// [`Options::unread_limit`](crate::Options::unread_limit).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backpressure {
    /// Pauses reading the agent's output until the program has read half of
    /// what it may have unread. Nothing is dropped below
    /// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit).
    ///
    /// Reading is paused for streams in use: turns, texts and subscriptions
    /// from when they are made, and the client's own stream from when it is
    /// first polled. A program that never polls its client is not held up by
    /// it; that stream keeps its newest events.
    ///
    /// Reading goes on while something is wanted that only input can bring, so
    /// that no program waits for itself: a control request without its
    /// response, a line that the pipe has not taken, a future of this crate
    /// that was polled and waits for input (`next` on a stream without events,
    /// those of [`Submission`](crate::Submission) and
    /// [`PendingInterrupt`](crate::PendingInterrupt),
    /// [`send_when_room`](crate::Handle::send_when_room)), connecting and
    /// closing. A stream that was polled as a [`Stream`](futures_core::Stream)
    /// waits for input until its next event, since nothing says when its
    /// consumer goes away; `next` does so until it is dropped. With callbacks or MCP servers in this process reading goes on up
    /// to the hard limit, since what they have to answer may be among what is
    /// unread.
    ///
    /// The agent need not stop for it. Claude Code keeps what it writes in its
    /// own memory and goes on working: in 12 seconds without a reader it ran 179
    /// tools and grew to 269 to 348 MB.
    #[default]
    Pause,
    /// Reads on, and drops the oldest events of a stream beyond
    /// [`Options::unread_limit`](crate::Options::unread_limit), with a
    /// [`Notice::Lagged`](crate::Notice::Lagged) in front of what is left.
    /// Partial messages are joined first.
    DropOldest,
}

/// The two limits of what a stream may have unread, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnreadLimits {
    /// From this on reading pauses.
    pub(crate) pause: usize,
    /// Beyond this the oldest events go. Never less than `pause`.
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
