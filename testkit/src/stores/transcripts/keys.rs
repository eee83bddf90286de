//! Contracts of keys, which are opaque to a store.

use super::super::keys::unusual;
use super::super::optional::Optional;
use super::fixture::{Fixture, entry, numbered};
use agentwire::SessionStore;
use agentwire::store::TranscriptKey;
use agentwire_protocol::Json;
use serde_json::json;
use std::collections::BTreeSet;

pub(super) async fn subpath_keys_are_stored_independently_of_main<S: SessionStore>(
    fixture: Fixture<S>,
) {
    let sub = fixture.part("subagents/agent-1");
    fixture.append(&fixture.key(), &numbered([1])).await;
    fixture.append(&sub, &numbered([2])).await;
    let key = fixture.key();
    fixture.assert_transcript(&key, &numbered([1])).await;
    fixture.assert_transcript(&sub, &numbered([2])).await;
    let both = [(&key, numbered([1])), (&sub, numbered([2]))];
    fixture.assert_session(&key, &both).await;
    fixture
        .assert_session(&fixture.key_of("proj", "never"), &[])
        .await;
}

pub(super) async fn project_key_isolation<S: SessionStore>(fixture: Fixture<S>) {
    let (a, b) = (fixture.key_of("A", "s1"), fixture.key_of("B", "s1"));
    fixture.append(&a, &numbered([1])).await;
    fixture.append(&b, &numbered([2])).await;
    fixture.assert_transcript(&a, &numbered([1])).await;
    fixture.assert_transcript(&b, &numbered([2])).await;
    if fixture.has(Optional::Sessions) {
        let both = (fixture.ids("A").await.len(), fixture.ids("B").await.len());
        assert_eq!(both, (1, 1));
    }
}

/// Asserts that each transcript contains only its own entry.
async fn assert_distinct<S: SessionStore>(fixture: &Fixture<S>, keys: &[TranscriptKey]) {
    let appended = |number: usize| -> [Json; 1] { [entry(json!({ "key": number }))] };
    for (number, key) in keys.iter().enumerate() {
        fixture.append(key, &appended(number)).await;
    }
    for (number, key) in keys.iter().enumerate() {
        fixture.assert_transcript(key, &appended(number)).await;
    }
}

/// Checks keys whose parts are equal when they are joined with a separator.
pub(super) async fn keys_that_are_equal_when_joined_are_distinct<S: SessionStore>(
    fixture: Fixture<S>,
) {
    let mut keys = Vec::new();
    let part = |key: TranscriptKey, subpath: &str| key.part(subpath).expect("a valid key");
    // Only a subpath may contain `/`.
    keys.push(part(fixture.key_of("a", "b"), "c/d"));
    for between in ["-", ".", "|", "#", "__", "%2F", "%3A"] {
        let joined = format!("a{between}b");
        let id = format!("b{between}c");
        keys.push(fixture.key_of(&joined, "c"));
        keys.push(fixture.key_of("a", &id));
        keys.push(part(fixture.key_of("a", "b"), &format!("c{between}d")));
        keys.push(part(fixture.key_of("a", &id), "d"));
        keys.push(part(fixture.key_of(&joined, "c"), "d"));
    }
    assert_distinct(&fixture, &keys).await;
}

/// Checks sub-agents of sub-agents, and names with a common prefix.
pub(super) async fn nested_subpaths_are_distinct<S: SessionStore>(fixture: Fixture<S>) {
    let subpaths = [
        "subagents/agent-1",
        "subagents/agent-1/subagents/agent-2",
        "subagents/agent-10",
        "subagents/workflows/wf-1/agent-1",
    ];
    let keys: Vec<TranscriptKey> = subpaths.iter().map(|it| fixture.part(it)).collect();
    assert_distinct(&fixture, &keys).await;
    let mut wanted = subpaths.map(str::to_owned);
    wanted.sort_unstable();
    assert_eq!(fixture.subpaths(&fixture.key()).await, wanted);
    if fixture.has(Optional::Delete) {
        let deleted = fixture.store.delete(&keys[0]).await;
        deleted.expect("a transcript is deleted");
        fixture.assert_absent(&keys[0]).await;
        for (number, key) in keys.iter().enumerate().skip(1) {
            fixture
                .assert_transcript(key, &[entry(json!({ "key": number }))])
                .await;
        }
    }
}

/// Checks keys with a special meaning in file systems, SQL, patterns or
/// subjects.
pub(super) async fn unusual_keys_are_distinct<S: SessionStore>(fixture: Fixture<S>) {
    let mut texts = unusual();
    // `TranscriptKey` rejects the other texts.
    texts.retain(|text| TranscriptKey::new("p", text.as_str()).is_ok());
    let mut keys = Vec::new();
    for text in &texts {
        keys.push(fixture.key_of(text, "s"));
        keys.push(fixture.key_of("odd", text));
        keys.push(fixture.part(text));
    }
    assert_distinct(&fixture, &keys).await;
    if fixture.has(Optional::Sessions) {
        let found: BTreeSet<String> = fixture.ids("odd").await.into_iter().collect();
        assert_eq!(found, texts.iter().cloned().collect());
    }
}
