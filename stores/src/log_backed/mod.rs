//! Stores transcripts in session logs.

mod claim;
mod leased;
mod logs;

pub use logs::LogBacked;

use crate::session_log::{Entry, Head, LogKey, LogStore, Part, Refusal, Summarized};
use crate::{Claimed, LeasedStore, Leases};
use agentwire::SessionStore;
use agentwire::attachment::Attach;
use agentwire::store::{
    Refused, StoreError, StoredSession, StoredSummary, Transcript, TranscriptKey,
};
use agentwire_protocol::{Json, Members};
use logs::{Owned, note};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Creates the note that records the deletion of a part.
fn deletion_note(part: &Part) -> Entry {
    note(serde_json::json!({ "type": "part_deleted", "part": part.name() }))
}

/// Returns the deleted part, if an entry is the note of a deletion.
fn deleted_part(note: &Entry) -> Option<Part> {
    if note.part != Part::Session {
        return None;
    }
    let kind: String = note.json.member("type")?.read().ok()?;
    let part: String = note.json.member("part")?.read().ok()?;
    (kind == "part_deleted").then(|| Part::named(&part))
}

/// Wraps an inbox entry in a note.
fn inbox_note(entry: &Json) -> Entry {
    let mut note = Members::default();
    note.push("type", INBOX.into());
    note.push("entry", entry.clone());
    // A JSON value can always be serialized.
    let note = Json::from_value(&note).unwrap_or_else(|_| Json::null());
    Entry::new(Part::Session, note)
}

/// Returns the inbox entry of a note.
fn inbox_entry(note: &Entry) -> Option<Json> {
    if note.part != Part::Session {
        return None;
    }
    let kind: String = note.json.member("type")?.read().ok()?;
    note.json.member("entry").filter(|_| kind == INBOX)
}

const INBOX: &str = "inbox";

fn part(key: &TranscriptKey) -> Part {
    match key.subpath() {
        None => Part::Main,
        Some(subpath) => Part::Transcript(subpath.into()),
    }
}

/// Converts a log's [`Refusal`] to a store's [`Refused`].
fn refused(error: StoreError) -> StoreError {
    match error.downcast::<Refusal>() {
        Ok(refusal) => Refused::new(refusal.to_string()).into(),
        Err(error) => error,
    }
}

impl<S: LogStore> SessionStore for LogBacked<S> {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        let part = part(key);
        let entries = entries
            .iter()
            .map(|json| Entry::new(part.clone(), json.clone()));
        let appended = self.append_all(&key.into(), entries.collect()).await;
        appended.map_err(refused)
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        let part = part(key);
        let mut found: Option<Vec<Json>> = None;
        let take = |entry: Entry| {
            if entry.part == part {
                found.get_or_insert_default().push(entry.json);
            } else if deleted_part(&entry).as_ref() == Some(&part) {
                found = None;
            }
        };
        self.for_each_entry(&key.into(), take).await?;
        Ok(found)
    }

    async fn sessions(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let mut sessions = vec![];
        for (session, summary) in self.store.summaries(project).await? {
            // Sessions that were claimed but have no conversation yet are skipped.
            let key = LogKey::new(project, &session.id);
            let is_listed = match summary {
                Ok(None) => {
                    let parts = self.store.parts(&key).await;
                    parts.map_or(true, |it| it.contains(&Part::Main))
                }
                // Unreadable sessions are listed, but loading them fails.
                Ok(Some(_)) | Err(_) => true,
            };
            if is_listed {
                sessions.push(session);
            }
        }
        Ok(sessions)
    }

    async fn subpaths(&self, session: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        let key = session.into();
        let parts = self.store.parts(&key).await?;
        let mut parts: BTreeSet<Part> = parts.into_iter().collect();
        if parts.contains(&Part::Session) {
            // The entries of deleted parts are still in the log.
            parts.clear();
            let take = |entry: Entry| match deleted_part(&entry) {
                Some(part) => drop(parts.remove(&part)),
                None => drop(parts.insert(entry.part)),
            };
            self.for_each_entry(&key, take).await?;
        }
        let subpaths = parts.into_iter().filter_map(|part| match part {
            Part::Transcript(subpath) => Some(subpath.to_string()),
            _ => None,
        });
        Ok(subpaths.collect())
    }

    async fn load_session(
        &self,
        session: &TranscriptKey,
    ) -> Result<Option<Vec<Transcript>>, StoreError> {
        let mut found: BTreeMap<Part, Vec<Json>> = BTreeMap::new();
        let take = |entry: Entry| match deleted_part(&entry) {
            Some(part) => drop(found.remove(&part)),
            None => found.entry(entry.part).or_default().push(entry.json),
        };
        self.for_each_entry(&session.into(), take).await?;
        let mut all = vec![];
        for (part, entries) in found {
            match part {
                Part::Main => all.push((session.clone(), entries)),
                Part::Transcript(subpath) => all.push((session.part(&*subpath)?, entries)),
                _ => {}
            }
        }
        Ok(Some(all))
    }

    async fn summaries(&self, project: &str) -> Result<Vec<StoredSummary>, StoreError> {
        let all = self.store.summaries(project).await?.into_iter();
        let with_summary = |(session, summary): Summarized| Some((session, summary.transpose()?));
        Ok(all.filter_map(with_summary).collect())
    }

    async fn delete(&self, key: &TranscriptKey) -> Result<(), StoreError> {
        let session: LogKey = key.into();
        if key.subpath().is_some() {
            let part = part(key);
            return match self.store.parts(&session).await?.contains(&part) {
                true => self.append_all(&session, vec![deletion_note(&part)]).await,
                false => Ok(()),
            };
        }
        let owned = self.owned(&session);
        let mut owned = owned.lock().await;
        let head: Option<Head> = self.store.head(&session).await?;
        let Some(head) = head.filter(|head| !head.is_deleted) else {
            return Ok(());
        };
        if !self.writer.issued(&head.token)
            && !owned.watch.observe(&head, self.clock.now()).is_zero()
        {
            return Err(Refusal::new(Some(head)).into());
        }
        // The token cannot be used after the deletion.
        if let Some(claim) = &mut owned.claim {
            claim.revoke();
        }
        *owned = Owned::default();
        let token = self.writer.token(Some(&head));
        Ok(self.store.delete(&session, &token).await?)
    }

    fn attachment(&self) -> Option<Arc<dyn Attach>> {
        let length = self.lease?;
        Some(Arc::new(Leases::new(self.clone(), length)))
    }
}

impl<S: LogStore> LeasedStore for LogBacked<S> {
    async fn claim(&self, session: &TranscriptKey) -> Result<Claimed, StoreError> {
        self.claim_log(session.into()).await
    }

    async fn append_inbox(
        &self,
        session: &TranscriptKey,
        entries: &[Json],
    ) -> Result<(), StoreError> {
        let entries = entries.iter().map(inbox_note);
        self.append_all(&session.into(), entries.collect()).await
    }

    async fn load_inbox(&self, session: &TranscriptKey) -> Result<Vec<Json>, StoreError> {
        let mut found = vec![];
        let take = |entry: Entry| {
            found.extend(inbox_entry(&entry));
        };
        self.for_each_entry(&session.into(), take).await?;
        Ok(found)
    }
}
