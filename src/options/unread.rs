//! How much may be unread, and what happens then.

use super::Options;
use crate::error::Error;

/// What a session does when the program has more unread than
/// [`Options::unread_limit`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backpressure {
    /// Pauses reading the agent's output until the program has read half of
    /// what it may have unread. Nothing is dropped below
    /// [`Options::unread_hard_limit`].
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
    /// [`Interruption`](crate::Interruption),
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
    /// [`Options::unread_limit`], with a
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

const MIB: usize = 1024 * 1024;

impl Default for UnreadLimits {
    fn default() -> Self {
        Self {
            pause: 8 * MIB,
            hard: 64 * MIB,
        }
    }
}

/// More than any machine has: what is meant by such a limit is none.
#[cfg(target_pointer_width = "64")]
const UNLIMITED: usize = 1 << 40;
#[cfg(not(target_pointer_width = "64"))]
const UNLIMITED: usize = 1 << 31;

/// How much may be unread.
impl Options {
    /// Sets how many bytes each stream of the session may have unread before
    /// reading pauses; 8 MiB if unset. This is about the client's stream and
    /// each [`Subscription`](crate::Subscription), [`Texts`](crate::Texts) and
    /// [`Turn`](crate::Turn) by itself. Each event counts for 256 bytes more
    /// than it has.
    ///
    /// A limit of 1 TiB or more is an
    /// [`Error::Option`](crate::Error::Option) when the session starts.
    pub fn unread_limit(mut self, bytes: usize) -> Self {
        self.unread.pause = bytes;
        self
    }

    /// Sets how many bytes a stream may have unread before its oldest events are
    /// dropped, with a [`Notice::Lagged`](crate::Notice::Lagged); 64 MiB if
    /// unset, or [`Options::unread_limit`] if that is more. Only a session that
    /// waits for input while nothing reads this stream gets there; see
    /// [`Backpressure::Pause`].
    ///
    /// A limit below [`Options::unread_limit`], or of 1 TiB or more, is an
    /// [`Error::Option`](crate::Error::Option) when the session starts.
    pub fn unread_hard_limit(mut self, bytes: usize) -> Self {
        self.unread_hard_limit = Some(bytes);
        self
    }

    /// Sets what happens when a stream has more unread than
    /// [`Options::unread_limit`]; [`Backpressure::Pause`] if unset.
    pub fn backpressure(mut self, backpressure: Backpressure) -> Self {
        self.backpressure = backpressure;
        self
    }

    /// The limits in force.
    pub(crate) fn unread_limits(&self) -> UnreadLimits {
        let UnreadLimits { pause, hard } = self.unread;
        UnreadLimits {
            pause,
            hard: self.unread_hard_limit.unwrap_or(hard).max(pause),
        }
    }

    pub(super) fn check_unread_limits(&self) -> Result<(), Error> {
        let hard = self.unread_hard_limit;
        let limits = [
            ("unread_limit", Some(self.unread.pause)),
            ("unread_hard_limit", hard),
        ];
        for (option, limit) in limits {
            if let Some(bytes) = limit.filter(|bytes| *bytes >= UNLIMITED) {
                let problem = format!(
                    "is {bytes} bytes, which is no limit: a stream that is not read would take \
                     all memory; set less than {UNLIMITED}"
                );
                return Err(Error::option(option, problem));
            }
        }
        match hard {
            Some(hard) if hard < self.unread.pause => {
                let problem = format!(
                    "is {hard} bytes, which is less than `unread_limit` ({} bytes)",
                    self.unread.pause
                );
                Err(Error::option("unread_hard_limit", problem))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(options: &Options) -> Option<String> {
        match options.command_line() {
            Err(Error::Option { option, problem }) => Some(format!("{option} {problem}")),
            _ => None,
        }
    }

    #[test]
    fn no_limit_at_all_is_refused_by_name() {
        for bytes in [usize::MAX, usize::MAX / 2, isize::MAX as usize, UNLIMITED] {
            let said = problem(&Options::new().unread_limit(bytes)).unwrap_or_default();
            assert!(said.starts_with("unread_limit is "), "{said}");
            let said = problem(&Options::new().unread_hard_limit(bytes)).unwrap_or_default();
            assert!(said.starts_with("unread_hard_limit is "), "{said}");
        }
        assert_eq!(problem(&Options::new().unread_limit(UNLIMITED - 1)), None);
    }

    #[test]
    fn the_hard_limit_is_never_below_the_other() {
        let limits = Options::new().unread_limit(100 * MIB).unread_limits();
        assert_eq!((limits.pause, limits.hard), (100 * MIB, 100 * MIB));
        let limits = Options::new().unread_limit(1).unread_limits();
        assert_eq!((limits.pause, limits.hard), (1, 64 * MIB));
        let both = Options::new().unread_limit(2).unread_hard_limit(1);
        let said = problem(&both).unwrap_or_default();
        assert!(
            said.contains("less than `unread_limit` (2 bytes)"),
            "{said}"
        );
    }
}
