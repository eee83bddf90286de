//! What contracts work with: a store, and keys that no other program has.

use super::super::demands::Demands;
use super::super::keys;
use agentwire_stores::session_log::{
    AppendError, Batch, Entry, LogKey, LogStore, NewBatch, Part, Position, Refusal, Token,
};
use std::sync::Arc;

/// A store under test.
pub(in super::super) struct Bed<S> {
    pub(super) store: Arc<S>,
    pub(super) demands: Demands,
    /// What the projects of this contract begin with.
    name: String,
}

impl<S> Clone for Bed<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            demands: self.demands,
            name: self.name.clone(),
        }
    }
}

impl<S: LogStore> Bed<S> {
    pub(in super::super) fn new(store: Arc<S>, demands: Demands) -> Self {
        Self {
            store,
            demands,
            name: keys::unique(),
        }
    }

    /// A project of this contract.
    pub(super) fn project(&self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    /// The session of a contract that needs one.
    pub(super) fn session(&self) -> LogKey {
        self.session_named("session")
    }

    pub(super) fn session_named(&self, id: &str) -> LogKey {
        LogKey::new(self.project("p"), id)
    }

    /// Begins to write a log.
    pub(super) fn writer(&self, session: &LogKey, number: u64) -> Writer<S> {
        Writer {
            bed: self.clone(),
            session: session.clone(),
            token: Token::new(number, format!("writer-{number}")),
            at: Position::START,
        }
    }

    /// The whole log.
    pub(super) async fn batches(&self, session: &LogKey) -> Vec<Batch> {
        let mut all: Vec<Batch> = Vec::new();
        loop {
            let after = all.last().map_or(Position::START, |it| it.position);
            let more = self.store.read(session, after).await;
            let more = more.expect("a log can be read");
            if more.is_empty() {
                return all;
            }
            for batch in more {
                let last = all.last().map_or(Position::START, |it| it.position);
                assert!(
                    batch.position > last,
                    "a batch at {} was read behind one at {last}",
                    batch.position
                );
                all.push(batch);
            }
        }
    }

    /// The entries of a whole log.
    pub(super) async fn entries(&self, session: &LogKey) -> Vec<Entry> {
        let batches = self.batches(session).await.into_iter();
        batches.flat_map(|batch| batch.entries).collect()
    }

    /// Holds what is in a log against what was appended.
    pub(super) async fn has(&self, session: &LogKey, wanted: &[Entry]) {
        self.are_same(&self.entries(session).await, wanted);
    }

    pub(super) fn are_same(&self, found: &[Entry], wanted: &[Entry]) {
        let pairs = found.iter().zip(wanted).enumerate();
        for (number, (found, wanted)) in pairs {
            assert_eq!(found.part, wanted.part, "of entry {number}");
            self.demands.is_same(number, &found.json, &wanted.json);
        }
        assert_eq!(found.len(), wanted.len(), "entries are in the log");
    }
}

/// Who writes a log.
pub(super) struct Writer<S> {
    pub(super) bed: Bed<S>,
    pub(super) session: LogKey,
    pub(super) token: Token,
    /// The position that the next batch goes behind.
    pub(super) at: Position,
}

impl<S: LogStore> Writer<S> {
    /// Appends entries behind a position.
    pub(super) async fn append_at(
        &self,
        after: Position,
        entries: &[Entry],
    ) -> Result<Position, AppendError> {
        let batch = NewBatch::new(after, &self.token, entries);
        self.bed.store.append(&self.session, &batch).await
    }

    /// Appends entries, which have to be kept.
    pub(super) async fn append(&mut self, entries: &[Entry]) -> Position {
        let position = self.append_at(self.at, entries).await;
        self.at = position.expect("the batch is kept");
        self.at
    }

    /// Appends entries, which have to be refused.
    pub(super) async fn is_refused(&self, after: Position, entries: &[Entry]) -> Refusal {
        match self.append_at(after, entries).await {
            Err(AppendError::Refused(refusal)) => refusal,
            other => panic!("was to be refused behind {after}: {other:?}"),
        }
    }
}

/// An entry of the main conversation.
pub(super) fn entry(text: &str) -> Entry {
    Entry::new(Part::Main, text.parse().expect("JSON"))
}

/// Numbered entries of the main conversation.
pub(super) fn numbered(numbers: impl IntoIterator<Item = usize>) -> Vec<Entry> {
    let entry = |number| entry(&format!(r#"{{"type":"user","uuid":"u-{number}"}}"#));
    numbers.into_iter().map(entry).collect()
}

/// The parts of the session that is used as an example.
pub(super) fn agent(name: &str) -> Part {
    Part::Transcript(format!("subagents/agent-{name}").into())
}
