//! Claiming logs, and the task that renews the lease and gives them back.

use super::held::Held;
use super::logs::{LogBacked, Owned, Refused, note};
use crate::session_log::{Head, LogKey, LogStore, NewBatch};
use crate::{Claim, ClaimKeeper, Claimed};
use agentwire::store::StoreError;
use serde_json::json;
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The longest pause between two looks at the clock, which runs while the machine is
/// suspended.
const LOOK: Duration = Duration::from_secs(1);

/// How long giving a log back may take.
const RELEASE: Duration = Duration::from_secs(5);

impl<S: LogStore> LogBacked<S> {
    pub(super) async fn claim_log(&self, session: LogKey) -> Result<Claimed, StoreError> {
        let Some(length) = self.lease else {
            return Err("this store has no leases".into());
        };
        let shared = self.owned(&session);
        let mut owned = shared.lock().await;
        if owned.held.as_ref().is_some_and(Held::is_kept) {
            // Another session of this program has it.
            let runs_out_in = Duration::MAX;
            return Ok(Claimed::Anothers { runs_out_in });
        }
        let end = match self.take_over(&session, &mut owned.watch).await? {
            Ok(end) => end,
            Err(Refused { left, .. }) => return Ok(Claimed::Anothers { runs_out_in: left }),
        };
        *owned = take(&mut *owned).claimed(end, Held::new(length));
        let first = note(json!({ "type": "owner", "pid": std::process::id() }));
        let appended = self.append_to(&session, &mut owned, vec![first]).await;
        if owned.lost.take().is_some() {
            let runs_out_in = length;
            return Ok(Claimed::Anothers { runs_out_in });
        }
        appended?;
        let until = owned.held.as_ref().and_then(|it| it.lease.valid_until());
        let Some(until) = until.filter(|until| self.clock.now() < *until) else {
            return Err("the store took longer than the lease is valid".into());
        };
        let (keeper, claim) = Claim::new(self.clock, until);
        let keeper = Arc::new(keeper);
        if let Some(held) = &mut owned.held {
            held.keep(&keeper);
        }
        let this = self.clone();
        tokio::spawn(async move { this.keep(session, keeper, length).await });
        Ok(Claimed::Yours(claim))
    }

    /// Renews the lease until the claim is given back, and then gives the log back.
    async fn keep(self, session: LogKey, keeper: Arc<ClaimKeeper>, length: Duration) {
        let owned = self.owned(&session);
        let renew = async {
            loop {
                let pause = self.renew(&session, &owned, length).await;
                sleep(pause.min(LOOK)).await;
            }
        };
        tokio::select! {
            () = renew => {}
            () = keeper.given_back() => {}
        }
        // Otherwise an append hangs, and the lease runs out.
        let _ = timeout(RELEASE, self.release(&session, &owned)).await;
        drop(keeper);
    }

    /// Gives the log back: the last token has no lease.
    async fn release(
        &self,
        session: &LogKey,
        owned: &tokio::sync::Mutex<Owned>,
    ) -> Result<(), StoreError> {
        let mut owned = owned.lock().await;
        let head = self.store.head(session).await?;
        let is_ours = |head: &Head| self.writer.has(&head.token) && !head.is_deleted;
        let Some(head) = head.filter(is_ours) else {
            return Ok(());
        };
        let summary = match (&owned.end, &owned.unsure) {
            (Some(end), None) => end.summary.clone(),
            _ => self.summary(session).await?,
        };
        (owned.end, owned.unsure) = (None, None);
        let token = self.writer.token(Some(&head));
        let entries = [note(json!({ "type": "released" }))];
        let mut batch = NewBatch::new(head.position, &token, &entries);
        batch.summary = summary.as_ref();
        self.store.append(session, &batch).await?;
        Ok(())
    }

    /// Renews the lease, if it is time. Returns when to look again.
    async fn renew(
        &self,
        session: &LogKey,
        owned: &tokio::sync::Mutex<Owned>,
        length: Duration,
    ) -> Duration {
        let mut owned = owned.lock().await;
        let Some(held) = owned.held.as_ref().filter(|_| owned.lost.is_none()) else {
            return LOOK;
        };
        let pause = held.lease.renew_at().saturating_sub(self.clock.now());
        if !pause.is_zero() {
            return pause;
        }
        let renewed = vec![note(json!({ "type": "renewed" }))];
        // A connection may hang, and the next attempt be made over another one.
        let renewed = self.append_to(session, &mut owned, renewed);
        match timeout(length / 4, renewed).await {
            Ok(Ok(())) => Duration::ZERO,
            Ok(Err(_)) | Err(_) => length / 24,
        }
    }
}
