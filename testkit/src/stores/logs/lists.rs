//! Contracts of lists of sessions.

use super::fixture::{Fixture, agent, entry, numbered};
use agentwire_protocol::Json;
use agentwire_stores::session_log::{Entry, LogKey, LogStore, NewBatch};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

pub(super) async fn sessions_are_listed_by_project<S: LogStore>(fixture: Fixture<S>) {
    let keys = [("p", "a"), ("p", "b"), ("q", "a")];
    for (project, id) in keys {
        let session = LogKey::new(fixture.project(project), id);
        fixture.writer(&session, 1).append(&numbered([0])).await;
    }
    // A session whose only entries are in a part is listed, too.
    let part = Entry::new(agent("a"), Json::null());
    let session = LogKey::new(fixture.project("p"), "c");
    fixture.writer(&session, 1).append(&[part]).await;
    for (project, wanted) in [("p", &["a", "b", "c"][..]), ("q", &["a"]), ("r", &[])] {
        let list = fixture.store.list(&fixture.project(project)).await;
        let list = list.expect("a list").into_iter().map(|it| it.id);
        let list: Vec<String> = list.collect();
        let unique: BTreeSet<_> = list.iter().map(String::as_str).collect();
        assert_eq!(unique, wanted.iter().copied().collect(), "in {project}");
        assert_eq!(list.len(), wanted.len(), "in {project}");
    }
}

/// Checks that times ignore timestamps in entries and the clocks of hosts.
pub(super) async fn times_come_from_the_store<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let mut last = SystemTime::UNIX_EPOCH;
    let times = ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday"];
    for time in times {
        let text = format!(r#"{{"type":"user","timestamp":"{time}"}}"#);
        writer.append(&[entry(&text)]).await;
        let list = fixture.store.list(&session.project).await.expect("a list");
        let [found] = &list[..] else {
            panic!("{} sessions are listed, expected one", list.len());
        };
        assert!(found.modified >= last, "the time goes back");
        last = found.modified;
        // Clocks of machines differ by less than a day.
        let now = SystemTime::now();
        let day = Duration::from_secs(86_400);
        let differs = now.duration_since(last);
        let differs = differs.unwrap_or_else(|ahead| ahead.duration());
        assert!(differs < day, "the time is {differs:?} away");
        let summaries = fixture.store.summaries(&session.project).await;
        let summaries = summaries.expect("summaries");
        assert_eq!(summaries[0].0, *found, "both lists have the same times");
    }
}

pub(super) async fn a_summary_is_that_of_the_last_batch<S: LogStore>(fixture: Fixture<S>) {
    let (one, other) = (fixture.session_named("one"), fixture.session_named("other"));
    fixture.writer(&other, 1).append(&numbered([0])).await;
    let mut writer = fixture.writer(&one, 1);
    let entries = numbered([0]);
    let summaries = [
        Some(r#"{"title":"\ud800 \u0000 1e400","n":1.10}"#),
        Some(r#"{ "title" : "two" }"#),
        None,
        Some("null"),
    ];
    for summary in summaries {
        let summary: Option<Json> = summary.map(|it| it.parse().expect("JSON"));
        let mut batch = NewBatch::new(writer.at, &writer.token, &entries);
        batch.summary = summary.as_ref();
        let at = fixture.store.append(&one, &batch).await;
        writer.at = at.expect("stored");
        let found = fixture.store.summaries(&one.project).await;
        let found: BTreeMap<String, Option<Json>> = (found.expect("summaries").into_iter())
            .map(|(session, summary)| (session.id, summary.expect("a summary")))
            .collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found["one"], summary);
        assert_eq!(found["other"], None);
    }
}
