//! Keys say nothing to a store.

use super::super::keys::odd;
use super::bed::{Bed, entry};
use agentwire_stores::session_log::{Entry, LogKey, LogStore, Part};
use std::collections::BTreeSet;

fn keys() -> Vec<String> {
    let mut keys = odd();
    keys.push(String::new());
    keys
}

pub(super) async fn odd_keys_are_kept_apart<S: LogStore>(bed: Bed<S>) {
    // As projects, and as sessions.
    let mut sessions = Vec::new();
    for key in keys() {
        sessions.push(LogKey::new(bed.project(&key), "s"));
        sessions.push(LogKey::new(bed.project("odd"), key));
    }
    for (number, session) in sessions.iter().enumerate() {
        let said = entry(&format!(r#"{{"n":{number}}}"#));
        bed.writer(session, 1).append(&[said]).await;
    }
    for (number, session) in sessions.iter().enumerate() {
        let said = entry(&format!(r#"{{"n":{number}}}"#));
        bed.has(session, &[said]).await;
    }
    let list = bed.store.list(&bed.project("odd")).await.expect("a list");
    let found: BTreeSet<String> = list.into_iter().map(|it| it.id).collect();
    assert_eq!(found, keys().into_iter().collect());
    for key in keys() {
        let list = bed.store.list(&bed.project(&key)).await.expect("a list");
        assert_eq!(list.len(), 1, "in the project {key:?}");
    }
    for session in &sessions {
        let token = bed.writer(session, 1).token;
        bed.store.delete(session, &token).await.expect("deleted");
    }
}

pub(super) async fn odd_names_of_parts_come_back<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let names = keys().into_iter().filter(|it| !it.is_empty());
    let parts: Vec<Part> = names.map(|it| Part::Transcript(it.into())).collect();
    let entries: Vec<Entry> = (parts.iter().enumerate())
        .map(|(number, part)| Entry::new(part.clone(), number.to_string().parse().expect("JSON")))
        .collect();
    let mut writer = bed.writer(&session, 1);
    writer.append(&entries).await;
    writer.append(&entries).await;
    bed.has(&session, &[&entries[..], &entries].concat()).await;
    let found = bed.store.parts(&session).await.expect("parts");
    assert_eq!(found.len(), parts.len());
    let found: BTreeSet<Part> = found.into_iter().collect();
    assert_eq!(found, parts.into_iter().collect());
}

/// The same session IDs in projects whose names begin alike.
pub(super) async fn tenants_see_nothing_of_each_other<S: LogStore>(bed: Bed<S>) {
    let tenants = ["t", "t1", "t1.s", "t1/s", "T1", "t1:"];
    let session = |tenant: &str| LogKey::new(bed.project(tenant), "s");
    for (number, tenant) in tenants.iter().enumerate() {
        let said = entry(&format!(r#"{{"n":{number}}}"#));
        let mut writer = bed.writer(&session(tenant), number as u64 + 1);
        writer.append(&[said]).await;
    }
    let first = session(tenants[0]);
    let token = bed.writer(&first, 9).token;
    bed.store.delete(&first, &token).await.expect("deleted");
    let list = bed.store.list(&first.project).await.expect("a list");
    assert_eq!(list, [], "of a tenant whose only session was deleted");
    for (number, tenant) in tenants.iter().enumerate().skip(1) {
        let said = entry(&format!(r#"{{"n":{number}}}"#));
        bed.has(&session(tenant), &[said]).await;
        let head = bed.store.head(&session(tenant)).await.expect("a head");
        let number = number as u64 + 1;
        assert_eq!(head.map(|head| head.token.number), Some(number));
        let list = bed.store.list(&bed.project(tenant)).await;
        assert_eq!(list.expect("a list").len(), 1);
    }
}
