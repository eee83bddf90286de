//! Entries come back in the order in which they were appended.

use super::bed::{Bed, numbered};
use agentwire::SessionStore;
use agentwire_protocol::Json;
use serde::Deserialize;
use std::collections::HashSet;
use std::time::Duration;

pub(super) async fn append_then_load_returns_same_entries_in_same_order<S: SessionStore>(
    bed: Bed<S>,
) {
    bed.append(&bed.key(), &numbered([2, 1])).await;
    bed.holds(&bed.key(), &numbered([2, 1])).await;
}

pub(super) async fn load_unknown_key_returns_none<S: SessionStore>(bed: Bed<S>) {
    bed.has_none(&bed.key_of("proj", "nope")).await;
    bed.append(&bed.key(), &numbered([1])).await;
    bed.has_none(&bed.part("nope")).await;
}

pub(super) async fn multiple_append_calls_preserve_call_order<S: SessionStore>(bed: Bed<S>) {
    let batches = [&[9][..], &[1, 5], &[2]];
    for batch in batches {
        bed.append(&bed.key(), &numbered(batch.iter().copied()))
            .await;
    }
    bed.holds(&bed.key(), &numbered([9, 1, 5, 2])).await;
}

pub(super) async fn append_of_nothing_is_a_no_op<S: SessionStore>(bed: Bed<S>) {
    bed.append(&bed.key(), &[]).await;
    bed.has_none(&bed.key()).await;
    bed.append(&bed.key(), &numbered([1])).await;
    bed.append(&bed.key(), &[]).await;
    bed.holds(&bed.key(), &numbered([1])).await;
}

/// As many entries as no page, row or message has.
pub(super) async fn a_long_transcript_comes_back_whole<S: SessionStore>(bed: Bed<S>) {
    let all = numbered(0..bed.demands.many);
    // Many at once, and many calls.
    let (few, many) = all.split_at(bed.demands.many / 20);
    for batch in few.chunks(5).chain(many.chunks(997)) {
        bed.append(&bed.key(), batch).await;
    }
    bed.holds(&bed.key(), &all).await;
}

/// A session sends entries again when it does not know whether they were kept. Those with a
/// `uuid` may be recognised; none may be lost, or come at another place.
pub(super) async fn entries_that_are_sent_again_are_there_once_or_twice<S: SessionStore>(
    bed: Bed<S>,
) {
    let key = bed.key();
    bed.append(&key, &numbered([1, 2])).await;
    bed.append(&key, &numbered([1, 2])).await;
    bed.append(&key, &numbered([3])).await;
    let found = bed.load(&key).await.expect("there are entries");
    match found.len() {
        3 => bed.demands.are_same(&found, &numbered([1, 2, 3])),
        _ => bed.demands.are_same(&found, &numbered([1, 2, 1, 2, 3])),
    }
}

/// The calls of a session have a timeout. Of what was being appended the first entries are
/// kept, or are kept later; then the session loads the transcript, and sends what it lacks.
pub(super) async fn an_append_that_is_dropped_leaves_whole_entries<S: SessionStore>(bed: Bed<S>) {
    let key = bed.key();
    let mut sent = 0;
    for round in 0..40_u64 {
        let batch = numbered(sent..sent + 3);
        let limit = Duration::from_micros(round * round * 3);
        let outcome = tokio::time::timeout(limit, bed.tried(&key, &batch)).await;
        match outcome {
            Ok(kept) => kept.expect("entries are kept"),
            Err(_) => {
                let found = once(bed.load(&key).await);
                bed.demands.are_same(&found, &numbered(0..found.len()));
                let kept = found.len().checked_sub(sent).filter(|it| *it <= 3);
                let kept = kept.expect("nothing is gone, and nothing else is there");
                bed.append(&key, &batch[kept..]).await;
            }
        }
        sent += 3;
    }
    let found = once(bed.load(&key).await);
    bed.demands.are_same(&found, &numbered(0..sent));
}

/// The entries without those that come again.
fn once(found: Option<Vec<Json>>) -> Vec<Json> {
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
