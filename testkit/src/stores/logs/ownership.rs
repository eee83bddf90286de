//! One owner writes.

use super::bed::{Bed, numbered};
use agentwire_stores::session_log::{AppendError, LogStore, Position, Token};

pub(super) async fn a_log_is_taken_over_by_an_append<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut first = bed.writer(&session, 1);
    first.append(&numbered([0])).await;
    let head = bed.store.head(&session).await.expect("a head");
    let mut second = bed.writer(&session, 2);
    second.token = Token::next(head.as_ref(), "second");
    assert_eq!(second.token.number, 2);
    // Until it appends, the first one owns the log.
    second.at = first.append(&numbered([1])).await;
    second.append(&numbered([2])).await;
    first.is_refused(second.at, &numbered([9])).await;
    first.is_refused(first.at, &numbered([9])).await;
    // Numbers may be left out.
    let mut last = bed.writer(&session, 40);
    last.at = second.at;
    last.append(&numbered([3])).await;
    second.is_refused(last.at, &numbered([9])).await;
    bed.has(&session, &numbered(0..4)).await;
    let numbers: Vec<u64> = (bed.batches(&session).await.iter())
        .map(|batch| batch.token.number)
        .collect();
    assert_eq!(numbers, [1, 1, 2, 40]);
}

pub(super) async fn a_stale_writer_is_refused_at_every_position<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut stale = bed.writer(&session, 5);
    for number in 0..3 {
        stale.append(&numbered([number])).await;
    }
    let mut owner = bed.writer(&session, 6);
    owner.at = stale.at;
    owner.append(&numbered([3])).await;
    owner.append(&numbered([4])).await;
    let end = bed.store.head(&session).await.expect("a head");
    // It has read the log, and knows where it ends.
    let mut positions = vec![Position(owner.at.0 + 1)];
    let batches = bed.batches(&session).await;
    positions.extend(batches.iter().map(|batch| batch.position).skip(2));
    for after in positions {
        let refusal = stale.is_refused(after, &numbered([9])).await;
        assert_eq!(refusal.head, end, "behind {after}");
    }
    for number in [1, 4] {
        let older = bed.writer(&session, number);
        older.is_refused(owner.at, &numbered([9])).await;
    }
    bed.has(&session, &numbered(0..5)).await;
}

pub(super) async fn two_writers_with_one_number_are_told_apart<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut one = bed.writer(&session, 1);
    let mut other = bed.writer(&session, 1);
    other.token = Token::new(1, "the other");
    one.append(&numbered([0])).await;
    other.is_refused(Position::START, &numbered([0])).await;
    other.is_refused(one.at, &numbered([1])).await;
    one.append(&numbered([1])).await;
    bed.has(&session, &numbered(0..2)).await;
}

pub(super) async fn an_owner_is_told_to_whom_the_log_went<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut first = bed.writer(&session, 1);
    first.append(&numbered([0])).await;
    let mut second = bed.writer(&session, 2);
    second.at = first.at;
    second.append(&numbered([1])).await;
    let refusal = first.is_refused(first.at, &numbered([9])).await;
    let head = refusal.head.expect("there is a log");
    assert_eq!((head.position, &head.token), (second.at, &second.token));
    assert!(!head.is_deleted);
}

pub(super) async fn what_a_stale_writer_appended_before_is_still_its_batch<S: LogStore>(
    bed: Bed<S>,
) {
    let session = bed.session();
    let mut stale = bed.writer(&session, 1);
    stale.append(&numbered([0])).await;
    let before = stale.at;
    stale.append(&numbered([1])).await;
    let mut owner = bed.writer(&session, 2);
    owner.at = stale.at;
    owner.append(&numbered([2])).await;
    // The response to it was lost, and it asks again.
    let again = stale.append_at(before, &numbered([1])).await;
    assert_eq!(again.expect("its batch is there"), stale.at);
    bed.has(&session, &numbered(0..3)).await;
}

/// A store may have a largest number. What is above is an error then, and not taken for
/// another one.
pub(super) async fn tokens_with_large_numbers_are_compared_or_an_error<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let half = u64::MAX / 2;
    let mut last = bed.writer(&session, 1);
    last.append(&numbered([0])).await;
    let mut wanted = numbered([0]);
    for (n, number) in [half - 1, half, half + 1, half + 2, u64::MAX - 1, u64::MAX]
        .into_iter()
        .enumerate()
    {
        let mut writer = bed.writer(&session, number);
        writer.at = last.at;
        let entries = numbered([n + 1]);
        match writer.append_at(last.at, &entries).await {
            Ok(position) => writer.at = position,
            Err(AppendError::Refused(refusal)) => {
                panic!("number {number} is larger than that of the owner: {refusal}")
            }
            Err(_) => {
                // The owner goes on.
                let more = numbered([100 + n]);
                last.append(&more).await;
                wanted.extend(more);
                continue;
            }
        }
        wanted.extend(entries);
        last.is_refused(writer.at, &numbered([9])).await;
        let head = bed.store.head(&session).await.expect("a head");
        let head = head.expect("there is a log");
        assert_eq!((&head.token, head.position), (&writer.token, writer.at));
        last = writer;
    }
    bed.has(&session, &wanted).await;
}
