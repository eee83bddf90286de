//! Claims logs, and renews and releases the claims.

use super::claim::LeasedLog;
use super::logs::{LogBacked, Owned, OwnedElsewhere, note};
use crate::session_log::{Head, LogKey, LogStore, NewBatch};
use crate::{Claim, ClaimRenewer, Claimed};
use agentwire::store::StoreError;
use serde_json::json;
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The interval at which the clock is checked. Timers of the runtime stop while the machine is
/// suspended, but the clock does not.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The timeout of releasing a log.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

impl<S: LogStore> LogBacked<S> {
    pub(super) async fn claim_log(&self, session: LogKey) -> Result<Claimed, StoreError> {
        let Some(length) = self.lease else {
            return Err("the store has no leases (`LogBacked::leased`)".into());
        };
        let shared = self.owned(&session);
        let mut owned = shared.lock().await;
        if owned.claim.as_ref().is_some_and(LeasedLog::is_active) {
            // Another session of this process owns the log.
            let expires_in = Duration::MAX;
            return Ok(Claimed::OwnedElsewhere { expires_in });
        }
        let end = match self.take_over(&session, &mut owned.watch).await? {
            Ok(end) => end,
            Err(OwnedElsewhere { expires_in, .. }) => {
                return Ok(Claimed::OwnedElsewhere { expires_in });
            }
        };
        *owned = take(&mut *owned).claimed(end, LeasedLog::new(length));
        let owner = note(json!({ "type": "owner", "pid": std::process::id() }));
        let appended = self.append_to(&session, &mut owned, vec![owner]).await;
        if owned.refusal.take().is_some() {
            let expires_in = length;
            return Ok(Claimed::OwnedElsewhere { expires_in });
        }
        appended?;
        let until = owned.claim.as_ref().and_then(|it| it.lease.valid_until());
        let Some(until) = until.filter(|until| self.clock.now() < *until) else {
            return Err("the lease expired before the store responded".into());
        };
        let (renewer, claim) = Claim::new(self.clock, until);
        let renewer = Arc::new(renewer);
        if let Some(log_claim) = &mut owned.claim {
            log_claim.set_renewer(&renewer);
        }
        let this = self.clone();
        tokio::spawn(async move { this.renew_until_released(session, renewer, length).await });
        Ok(Claimed::Acquired(claim))
    }

    /// Renews the lease until the claim is released, and then releases the log.
    async fn renew_until_released(
        self,
        session: LogKey,
        renewer: Arc<ClaimRenewer>,
        length: Duration,
    ) {
        let owned = self.owned(&session);
        let renew = async {
            loop {
                let pause = self.renew(&session, &owned, length).await;
                sleep(pause.min(CHECK_INTERVAL)).await;
            }
        };
        tokio::select! {
            () = renew => {}
            () = renewer.released() => {}
        }
        // After a timeout, the lease expires without a release.
        let _ = timeout(RELEASE_TIMEOUT, self.release(&session, &owned)).await;
        drop(renewer);
    }

    /// Releases the log by appending with a token without a lease.
    async fn release(
        &self,
        session: &LogKey,
        owned: &tokio::sync::Mutex<Owned>,
    ) -> Result<(), StoreError> {
        let mut owned = owned.lock().await;
        let head = self.store.head(session).await?;
        let is_ours = |head: &Head| self.writer.issued(&head.token) && !head.is_deleted;
        let Some(head) = head.filter(is_ours) else {
            return Ok(());
        };
        let summary = match (&owned.end, &owned.unconfirmed) {
            (Some(end), None) => end.summary.clone(),
            _ => self.summary(session).await?,
        };
        (owned.end, owned.unconfirmed) = (None, None);
        let token = self.writer.token(Some(&head));
        let entries = [note(json!({ "type": "released" }))];
        let mut batch = NewBatch::new(head.position, &token, &entries);
        batch.summary = summary.as_ref();
        self.store.append(session, &batch).await?;
        Ok(())
    }

    /// Renews the lease if it is due. Returns the time until the next check.
    async fn renew(
        &self,
        session: &LogKey,
        owned: &tokio::sync::Mutex<Owned>,
        length: Duration,
    ) -> Duration {
        let mut owned = owned.lock().await;
        let Some(log_claim) = owned.claim.as_ref().filter(|_| owned.refusal.is_none()) else {
            return CHECK_INTERVAL;
        };
        let pause = log_claim.lease.renew_at().saturating_sub(self.clock.now());
        if !pause.is_zero() {
            return pause;
        }
        let renewed = vec![note(json!({ "type": "renewed" }))];
        // The timeout is short, so that a hanging connection leaves time to retry.
        let renewed = self.append_to(session, &mut owned, renewed);
        match timeout(length / 4, renewed).await {
            Ok(Ok(())) => Duration::ZERO,
            Ok(Err(_)) | Err(_) => length / 24,
        }
    }
}
