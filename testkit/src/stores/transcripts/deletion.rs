//! Contracts of deletion. The deleted transcript is gone, and no other.

use super::super::optional::Optional;
use super::fixture::{Fixture, numbered};
use agentwire::SessionStore;
use agentwire::store::TranscriptKey;

async fn delete<S: SessionStore>(fixture: &Fixture<S>, key: &TranscriptKey) {
    let deleted = fixture.store.delete(key).await;
    deleted.expect("a transcript is deleted");
}

pub(super) async fn delete_main_then_load_returns_none<S: SessionStore>(fixture: Fixture<S>) {
    delete(&fixture, &fixture.key_of("proj", "never-written")).await;
    fixture.append(&fixture.key(), &numbered([1])).await;
    delete(&fixture, &fixture.key()).await;
    fixture.assert_absent(&fixture.key()).await;
    delete(&fixture, &fixture.key()).await;
    // The session can be written again.
    fixture.append(&fixture.key(), &numbered([2])).await;
    fixture
        .assert_transcript(&fixture.key(), &numbered([2]))
        .await;
}

pub(super) async fn delete_main_cascades_to_subkeys<S: SessionStore>(fixture: Fixture<S>) {
    let subs = ["subagents/agent-1", "subagents/agent-2"].map(|it| fixture.part(it));
    let others = [
        fixture.key_of("proj", "sess2"),
        fixture.key_of("other-proj", "sess"),
    ];
    let key = fixture.key();
    for key in [&key].into_iter().chain(&subs).chain(&others) {
        fixture.append(key, &numbered([1])).await;
    }
    delete(&fixture, &key).await;
    for key in [&key].into_iter().chain(&subs) {
        fixture.assert_absent(key).await;
    }
    for key in &others {
        fixture.assert_transcript(key, &numbered([1])).await;
    }
    if fixture.has(Optional::Subpaths) {
        assert_eq!(fixture.subpaths(&key).await, [""; 0]);
    }
    if fixture.has(Optional::Sessions) {
        assert_eq!(fixture.ids("proj").await, ["sess2"]);
    }
}

pub(super) async fn delete_with_subpath_removes_only_that_subkey<S: SessionStore>(
    fixture: Fixture<S>,
) {
    let subs = ["subagents/agent-1", "subagents/agent-2"].map(|it| fixture.part(it));
    let key = fixture.key();
    for key in [&key].into_iter().chain(&subs) {
        fixture.append(key, &numbered([1])).await;
    }
    delete(&fixture, &subs[0]).await;
    delete(&fixture, &fixture.part("never")).await;
    fixture.assert_absent(&subs[0]).await;
    fixture.assert_transcript(&subs[1], &numbered([1])).await;
    fixture.assert_transcript(&key, &numbered([1])).await;
    let remaining = [(&key, numbered([1])), (&subs[1], numbered([1]))];
    fixture.assert_session(&key, &remaining).await;
    if fixture.has(Optional::Subpaths) {
        assert_eq!(fixture.subpaths(&key).await, ["subagents/agent-2"]);
    }
    // The deleted subkey can be written again.
    fixture.append(&subs[0], &numbered([7])).await;
    fixture.assert_transcript(&subs[0], &numbered([7])).await;
    if fixture.has(Optional::Subpaths) {
        assert_eq!(fixture.subpaths(&key).await.len(), 2);
    }
}
