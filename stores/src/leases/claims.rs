//! What this host has claimed in the session's store.

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

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(250);

/// How much earlier than the end of a lease an agent may be killed.
const EARLY: Duration = Duration::from_millis(500);

/// The claims of a session: of that which it began with, and of those that the agent has
/// begun in its place (`/clear`).
pub(super) struct Claims<S> {
    store: Store<S>,
    project: String,
    /// The last one is that of the session which the agent writes now.
    claimed: Vec<Session>,
    claiming: JoinSet<Option<(TranscriptKey, Claim)>>,
    asked: Vec<String>,
    is_over: bool,
}

/// A session that was claimed.
struct Session {
    key: TranscriptKey,
    claim: Claim,
    /// Resolves when the claim was renewed or is lost.
    changed: Boxed<'static, Option<Duration>>,
}

impl Session {
    fn new(key: TranscriptKey, claim: Claim) -> Self {
        Self {
            changed: Box::pin(claim.watch().changed()),
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
            asked: vec![],
            is_over: false,
        })
    }

    /// Whether nothing may be done for the session any more.
    pub(super) fn are_over(&mut self) -> bool {
        self.is_over |= self.claimed.iter().any(|it| !it.claim.is_valid());
        self.is_over
    }

    /// The agent has this session. If it is not claimed, it is a new one.
    pub(super) fn has(&mut self, id: &str) {
        let mut claimed = self.claimed.iter().map(|it| it.key.session_id());
        if claimed.any(|known| known == id) || self.asked.iter().any(|known| known == id) {
            return;
        }
        let session = match TranscriptKey::new(&self.project, id) {
            Ok(session) => session,
            // No store can have it either.
            Err(error) => {
                tracing::warn!(%error, "cannot claim a session");
                return;
            }
        };
        self.asked.push(id.to_owned());
        let store = self.store.clone();
        self.claiming.spawn(async move {
            let claim = claim(&store, &session, WhenOwned::Refuse).await;
            let claim = claim.inspect_err(|error| tracing::warn!(%error, "cannot claim a session"));
            Some((session, claim.ok()?))
        });
    }

    /// Returns how long the session is this host's, unless it is renewed.
    pub(super) fn remaining(&self) -> Duration {
        let last = self.claimed.last();
        last.map_or(Duration::ZERO, |it| it.claim.remaining())
    }

    /// The session that was claimed last.
    pub(super) fn session(&self) -> Option<&TranscriptKey> {
        Some(&self.claimed.last()?.key)
    }

    /// Waits until it is known whether the session is lost, after the agent was killed: the
    /// watchdog may have been a little earlier than this host's own clock.
    pub(super) async fn settle(&mut self) {
        if self.remaining() < EARLY {
            let _ = timeout(EARLY, poll_fn(|context| self.poll_changed(context))).await;
        }
    }

    /// Resolves when the claim was renewed, is lost, or could not be made.
    pub(super) fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.is_over {
            return Poll::Pending;
        }
        if let Poll::Ready(Some(outcome)) = self.claiming.poll_join_next(context) {
            match outcome {
                Ok(Some((key, claim))) => self.claimed.push(Session::new(key, claim)),
                _ => self.is_over = true,
            }
            return Poll::Ready(());
        }
        let Some(last) = self.claimed.last_mut() else {
            return Poll::Pending;
        };
        let remaining = std::task::ready!(last.changed.as_mut().poll(context));
        match remaining {
            Some(_) => last.changed = Box::pin(last.claim.watch().changed()),
            None => self.is_over = true,
        }
        Poll::Ready(())
    }

    /// Gives the sessions back.
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
    let mut least = Duration::MAX;
    loop {
        let claimed = store.claim(session).await;
        let remaining = match claimed.map_err(|failure| store.error("claim", session, failure))? {
            Claimed::Yours(claim) => return Ok(claim),
            Claimed::Anothers { runs_out_in } => runs_out_in,
        };
        // It was renewed, or does not run out.
        let is_alive = remaining > least || remaining == Duration::MAX;
        least = least.min(remaining);
        let waits = match when {
            WhenOwned::Wait(time) => begun.elapsed() < time || !is_alive,
            _ => false,
        };
        if !waits {
            return Err(Error::SessionOwned {
                session_id: session.session_id().to_owned(),
                owner: SessionOwner::Elsewhere,
            });
        }
        sleep(PAUSE.min(remaining)).await;
    }
}
