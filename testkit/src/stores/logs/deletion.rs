//! Contracts of deletion. A deleted log is empty, and its token cannot be used
//! again.

use super::fixture::{Fixture, Writer, agent, numbered};
use agentwire_stores::session_log::{
    AppendError, Entry, LogKey, LogStore, Position, Refusal, Token,
};

async fn delete<S: LogStore>(fixture: &Fixture<S>, session: &LogKey, token: &Token) {
    let deleted = fixture.store.delete(session, token).await;
    deleted.expect("the log is deleted");
}

async fn expect_refusal<S: LogStore>(
    fixture: &Fixture<S>,
    session: &LogKey,
    token: &Token,
) -> Refusal {
    match fixture.store.delete(session, token).await {
        Err(AppendError::Refused(refusal)) => refusal,
        other => panic!("expected a refused deletion: {other:?}"),
    }
}

pub(super) async fn a_deleted_log_has_no_entries_and_keeps_its_end<S: LogStore>(
    fixture: Fixture<S>,
) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 3);
    writer.append(&numbered([0])).await;
    writer.append(&numbered([1])).await;
    delete(&fixture, &session, &writer.token).await;
    let head = fixture.store.head(&session).await.expect("a head");
    let head = head.expect("a deleted log has an end");
    assert_eq!((&head.token, head.is_deleted), (&writer.token, true));
    assert!(head.position >= writer.at, "positions only grow");
    assert_eq!(fixture.entries(&session).await, []);
    assert_eq!(fixture.store.parts(&session).await.expect("parts"), []);
    let list = fixture.store.list(&session.project).await.expect("a list");
    assert_eq!(list, []);
    let summaries = fixture.store.summaries(&session.project).await;
    assert!(summaries.expect("summaries").is_empty());
    // A second deletion changes nothing.
    delete(&fixture, &session, &writer.token).await;
    let again = fixture.store.head(&session).await.expect("a head");
    assert_eq!(again, Some(head));
}

pub(super) async fn a_token_cannot_be_used_after_its_log_is_deleted<S: LogStore>(
    fixture: Fixture<S>,
) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 3);
    writer.append(&numbered([0])).await;
    let at = writer.at;
    writer.append(&numbered([1])).await;
    delete(&fixture, &session, &writer.token).await;
    let head = fixture.store.head(&session).await.expect("a head");
    let end = head.as_ref().map_or(Position::START, |head| head.position);
    for after in [Position::START, at, writer.at, end] {
        let refusal = writer.expect_refusal(after, &numbered([9])).await;
        assert_eq!(refusal.head, head, "behind {after}");
    }
    let older = fixture.writer(&session, 2);
    older.expect_refusal(end, &numbered([9])).await;
    older.expect_refusal(Position::START, &numbered([9])).await;
    assert_eq!(fixture.entries(&session).await, []);
}

pub(super) async fn a_deletion_removes_all_parts_and_nothing_else<S: LogStore>(
    fixture: Fixture<S>,
) {
    let session = fixture.session();
    let others = [
        fixture.session_named("session2"),
        fixture.session_named("sessio"),
        LogKey::new(fixture.project("q"), "session"),
    ];
    let of = |part| Entry::new(part, r#"{"n":1}"#.parse().expect("JSON"));
    let entries = [of(agent("a")), of(agent("b")), numbered([0]).remove(0)];
    for session in others.iter().chain([&session]) {
        fixture.writer(session, 1).append(&entries).await;
    }
    delete(&fixture, &session, &Token::new(1, "writer-1")).await;
    assert_eq!(fixture.entries(&session).await, []);
    assert_eq!(fixture.store.parts(&session).await.expect("parts"), []);
    for other in &others {
        fixture.assert_log(other, &entries).await;
    }
    let list = fixture.store.list(&session.project).await.expect("a list");
    assert_eq!(list.len(), 2);
}

pub(super) async fn a_stale_writer_cannot_delete<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut stale = fixture.writer(&session, 1);
    stale.append(&numbered([0])).await;
    let mut owner = fixture.writer(&session, 2);
    owner.at = stale.at;
    owner.append(&numbered([1])).await;
    let refusal = expect_refusal(&fixture, &session, &stale.token).await;
    let head = fixture.store.head(&session).await.expect("a head");
    assert_eq!(refusal.head, head);
    expect_refusal(&fixture, &session, &Token::new(2, "another")).await;
    fixture.assert_log(&session, &numbered(0..2)).await;
    // A newer token may delete a log of another owner.
    delete(&fixture, &session, &Token::new(3, "another")).await;
    owner.expect_refusal(owner.at, &numbered([2])).await;
    expect_refusal(&fixture, &session, &owner.token).await;
    assert_eq!(fixture.entries(&session).await, []);
}

pub(super) async fn a_deleted_log_accepts_a_newer_token<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    for round in 0..3_usize {
        let head = fixture.store.head(&session).await.expect("a head");
        let mut writer = fixture.writer(&session, 0);
        writer.token = Token::next(head.as_ref(), format!("round-{round}"));
        writer.at = head.map_or(Position::START, |head| head.position);
        let first = numbered([round * 10]);
        let after = writer.at;
        let at = writer.append(&first).await;
        assert_eq!(writer.append_at(after, &first).await.expect("the same"), at);
        writer.append(&numbered([round * 10 + 1])).await;
        let wanted = numbered([round * 10, round * 10 + 1]);
        fixture.assert_log(&session, &wanted).await;
        let list = fixture.store.list(&session.project).await.expect("a list");
        assert_eq!(list.len(), 1);
        delete(&fixture, &session, &writer.token).await;
    }
}

pub(super) async fn a_batch_from_before_a_deletion_is_refused<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writers: Vec<(Position, Writer<S>, Vec<Entry>)> = Vec::new();
    for round in 0..3_usize {
        let head = fixture.store.head(&session).await.expect("a head");
        let mut writer = fixture.writer(&session, 0);
        writer.token = Token::next(head.as_ref(), format!("round-{round}"));
        writer.at = head.map_or(Position::START, |head| head.position);
        let begin = writer.at;
        writer.append(&numbered([round])).await;
        let wanted = numbered([round]);
        // The writers repeat their appends, whose batches no longer exist.
        for (begin, earlier, entries) in &writers {
            for after in [*begin, writer.at] {
                earlier.expect_refusal(after, entries).await;
            }
        }
        fixture.assert_log(&session, &wanted).await;
        delete(&fixture, &session, &writer.token).await;
        writers.push((begin, writer, wanted));
    }
}
