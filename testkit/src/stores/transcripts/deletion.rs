//! What is deleted is gone, and nothing else.

use super::super::optional::Optional;
use super::bed::{Bed, numbered};
use agentwire::SessionStore;
use agentwire::store::TranscriptKey;

async fn delete<S: SessionStore>(bed: &Bed<S>, key: &TranscriptKey) {
    let deleted = bed.store.delete(key).await;
    deleted.expect("a transcript is deleted");
}

pub(super) async fn delete_main_then_load_returns_none<S: SessionStore>(bed: Bed<S>) {
    delete(&bed, &bed.key_of("proj", "never-written")).await;
    bed.append(&bed.key(), &numbered([1])).await;
    delete(&bed, &bed.key()).await;
    bed.has_none(&bed.key()).await;
    delete(&bed, &bed.key()).await;
    // And the session may begin again.
    bed.append(&bed.key(), &numbered([2])).await;
    bed.holds(&bed.key(), &numbered([2])).await;
}

pub(super) async fn delete_main_cascades_to_subkeys<S: SessionStore>(bed: Bed<S>) {
    let subs = ["subagents/agent-1", "subagents/agent-2"].map(|it| bed.part(it));
    let others = [
        bed.key_of("proj", "sess2"),
        bed.key_of("other-proj", "sess"),
    ];
    let key = bed.key();
    for key in [&key].into_iter().chain(&subs).chain(&others) {
        bed.append(key, &numbered([1])).await;
    }
    delete(&bed, &key).await;
    for key in [&key].into_iter().chain(&subs) {
        bed.has_none(key).await;
    }
    for key in &others {
        bed.holds(key, &numbered([1])).await;
    }
    if bed.has(Optional::Subpaths) {
        assert_eq!(bed.subpaths(&key).await, [""; 0]);
    }
    if bed.has(Optional::Sessions) {
        assert_eq!(bed.ids("proj").await, ["sess2"]);
    }
}

pub(super) async fn delete_with_subpath_removes_only_that_subkey<S: SessionStore>(bed: Bed<S>) {
    let subs = ["subagents/agent-1", "subagents/agent-2"].map(|it| bed.part(it));
    let key = bed.key();
    for key in [&key].into_iter().chain(&subs) {
        bed.append(key, &numbered([1])).await;
    }
    delete(&bed, &subs[0]).await;
    delete(&bed, &bed.part("never")).await;
    bed.has_none(&subs[0]).await;
    bed.holds(&subs[1], &numbered([1])).await;
    bed.holds(&key, &numbered([1])).await;
    let left = [(&key, numbered([1])), (&subs[1], numbered([1]))];
    bed.holds_all(&key, &left).await;
    if bed.has(Optional::Subpaths) {
        assert_eq!(bed.subpaths(&key).await, ["subagents/agent-2"]);
    }
    // It may be written again.
    bed.append(&subs[0], &numbered([7])).await;
    bed.holds(&subs[0], &numbered([7])).await;
    if bed.has(Optional::Subpaths) {
        assert_eq!(bed.subpaths(&key).await.len(), 2);
    }
}
