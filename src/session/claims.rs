//! What this host has claimed in the session's store.

use crate::event::Error;
use crate::ownership::{SessionOwner, WhenOwned};
use crate::store::{Claim, Claimed, Source, TranscriptKey};
use std::future::pending;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(250);

/// How much earlier than the end of a lease an agent may be killed.
const EARLY: Duration = Duration::from_millis(500);

/// The claims of a session: of that which it began with, and of those that the agent has
/// begun in its place (`/clear`).
#[derive(Debug, Default)]
pub(crate) struct Claims {
    /// The last one is that of the session which the agent writes now.
    claimed: Vec<(TranscriptKey, Claim)>,
    /// Where more are claimed.
    source: Option<(Source, String)>,
    claiming: JoinSet<Option<(TranscriptKey, Claim)>>,
    asked: Vec<String>,
    is_over: bool,
}

impl Claims {
    /// Claims a session, if its store has leases.
    pub(crate) async fn new(
        source: &Source,
        session: &TranscriptKey,
        when: WhenOwned,
    ) -> Result<Self, Error> {
        if source.store.lease().is_none() || when == WhenOwned::OpenAnyway {
            return Ok(Self::default());
        }
        let claim = claim(source, session, when).await?;
        Ok(Self {
            claimed: vec![(session.clone(), claim)],
            source: Some((source.clone(), session.project().to_owned())),
            ..Self::default()
        })
    }

    /// Whether nothing may be done for the session any more.
    pub(crate) fn are_over(&mut self) -> bool {
        self.is_over |= self.claimed.iter().any(|(_, claim)| !claim.is_valid());
        self.is_over
    }

    /// The agent has this session. If it is not claimed, it is a new one.
    pub(crate) fn has(&mut self, id: &str) {
        let Some((source, project)) = &self.source else {
            return;
        };
        let mut claimed = self.claimed.iter().map(|(session, _)| session.session_id());
        if claimed.any(|known| known == id) || self.asked.iter().any(|known| known == id) {
            return;
        }
        let session = match TranscriptKey::new(project, id) {
            Ok(session) => session,
            // No store can have it either.
            Err(error) => {
                tracing::warn!(%error, "cannot claim a session");
                return;
            }
        };
        self.asked.push(id.to_owned());
        let source = source.clone();
        self.claiming.spawn(async move {
            let claim = claim(&source, &session, WhenOwned::Refuse).await;
            let claim = claim.inspect_err(|error| tracing::warn!(%error, "cannot claim a session"));
            Some((session, claim.ok()?))
        });
    }

    /// Returns how long the session is this host's, unless it is renewed; `None` if it is not
    /// claimed.
    pub(crate) fn left(&self) -> Option<Duration> {
        let (_, claim) = self.claimed.last()?;
        Some(claim.left())
    }

    /// The session that was claimed last, and where.
    pub(crate) fn session(&self) -> Option<(&Source, TranscriptKey)> {
        let (source, _) = self.source.as_ref()?;
        let (session, _) = self.claimed.last()?;
        Some((source, session.clone()))
    }

    /// Whether nothing may be done for the session any more, after the agent was killed: what
    /// watches over it may have been a little earlier than this host's own clock.
    pub(crate) async fn settled(&mut self) -> bool {
        if self.left().is_some_and(|left| left < EARLY) {
            let _ = timeout(EARLY, self.changed()).await;
        }
        self.are_over()
    }

    /// Waits until the claim was renewed, is lost, or could not be made. Cancel safe.
    pub(crate) async fn changed(&mut self) {
        if self.source.is_some() && !self.is_over {
            let Self {
                claimed, claiming, ..
            } = self;
            let last = async {
                match claimed.last_mut() {
                    Some((_, claim)) => claim.changed().await,
                    None => pending().await,
                }
            };
            tokio::select! {
                left = last => self.is_over = left.is_none(),
                Some(outcome) = claiming.join_next() => match outcome {
                    Ok(Some(claim)) => self.claimed.push(claim),
                    _ => self.is_over = true,
                },
            }
            return;
        }
        pending::<()>().await;
    }

    /// Gives the sessions back.
    pub(crate) async fn release(&mut self) {
        self.claiming.shutdown().await;
        for (_, claim) in self.claimed.drain(..) {
            claim.release().await;
        }
    }
}

async fn claim(source: &Source, session: &TranscriptKey, when: WhenOwned) -> Result<Claim, Error> {
    let begun = Instant::now();
    let mut least = Duration::MAX;
    loop {
        let claimed = source.store.claim(session.clone(), source.limit).await;
        let left =
            match claimed.map_err(|failure| Error::session_store("claim", session, failure))? {
                Claimed::Yours(claim) => return Ok(claim),
                Claimed::Anothers { runs_out_in } => runs_out_in,
            };
        // It was renewed, or does not run out.
        let is_alive = left > least || left == Duration::MAX;
        least = least.min(left);
        let waits = match when {
            WhenOwned::Wait(time) => begun.elapsed() < time || !is_alive,
            WhenOwned::Refuse | WhenOwned::OpenAnyway => false,
        };
        if !waits {
            return Err(Error::SessionOwned {
                session_id: session.session_id().to_owned(),
                owner: SessionOwner::Elsewhere,
            });
        }
        sleep(PAUSE.min(left)).await;
    }
}
