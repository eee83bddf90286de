//! Contracts of lists of sessions and of their parts.

use super::super::optional::Optional;
use super::fixture::{Fixture, entry, numbered};
use agentwire::SessionStore;
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) async fn list_sessions_returns_session_ids_for_project<S: SessionStore>(
    fixture: Fixture<S>,
) {
    for (project, id) in [("proj", "a"), ("proj", "b"), ("other", "c")] {
        let key = fixture.key_of(project, id);
        fixture.append(&key, &numbered([1])).await;
    }
    assert_eq!(fixture.ids("proj").await, ["a", "b"]);
    assert_eq!(fixture.ids("never-appended-project").await, [""; 0]);
    // The bound detects seconds since 1970 in place of milliseconds.
    let recent = UNIX_EPOCH + Duration::from_millis(1_000_000_000_000);
    let sessions = fixture.store.sessions(&fixture.project("proj")).await;
    let sessions = sessions.expect("a list");
    assert!(sessions.iter().all(|it| it.modified > recent));
}

pub(super) async fn list_sessions_excludes_subagent_subpaths<S: SessionStore>(fixture: Fixture<S>) {
    fixture.append(&fixture.key(), &numbered([1])).await;
    let sub = fixture.part("subagents/agent-1");
    fixture.append(&sub, &numbered([1])).await;
    assert_eq!(fixture.ids("proj").await, ["sess"]);
}

pub(super) async fn list_subkeys_returns_subpaths<S: SessionStore>(fixture: Fixture<S>) {
    let other = fixture
        .key_of("proj", "other-sess")
        .part("subagents/agent-x")
        .expect("a valid key");
    let subs = ["subagents/agent-1", "subagents/agent-2"];
    fixture.append(&fixture.key(), &numbered([1])).await;
    fixture.append(&other, &numbered([1])).await;
    for sub in subs {
        fixture.append(&fixture.part(sub), &numbered([1])).await;
    }
    assert_eq!(fixture.subpaths(&fixture.key()).await, subs);
}

pub(super) async fn list_subkeys_excludes_main_transcript<S: SessionStore>(fixture: Fixture<S>) {
    fixture.append(&fixture.key(), &numbered([1])).await;
    assert_eq!(fixture.subpaths(&fixture.key()).await, [""; 0]);
    let never = fixture.key_of("proj", "never-appended");
    assert_eq!(fixture.subpaths(&never).await, [""; 0]);
}

pub(super) async fn list_session_summaries_returns_persisted_fold_output<S: SessionStore>(
    fixture: Fixture<S>,
) {
    let titled =
        |title: &str, time: &str| entry(json!({ "customTitle": title, "timestamp": time }));
    let first = [
        titled("first", "2024-01-01T00:00:00.000Z"),
        entry(json!({ "n": 1 })),
    ];
    let second = [titled("second", "2024-01-01T00:00:02.000Z")];
    fixture.append(&fixture.key(), &first).await;
    fixture.append(&fixture.key(), &second).await;
    fixture
        .append(&fixture.key_of("other", "elsewhere"), &first)
        .await;
    let summaries = async |project: &str| {
        let summaries = fixture.store.summaries(&fixture.project(project)).await;
        summaries.expect("summaries")
    };
    let found = summaries("proj").await;
    let [(session, Ok(data))] = &found[..] else {
        panic!("expected one readable summary of one session: {found:?}");
    };
    assert_eq!(session.id, "sess");
    // The official SDKs use other names for these values.
    let has = |part: &str| data.get().contains(part);
    let is_folded = has("\"second\"") && has("1704067200000") && !has("\"first\"");
    assert!(is_folded, "the summary is {data}");
    if fixture.has(Optional::Sessions) {
        let listed = fixture.store.sessions(&fixture.project("proj")).await;
        let listed = listed.expect("a list");
        assert!(
            session.modified >= listed[0].modified,
            "a summary is older than its session"
        );
    }
    // Sub-agents do not change the summary.
    let sub = fixture.part("subagents/agent-1");
    let other = [titled("subagent", "2024-01-01T00:00:09.000Z")];
    fixture.append(&sub, &other).await;
    let again = summaries("proj").await;
    assert_eq!(again[0].1.as_ref().expect("a summary"), data);
    assert!(summaries("never-appended-project").await.is_empty());
    if fixture.has(Optional::Delete) {
        let deleted = fixture.store.delete(&fixture.key()).await;
        deleted.expect("a session is deleted");
        assert!(summaries("proj").await.is_empty());
    }
}

/// Checks that the session which was written last is the newest. Timestamps in
/// entries are ignored.
pub(super) async fn the_session_that_was_written_last_is_the_newest<S: SessionStore>(
    fixture: Fixture<S>,
) {
    let times = ["9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "yesterday"];
    for id in ["a", "b", "a"] {
        for time in times {
            let appended = entry(json!({ "timestamp": time }));
            fixture
                .append(&fixture.key_of("proj", id), &[appended])
                .await;
        }
        // Times have a resolution of a millisecond at best, so the writes must
        // be apart.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let sessions = fixture.store.sessions(&fixture.project("proj")).await;
    let mut sessions = sessions.expect("a list");
    sessions.sort_by_key(|it| it.modified);
    let ids: Vec<&str> = sessions.iter().map(|it| &*it.id).collect();
    let is_level = sessions.len() == 2 && sessions[0].modified == sessions[1].modified;
    // The order is unknown in stores whose times have a resolution of seconds.
    assert!(is_level || ids == ["b", "a"], "sorted by time: {ids:?}");
    let now = SystemTime::now();
    for session in sessions {
        let differs = now.duration_since(session.modified);
        let differs = differs.unwrap_or_else(|ahead| ahead.duration());
        let day = Duration::from_secs(86_400);
        assert!(differs < day, "the time is {differs:?} away");
    }
}
