//! Limits for slow consumers.

use super::Options;
use super::backpressure::{Backpressure, UnreadLimits};
use crate::event::Error;

/// Larger than any machine's memory, so such a limit is no limit.
#[cfg(target_pointer_width = "64")]
const UNLIMITED: usize = 1 << 40;
#[cfg(not(target_pointer_width = "64"))]
const UNLIMITED: usize = 1 << 31;

/// Limits for slow consumers.
impl Options {
    /// Sets how many bytes each stream of the session may have unread before reading pauses.
    /// Default: 8 MiB. The limit applies separately to the client's stream and each
    /// [`Subscription`](crate::Subscription), [`TextStream`](crate::TextStream) and
    /// [`Turn`](crate::Turn). Each event counts as its size plus 256 bytes.
    ///
    /// A limit of 1 TiB or more is an
    /// [`Error::Option`] when the session starts.
    pub fn unread_limit(mut self, bytes: usize) -> Self {
        self.unread.pause = bytes;
        self
    }

    /// Sets how many bytes a stream may have unread before its oldest events are discarded, with a
    /// [`Notice::Lagged`](crate::Notice::Lagged). Default: 64 MiB, or [`Options::unread_limit`] if
    /// that is more. A stream reaches it only if the session must continue reading while the stream
    /// is not read; see [`Backpressure::Pause`].
    ///
    /// A limit below [`Options::unread_limit`], or of 1 TiB or more, is an
    /// [`Error::Option`] when the session starts.
    pub fn unread_hard_limit(mut self, bytes: usize) -> Self {
        self.unread_hard_limit = Some(bytes);
        self
    }

    /// Sets the policy when a stream has more unread than [`Options::unread_limit`]. Default:
    /// [`Backpressure::Pause`].
    pub fn backpressure(mut self, backpressure: Backpressure) -> Self {
        self.backpressure = backpressure;
        self
    }

    /// Returns the effective limits.
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
                    "is {bytes} bytes, which is unlimited: an unread stream would use up all \
                     memory; set less than {UNLIMITED}"
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
    use super::super::backpressure::MIB;
    use super::*;

    fn problem(options: &Options) -> Option<String> {
        match options.command_line() {
            Err(Error::Option { option, problem }) => Some(format!("{option} {problem}")),
            _ => None,
        }
    }

    #[test]
    fn unlimited_unread_limits_are_refused() {
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
