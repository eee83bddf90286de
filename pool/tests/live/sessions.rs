//! Many sessions of the real CLI on one machine.

use crate::outside::{number, seen};
use crate::support::Live;
use agentwire_pool::{Limits, Pool};
use agentwire_testkit::{Scenario, Step};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_stay_within_the_bounds_seen_from_outside() {
    const PROCESSES: usize = 4;
    const MEMORY: u64 = 1 << 30;
    let (sessions, turns) = (number("AGENTWIRE_SESSIONS", 6), 3);
    let live = Live::start(Scenario::default().reply([Step::text("Hello.")]).repeated()).await;
    let pool = Pool::new(Limits::new(PROCESSES).starting(2).memory(MEMORY));
    let home = format!("HOME={}", live.home.path().display());
    let began = Instant::now();
    let mut running = JoinSet::new();
    for number in 0..sessions {
        let caller = pool.caller().tenant(number.to_string());
        let options = live.options();
        running.spawn(async move {
            let mut session = caller.connect(options).await.unwrap();
            for _ in 0..turns {
                let result = session.prompt("Hello").await.unwrap();
                assert_eq!(result.text(), "Hello.");
            }
            session.close().await;
        });
    }
    let (mut most, mut peak) = (0, 0);
    while !running.is_empty() {
        tokio::select! {
            done = running.join_next() => done.unwrap().unwrap(),
            () = tokio::time::sleep(Duration::from_millis(20)) => {}
        }
        let (processes, kilobytes) = seen(&home);
        most = most.max(processes);
        peak = peak.max(kilobytes * 1024);
    }
    let seconds = began.elapsed().as_secs_f64();
    let turns = sessions * turns;
    println!(
        "{sessions} sessions, {turns} turns in {seconds:.1} s ({:.2} a second); at most {most} of \
         {PROCESSES} processes, {} of {} MiB",
        turns as f64 / seconds,
        peak >> 20,
        MEMORY >> 20
    );
    assert!((1..=PROCESSES).contains(&most), "{most} processes");
    assert!(peak <= MEMORY, "{peak} bytes");
}
