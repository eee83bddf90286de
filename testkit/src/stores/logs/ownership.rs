//! Contracts of ownership. A log has one owner that writes.

use super::fixture::{Fixture, numbered};
use agentwire_stores::session_log::{AppendError, LogStore, Position, Token};

pub(super) async fn an_append_with_a_newer_token_takes_ownership<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut first = fixture.writer(&session, 1);
    first.append(&numbered([0])).await;
    let head = fixture.store.head(&session).await.expect("a head");
    let mut second = fixture.writer(&session, 2);
    second.token = Token::next(head.as_ref(), "second");
    assert_eq!(second.token.number, 2);
    // The first writer owns the log until the second one appends.
    second.at = first.append(&numbered([1])).await;
    second.append(&numbered([2])).await;
    first.expect_refusal(second.at, &numbered([9])).await;
    first.expect_refusal(first.at, &numbered([9])).await;
    // Token numbers may have gaps.
    let mut last = fixture.writer(&session, 40);
    last.at = second.at;
    last.append(&numbered([3])).await;
    second.expect_refusal(last.at, &numbered([9])).await;
    fixture.assert_log(&session, &numbered(0..4)).await;
    let numbers: Vec<u64> = (fixture.batches(&session).await.iter())
        .map(|batch| batch.token.number)
        .collect();
    assert_eq!(numbers, [1, 1, 2, 40]);
}

pub(super) async fn a_stale_writer_is_refused_at_every_position<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut stale = fixture.writer(&session, 5);
    for number in 0..3 {
        stale.append(&numbered([number])).await;
    }
    let mut owner = fixture.writer(&session, 6);
    owner.at = stale.at;
    owner.append(&numbered([3])).await;
    owner.append(&numbered([4])).await;
    let end = fixture.store.head(&session).await.expect("a head");
    // The writer has read the log and knows its end.
    let mut positions = vec![Position(owner.at.0 + 1)];
    let batches = fixture.batches(&session).await;
    positions.extend(batches.iter().map(|batch| batch.position).skip(2));
    for after in positions {
        let refusal = stale.expect_refusal(after, &numbered([9])).await;
        assert_eq!(refusal.head, end, "behind {after}");
    }
    for number in [1, 4] {
        let older = fixture.writer(&session, number);
        older.expect_refusal(owner.at, &numbered([9])).await;
    }
    fixture.assert_log(&session, &numbered(0..5)).await;
}

pub(super) async fn writers_with_equal_token_numbers_are_distinct<S: LogStore>(
    fixture: Fixture<S>,
) {
    let session = fixture.session();
    let mut one = fixture.writer(&session, 1);
    let mut other = fixture.writer(&session, 1);
    other.token = Token::new(1, "the other");
    one.append(&numbered([0])).await;
    other.expect_refusal(Position::START, &numbered([0])).await;
    other.expect_refusal(one.at, &numbered([1])).await;
    one.append(&numbered([1])).await;
    fixture.assert_log(&session, &numbered(0..2)).await;
}

pub(super) async fn a_refusal_names_the_new_owner<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut first = fixture.writer(&session, 1);
    first.append(&numbered([0])).await;
    let mut second = fixture.writer(&session, 2);
    second.at = first.at;
    second.append(&numbered([1])).await;
    let refusal = first.expect_refusal(first.at, &numbered([9])).await;
    let head = refusal.head.expect("there is a log");
    assert_eq!((head.position, &head.token), (second.at, &second.token));
    assert!(!head.is_deleted);
}

pub(super) async fn a_stale_writer_can_confirm_its_earlier_batch<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let mut stale = fixture.writer(&session, 1);
    stale.append(&numbered([0])).await;
    let before = stale.at;
    stale.append(&numbered([1])).await;
    let mut owner = fixture.writer(&session, 2);
    owner.at = stale.at;
    owner.append(&numbered([2])).await;
    // The response was lost, so the writer repeats the append.
    let again = stale.append_at(before, &numbered([1])).await;
    assert_eq!(again.expect("its batch is there"), stale.at);
    fixture.assert_log(&session, &numbered(0..3)).await;
}

/// Checks large token numbers. A store may have a maximum; a larger number must
/// be an error, and must never be treated as another number.
pub(super) async fn large_token_numbers_are_compared_or_an_error<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let half = u64::MAX / 2;
    let mut last = fixture.writer(&session, 1);
    last.append(&numbered([0])).await;
    let mut wanted = numbered([0]);
    for (n, number) in [half - 1, half, half + 1, half + 2, u64::MAX - 1, u64::MAX]
        .into_iter()
        .enumerate()
    {
        let mut writer = fixture.writer(&session, number);
        writer.at = last.at;
        let entries = numbered([n + 1]);
        match writer.append_at(last.at, &entries).await {
            Ok(position) => writer.at = position,
            Err(AppendError::Refused(refusal)) => {
                panic!("number {number} is larger than that of the owner: {refusal}")
            }
            Err(_) => {
                // The owner can still append.
                let more = numbered([100 + n]);
                last.append(&more).await;
                wanted.extend(more);
                continue;
            }
        }
        wanted.extend(entries);
        last.expect_refusal(writer.at, &numbered([9])).await;
        let head = fixture.store.head(&session).await.expect("a head");
        let head = head.expect("there is a log");
        assert_eq!((&head.token, head.position), (&writer.token, writer.at));
        last = writer;
    }
    fixture.assert_log(&session, &wanted).await;
}
