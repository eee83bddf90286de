//! Leases: for how long a log is owned, by durations alone.
//!
//! An owner that is gone cannot give its log back, and one that was stopped does not
//! know how long. So a lease has a length: its owner counts it as over after three
//! quarters of it, from when it asked for the append that was kept last, and another host
//! after the whole, from when it first saw the log as it still is. Each counts on its own
//! clock; no two clocks are compared. As long as they run at the same speed, give or
//! take an eighth, a lease is never two hosts' at once.

use super::{Head, Position, Token};
use std::time::Duration;

/// What the owner of a log knows of its lease. A state machine without a clock: times
/// are those of the owner's [`LeaseClock`](super::LeaseClock).
#[derive(Debug, Clone)]
pub struct Lease {
    length: Duration,
    /// The append that is on its way, and when it was first asked for.
    asked: Option<(Position, Token, Duration)>,
    /// When the append was first asked for that was kept last.
    since: Option<Duration>,
    is_lost: bool,
}

impl Lease {
    /// Creates a lease that has not begun.
    #[must_use]
    pub fn new(length: Duration) -> Self {
        Self {
            length,
            asked: None,
            since: None,
            is_lost: false,
        }
    }

    /// Has to be called before each attempt to append. The same batch again counts from
    /// its first attempt, which may be the one that was kept.
    pub fn asks(&mut self, after: Position, token: &Token, now: Duration) {
        let is_again =
            |(position, of, _): &(Position, Token, Duration)| *position == after && of == token;
        if !self.asked.as_ref().is_some_and(is_again) {
            self.asked = Some((after, token.clone(), now));
        }
    }

    /// The append was kept, now or before: the lease begins, or is longer.
    pub fn kept(&mut self) {
        if let Some((.., asked)) = self.asked.take() {
            self.since = self.since.max(Some(asked));
        }
    }

    /// The log is another host's.
    pub fn lost(&mut self) {
        self.is_lost = true;
    }

    /// Returns until when the owner may act: three quarters of the lease. `None` if it
    /// has not begun, or the log is another host's.
    #[must_use]
    pub fn valid_until(&self) -> Option<Duration> {
        let since = self.since.filter(|_| !self.is_lost)?;
        Some(since.saturating_add(self.length - self.length / 4))
    }

    /// Whether the owner may act.
    #[must_use]
    pub fn is_valid(&self, now: Duration) -> bool {
        self.valid_until().is_some_and(|until| now < until)
    }

    /// Returns when the next append should be made at the latest: after a third of the
    /// lease, so that it may take some time.
    #[must_use]
    pub fn renew_at(&self) -> Duration {
        let since = self.since.unwrap_or_default();
        since.saturating_add(self.length / 3)
    }
}

/// What a host knows of a log that is another's. A state machine without a clock: times
/// are those of the host's [`LeaseClock`](super::LeaseClock).
#[derive(Debug, Clone, Default)]
pub struct LeaseWatch(Option<(Position, Token, Duration)>);

impl LeaseWatch {
    /// Has to be called with the end of the log, and the time after it was read. Returns
    /// how long the log must stay as it is until the lease has run out, zero if it has or
    /// the owner has none.
    pub fn see(&mut self, head: &Head, now: Duration) -> Duration {
        let (position, token) = (head.position, &head.token);
        let since = match &self.0 {
            Some((seen, of, since)) if *seen == position && of == token => *since,
            _ => now,
        };
        self.0 = Some((position, token.clone(), since));
        let length = token.lease().unwrap_or_default();
        since.saturating_add(length).saturating_sub(now)
    }
}

/// What is before the length of a lease in [`Token::writer`].
const LEASE: &str = ";lease=";

impl Token {
    /// Adds that the writer has a lease of this length, in milliseconds. It is noted in
    /// [`Token::writer`], so that the end of a log tells it.
    #[must_use]
    pub fn leased(self, length: Duration) -> Self {
        // What is not read again would be no lease.
        let milliseconds = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let writer = self
            .writer
            .split_once(LEASE)
            .map_or(&*self.writer, |it| it.0);
        Self::new(self.number, format!("{writer}{LEASE}{milliseconds}"))
    }

    /// Returns the length of the writer's lease; `None` if it has none. The log can be
    /// taken over at any time then.
    #[must_use]
    pub fn lease(&self) -> Option<Duration> {
        let (_, milliseconds) = self.writer.split_once(LEASE)?;
        milliseconds.parse().ok().map(Duration::from_millis)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
