//! Many at once.

use super::bed::{Bed, numbered};
use agentwire_stores::session_log::{LogStore, Position, Token};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinSet;

pub(super) async fn of_writers_at_one_position_one_is_kept<S: LogStore>(bed: Bed<S>) {
    for round in 0..10 {
        let session = bed.session_named(&format!("round-{round}"));
        let mut first = bed.writer(&session, 1);
        let after = match round % 2 {
            0 => Position::START,
            _ => first.append(&numbered([0])).await,
        };
        let mut tasks = JoinSet::new();
        for number in 0..8 {
            let mut writer = bed.writer(&session, 2);
            // All claim the same number, or each has its own.
            let claims = if round < 5 { 2 } else { 2 + number as u64 };
            writer.token = Token::new(claims, format!("racer-{number}"));
            tasks.spawn(async move {
                let outcome = writer.append_at(after, &numbered([100 + number])).await;
                if let Err(error) = &outcome {
                    let refusal = error.refusal();
                    assert!(refusal.is_some(), "a race is refused: {error}");
                }
                (number, outcome.ok())
            });
        }
        let kept: Vec<_> = tasks.join_all().await;
        let kept: Vec<_> = kept.into_iter().filter(|it| it.1.is_some()).collect();
        let [(winner, _)] = kept[..] else {
            panic!("of eight at one position {} were kept", kept.len());
        };
        let before = (after != Position::START).then_some(0);
        let wanted = before.into_iter().chain([100 + winner]);
        bed.has(&session, &numbered(wanted)).await;
    }
}

/// Each takes the log over, appends a little, and loses it to another.
pub(super) async fn of_many_owners_none_writes_behind_another<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let mut tasks = JoinSet::new();
    for host in 0..4_usize {
        let (bed, session) = (bed.clone(), session.clone());
        tasks.spawn(async move {
            let (mut kept, mut number) = (Vec::new(), 0);
            while kept.len() < 15 {
                let head = bed.store.head(&session).await.expect("a head");
                let mut writer = bed.writer(&session, 0);
                writer.token = Token::next(head.as_ref(), format!("host-{host}-{number}"));
                writer.at = head.map_or(Position::START, |head| head.position);
                for _ in 0..3 {
                    number += 1;
                    let entries = numbered([host * 10_000 + number]);
                    match writer.append_at(writer.at, &entries).await {
                        Ok(position) => {
                            writer.at = position;
                            kept.push((position, entries, writer.token.clone()));
                        }
                        Err(error) => {
                            assert!(error.refusal().is_some(), "{error}");
                            break;
                        }
                    }
                    tokio::task::yield_now().await;
                }
            }
            kept
        });
    }
    let kept: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    let accepted = kept.len();
    let mut kept: HashMap<Position, _> = (kept.into_iter())
        .map(|(position, entries, token)| (position, (entries, token)))
        .collect();
    assert_eq!(kept.len(), accepted, "no two batches have one position");
    let mut last = 0;
    for batch in bed.batches(&session).await {
        let (entries, token) = kept.remove(&batch.position).expect("it was accepted");
        bed.are_same(&batch.entries, &entries);
        assert_eq!(batch.token, token);
        assert!(token.number >= last, "an owner wrote behind its successor");
        last = token.number;
    }
    assert!(kept.is_empty(), "accepted and not there: {}", kept.len());
}

pub(super) async fn readers_see_a_prefix_while_a_log_is_written<S: LogStore>(bed: Bed<S>) {
    let session = bed.session();
    let is_over = Arc::new(AtomicBool::new(false));
    let mut readers = JoinSet::new();
    for _ in 0..2 {
        let (bed, session, is_over) = (bed.clone(), session.clone(), Arc::clone(&is_over));
        readers.spawn(async move {
            let mut seen = 0;
            loop {
                let ends = is_over.load(Ordering::SeqCst);
                let entries = bed.entries(&session).await;
                assert!(entries.len() >= seen, "what was read is gone");
                assert_eq!(entries.len() % 3, 0, "a part of a batch was read");
                seen = entries.len();
                bed.are_same(&entries, &numbered(0..seen));
                if ends {
                    return seen;
                }
                tokio::task::yield_now().await;
            }
        });
    }
    let mut writer = bed.writer(&session, 1);
    for number in 0..60 {
        writer.append(&numbered(number * 3..number * 3 + 3)).await;
    }
    is_over.store(true, Ordering::SeqCst);
    assert_eq!(readers.join_all().await, [180, 180]);
}

pub(super) async fn sessions_are_written_side_by_side<S: LogStore>(bed: Bed<S>) {
    let mut tasks = JoinSet::new();
    for number in 0..50 {
        let bed = bed.clone();
        tasks.spawn(async move {
            let session = bed.session_named(&format!("s-{number}"));
            let mut writer = bed.writer(&session, 1);
            for at in 0..5 {
                writer.append(&numbered([number * 100 + at])).await;
                tokio::task::yield_now().await;
            }
            let wanted = numbered((0..5).map(|at| number * 100 + at));
            bed.has(&session, &wanted).await;
        });
    }
    tasks.join_all().await;
    let list = bed.store.list(&bed.project("p")).await.expect("a list");
    assert_eq!(list.len(), 50);
}
