//! Contracts of keys, which are opaque to a store.

use super::super::keys::unusual;
use super::fixture::{Fixture, entry};
use agentwire_stores::session_log::{Entry, LogKey, LogStore, Part};
use std::collections::BTreeSet;

fn keys() -> Vec<String> {
    let mut keys = unusual();
    keys.push(String::new());
    keys
}

pub(super) async fn unusual_keys_are_distinct<S: LogStore>(fixture: Fixture<S>) {
    // The keys are used as projects and as sessions.
    let mut sessions = Vec::new();
    for key in keys() {
        sessions.push(LogKey::new(fixture.project(&key), "s"));
        sessions.push(LogKey::new(fixture.project("odd"), key));
    }
    for (number, session) in sessions.iter().enumerate() {
        let appended = entry(&format!(r#"{{"n":{number}}}"#));
        fixture.writer(session, 1).append(&[appended]).await;
    }
    for (number, session) in sessions.iter().enumerate() {
        let appended = entry(&format!(r#"{{"n":{number}}}"#));
        fixture.assert_log(session, &[appended]).await;
    }
    let list = fixture
        .store
        .list(&fixture.project("odd"))
        .await
        .expect("a list");
    let found: BTreeSet<String> = list.into_iter().map(|it| it.id).collect();
    assert_eq!(found, keys().into_iter().collect());
    for key in keys() {
        let list = fixture
            .store
            .list(&fixture.project(&key))
            .await
            .expect("a list");
        assert_eq!(list.len(), 1, "sessions in the project {key:?}");
    }
    for session in &sessions {
        let token = fixture.writer(session, 1).token;
        fixture
            .store
            .delete(session, &token)
            .await
            .expect("deleted");
    }
}

pub(super) async fn unusual_part_names_round_trip<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let names = keys().into_iter().filter(|it| !it.is_empty());
    let parts: Vec<Part> = names.map(|it| Part::Transcript(it.into())).collect();
    let entries: Vec<Entry> = (parts.iter().enumerate())
        .map(|(number, part)| Entry::new(part.clone(), number.to_string().parse().expect("JSON")))
        .collect();
    let mut writer = fixture.writer(&session, 1);
    writer.append(&entries).await;
    writer.append(&entries).await;
    fixture
        .assert_log(&session, &[&entries[..], &entries].concat())
        .await;
    let found = fixture.store.parts(&session).await.expect("parts");
    assert_eq!(found.len(), parts.len());
    let found: BTreeSet<Part> = found.into_iter().collect();
    assert_eq!(found, parts.into_iter().collect());
}

/// Checks that equal session IDs in projects with a common prefix are distinct.
pub(super) async fn tenants_are_isolated<S: LogStore>(fixture: Fixture<S>) {
    let tenants = ["t", "t1", "t1.s", "t1/s", "T1", "t1:"];
    let session = |tenant: &str| LogKey::new(fixture.project(tenant), "s");
    for (number, tenant) in tenants.iter().enumerate() {
        let appended = entry(&format!(r#"{{"n":{number}}}"#));
        let mut writer = fixture.writer(&session(tenant), number as u64 + 1);
        writer.append(&[appended]).await;
    }
    let first = session(tenants[0]);
    let token = fixture.writer(&first, 9).token;
    fixture.store.delete(&first, &token).await.expect("deleted");
    let list = fixture.store.list(&first.project).await.expect("a list");
    assert_eq!(
        list,
        [],
        "sessions of a tenant after its only session was deleted"
    );
    for (number, tenant) in tenants.iter().enumerate().skip(1) {
        let appended = entry(&format!(r#"{{"n":{number}}}"#));
        fixture.assert_log(&session(tenant), &[appended]).await;
        let head = fixture.store.head(&session(tenant)).await.expect("a head");
        let number = number as u64 + 1;
        assert_eq!(head.map(|head| head.token.number), Some(number));
        let list = fixture.store.list(&fixture.project(tenant)).await;
        assert_eq!(list.expect("a list").len(), 1);
    }
}
