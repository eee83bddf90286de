//! The claims of a running session.

use super::LeasedStore;
use super::claim::{Claim, Claimed};
use super::store::Store;
use agentwire::Error;
use agentwire::attachment::Boxed;
use agentwire::ownership::{SessionOwner, WhenOwned};
use agentwire::store::TranscriptKey;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// The interval between attempts to claim a session.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// The maximum time before the end of the lease at which the watchdog may kill the agent.
const WATCHDOG_TOLERANCE: Duration = Duration::from_millis(500);

/// The claims of a session: the claim with which it began, and the claims of sessions that the
/// agent began later (`/clear`).
pub(super) struct Claims<S> {
    store: Store<S>,
    project: String,
    /// The claimed sessions. The agent writes the last one.
    claimed: Vec<Session>,
    claiming: JoinSet<Option<(TranscriptKey, Claim)>>,
    requested: Vec<String>,
    is_lost: bool,
}

/// A claimed session.
struct Session {
    key: TranscriptKey,
    claim: Claim,
    /// A future that resolves when the claim is renewed or lost.
    changed: Boxed<'static, Option<Duration>>,
}

impl Session {
    fn new(key: TranscriptKey, claim: Claim) -> Self {
        Self {
            changed: Box::pin(claim.watch().renewed()),
            key,
            claim,
        }
    }
}

impl<S> fmt::Debug for Claims<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claims").finish_non_exhaustive()
    }
}

impl<S: LeasedStore> Claims<S> {
    /// Claims a session.
    pub(super) async fn new(
        store: &Store<S>,
        session: &TranscriptKey,
        when: WhenOwned,
    ) -> Result<Self, Error> {
        let claim = claim(store, session, when).await?;
        Ok(Self {
            store: store.clone(),
            project: session.project().to_owned(),
            claimed: vec![Session::new(session.clone(), claim)],
            claiming: JoinSet::new(),
            requested: vec![],
            is_lost: false,
        })
    }

    /// Returns whether a claim is lost. The session must then do nothing any more.
    pub(super) fn are_lost(&mut self) -> bool {
        self.is_lost |= self.claimed.iter().any(|it| !it.claim.is_valid());
        self.is_lost
    }

    /// Claims a session of the agent, unless it is already claimed.
    pub(super) fn claim_if_new(&mut self, id: &str) {
        let mut claimed = self.claimed.iter().map(|it| it.key.session_id());
        if claimed.any(|other_id| other_id == id)
            || self.requested.iter().any(|other_id| other_id == id)
        {
            return;
        }
        let session = match TranscriptKey::new(&self.project, id) {
            Ok(session) => session,
            // Entries with an invalid key cannot be stored.
            Err(error) => {
                tracing::warn!(%error, "cannot claim a session");
                return;
            }
        };
        self.requested.push(id.to_owned());
        let store = self.store.clone();
        self.claiming.spawn(async move {
            let claim = claim(&store, &session, WhenOwned::Refuse).await;
            let claim = claim.inspect_err(|error| tracing::warn!(%error, "cannot claim a session"));
            Some((session, claim.ok()?))
        });
    }

    /// Returns the remaining time of the current session's lease.
    pub(super) fn remaining(&self) -> Duration {
        let last = self.claimed.last();
        last.map_or(Duration::ZERO, |it| it.claim.remaining())
    }

    /// Returns the session that was claimed last.
    pub(super) fn session(&self) -> Option<&TranscriptKey> {
        Some(&self.claimed.last()?.key)
    }

    /// Waits until an expiring lease is renewed or lost. The watchdog may kill the agent before
    /// the lease expires by this host's clock.
    pub(super) async fn await_expiry(&mut self) {
        if self.remaining() < WATCHDOG_TOLERANCE {
            let _ = timeout(
                WATCHDOG_TOLERANCE,
                poll_fn(|context| self.poll_changed(context)),
            )
            .await;
        }
    }

    /// Resolves when a claim was made, renewed or lost, or when an attempt to claim failed.
    pub(super) fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.is_lost {
            return Poll::Pending;
        }
        if let Poll::Ready(Some(outcome)) = self.claiming.poll_join_next(context) {
            match outcome {
                Ok(Some((key, claim))) => self.claimed.push(Session::new(key, claim)),
                _ => self.is_lost = true,
            }
            return Poll::Ready(());
        }
        let Some(last) = self.claimed.last_mut() else {
            return Poll::Pending;
        };
        let remaining = std::task::ready!(last.changed.as_mut().poll(context));
        match remaining {
            Some(_) => last.changed = Box::pin(last.claim.watch().renewed()),
            None => self.is_lost = true,
        }
        Poll::Ready(())
    }

    /// Releases all sessions.
    pub(super) async fn release(&mut self) {
        self.claiming.shutdown().await;
        for session in self.claimed.drain(..) {
            session.claim.release().await;
        }
    }
}

async fn claim<S: LeasedStore>(
    store: &Store<S>,
    session: &TranscriptKey,
    when: WhenOwned,
) -> Result<Claim, Error> {
    let begun = Instant::now();
    let mut shortest = Duration::MAX;
    loop {
        let claimed = store.claim(session).await;
        let remaining = match claimed.map_err(|failure| store.error("claim", session, failure))? {
            Claimed::Acquired(claim) => return Ok(claim),
            Claimed::OwnedElsewhere { expires_in } => expires_in,
        };
        // The owner renews its lease, or its lease does not expire.
        let is_renewed = remaining > shortest || remaining == Duration::MAX;
        shortest = shortest.min(remaining);
        let may_wait = match when {
            WhenOwned::Wait(time) => begun.elapsed() < time || !is_renewed,
            _ => false,
        };
        if !may_wait {
            return Err(Error::SessionOwned {
                session_id: session.session_id().to_owned(),
                owner: SessionOwner::Elsewhere,
            });
        }
        sleep(RETRY_INTERVAL.min(remaining)).await;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::session_log::LeaseClock;
    use crate::{LogBacked, MemoryLog};
    use std::sync::Arc;

    /// Returns the time of the runtime's clock, which is paused in tests.
    fn now() -> Duration {
        thread_local!(static START: Instant = Instant::now());
        START.with(Instant::elapsed)
    }

    /// Checks that an expiring claim is awaited, because the watchdog may kill the agent before the
    /// lease expires by the host's clock.
    #[tokio::test(start_paused = true)]
    async fn an_expiring_claim_is_awaited_after_the_agent_was_killed() {
        let (_renewer, claim) = Claim::new(LeaseClock::new(now), now() + WATCHDOG_TOLERANCE / 2);
        let second = Duration::from_secs(1);
        let store = Arc::new(LogBacked::new(MemoryLog::new()));
        let session = TranscriptKey::new("project", "session").unwrap();
        let mut claims = Claims {
            store: Store::new(&store, second, second),
            project: session.project().to_owned(),
            claimed: vec![Session::new(session, claim)],
            claiming: JoinSet::new(),
            requested: vec![],
            is_lost: false,
        };
        assert!(!claims.are_lost());
        claims.await_expiry().await;
        assert!(claims.are_lost());
    }
}
