//! The conformance suite finds stores that are wrong: each has one fault on purpose.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use agentwire::store::{StoreError, StoredSession};
use agentwire_protocol::{Json, Members};
use agentwire_stores::MemoryLog;
use agentwire_stores::session_log::{
    AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Summarized, Token,
};
use agentwire_testkit::stores::Conformance;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

/// What is wrong with a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Any token appends at the end of a log.
    TokensIgnored,
    /// Writers with the same number are taken for one.
    WritersIgnored,
    /// A batch goes behind the end, whatever position it names.
    PositionsIgnored,
    /// A batch that is appended again is refused.
    AgainRefused,
    /// A batch that is appended again is kept again.
    AgainKept,
    /// Position and token are checked before another step keeps the batch.
    CheckedBefore,
    /// The entries of a batch are kept one by one.
    NotAtOnce,
    /// A batch without entries takes the log over.
    NothingKept,
    /// Entries are read and written again, without their spaces.
    Rewritten,
    /// Numbers are read as floating point.
    Rounded,
    /// What cannot be text is replaced.
    Replaced,
    /// The last of many entries is missing.
    Shortened,
    /// Entries come back by part.
    Sorted,
    /// All entries are of the main conversation.
    PartsForgotten,
    /// Keys are folded to lower case.
    CaseFolded,
    /// A project and a session are joined with a slash.
    Joined,
    /// Projects are found by how they begin.
    ByPrefix,
    /// A deletion leaves nothing, so that tokens are good again.
    Forgotten,
    /// A deletion needs no token.
    DeletedByAnyone,
    /// Deleted sessions are listed.
    DeletedListed,
    /// A summary stays when a batch has none.
    SummaryKept,
    /// Times are those of the first append by an hour's clock.
    OldTimes,
    /// A reader gets the batch again that it named.
    ReadFrom,
    /// A reader gets only the first page.
    OnePage,
    /// The refusal says nothing of the owner.
    NoHead,
    /// The numbers of tokens have 63 bits.
    TokensFolded,
    /// A batch from before a deletion counts as kept.
    AgainAfterDeletion,
}

const FAULTS: [Fault; 27] = [
    Fault::TokensIgnored,
    Fault::WritersIgnored,
    Fault::PositionsIgnored,
    Fault::AgainRefused,
    Fault::AgainKept,
    Fault::CheckedBefore,
    Fault::NotAtOnce,
    Fault::NothingKept,
    Fault::Rewritten,
    Fault::Rounded,
    Fault::Replaced,
    Fault::Shortened,
    Fault::Sorted,
    Fault::PartsForgotten,
    Fault::CaseFolded,
    Fault::Joined,
    Fault::ByPrefix,
    Fault::Forgotten,
    Fault::DeletedByAnyone,
    Fault::DeletedListed,
    Fault::SummaryKept,
    Fault::OldTimes,
    Fault::ReadFrom,
    Fault::OnePage,
    Fault::NoHead,
    Fault::TokensFolded,
    Fault::AgainAfterDeletion,
];

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

    fn kept(&self, entry: &Entry) -> Entry {
        let mut kept = entry.clone();
        let text = entry.json.get();
        match self.fault {
            Fault::Rewritten => {
                if let Ok(members) = entry.json.read::<Members>() {
                    kept.json = Json::from_value(&members).unwrap();
                }
            }
            Fault::Rounded => {
                if let Ok(value) = text.parse::<Json>().unwrap().to_value() {
                    kept.json = value.into();
                }
            }
            Fault::Replaced => kept.json = text.replace("\\u0000", "").parse().unwrap(),
            Fault::PartsForgotten => kept.part = Part::Main,
            _ => {}
        }
        kept
    }

    /// The end of a log as the writer wants it to be, for a store that does not look.
    async fn blind(
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
        let mut entries: Vec<Entry> = batch.entries.iter().map(|it| self.kept(it)).collect();
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
                self.blind(session, batch, &entries).await
            }
            Fault::WritersIgnored => {
                let token = Token::new(batch.token.number, "anyone");
                let mut own = NewBatch::new(batch.after, &token, &entries);
                own.summary = batch.summary;
                self.store.append(session, &own).await
            }
            Fault::PositionsIgnored if head.as_ref().is_some_and(|it| it.token == *batch.token) => {
                self.blind(session, batch, &entries).await
            }
            Fault::AgainRefused if batch.after != end && !entries.is_empty() => {
                Err(agentwire_stores::session_log::Refusal::new(head).into())
            }
            Fault::AgainKept if batch.after < end => match self.store.append(session, &own).await {
                Ok(_) if !entries.is_empty() => self.blind(session, batch, &entries).await,
                other => other,
            },
            Fault::CheckedBefore if !entries.is_empty() => {
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
                self.blind(session, batch, &entries).await
            }
            Fault::NotAtOnce if entries.len() > 1 && batch.after == end => {
                let mut after = batch.after;
                for entry in entries.chunks(1) {
                    let one = NewBatch::new(after, batch.token, entry);
                    after = self.store.append(session, &one).await?;
                    tokio::task::yield_now().await;
                }
                Ok(after)
            }
            Fault::NothingKept if entries.is_empty() && head.is_some() => {
                let nothing = [Entry::new(Part::Session, Json::null())];
                let own = NewBatch::new(end, batch.token, &nothing);
                let _ = self.store.append(session, &own).await;
                Ok(batch.after)
            }
            Fault::SummaryKept if batch.summary.is_none() => {
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
            Fault::AgainAfterDeletion
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
            Fault::Forgotten if head.is_some() => {
                self.store.delete(session, token).await?;
                // As good as none: the next one begins with a token that was spent.
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
async fn the_suite_finds_every_fault() {
    let mut unfound = Vec::new();
    for fault in FAULTS {
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
