//! What is deleted is gone, and its token is spent.

use super::bed::{Bed, Writer, agent, numbered};
use agentwire_stores::session_log::{
    AppendError, Entry, LogKey, LogStore, Position, Refusal, Token,
};

async fn deletes<S: LogStore>(bed: &Bed<S>, session: &LogKey, token: &Token) {
    let deleted = bed.store.delete(session, token).await;
    deleted.expect("the log is deleted");
}

async fn is_refused<S: LogStore>(bed: &Bed<S>, session: &LogKey, token: &Token) -> Refusal {
    match bed.store.delete(session, token).await {
        Err(AppendError::Refused(refusal)) => refusal,
        other => panic!("the deletion was to be refused: {other:?}"),
    }
}

pub(super) async fn a_deleted_log_has_no_entries_and_keeps_its_end<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 3);
    writer.append(&numbered([0])).await;
    writer.append(&numbered([1])).await;
    deletes(&bed, &session, &writer.token).await;
    let head = bed.store.head(&session).await.expect("a head");
    let head = head.expect("a deleted log has an end");
    assert_eq!((&head.token, head.is_deleted), (&writer.token, true));
    assert!(head.position >= writer.at, "positions only grow");
    assert_eq!(bed.entries(&session).await, []);
    assert_eq!(bed.store.parts(&session).await.expect("parts"), []);
    let list = bed.store.list(&session.project).await.expect("a list");
    assert_eq!(list, []);
    let summaries = bed.store.summaries(&session.project).await;
    assert!(summaries.expect("summaries").is_empty());
    // Again, and nothing changes.
    deletes(&bed, &session, &writer.token).await;
    let again = bed.store.head(&session).await.expect("a head");
    assert_eq!(again, Some(head));
}

pub(super) async fn the_token_of_a_deleted_log_is_spent<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 3);
    writer.append(&numbered([0])).await;
    let at = writer.at;
    writer.append(&numbered([1])).await;
    deletes(&bed, &session, &writer.token).await;
    let head = bed.store.head(&session).await.expect("a head");
    let end = head.as_ref().map_or(Position::START, |head| head.position);
    for after in [Position::START, at, writer.at, end] {
        let refusal = writer.is_refused(after, &numbered([9])).await;
        assert_eq!(refusal.head, head, "behind {after}");
    }
    let older = bed.writer(&session, 2);
    older.is_refused(end, &numbered([9])).await;
    older.is_refused(Position::START, &numbered([9])).await;
    assert_eq!(bed.entries(&session).await, []);
}

pub(super) async fn a_deletion_takes_all_parts_and_nothing_else<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let others = [
        bed.session_named("session2"),
        bed.session_named("sessio"),
        LogKey::new(bed.project("q"), "session"),
    ];
    let of = |part| Entry::new(part, r#"{"n":1}"#.parse().expect("JSON"));
    let entries = [of(agent("a")), of(agent("b")), numbered([0]).remove(0)];
    for session in others.iter().chain([&session]) {
        bed.writer(session, 1).append(&entries).await;
    }
    deletes(&bed, &session, &Token::new(1, "writer-1")).await;
    assert_eq!(bed.entries(&session).await, []);
    assert_eq!(bed.store.parts(&session).await.expect("parts"), []);
    for other in &others {
        bed.has(other, &entries).await;
    }
    let list = bed.store.list(&session.project).await.expect("a list");
    assert_eq!(list.len(), 2);
}

pub(super) async fn a_stale_writer_deletes_nothing<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut stale = bed.writer(&session, 1);
    stale.append(&numbered([0])).await;
    let mut owner = bed.writer(&session, 2);
    owner.at = stale.at;
    owner.append(&numbered([1])).await;
    let refusal = is_refused(&bed, &session, &stale.token).await;
    let head = bed.store.head(&session).await.expect("a head");
    assert_eq!(refusal.head, head);
    is_refused(&bed, &session, &Token::new(2, "another")).await;
    bed.has(&session, &numbered(0..2)).await;
    // With a newer token a log is deleted that somebody else owns.
    deletes(&bed, &session, &Token::new(3, "another")).await;
    owner.is_refused(owner.at, &numbered([2])).await;
    is_refused(&bed, &session, &owner.token).await;
    assert_eq!(bed.entries(&session).await, []);
}

pub(super) async fn a_deleted_log_goes_on_with_a_newer_token<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    for round in 0..3_usize {
        let head = bed.store.head(&session).await.expect("a head");
        let mut writer = bed.writer(&session, 0);
        writer.token = Token::next(head.as_ref(), format!("round-{round}"));
        writer.at = head.map_or(Position::START, |head| head.position);
        let first = numbered([round * 10]);
        let after = writer.at;
        let at = writer.append(&first).await;
        assert_eq!(writer.append_at(after, &first).await.expect("the same"), at);
        writer.append(&numbered([round * 10 + 1])).await;
        let wanted = numbered([round * 10, round * 10 + 1]);
        bed.has(&session, &wanted).await;
        let list = bed.store.list(&session.project).await.expect("a list");
        assert_eq!(list.len(), 1);
        deletes(&bed, &session, &writer.token).await;
    }
}

pub(super) async fn a_batch_from_before_a_deletion_is_refused<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writers: Vec<(Position, Writer<S>, Vec<Entry>)> = Vec::new();
    for round in 0..3_usize {
        let head = bed.store.head(&session).await.expect("a head");
        let mut writer = bed.writer(&session, 0);
        writer.token = Token::next(head.as_ref(), format!("round-{round}"));
        writer.at = head.map_or(Position::START, |head| head.position);
        let begin = writer.at;
        writer.append(&numbered([round])).await;
        let wanted = numbered([round]);
        // They ask again for what they had appended, and nothing says that it is there.
        for (begin, earlier, entries) in &writers {
            for after in [*begin, writer.at] {
                earlier.is_refused(after, entries).await;
            }
        }
        bed.has(&session, &wanted).await;
        deletes(&bed, &session, &writer.token).await;
        writers.push((begin, writer, wanted));
    }
}
