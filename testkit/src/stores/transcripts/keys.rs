//! Keys say nothing to a store.

use super::super::keys::odd;
use super::super::optional::Optional;
use super::bed::{Bed, entry, numbered};
use agentwire::SessionStore;
use agentwire::store::TranscriptKey;
use agentwire_protocol::Json;
use serde_json::json;
use std::collections::BTreeSet;

pub(super) async fn subpath_keys_are_stored_independently_of_main<S: SessionStore>(bed: Bed<S>) {
    let sub = bed.part("subagents/agent-1");
    bed.append(&bed.key(), &numbered([1])).await;
    bed.append(&sub, &numbered([2])).await;
    let key = bed.key();
    bed.holds(&key, &numbered([1])).await;
    bed.holds(&sub, &numbered([2])).await;
    let both = [(&key, numbered([1])), (&sub, numbered([2]))];
    bed.holds_all(&key, &both).await;
    bed.holds_all(&bed.key_of("proj", "never"), &[]).await;
}

pub(super) async fn project_key_isolation<S: SessionStore>(bed: Bed<S>) {
    let (a, b) = (bed.key_of("A", "s1"), bed.key_of("B", "s1"));
    bed.append(&a, &numbered([1])).await;
    bed.append(&b, &numbered([2])).await;
    bed.holds(&a, &numbered([1])).await;
    bed.holds(&b, &numbered([2])).await;
    if bed.has(Optional::Sessions) {
        let both = (bed.ids("A").await.len(), bed.ids("B").await.len());
        assert_eq!(both, (1, 1));
    }
}

/// Each has an entry of its own, and only that.
async fn are_kept_apart<S: SessionStore>(bed: &Bed<S>, keys: &[TranscriptKey]) {
    let said = |number: usize| -> [Json; 1] { [entry(json!({ "key": number }))] };
    for (number, key) in keys.iter().enumerate() {
        bed.append(key, &said(number)).await;
    }
    for (number, key) in keys.iter().enumerate() {
        bed.holds(key, &said(number)).await;
    }
}

/// A project, a session and a subpath in one text, whatever comes between them.
pub(super) async fn keys_that_look_alike_when_joined_are_kept_apart<S: SessionStore>(bed: Bed<S>) {
    let mut keys = Vec::new();
    let part = |key: TranscriptKey, subpath: &str| key.part(subpath).expect("a valid key");
    // Only a subpath has `/`.
    keys.push(part(bed.key_of("a", "b"), "c/d"));
    for between in ["-", ".", "|", "#", "__", "%2F", "%3A"] {
        let joined = format!("a{between}b");
        let id = format!("b{between}c");
        keys.push(bed.key_of(&joined, "c"));
        keys.push(bed.key_of("a", &id));
        keys.push(part(bed.key_of("a", "b"), &format!("c{between}d")));
        keys.push(part(bed.key_of("a", &id), "d"));
        keys.push(part(bed.key_of(&joined, "c"), "d"));
    }
    are_kept_apart(&bed, &keys).await;
}

/// Sub-agents of sub-agents, and names that begin alike.
pub(super) async fn subpaths_below_others_are_kept_apart<S: SessionStore>(bed: Bed<S>) {
    let subpaths = [
        "subagents/agent-1",
        "subagents/agent-1/subagents/agent-2",
        "subagents/agent-10",
        "subagents/workflows/wf-1/agent-1",
    ];
    let keys: Vec<TranscriptKey> = subpaths.iter().map(|it| bed.part(it)).collect();
    are_kept_apart(&bed, &keys).await;
    let mut wanted = subpaths.map(str::to_owned);
    wanted.sort_unstable();
    assert_eq!(bed.subpaths(&bed.key()).await, wanted);
    if bed.has(Optional::Delete) {
        let deleted = bed.store.delete(&keys[0]).await;
        deleted.expect("a transcript is deleted");
        bed.has_none(&keys[0]).await;
        for (number, key) in keys.iter().enumerate().skip(1) {
            bed.holds(key, &[entry(json!({ "key": number }))]).await;
        }
    }
}

/// Texts that mean something to file systems, SQL, patterns and subjects.
pub(super) async fn unusual_keys_are_kept_apart<S: SessionStore>(bed: Bed<S>) {
    let mut texts = odd();
    // Others are rejected by the key itself.
    texts.retain(|text| TranscriptKey::new("p", text.as_str()).is_ok());
    let mut keys = Vec::new();
    for text in &texts {
        keys.push(bed.key_of(text, "s"));
        keys.push(bed.key_of("odd", text));
        keys.push(bed.part(text));
    }
    are_kept_apart(&bed, &keys).await;
    if bed.has(Optional::Sessions) {
        let found: BTreeSet<String> = bed.ids("odd").await.into_iter().collect();
        assert_eq!(found, texts.iter().cloned().collect());
    }
}
