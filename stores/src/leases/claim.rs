//! The claim of a session, which is valid during its lease.

use crate::session_log::LeaseClock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The interval at which the clock is checked. Timers of the runtime stop while the machine is
/// suspended, but the clock does not.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The timeout of releasing a claim.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// The outcome of [`LeasedStore::claim`](crate::LeasedStore::claim).
#[derive(Debug)]
#[non_exhaustive]
pub enum Claimed {
    /// This host owns the session.
    Acquired(Claim),
    /// Another host owns the session.
    OwnedElsewhere {
        /// The time until the other host's lease expires if it is not renewed. [`Duration::MAX`] if
        /// it does not expire.
        expires_in: Duration,
    },
}

/// The ownership of a session by this host, which is valid during its lease. The store renews the
/// lease with the [`ClaimRenewer`]. Dropping the claim releases the session.
#[derive(Debug)]
pub struct Claim {
    shared: Arc<Shared>,
    changes: watch::Receiver<()>,
    store_done: CancellationToken,
    /// Notifies the renewer when the claim is dropped.
    _released: DropGuard,
}

/// The store's end of a [`Claim`]. The store drops it after it has released the session.
#[derive(Debug)]
pub struct ClaimRenewer {
    shared: Arc<Shared>,
    notify: watch::Sender<()>,
    released: CancellationToken,
    _store_done: DropGuard,
}

#[derive(Debug)]
struct Shared {
    clock: LeaseClock,
    /// The end of the lease in milliseconds of the clock. Zero after the lease has expired.
    until: AtomicU64,
}

impl Shared {
    /// Returns the remaining time. An expired lease stays expired.
    fn remaining(&self) -> Duration {
        let until = self.until.load(Ordering::Relaxed);
        let remaining = Duration::from_millis(until).saturating_sub(self.clock.now());
        if remaining.is_zero() {
            self.until.store(0, Ordering::Relaxed);
        }
        remaining
    }
}

impl Claim {
    /// Creates a claim that is valid until this time of the clock.
    #[must_use]
    pub fn new(clock: LeaseClock, until: Duration) -> (ClaimRenewer, Self) {
        let shared = Arc::new(Shared {
            clock,
            until: AtomicU64::new(milliseconds(until)),
        });
        let (notify, changes) = watch::channel(());
        let (released, store_done) = (CancellationToken::new(), CancellationToken::new());
        let renewer = ClaimRenewer {
            shared: Arc::clone(&shared),
            notify,
            released: released.clone(),
            _store_done: store_done.clone().drop_guard(),
        };
        let claim = Self {
            shared,
            changes,
            store_done,
            _released: released.drop_guard(),
        };
        (renewer, claim)
    }

    /// Returns whether this host owns the session. After this was `false`, it stays `false`.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        !self.shared.remaining().is_zero()
    }

    /// Returns the remaining time of the lease.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.shared.remaining()
    }

    /// Returns an observer of later renewals.
    pub(super) fn watch(&self) -> Watch {
        let mut changes = self.changes.clone();
        changes.mark_unchanged();
        Watch {
            shared: Arc::clone(&self.shared),
            changes,
        }
    }

    /// Waits until this host no longer owns the session. This is cancel safe.
    pub async fn lost(&mut self) {
        while self.renewed().await.is_some() {}
    }

    /// Waits for the next renewal and returns the remaining time. Returns `None` if this host no
    /// longer owns the session. This is cancel safe.
    pub async fn renewed(&mut self) -> Option<Duration> {
        renewed(&self.shared, &mut self.changes).await
    }

    /// Releases the session, and waits up to five seconds until the store has recorded it.
    pub async fn release(self) {
        let store_done = self.store_done.clone();
        drop(self);
        let _ = timeout(RELEASE_TIMEOUT, store_done.cancelled()).await;
    }
}

/// An observer of a claim.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    changes: watch::Receiver<()>,
}

impl Watch {
    /// Waits for the next renewal. See [`Claim::renewed`].
    pub(super) async fn renewed(mut self) -> Option<Duration> {
        renewed(&self.shared, &mut self.changes).await
    }
}

async fn renewed(shared: &Shared, changes: &mut watch::Receiver<()>) -> Option<Duration> {
    loop {
        let remaining = shared.remaining();
        if remaining.is_zero() {
            return None;
        }
        tokio::select! {
            () = sleep(remaining.min(CHECK_INTERVAL)) => {}
            Ok(()) = changes.changed() => {
                return Some(shared.remaining()).filter(|remaining| !remaining.is_zero());
            }
        }
    }
}

impl ClaimRenewer {
    /// Extends the lease until this time of the clock. Has no effect after the lease has expired.
    pub fn renew(&self, until: Duration) {
        let until = milliseconds(until);
        // Zero means that the lease has expired.
        let renew = |old: u64| (old > 0).then_some(old.max(until));
        let relaxed = Ordering::Relaxed;
        let _ = self.shared.until.fetch_update(relaxed, relaxed, renew);
        self.notify.send_replace(());
    }

    /// Ends the claim, because another host owns the session.
    pub fn revoke(&self) {
        self.shared.until.store(0, Ordering::Relaxed);
        self.notify.send_replace(());
    }

    /// Waits until the host releases the session. This is cancel safe.
    pub async fn released(&self) {
        self.released.cancelled().await;
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    /// Returns the time of the runtime's clock, which is paused in tests.
    fn now() -> Duration {
        thread_local!(static START: Instant = Instant::now());
        START.with(Instant::elapsed)
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_expires_permanently_without_renewal() {
        let second = Duration::from_secs(1);
        let (renewer, mut claim) = Claim::new(LeaseClock::new(now), now() + second);
        assert!(claim.is_valid());
        assert!(timeout(second / 2, claim.lost()).await.is_err());
        renewer.renew(now() + second);
        assert!(timeout(second * 9 / 10, claim.lost()).await.is_err());
        assert!(timeout(second, claim.lost()).await.is_ok());
        renewer.renew(now() + second);
        assert!(!claim.is_valid());
        assert!(claim.remaining().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn an_observer_is_notified_of_each_renewal_once() {
        let second = Duration::from_secs(1);
        let (renewer, claim) = Claim::new(LeaseClock::new(now), now() + second * 100);
        renewer.renew(now() + second * 200);
        assert!(timeout(second, claim.watch().renewed()).await.is_err());
        let renew = async {
            sleep(second).await;
            renewer.renew(now() + second * 300);
        };
        let (remaining, ()) = tokio::join!(claim.watch().renewed(), renew);
        assert!(remaining > Some(second * 200));
        assert!(timeout(second, claim.watch().renewed()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_revoked_claim_is_lost_at_once() {
        let second = Duration::from_secs(1);
        let (renewer, mut claim) = Claim::new(LeaseClock::new(now), now() + second * 100);
        let refuse = async {
            sleep(second).await;
            renewer.revoke();
        };
        let begun = Instant::now();
        tokio::join!(claim.lost(), refuse);
        assert_eq!(begun.elapsed(), second);
    }

    #[tokio::test(start_paused = true)]
    async fn releasing_a_claim_waits_for_the_store() {
        let second = Duration::from_secs(1);
        let (renewer, claim) = Claim::new(LeaseClock::new(now), now() + second);
        let store = async move {
            renewer.released().await;
            sleep(second).await;
        };
        let begun = Instant::now();
        tokio::join!(claim.release(), store);
        assert_eq!(begun.elapsed(), second);
        let (_unresponsive, claim) = Claim::new(LeaseClock::new(now), now() + second);
        let begun = Instant::now();
        claim.release().await;
        assert_eq!(begun.elapsed(), RELEASE_TIMEOUT);
    }
}
