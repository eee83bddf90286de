//! Leases, which limit the ownership of logs.
//!
//! An owner that has crashed cannot release its log, and an owner that was stopped does not know
//! for how long. Therefore a lease limits ownership. The owner counts three quarters of the lease's
//! length from the start of its last stored append. Another host counts the whole length from the
//! first time it read the current end of the log. Each host uses its own clock, and clocks are
//! never compared. If the speeds of the clocks differ by less than an eighth, a lease never has two
//! owners.

use super::{Head, Position, Token};
use std::time::Duration;

/// The owner's view of its lease. It has no clock: the owner passes the times of its
/// [`LeaseClock`](super::LeaseClock).
#[derive(Debug, Clone)]
pub struct Lease {
    length: Duration,
    /// The append in flight, and the time of its first attempt.
    attempt: Option<(Position, Token, Duration)>,
    /// The time of the first attempt of the append that was stored last.
    since: Option<Duration>,
    is_revoked: bool,
}

impl Lease {
    /// Creates a lease that has not begun.
    #[must_use]
    pub fn new(length: Duration) -> Self {
        Self {
            length,
            attempt: None,
            since: None,
            is_revoked: false,
        }
    }

    /// Records an attempt to append. Must be called before each attempt. The time of a repeated
    /// batch is that of its first attempt, which may have succeeded.
    pub fn append_started(&mut self, after: Position, token: &Token, now: Duration) {
        let is_repeated = |(position, previous, _): &(Position, Token, Duration)| {
            *position == after && previous == token
        };
        if !self.attempt.as_ref().is_some_and(is_repeated) {
            self.attempt = Some((after, token.clone(), now));
        }
    }

    /// Starts or extends the lease, because the append was stored, now or earlier.
    pub fn append_stored(&mut self) {
        if let Some((.., attempt)) = self.attempt.take() {
            self.since = self.since.max(Some(attempt));
        }
    }

    /// Ends the lease, because another host owns the log.
    pub fn revoke(&mut self) {
        self.is_revoked = true;
    }

    /// Returns the time until which the owner may act, which is three quarters of the lease.
    /// Returns `None` if the lease has not begun or was revoked.
    #[must_use]
    pub fn valid_until(&self) -> Option<Duration> {
        let since = self.since.filter(|_| !self.is_revoked)?;
        Some(since.saturating_add(self.length - self.length / 4))
    }

    /// Returns whether the owner may act.
    #[must_use]
    pub fn is_valid(&self, now: Duration) -> bool {
        self.valid_until().is_some_and(|until| now < until)
    }

    /// Returns the time at which the lease should be renewed, which is after a third of its length.
    #[must_use]
    pub fn renew_at(&self) -> Duration {
        let since = self.since.unwrap_or_default();
        since.saturating_add(self.length / 3)
    }
}

/// Another host's view of a lease. It has no clock: the host passes the times of its
/// [`LeaseClock`](super::LeaseClock).
#[derive(Debug, Clone, Default)]
pub struct LeaseWatch(Option<(Position, Token, Duration)>);

impl LeaseWatch {
    /// Records the end of the log, and the time after the end was read. Returns the time until the
    /// lease expires if nothing is appended. Returns zero if the lease has expired or the owner has
    /// none.
    pub fn observe(&mut self, head: &Head, now: Duration) -> Duration {
        let (position, token) = (head.position, &head.token);
        let since = match &self.0 {
            Some((observed, previous, since)) if *observed == position && previous == token => {
                *since
            }
            _ => now,
        };
        self.0 = Some((position, token.clone(), since));
        let length = token.lease().unwrap_or_default();
        since.saturating_add(length).saturating_sub(now)
    }
}

/// The separator before the length of the lease in [`Token::writer`].
const LEASE: &str = ";lease=";

impl Token {
    /// Adds a lease of this length to the token. The length in milliseconds is part of
    /// [`Token::writer`], so that it can be read from the end of a log.
    #[must_use]
    pub fn leased(self, length: Duration) -> Self {
        // A number that is too large to parse would mean that there is no lease.
        let milliseconds = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let writer = self
            .writer
            .split_once(LEASE)
            .map_or(&*self.writer, |it| it.0);
        Self::new(self.number, format!("{writer}{LEASE}{milliseconds}"))
    }

    /// Returns the length of the writer's lease. Returns `None` if the writer has none. The log can
    /// then be taken over at any time.
    #[must_use]
    pub fn lease(&self) -> Option<Duration> {
        let (_, milliseconds) = self.writer.split_once(LEASE)?;
        milliseconds.parse().ok().map(Duration::from_millis)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
