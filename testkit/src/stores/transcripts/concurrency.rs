//! Contracts of concurrent calls.

use super::fixture::{Fixture, numbered};
use agentwire::SessionStore;
use tokio::task::JoinSet;

/// Checks many sessions that share a store. Each session makes one call at a
/// time.
pub(super) async fn sessions_are_written_concurrently<S: SessionStore>(fixture: Fixture<S>) {
    let mut sessions = JoinSet::new();
    for number in 0..12 {
        let fixture = fixture.clone();
        sessions.spawn(async move {
            let key = fixture.key_of("proj", &format!("s-{number}"));
            let sub = key.part("subagents/agent-1").expect("a valid key");
            for batch in 0..15 {
                fixture
                    .append(&key, &numbered([batch * 2, batch * 2 + 1]))
                    .await;
                fixture.append(&sub, &numbered([batch])).await;
            }
            fixture.assert_transcript(&key, &numbered(0..30)).await;
            fixture.assert_transcript(&sub, &numbered(0..15)).await;
        });
    }
    while let Some(session) = sessions.join_next().await {
        if let Err(failed) = session {
            std::panic::resume_unwind(failed.into_panic());
        }
    }
}

pub(super) async fn readers_see_a_prefix_while_a_transcript_is_written<S: SessionStore>(
    fixture: Fixture<S>,
) {
    const ENTRIES: usize = 240;
    let (key, writer) = (fixture.key(), fixture.clone());
    let mut writing = JoinSet::new();
    writing.spawn(async move {
        for first in (0..ENTRIES).step_by(4) {
            let key = writer.key();
            writer.append(&key, &numbered(first..first + 4)).await;
        }
    });
    let mut before = 0;
    loop {
        let is_over = match writing.try_join_next() {
            Some(Err(failed)) => std::panic::resume_unwind(failed.into_panic()),
            Some(Ok(())) => true,
            None => false,
        };
        let found = fixture.load(&key).await.unwrap_or_default();
        assert!(found.len() >= before, "entries disappeared");
        before = found.len();
        fixture
            .requirements
            .assert_entries(&found, &numbered(0..before));
        if is_over {
            assert_eq!(before, ENTRIES);
            return;
        }
        tokio::task::yield_now().await;
    }
}
