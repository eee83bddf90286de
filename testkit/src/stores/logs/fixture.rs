//! The fixture of contracts: a store, and keys that no other program uses.

use super::super::keys;
use super::super::requirements::Requirements;
use agentwire_stores::session_log::{
    AppendError, Batch, Entry, LogKey, LogStore, NewBatch, Part, Position, Refusal, Token,
};
use std::sync::Arc;

/// A store under test.
pub(in super::super) struct Fixture<S> {
    pub(super) store: Arc<S>,
    pub(super) requirements: Requirements,
    /// The prefix of the contract's projects.
    name: String,
}

impl<S> Clone for Fixture<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            requirements: self.requirements,
            name: self.name.clone(),
        }
    }
}

impl<S: LogStore> Fixture<S> {
    pub(in super::super) fn new(store: Arc<S>, requirements: Requirements) -> Self {
        Self {
            store,
            requirements,
            name: keys::unique(),
        }
    }

    /// Returns a project of this contract.
    pub(super) fn project(&self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    /// Returns the default session of the contract.
    pub(super) fn session(&self) -> LogKey {
        self.session_named("session")
    }

    pub(super) fn session_named(&self, id: &str) -> LogKey {
        LogKey::new(self.project("p"), id)
    }

    /// Creates a writer of a log.
    pub(super) fn writer(&self, session: &LogKey, number: u64) -> Writer<S> {
        Writer {
            fixture: self.clone(),
            session: session.clone(),
            token: Token::new(number, format!("writer-{number}")),
            at: Position::START,
        }
    }

    /// Reads all batches of a log.
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
                    "a batch at {} was read after one at {last}",
                    batch.position
                );
                all.push(batch);
            }
        }
    }

    /// Reads all entries of a log.
    pub(super) async fn entries(&self, session: &LogKey) -> Vec<Entry> {
        let batches = self.batches(session).await.into_iter();
        batches.flat_map(|batch| batch.entries).collect()
    }

    /// Asserts that a log contains these entries.
    pub(super) async fn assert_log(&self, session: &LogKey, wanted: &[Entry]) {
        self.assert_entries(&self.entries(session).await, wanted);
    }

    pub(super) fn assert_entries(&self, found: &[Entry], wanted: &[Entry]) {
        let pairs = found.iter().zip(wanted).enumerate();
        for (number, (found, wanted)) in pairs {
            assert_eq!(found.part, wanted.part, "part of entry {number}");
            self.requirements
                .assert_entry(number, &found.json, &wanted.json);
        }
        assert_eq!(found.len(), wanted.len(), "number of entries in the log");
    }
}

/// A writer of a log.
pub(super) struct Writer<S> {
    pub(super) fixture: Fixture<S>,
    pub(super) session: LogKey,
    pub(super) token: Token,
    /// The position after which the next batch is appended.
    pub(super) at: Position,
}

impl<S: LogStore> Writer<S> {
    /// Appends entries after this position.
    pub(super) async fn append_at(
        &self,
        after: Position,
        entries: &[Entry],
    ) -> Result<Position, AppendError> {
        let batch = NewBatch::new(after, &self.token, entries);
        self.fixture.store.append(&self.session, &batch).await
    }

    /// Appends entries at the end. The store must accept them.
    pub(super) async fn append(&mut self, entries: &[Entry]) -> Position {
        let position = self.append_at(self.at, entries).await;
        self.at = position.expect("the batch is stored");
        self.at
    }

    /// Appends entries after this position. The store must refuse them.
    pub(super) async fn expect_refusal(&self, after: Position, entries: &[Entry]) -> Refusal {
        match self.append_at(after, entries).await {
            Err(AppendError::Refused(refusal)) => refusal,
            other => panic!("expected a refusal after {after}: {other:?}"),
        }
    }
}

/// Creates an entry of the main conversation.
pub(super) fn entry(text: &str) -> Entry {
    Entry::new(Part::Main, text.parse().expect("JSON"))
}

/// Creates numbered entries of the main conversation.
pub(super) fn numbered(numbers: impl IntoIterator<Item = usize>) -> Vec<Entry> {
    let entry = |number| entry(&format!(r#"{{"type":"user","uuid":"u-{number}"}}"#));
    numbers.into_iter().map(entry).collect()
}

/// Returns the part of a sub-agent.
pub(super) fn agent(name: &str) -> Part {
    Part::Transcript(format!("subagents/agent-{name}").into())
}
