//! Contracts of concurrent writers.

use super::fixture::{Fixture, numbered};
use agentwire_stores::session_log::{LogStore, Position, Token};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinSet;

pub(super) async fn one_of_concurrent_appends_at_a_position_is_stored<S: LogStore>(
    fixture: Fixture<S>,
) {
    for round in 0..10 {
        let session = fixture.session_named(&format!("round-{round}"));
        let mut first = fixture.writer(&session, 1);
        let after = match round % 2 {
            0 => Position::START,
            _ => first.append(&numbered([0])).await,
        };
        let mut tasks = JoinSet::new();
        for number in 0..8 {
            let mut writer = fixture.writer(&session, 2);
            // In the first rounds all writers use the same token number, then
            // each has its own.
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
        let stored: Vec<_> = tasks.join_all().await;
        let stored: Vec<_> = stored.into_iter().filter(|it| it.1.is_some()).collect();
        let [(winner, _)] = stored[..] else {
            panic!(
                "{} of eight appends at one position were stored",
                stored.len()
            );
        };
        let before = (after != Position::START).then_some(0);
        let wanted = before.into_iter().chain([100 + winner]);
        fixture.assert_log(&session, &numbered(wanted)).await;
    }
}

/// Lets each owner take the log, append a little, and lose it to another owner.
pub(super) async fn concurrent_owners_never_write_after_a_successor<S: LogStore>(
    fixture: Fixture<S>,
) {
    let session = fixture.session();
    let mut tasks = JoinSet::new();
    for host in 0..4_usize {
        let (fixture, session) = (fixture.clone(), session.clone());
        tasks.spawn(async move {
            let (mut stored, mut number) = (Vec::new(), 0);
            while stored.len() < 15 {
                let head = fixture.store.head(&session).await.expect("a head");
                let mut writer = fixture.writer(&session, 0);
                writer.token = Token::next(head.as_ref(), format!("host-{host}-{number}"));
                writer.at = head.map_or(Position::START, |head| head.position);
                for _ in 0..3 {
                    number += 1;
                    let entries = numbered([host * 10_000 + number]);
                    match writer.append_at(writer.at, &entries).await {
                        Ok(position) => {
                            writer.at = position;
                            stored.push((position, entries, writer.token.clone()));
                        }
                        Err(error) => {
                            assert!(error.refusal().is_some(), "{error}");
                            break;
                        }
                    }
                    tokio::task::yield_now().await;
                }
            }
            stored
        });
    }
    let stored: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    let accepted = stored.len();
    let mut stored: HashMap<Position, _> = (stored.into_iter())
        .map(|(position, entries, token)| (position, (entries, token)))
        .collect();
    assert_eq!(stored.len(), accepted, "no two batches have one position");
    let mut last = 0;
    for batch in fixture.batches(&session).await {
        let (entries, token) = stored.remove(&batch.position).expect("it was accepted");
        fixture.assert_entries(&batch.entries, &entries);
        assert_eq!(batch.token, token);
        assert!(token.number >= last, "an owner wrote behind its successor");
        last = token.number;
    }
    assert!(
        stored.is_empty(),
        "{} accepted batches are missing",
        stored.len()
    );
}

pub(super) async fn readers_see_a_prefix_while_a_log_is_written<S: LogStore>(fixture: Fixture<S>) {
    let session = fixture.session();
    let is_over = Arc::new(AtomicBool::new(false));
    let mut readers = JoinSet::new();
    for _ in 0..2 {
        let (fixture, session, is_over) = (fixture.clone(), session.clone(), Arc::clone(&is_over));
        readers.spawn(async move {
            let mut seen = 0;
            loop {
                let ends = is_over.load(Ordering::SeqCst);
                let entries = fixture.entries(&session).await;
                assert!(entries.len() >= seen, "entries disappeared");
                assert_eq!(entries.len() % 3, 0, "an incomplete batch was read");
                seen = entries.len();
                fixture.assert_entries(&entries, &numbered(0..seen));
                if ends {
                    return seen;
                }
                tokio::task::yield_now().await;
            }
        });
    }
    let mut writer = fixture.writer(&session, 1);
    for number in 0..60 {
        writer.append(&numbered(number * 3..number * 3 + 3)).await;
    }
    is_over.store(true, Ordering::SeqCst);
    assert_eq!(readers.join_all().await, [180, 180]);
}

pub(super) async fn sessions_are_written_concurrently<S: LogStore>(fixture: Fixture<S>) {
    let mut tasks = JoinSet::new();
    for number in 0..50 {
        let fixture = fixture.clone();
        tasks.spawn(async move {
            let session = fixture.session_named(&format!("s-{number}"));
            let mut writer = fixture.writer(&session, 1);
            for at in 0..5 {
                writer.append(&numbered([number * 100 + at])).await;
                tokio::task::yield_now().await;
            }
            let wanted = numbered((0..5).map(|at| number * 100 + at));
            fixture.assert_log(&session, &wanted).await;
        });
    }
    tasks.join_all().await;
    let list = fixture
        .store
        .list(&fixture.project("p"))
        .await
        .expect("a list");
    assert_eq!(list.len(), 50);
}
