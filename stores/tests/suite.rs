//! Tests that the conformance suite finds a deliberate bug in each of these stores.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[macro_use]
#[path = "common/faults.rs"]
mod common;

use agentwire::store::{StoreError, StoredSession};
use agentwire_protocol::{Json, Members};
use agentwire_stores::MemoryLog;
use agentwire_stores::session_log::{
    AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Summarized, Token,
};
use agentwire_testkit::stores::Conformance;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

faults! {
    /// Tokens are not checked.
    TokensIgnored,
    /// Writers with the same number are not distinguished.
    WritersIgnored,
    /// Positions are not checked.
    PositionsIgnored,
    /// A batch that is appended again is refused.
    RepeatRefused,
    /// A batch that is appended again is stored again.
    RepeatStored,
    /// Checking and appending are not atomic.
    CheckNotAtomic,
    /// The entries of a batch are stored one by one.
    BatchNotAtomic,
    /// A batch without entries takes the log over.
    EmptyBatchStored,
    /// Entries are reformatted without spaces.
    Rewritten,
    /// Numbers are read as floating point.
    Rounded,
    /// NUL characters are replaced.
    Replaced,
    /// The last of many entries is missing.
    Shortened,
    /// Entries are sorted by part.
    Sorted,
    /// All entries are of the main conversation.
    PartsForgotten,
    /// Keys are folded to lower case.
    CaseFolded,
    /// The name of a log is its project and session, joined with a slash.
    Joined,
    /// Projects are matched by prefix.
    ByPrefix,
    /// A deletion removes the end of the log, so that tokens can be used again.
    EndForgotten,
    /// A deletion needs no token.
    DeletedByAnyone,
    /// Deleted sessions are listed.
    DeletedListed,
    /// A batch without a summary does not remove the old one.
    OldSummaryKept,
    /// The time of a session is that of its first append.
    OldTimes,
    /// Reading includes the batch at the position.
    ReadFrom,
    /// Only the first page can be read.
    OnePage,
    /// A refusal does not contain the end of the log.
    NoHead,
    /// The numbers of tokens have only 63 bits.
    TokensFolded,
    /// A batch from before a deletion counts as stored.
    RepeatAfterDeletionAccepted,
}

struct Faulty {
    store: MemoryLog,
    fault: Fault,
    /// The tokens with which logs were deleted.
    spent: Mutex<Vec<(LogKey, Token)>>,
}

impl Faulty {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn has_spent(&self, session: &LogKey, token: &Token) -> bool {
        let spent = self.spent.lock().unwrap();
        spent.iter().any(|it| (&it.0, &it.1) == (session, token))
    }

    fn key(&self, session: &LogKey) -> LogKey {
        match self.fault {
            Fault::CaseFolded => LogKey::new(
                session.project.to_lowercase(),
                session.session_id.to_lowercase(),
            ),
            Fault::Joined => LogKey::new("", session.to_string()),
            _ => session.clone(),
        }
    }

    fn changed_entry(&self, entry: &Entry) -> Entry {
        let mut changed = entry.clone();
        let text = entry.json.get();
        match self.fault {
            Fault::Rewritten => {
                if let Ok(members) = entry.json.read::<Members>() {
                    changed.json = Json::from_value(&members).unwrap();
                }
            }
            Fault::Rounded => {
                if let Ok(value) = text.parse::<Json>().unwrap().to_value() {
                    changed.json = value.into();
                }
            }
            Fault::Replaced => changed.json = text.replace("\\u0000", "").parse().unwrap(),
            Fault::PartsForgotten => changed.part = Part::Main,
            _ => {}
        }
        changed
    }

    /// Appends to the current end of the log, without checks.
    async fn append_unchecked(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
        entries: &[Entry],
    ) -> Result<Position, AppendError> {
        let mut token = batch.token.clone();
        loop {
            let head = self
                .store
                .head(session)
                .await
                .map_err(AppendError::Failed)?;
            let after = head.as_ref().map_or(Position::START, |head| head.position);
            if let Some(head) = &head {
                token = match head.is_deleted {
                    true => Token::next(Some(head), &*batch.token.writer),
                    false => head.token.clone(),
                };
            }
            let mut again = NewBatch::new(after, &token, entries);
            again.summary = batch.summary;
            match self.store.append(session, &again).await {
                Err(AppendError::Refused(_)) => {}
                other => return other,
            }
        }
    }
}

impl LogStore for Faulty {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let session = &self.key(session);
        let mut entries: Vec<Entry> = batch
            .entries
            .iter()
            .map(|it| self.changed_entry(it))
            .collect();
        if self.has(Fault::Shortened) && entries.len() > 1000 {
            entries.pop();
        }
        if self.has(Fault::Sorted) {
            entries.sort_by(|one, other| one.part.cmp(&other.part));
        }
        let mut own = NewBatch::new(batch.after, batch.token, &entries);
        own.summary = batch.summary;
        let head = self
            .store
            .head(session)
            .await
            .map_err(AppendError::Failed)?;
        let end = head.as_ref().map_or(Position::START, |head| head.position);
        match self.fault {
            Fault::TokensIgnored if batch.after == end && !entries.is_empty() => {
                self.append_unchecked(session, batch, &entries).await
            }
            Fault::WritersIgnored => {
                let token = Token::new(batch.token.number, "anyone");
                let mut own = NewBatch::new(batch.after, &token, &entries);
                own.summary = batch.summary;
                self.store.append(session, &own).await
            }
            Fault::PositionsIgnored if head.as_ref().is_some_and(|it| it.token == *batch.token) => {
                self.append_unchecked(session, batch, &entries).await
            }
            Fault::RepeatRefused if batch.after != end && !entries.is_empty() => {
                Err(agentwire_stores::session_log::Refusal::new(head).into())
            }
            Fault::RepeatStored if batch.after < end => {
                match self.store.append(session, &own).await {
                    Ok(_) if !entries.is_empty() => {
                        self.append_unchecked(session, batch, &entries).await
                    }
                    other => other,
                }
            }
            Fault::CheckNotAtomic if !entries.is_empty() => {
                Head::admit(head.as_ref(), None, batch.after, batch.token)
                    .map(drop)
                    .or_else(|refusal| match batch.after < end {
                        true => Ok(()),
                        false => Err(refusal),
                    })?;
                if batch.after < end {
                    return self.store.append(session, &own).await;
                }
                tokio::task::yield_now().await;
                self.append_unchecked(session, batch, &entries).await
            }
            Fault::BatchNotAtomic if entries.len() > 1 && batch.after == end => {
                let mut after = batch.after;
                for entry in entries.chunks(1) {
                    let one = NewBatch::new(after, batch.token, entry);
                    after = self.store.append(session, &one).await?;
                    tokio::task::yield_now().await;
                }
                Ok(after)
            }
            Fault::EmptyBatchStored if entries.is_empty() && head.is_some() => {
                let nothing = [Entry::new(Part::Session, Json::null())];
                let own = NewBatch::new(end, batch.token, &nothing);
                let _ = self.store.append(session, &own).await;
                Ok(batch.after)
            }
            Fault::OldSummaryKept if batch.summary.is_none() => {
                let all = self.store.summaries(&session.project).await;
                let mut all = all.map_err(AppendError::Failed)?.into_iter();
                let last = all.find(|(it, _)| it.id == session.session_id);
                let last = last.and_then(|(_, summary)| summary.ok().flatten());
                own.summary = last.as_ref();
                self.store.append(session, &own).await
            }
            Fault::TokensFolded => {
                let number = batch.token.number & (u64::MAX / 2);
                let token = Token::new(number, &*batch.token.writer);
                let own = NewBatch::new(batch.after, &token, &entries);
                self.store.append(session, &own).await
            }
            Fault::RepeatAfterDeletionAccepted
                if head.as_ref().is_some_and(|head| !head.is_deleted)
                    && self.has_spent(session, batch.token) =>
            {
                Ok(end)
            }
            Fault::NoHead => {
                let kept = self.store.append(session, &own).await;
                kept.map_err(|error| match error {
                    AppendError::Refused(_) => {
                        agentwire_stores::session_log::Refusal::new(None).into()
                    }
                    other => other,
                })
            }
            _ => self.store.append(session, &own).await,
        }
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        self.store.head(&self.key(session)).await
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let after = match self.fault {
            Fault::ReadFrom => Position(after.0.saturating_sub(1)),
            _ => after,
        };
        let read = self.store.read(&self.key(session), after).await?;
        match self.fault {
            Fault::OnePage if after.0 >= 3 => Ok(Vec::new()),
            _ => Ok(read),
        }
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let mut found = match self.fault {
            Fault::CaseFolded => self.store.summaries(&project.to_lowercase()).await?,
            Fault::Joined => {
                let all = self.store.summaries("").await?.into_iter();
                let own = all.filter_map(|(it, summary)| {
                    let id = it.id.strip_prefix(project)?.strip_prefix('/')?;
                    Some((StoredSession::new(id, it.modified), summary))
                });
                own.collect()
            }
            Fault::ByPrefix => {
                let mut all = self.store.summaries(project).await?;
                for more in ["1", "1.s", "2"] {
                    all.extend(self.store.summaries(&format!("{project}{more}")).await?);
                }
                all
            }
            _ => self.store.summaries(project).await?,
        };
        if self.has(Fault::DeletedListed) {
            let session = LogKey::new(project, "session");
            let head = self.store.head(&session).await?;
            if head.is_some_and(|head| head.is_deleted) {
                found.push((StoredSession::new("session", SystemTime::now()), Ok(None)));
            }
        }
        if self.has(Fault::OldTimes) {
            for (session, _) in &mut found {
                session.modified -= Duration::from_secs(200_000);
            }
        }
        Ok(found)
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        self.store.parts(&self.key(session)).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let session = &self.key(session);
        let head = self
            .store
            .head(session)
            .await
            .map_err(AppendError::Failed)?;
        match self.fault {
            Fault::EndForgotten if head.is_some() => {
                self.store.delete(session, token).await?;
                // This has the effect of a missing log: earlier tokens can be used again.
                let entries = [Entry::new(Part::Session, Json::null())];
                let end = head.map_or(0, |head| head.position.0) + 1;
                let next = Token::new(token.number + 1, &*token.writer);
                let own = NewBatch::new(Position(end), &next, &entries);
                self.store.append(session, &own).await?;
                Ok(())
            }
            Fault::DeletedByAnyone => match head {
                Some(head) => self.store.delete(session, &head.token).await,
                None => Ok(()),
            },
            _ => {
                let spent = (session.clone(), token.clone());
                self.spent.lock().unwrap().push(spent);
                self.store.delete(session, token).await
            }
        }
    }
}

#[tokio::test]
async fn the_suite_finds_every_bug() {
    let mut unfound = Vec::new();
    for &fault in FAULTS {
        let store = Faulty {
            store: MemoryLog::new(),
            fault,
            spent: Mutex::default(),
        };
        let check = Conformance::default().many(2_000);
        let outcomes = check.limit(Duration::from_secs(20)).check(store).await;
        let found = outcomes.0.iter().find(|it| it.problem.is_some());
        match found {
            Some(found) => println!("{fault:?}: {}", found.contract),
            None => unfound.push(fault),
        }
    }
    assert!(unfound.is_empty(), "not found: {unfound:?}");
}
