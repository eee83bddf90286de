//! Contracts of order. A log contains the appended entries in order.

use super::fixture::{Fixture, agent, entry, numbered};
use agentwire_stores::session_log::{Entry, LogStore, NewBatch, Part, Position, Token};
use std::collections::BTreeSet;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub(super) async fn entries_are_read_in_the_order_of_appends<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    // The order of appends differs from the order of IDs.
    let batches = [
        numbered([9]),
        numbered([1, 7, 3]),
        vec![entry(r#"{"type":"title"}"#), entry(r#"{"type":"title"}"#)],
        numbered([0]),
    ];
    let mut positions = Vec::new();
    for batch in &batches {
        positions.push(writer.append(batch).await);
        let head = fixture.store.head(&session).await.expect("a head");
        let head = head.expect("a log that was written has an end");
        assert_eq!((head.position, head.is_deleted), (writer.at, false));
        assert_eq!(head.token, writer.token);
    }
    fixture.assert_log(&session, &batches.concat()).await;
    let found = fixture.batches(&session).await;
    let tokens = found.iter().all(|batch| batch.token == writer.token);
    assert!(
        tokens,
        "each batch has the token with which it was appended"
    );
    let found: Vec<_> = found.iter().map(|batch| batch.position).collect();
    assert_eq!(found, positions, "positions are those that were returned");
    for (number, position) in positions.iter().enumerate() {
        let behind = fixture.store.read(&session, *position).await.expect("read");
        let next = positions.get(number + 1).copied();
        let first = behind.first().map(|batch| batch.position);
        assert_eq!(first, next, "read after {position}");
    }
}

pub(super) async fn an_unwritten_log_does_not_exist<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    assert_eq!(fixture.store.head(&session).await.expect("a head"), None);
    assert_eq!(fixture.entries(&session).await, []);
    assert_eq!(fixture.store.parts(&session).await.expect("parts"), []);
    let list = fixture.store.list(&session.project).await.expect("a list");
    assert_eq!(list, []);
    let summaries = fixture.store.summaries(&session.project).await;
    assert!(summaries.expect("summaries").is_empty());
    let behind = fixture.store.read(&session, Position(7)).await;
    assert_eq!(behind.expect("read"), []);
    let token = Token::new(1, "nobody");
    let deleted = fixture.store.delete(&session, &token).await;
    deleted.expect("there is nothing to delete");
    assert_eq!(fixture.store.head(&session).await.expect("a head"), None);
}

pub(super) async fn an_empty_batch_is_a_no_op<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 2);
    assert_eq!(writer.append(&[]).await, Position::START);
    assert_eq!(fixture.store.head(&session).await.expect("a head"), None);
    let last = writer.append(&numbered([1])).await;
    assert_eq!(writer.append(&[]).await, last);
    // An empty batch needs no valid token.
    let stale = fixture.writer(&session, 1);
    let position = stale.append_at(Position(7), &[]).await;
    assert_eq!(position.expect("no error"), Position(7));
    let newer = fixture.writer(&session, 3);
    newer.append_at(last, &[]).await.expect("nothing");
    let head = fixture.store.head(&session).await.expect("a head");
    assert_eq!(head.map(|head| head.token), Some(writer.token));
    fixture.assert_log(&session, &numbered([1])).await;
}

pub(super) async fn the_parts_of_a_session_are_distinct_and_listed<S: LogStore>(
    fixture: Fixture<S>,
) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let of = |part: Part, text: &str| Entry::new(part, text.parse().expect("JSON"));
    let first = [
        of(agent("a"), r#"{"n":1}"#),
        of(Part::Main, r#"{"n":2}"#),
        of(agent("b"), r#"{"n":3}"#),
        of(agent("a"), r#"{"n":4}"#),
    ];
    let second = [
        of(Part::Session, r#"{"n":5}"#),
        of(Part::Main, r#"{"n":6}"#),
    ];
    writer.append(&first).await;
    writer.append(&second).await;
    fixture
        .assert_log(&session, &[&first[..], &second].concat())
        .await;
    let parts = fixture.store.parts(&session).await.expect("parts");
    let unique: BTreeSet<_> = parts.iter().cloned().collect();
    let wanted = BTreeSet::from([Part::Main, agent("a"), agent("b"), Part::Session]);
    assert_eq!((parts.len(), unique), (4, wanted));
    let other = fixture.session_named("other");
    assert_eq!(fixture.store.parts(&other).await.expect("parts"), []);
}

pub(super) async fn a_repeated_append_is_idempotent<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let writer = fixture.writer(&session, 1);
    let mut at = Position::START;
    let mut places = Vec::new();
    for number in 0..5 {
        let batch = numbered([number]);
        let position = writer.append_at(at, &batch).await.expect("stored");
        let again = writer.append_at(at, &batch).await.expect("the same");
        assert_eq!(again, position, "the last batch again");
        places.push((at, position));
        at = position;
    }
    // An append can be repeated after later batches, too.
    for (number, (after, position)) in places.iter().enumerate() {
        let again = writer.append_at(*after, &numbered([number])).await;
        assert_eq!(again.expect("the same"), *position);
    }
    fixture.assert_log(&session, &numbered(0..5)).await;
}

pub(super) async fn a_batch_is_only_appended_at_the_end<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let early = writer.expect_refusal(Position(1), &numbered([0])).await;
    assert_eq!(
        early.head, None,
        "after a batch of a log that does not exist"
    );
    for number in 0..3 {
        writer.append(&numbered([number])).await;
    }
    let mut newer = fixture.writer(&session, 2);
    let end = fixture.store.head(&session).await.expect("a head");
    // A batch at a position after the end would leave a gap.
    for after in [Position(writer.at.0 + 1), Position(u64::MAX >> 1)] {
        assert_eq!(writer.expect_refusal(after, &numbered([9])).await.head, end);
        assert_eq!(newer.expect_refusal(after, &numbered([9])).await.head, end);
    }
    // This position is not the end, because other batches follow it.
    let first = fixture.batches(&session).await[0].position;
    for after in [Position::START, first] {
        assert_eq!(newer.expect_refusal(after, &numbered([9])).await.head, end);
    }
    fixture.assert_log(&session, &numbered(0..3)).await;
    newer.at = writer.at;
    newer.append(&numbered([3])).await;
    fixture.assert_log(&session, &numbered(0..4)).await;
}

pub(super) async fn positions_after_the_end_are_empty_and_refused<S: LogStore>(
    fixture: Fixture<S>,
) {
    let session = fixture.session();
    let beyond = [u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1].map(Position);
    for is_there in [false, true] {
        let mut writer = fixture.writer(&session, 1);
        if is_there {
            writer.append(&numbered([0])).await;
        }
        let end = fixture.store.head(&session).await.expect("a head");
        for after in beyond {
            let found = fixture.store.read(&session, after).await.expect("read");
            assert_eq!(found, [], "behind {after}");
            assert_eq!(writer.expect_refusal(after, &numbered([9])).await.head, end);
        }
    }
    fixture.assert_log(&session, &numbered([0])).await;
}

pub(super) async fn a_long_log_is_read_completely<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    let all = numbered(0..fixture.requirements.many);
    for batch in all.chunks(500) {
        writer.append(batch).await;
    }
    fixture.assert_log(&session, &all).await;
    let last = all.len().saturating_sub(500);
    let batches = fixture.batches(&session).await;
    let before = &batches[batches.len().saturating_sub(2)];
    let behind = fixture.store.read(&session, before.position).await;
    let behind: Vec<Entry> = (behind.expect("read").into_iter())
        .flat_map(|batch| batch.entries)
        .collect();
    fixture.assert_entries(&behind, &all[last..]);
    fixture
        .store
        .delete(&session, &writer.token)
        .await
        .expect("deleted");
}

pub(super) async fn a_cancelled_append_can_be_repeated<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut writer = fixture.writer(&session, 1);
    for number in 0..40 {
        let entries = numbered([number]);
        let batch = NewBatch::new(writer.at, &writer.token, &entries);
        {
            let mut dropped = std::pin::pin!(fixture.store.append(&session, &batch));
            for polls in 0..=number % 4 {
                if let Poll::Ready(outcome) = poll_once(dropped.as_mut()) {
                    outcome.expect("stored");
                    break;
                }
                if polls > 0 {
                    tokio::task::yield_now().await;
                }
            }
        }
        // The cancelled append may still be running in the store.
        let stored = writer.append_at(writer.at, &entries).await;
        writer.at = stored.expect("stored by one of the appends");
    }
    fixture.assert_log(&session, &numbered(0..40)).await;
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
