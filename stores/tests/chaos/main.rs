//! Runs two hosts of one session. The first one is killed, stopped, cut off or slowed in each phase
//! of its work, and the second one continues the session.
//!
//! The test compares the log in the store, a file to which every tool and callback appends the name
//! of its host and the time, and the requests to the model.
//!
//! ```text
//! scripts/stores --chaos
//! ```
//!
//! runs the test on PostgreSQL and NATS with the real CLI (`--all`: also Redis and moto's S3).
//! Without servers, the store is a directory; without `AGENTWIRE_LIVE_CLI`, the agent is the fake
//! one. `AGENTWIRE_ROUNDS` is the number of rounds per engine; `AGENTWIRE_AT_ONCE` is the number of
//! concurrent rounds; `AGENTWIRE_LEASE` is the length of a lease in seconds; `AGENTWIRE_STOPPED` is
//! the minimum number of seconds for which a host is stopped; `AGENTWIRE_SEED` seeds the random
//! moments.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../servers/bucket.rs"]
mod bucket;
mod engine;
mod host;
mod round;
mod table;

use agentwire_testkit::fake_agent;
use engine::Engine;
use std::env;
use std::sync::Arc;
use table::Table;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |it| it.parse().unwrap())
}

fn engines(folder: &std::path::Path) -> Vec<Engine> {
    let port = |name: &str, before: &str| -> Option<u16> {
        let address = env::var(name).ok()?;
        let (_, rest) = address.split_once(before).unwrap();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(digits.parse().unwrap())
    };
    let name = || "chaos".to_owned();
    let postgres = port("AGENTWIRE_TEST_POSTGRES", "port=");
    let nats = port("AGENTWIRE_TEST_NATS", "127.0.0.1:");
    let redis = port("AGENTWIRE_TEST_REDIS", "127.0.0.1:");
    let s3 = port("AGENTWIRE_TEST_S3", "127.0.0.1:");
    let servers = [
        postgres.map(|port| Engine::Postgres(port, name())),
        nats.map(|port| Engine::Nats(port, name())),
        redis.map(|port| Engine::Redis(port, name())),
        s3.map(|port| Engine::S3(port, name())),
    ];
    let servers: Vec<_> = servers.into_iter().flatten().collect();
    match servers.is_empty() {
        true => vec![Engine::Directory(folder.join("store"))],
        false => servers,
    }
}

async fn coordinate() {
    let folder = agentwire_testing::tempdir().unwrap();
    let engines = engines(folder.path());
    let rounds = number("AGENTWIRE_ROUNDS", 16);
    let seed = number("AGENTWIRE_SEED", 1);
    let at_once = Arc::new(Semaphore::new(number("AGENTWIRE_AT_ONCE", 6) as usize));
    let mut failed = 0;
    for engine in engines {
        let mut table = Table::default();
        let mut running = JoinSet::new();
        for round in 0..rounds {
            let (engine, at_once) = (engine.clone(), Arc::clone(&at_once));
            running.spawn(async move {
                let _permit = at_once.acquire_owned().await.unwrap();
                round::play(&engine, round, seed).await
            });
        }
        while let Some(outcome) = running.join_next().await {
            table.add(outcome.unwrap());
        }
        failed += table.failed();
        println!("{}\n{table}", engine.name());
        println!("counted: {rounds} sessions of two hosts, one of which has failed");
    }
    let outcome = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {outcome}. {} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out",
        u64::from(failed == 0)
    );
    if failed > 0 {
        std::process::exit(1);
    }
}

fn main() {
    if env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match env::var(host::VARIABLE) {
        Ok(told) => {
            runtime.block_on(host::run(serde_json::from_str(&told).unwrap()));
            // A thread of the runtime reads standard input.
            runtime.shutdown_background();
        }
        Err(_) => runtime.block_on(coordinate()),
    }
}
