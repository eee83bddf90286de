//! A log is what was appended, in its order.

use super::bed::{Bed, agent, entry, numbered};
use agentwire_stores::session_log::{Entry, LogStore, NewBatch, Part, Position, Token};
use std::collections::BTreeSet;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub(super) async fn what_is_appended_comes_back_in_its_order<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 1);
    // The order is not that of the IDs.
    let batches = [
        numbered([9]),
        numbered([1, 7, 3]),
        vec![entry(r#"{"type":"title"}"#), entry(r#"{"type":"title"}"#)],
        numbered([0]),
    ];
    let mut positions = Vec::new();
    for batch in &batches {
        positions.push(writer.append(batch).await);
        let head = bed.store.head(&session).await.expect("a head");
        let head = head.expect("a log that was written has an end");
        assert_eq!((head.position, head.is_deleted), (writer.at, false));
        assert_eq!(head.token, writer.token);
    }
    bed.has(&session, &batches.concat()).await;
    let found = bed.batches(&session).await;
    let tokens = found.iter().all(|batch| batch.token == writer.token);
    assert!(
        tokens,
        "each batch has the token with which it was appended"
    );
    let found: Vec<_> = found.iter().map(|batch| batch.position).collect();
    assert_eq!(found, positions, "positions are those that were returned");
    for (number, position) in positions.iter().enumerate() {
        let behind = bed.store.read(&session, *position).await.expect("read");
        let next = positions.get(number + 1).copied();
        let first = behind.first().map(|batch| batch.position);
        assert_eq!(first, next, "read behind {position}");
    }
}

pub(super) async fn a_log_that_was_never_written_is_none<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    assert_eq!(bed.store.head(&session).await.expect("a head"), None);
    assert_eq!(bed.entries(&session).await, []);
    assert_eq!(bed.store.parts(&session).await.expect("parts"), []);
    let list = bed.store.list(&session.project).await.expect("a list");
    assert_eq!(list, []);
    let summaries = bed.store.summaries(&session.project).await;
    assert!(summaries.expect("summaries").is_empty());
    let behind = bed.store.read(&session, Position(7)).await;
    assert_eq!(behind.expect("read"), []);
    let token = Token::new(1, "nobody");
    let deleted = bed.store.delete(&session, &token).await;
    deleted.expect("there is nothing to delete");
    assert_eq!(bed.store.head(&session).await.expect("a head"), None);
}

pub(super) async fn a_batch_without_entries_is_nothing<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 2);
    assert_eq!(writer.append(&[]).await, Position::START);
    assert_eq!(bed.store.head(&session).await.expect("a head"), None);
    let last = writer.append(&numbered([1])).await;
    assert_eq!(writer.append(&[]).await, last);
    // Nothing is asked of who has nothing to say.
    let stale = bed.writer(&session, 1);
    let kept = stale.append_at(Position(7), &[]).await;
    assert_eq!(kept.expect("nothing"), Position(7));
    let newer = bed.writer(&session, 3);
    newer.append_at(last, &[]).await.expect("nothing");
    let head = bed.store.head(&session).await.expect("a head");
    assert_eq!(head.map(|head| head.token), Some(writer.token));
    bed.has(&session, &numbered([1])).await;
}

pub(super) async fn the_parts_of_a_session_are_kept_apart_and_listed<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 1);
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
    bed.has(&session, &[&first[..], &second].concat()).await;
    let parts = bed.store.parts(&session).await.expect("parts");
    let unique: BTreeSet<_> = parts.iter().cloned().collect();
    let wanted = BTreeSet::from([Part::Main, agent("a"), agent("b"), Part::Session]);
    assert_eq!((parts.len(), unique), (4, wanted));
    let other = bed.session_named("other");
    assert_eq!(bed.store.parts(&other).await.expect("parts"), []);
}

pub(super) async fn a_batch_that_is_appended_again_is_the_same_batch<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let writer = bed.writer(&session, 1);
    let mut at = Position::START;
    let mut places = Vec::new();
    for number in 0..5 {
        let batch = numbered([number]);
        let position = writer.append_at(at, &batch).await.expect("kept");
        let again = writer.append_at(at, &batch).await.expect("the same");
        assert_eq!(again, position, "the last batch again");
        places.push((at, position));
        at = position;
    }
    // Also when more has come behind it.
    for (number, (after, position)) in places.iter().enumerate() {
        let again = writer.append_at(*after, &numbered([number])).await;
        assert_eq!(again.expect("the same"), *position);
    }
    bed.has(&session, &numbered(0..5)).await;
}

pub(super) async fn a_batch_goes_behind_the_end_or_nowhere<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 1);
    let early = writer.is_refused(Position(1), &numbered([0])).await;
    assert_eq!(early.head, None, "behind a batch of a log that is none");
    for number in 0..3 {
        writer.append(&numbered([number])).await;
    }
    let mut newer = bed.writer(&session, 2);
    let end = bed.store.head(&session).await.expect("a head");
    // Beyond the end there would be a hole.
    for after in [Position(writer.at.0 + 1), Position(u64::MAX >> 1)] {
        assert_eq!(writer.is_refused(after, &numbered([9])).await.head, end);
        assert_eq!(newer.is_refused(after, &numbered([9])).await.head, end);
    }
    // In the middle there are other batches.
    let first = bed.batches(&session).await[0].position;
    for after in [Position::START, first] {
        assert_eq!(newer.is_refused(after, &numbered([9])).await.head, end);
    }
    bed.has(&session, &numbered(0..3)).await;
    newer.at = writer.at;
    newer.append(&numbered([3])).await;
    bed.has(&session, &numbered(0..4)).await;
}

pub(super) async fn a_position_that_no_log_reaches_is_nothing<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let beyond = [u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1].map(Position);
    for is_there in [false, true] {
        let mut writer = bed.writer(&session, 1);
        if is_there {
            writer.append(&numbered([0])).await;
        }
        let end = bed.store.head(&session).await.expect("a head");
        for after in beyond {
            let found = bed.store.read(&session, after).await.expect("read");
            assert_eq!(found, [], "behind {after}");
            assert_eq!(writer.is_refused(after, &numbered([9])).await.head, end);
        }
    }
    bed.has(&session, &numbered([0])).await;
}

pub(super) async fn a_long_log_comes_back_whole<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 1);
    let all = numbered(0..bed.demands.many);
    for batch in all.chunks(500) {
        writer.append(batch).await;
    }
    bed.has(&session, &all).await;
    let last = all.len().saturating_sub(500);
    let batches = bed.batches(&session).await;
    let before = &batches[batches.len().saturating_sub(2)];
    let behind = bed.store.read(&session, before.position).await;
    let behind: Vec<Entry> = (behind.expect("read").into_iter())
        .flat_map(|batch| batch.entries)
        .collect();
    bed.are_same(&behind, &all[last..]);
    bed.store
        .delete(&session, &writer.token)
        .await
        .expect("deleted");
}

pub(super) async fn an_append_that_is_dropped_can_be_made_again<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut writer = bed.writer(&session, 1);
    for number in 0..40 {
        let entries = numbered([number]);
        let batch = NewBatch::new(writer.at, &writer.token, &entries);
        {
            let mut dropped = std::pin::pin!(bed.store.append(&session, &batch));
            for polls in 0..=number % 4 {
                if let Poll::Ready(outcome) = poll_once(dropped.as_mut()) {
                    outcome.expect("kept");
                    break;
                }
                if polls > 0 {
                    tokio::task::yield_now().await;
                }
            }
        }
        // What was dropped may still be at work in the store.
        let kept = writer.append_at(writer.at, &entries).await;
        writer.at = kept.expect("kept, before or now");
    }
    bed.has(&session, &numbered(0..40)).await;
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
