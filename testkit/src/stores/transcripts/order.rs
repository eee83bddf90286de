//! Contracts of order. Entries are loaded in the order of appends.

use super::fixture::{Fixture, numbered};
use agentwire::SessionStore;
use agentwire_protocol::Json;
use serde::Deserialize;
use std::collections::HashSet;
use std::time::Duration;

pub(super) async fn append_then_load_returns_same_entries_in_same_order<S: SessionStore>(
    fixture: Fixture<S>,
) {
    fixture.append(&fixture.key(), &numbered([2, 1])).await;
    fixture
        .assert_transcript(&fixture.key(), &numbered([2, 1]))
        .await;
}

pub(super) async fn load_unknown_key_returns_none<S: SessionStore>(fixture: Fixture<S>) {
    fixture.assert_absent(&fixture.key_of("proj", "nope")).await;
    fixture.append(&fixture.key(), &numbered([1])).await;
    fixture.assert_absent(&fixture.part("nope")).await;
}

pub(super) async fn multiple_append_calls_preserve_call_order<S: SessionStore>(
    fixture: Fixture<S>,
) {
    let batches = [&[9][..], &[1, 5], &[2]];
    for batch in batches {
        fixture
            .append(&fixture.key(), &numbered(batch.iter().copied()))
            .await;
    }
    fixture
        .assert_transcript(&fixture.key(), &numbered([9, 1, 5, 2]))
        .await;
}

pub(super) async fn append_of_nothing_is_a_no_op<S: SessionStore>(fixture: Fixture<S>) {
    fixture.append(&fixture.key(), &[]).await;
    fixture.assert_absent(&fixture.key()).await;
    fixture.append(&fixture.key(), &numbered([1])).await;
    fixture.append(&fixture.key(), &[]).await;
    fixture
        .assert_transcript(&fixture.key(), &numbered([1]))
        .await;
}

/// Checks a transcript with more entries than a page, row or message has.
pub(super) async fn a_long_transcript_is_loaded_completely<S: SessionStore>(fixture: Fixture<S>) {
    let all = numbered(0..fixture.requirements.many);
    // The transcript gets a large append, then many small ones.
    let (few, many) = all.split_at(fixture.requirements.many / 20);
    for batch in few.chunks(5).chain(many.chunks(997)) {
        fixture.append(&fixture.key(), batch).await;
    }
    fixture.assert_transcript(&fixture.key(), &all).await;
}

/// Checks repeated appends, which a session makes if the first append has no
/// response. A store may recognize entries with a `uuid`. No entry may be lost,
/// or move.
pub(super) async fn repeated_entries_are_stored_once_or_twice<S: SessionStore>(
    fixture: Fixture<S>,
) {
    let key = fixture.key();
    fixture.append(&key, &numbered([1, 2])).await;
    fixture.append(&key, &numbered([1, 2])).await;
    fixture.append(&key, &numbered([3])).await;
    let found = fixture.load(&key).await.expect("there are entries");
    match found.len() {
        3 => fixture
            .requirements
            .assert_entries(&found, &numbered([1, 2, 3])),
        _ => fixture
            .requirements
            .assert_entries(&found, &numbered([1, 2, 1, 2, 3])),
    }
}

/// Checks appends that are cancelled, as by the timeout of a session. A
/// cancelled append may still store some of its first entries, even later. The
/// session then loads the transcript and appends the missing entries.
pub(super) async fn a_cancelled_append_leaves_whole_entries<S: SessionStore>(fixture: Fixture<S>) {
    let key = fixture.key();
    let mut sent = 0;
    for round in 0..40_u64 {
        let batch = numbered(sent..sent + 3);
        let limit = Duration::from_micros(round * round * 3);
        let outcome = tokio::time::timeout(limit, fixture.try_append(&key, &batch)).await;
        match outcome {
            Ok(stored) => stored.expect("entries are stored"),
            Err(_) => {
                let found = without_repeats(fixture.load(&key).await);
                fixture
                    .requirements
                    .assert_entries(&found, &numbered(0..found.len()));
                let stored = found.len().checked_sub(sent).filter(|it| *it <= 3);
                let stored = stored.expect("the first entries and nothing else");
                fixture.append(&key, &batch[stored..]).await;
            }
        }
        sent += 3;
    }
    let found = without_repeats(fixture.load(&key).await);
    fixture
        .requirements
        .assert_entries(&found, &numbered(0..sent));
}

/// Returns the entries without repeated ones.
fn without_repeats(found: Option<Vec<Json>>) -> Vec<Json> {
    let mut seen = HashSet::new();
    let mut found = found.unwrap_or_default();
    found.retain(|it| {
        let uuid = it.read::<WithUuid>().ok();
        uuid.is_none_or(|it| seen.insert(it.uuid))
    });
    found
}

#[derive(Deserialize)]
struct WithUuid {
    uuid: String,
}
