//! The claim of a session in a store whose owners have leases.

use crate::session_log::LeaseClock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The longest pause between two looks at the clock. A timer of the runtime does not run
/// while the machine is suspended.
const LOOK: Duration = Duration::from_secs(1);

/// How long a store may take to give a session back.
const RELEASE: Duration = Duration::from_secs(5);

/// The response of [`LeasedStore::claim`](crate::LeasedStore::claim).
#[derive(Debug)]
#[non_exhaustive]
pub enum Claimed {
    /// The session is this host's.
    Yours(Claim),
    /// Another host has it.
    Anothers {
        /// After which time it counts as given up, if its owner shows no sign of life;
        /// [`Duration::MAX`] if it does not run out.
        runs_out_in: Duration,
    },
}

/// A session that this host has as long as a lease is valid. The store renews it, with the
/// [`ClaimKeeper`]. It is given back when this is dropped.
#[derive(Debug)]
pub struct Claim {
    shared: Arc<Shared>,
    changes: watch::Receiver<()>,
    kept: CancellationToken,
    /// Tells the keeper when this is dropped.
    _given_back: DropGuard,
}

/// The store's end of a [`Claim`]. When it is dropped, the session can be another host's.
#[derive(Debug)]
pub struct ClaimKeeper {
    shared: Arc<Shared>,
    tell: watch::Sender<()>,
    given_back: CancellationToken,
    _kept: DropGuard,
}

#[derive(Debug)]
struct Shared {
    clock: LeaseClock,
    /// In milliseconds of the clock; zero once it is over.
    until: AtomicU64,
}

impl Shared {
    /// Returns how long the lease is valid. Once it was seen to be over, it is over.
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
    pub fn new(clock: LeaseClock, until: Duration) -> (ClaimKeeper, Self) {
        let shared = Arc::new(Shared {
            clock,
            until: AtomicU64::new(milliseconds(until)),
        });
        let (tell, changes) = watch::channel(());
        let (given_back, kept) = (CancellationToken::new(), CancellationToken::new());
        let keeper = ClaimKeeper {
            shared: Arc::clone(&shared),
            tell,
            given_back: given_back.clone(),
            _kept: kept.clone().drop_guard(),
        };
        let claim = Self {
            shared,
            changes,
            kept,
            _given_back: given_back.drop_guard(),
        };
        (keeper, claim)
    }

    /// Whether the session is this host's now. Once it is not, it never is again.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        !self.shared.remaining().is_zero()
    }

    /// Returns how long it stays valid, unless it is renewed.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.shared.remaining()
    }

    /// Returns another observer of this claim, for what changes from now on.
    pub(super) fn watch(&self) -> Watch {
        let mut changes = self.changes.clone();
        changes.mark_unchanged();
        Watch {
            shared: Arc::clone(&self.shared),
            changes,
        }
    }

    /// Waits until the session is not this host's any more. Cancel safe.
    pub async fn lost(&mut self) {
        while self.changed().await.is_some() {}
    }

    /// Waits until it was renewed, and returns how long it is valid then; `None` if the
    /// session is not this host's any more. Cancel safe.
    pub async fn changed(&mut self) -> Option<Duration> {
        changed(&self.shared, &mut self.changes).await
    }

    /// Gives the session back, and waits until the store has noted that, for five seconds
    /// at most.
    pub async fn release(self) {
        let kept = self.kept.clone();
        drop(self);
        let _ = timeout(RELEASE, kept.cancelled()).await;
    }
}

/// An observer of a claim.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    changes: watch::Receiver<()>,
}

impl Watch {
    /// As [`Claim::changed`].
    pub(super) async fn changed(mut self) -> Option<Duration> {
        changed(&self.shared, &mut self.changes).await
    }
}

async fn changed(shared: &Shared, changes: &mut watch::Receiver<()>) -> Option<Duration> {
    loop {
        let remaining = shared.remaining();
        if remaining.is_zero() {
            return None;
        }
        tokio::select! {
            () = sleep(remaining.min(LOOK)) => {}
            Ok(()) = changes.changed() => {
                return Some(shared.remaining()).filter(|remaining| !remaining.is_zero());
            }
        }
    }
}

impl ClaimKeeper {
    /// The lease was renewed, and is valid until this time of the clock.
    pub fn renew(&self, until: Duration) {
        let until = milliseconds(until);
        // What is over stays over.
        let renew = |old: u64| (old > 0).then_some(old.max(until));
        let relaxed = Ordering::Relaxed;
        let _ = self.shared.until.fetch_update(relaxed, relaxed, renew);
        self.tell.send_replace(());
    }

    /// The session is not this host's any more.
    pub fn lose(&self) {
        self.shared.until.store(0, Ordering::Relaxed);
        self.tell.send_replace(());
    }

    /// Waits until the host gives the session back. Cancel safe.
    pub async fn given_back(&self) {
        self.given_back.cancelled().await;
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    /// The runtime's clock, which the tests move.
    fn now() -> Duration {
        thread_local!(static START: Instant = Instant::now());
        START.with(Instant::elapsed)
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_is_lost_when_it_is_not_renewed_and_then_for_ever() {
        let second = Duration::from_secs(1);
        let (keeper, mut claim) = Claim::new(LeaseClock::new(now), now() + second);
        assert!(claim.is_valid());
        assert!(timeout(second / 2, claim.lost()).await.is_err());
        keeper.renew(now() + second);
        assert!(timeout(second * 9 / 10, claim.lost()).await.is_err());
        assert!(timeout(second, claim.lost()).await.is_ok());
        keeper.renew(now() + second);
        assert!(!claim.is_valid());
        assert!(claim.remaining().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn an_observer_is_told_of_each_renewal_once() {
        let second = Duration::from_secs(1);
        let (keeper, claim) = Claim::new(LeaseClock::new(now), now() + second * 100);
        keeper.renew(now() + second * 200);
        assert!(timeout(second, claim.watch().changed()).await.is_err());
        let renew = async {
            sleep(second).await;
            keeper.renew(now() + second * 300);
        };
        let (remaining, ()) = tokio::join!(claim.watch().changed(), renew);
        assert!(remaining > Some(second * 200));
        assert!(timeout(second, claim.watch().changed()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_that_the_store_refuses_is_lost_at_once() {
        let second = Duration::from_secs(1);
        let (keeper, mut claim) = Claim::new(LeaseClock::new(now), now() + second * 100);
        let refuse = async {
            sleep(second).await;
            keeper.lose();
        };
        let begun = Instant::now();
        tokio::join!(claim.lost(), refuse);
        assert_eq!(begun.elapsed(), second);
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_is_released_when_the_keeper_is_done() {
        let second = Duration::from_secs(1);
        let (keeper, claim) = Claim::new(LeaseClock::new(now), now() + second);
        let store = async move {
            keeper.given_back().await;
            sleep(second).await;
        };
        let begun = Instant::now();
        tokio::join!(claim.release(), store);
        assert_eq!(begun.elapsed(), second);
        let (_hanging, claim) = Claim::new(LeaseClock::new(now), now() + second);
        let begun = Instant::now();
        claim.release().await;
        assert_eq!(begun.elapsed(), RELEASE);
    }
}
