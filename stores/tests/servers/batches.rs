//! Appends and reads numbered batches, and retries calls that fail.

use agentwire_stores::session_log::{
    AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Token,
};
use std::time::Duration;

/// The pause before a retry.
const PAUSE: Duration = Duration::from_millis(20);

/// Returns the entries of a batch. Some are large.
pub(crate) fn entries(number: usize) -> Vec<Entry> {
    let bytes = match number % 20 {
        7 => 400_000,
        rest => rest * 50,
    };
    let entry = |place: usize| {
        let padding = "x".repeat(bytes);
        let text = format!(r#"{{"batch":{number},"place":{place},"padding":"{padding}"}}"#);
        let part = match place {
            2 => Part::Transcript("subagents/agent-a".into()),
            _ => Part::Main,
        };
        Entry::new(part, text.parse().unwrap())
    };
    (0..3).map(entry).collect()
}

/// Appends a batch. Retries until the store responds.
pub(crate) async fn append(
    store: &impl LogStore,
    session: &LogKey,
    after: Position,
    token: &Token,
    number: usize,
) -> Result<Position, AppendError> {
    let entries = entries(number);
    loop {
        let batch = NewBatch::new(after, token, &entries);
        match store.append(session, &batch).await {
            Err(AppendError::Failed(_)) => tokio::time::sleep(PAUSE).await,
            outcome => return outcome,
        }
    }
}

/// Reads the end of a log. Retries until the store responds.
pub(crate) async fn head(store: &impl LogStore, session: &LogKey) -> Option<Head> {
    loop {
        match store.head(session).await {
            Err(_) => tokio::time::sleep(PAUSE).await,
            Ok(head) => return head,
        }
    }
}

/// Reads a whole log. Retries until the store responds.
#[allow(dead_code, reason = "the writer reads nothing")]
pub(crate) async fn batches(store: &impl LogStore, session: &LogKey) -> Vec<Batch> {
    let (mut all, mut after) = (Vec::<Batch>::new(), Position::START);
    loop {
        match store.read(session, after).await {
            Err(_) => tokio::time::sleep(PAUSE).await,
            Ok(page) if page.is_empty() => return all,
            Ok(page) => {
                all.extend(page);
                after = all[all.len() - 1].position;
            }
        }
    }
}
