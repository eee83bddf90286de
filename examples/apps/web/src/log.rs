//! The history of a session: what the page shows, in order.

use futures::{Stream, stream};
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::watch;

/// An append-only list of entries, as JSON, with any number of readers. The index
/// of an entry is its event ID, so a browser that lost its connection continues
/// where it was, and one that reloads the page starts at 0.
///
/// The list grows as long as the session lives. A product would move it to a database.
#[derive(Debug)]
pub struct Log(watch::Sender<Vec<Arc<str>>>);

impl Log {
    pub fn new() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }

    pub fn push(&self, entry: &impl Serialize) {
        self.push_before(|| (entry, ()));
    }

    /// Appends an entry before anything that follows from making it.
    pub fn push_before<E: Serialize, T>(&self, make: impl FnOnce() -> (E, T)) -> T {
        let mut made = None;
        self.0.send_modify(|entries| {
            let (entry, more) = make();
            let json = serde_json::to_string(&entry).expect("entries have string keys");
            entries.push(json.into());
            made = Some(more);
        });
        made.expect("it is called at once")
    }

    /// Streams the entries from an index on, those to come included. The stream
    /// ends when the log is dropped.
    pub fn follow(&self, from: usize) -> impl Stream<Item = (usize, Arc<str>)> + use<> {
        stream::unfold((self.0.subscribe(), from), async |(mut entries, at)| {
            let entry = entries.wait_for(|it| it.len() > at).await.ok()?[at].clone();
            Some(((at, entry), (entries, at + 1)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::StreamExt;

    #[tokio::test]
    async fn a_reader_gets_what_was_there_and_what_comes() {
        let log = Log::new();
        for number in 0..3 {
            log.push(&number);
        }
        let mut late = Box::pin(log.follow(1));
        assert_eq!(late.next().await, Some((1, "1".into())));
        assert_eq!(late.next().await, Some((2, "2".into())));
        log.push(&3);
        assert_eq!(late.next().await, Some((3, "3".into())));
        drop(log);
        assert_eq!(late.next().await, None);
    }
}
