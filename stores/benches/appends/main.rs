//! Appends per second of each store, compared with the same batches and durability through the
//! engine's own client.
//!
//! ```text
//! cargo bench -p agentwire-stores --features directory,sqlite --bench appends
//! ```
//!
//! measures the local stores. `scripts/stores --bench appends` also installs, starts and measures
//! the servers, with their data in `TMPDIR`.
//!
//! In each round both append the same batches; the client is first in every other round. A ratio is
//! of one round.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod local;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/servers/server.rs"]
mod server;
mod servers;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/servers/support.rs"]
mod support;

use agentwire_stores::session_log::{Entry, LogKey, LogStore, NewBatch, Part, Position, Token};
use std::time::{Duration, Instant};

/// The numbers of batches per round, and of rounds.
const BATCHES: usize = 300;
const ROUNDS: usize = 9;

/// The engine's own client. Appends the batches of a session, and returns once the last one is
/// acknowledged.
trait Client {
    async fn append_all(&mut self, session: &str, entries: &[Entry]);
}

/// A typical batch of a turn: ten entries of half a kilobyte.
fn entries() -> Vec<Entry> {
    let entry = |number: usize| {
        let text = "x".repeat(450);
        let text = format!(r#"{{"type":"user","uuid":"u-{number}","text":"{text}"}}"#);
        Entry::new(Part::Main, text.parse().unwrap())
    };
    (0..10).map(entry).collect()
}

async fn through_store(store: &impl LogStore, session: &str, entries: &[Entry]) -> Duration {
    let session = LogKey::new("bench", session);
    let token = Token::new(1, "bench");
    let mut after = Position::START;
    let start = Instant::now();
    for _ in 0..BATCHES {
        let batch = NewBatch::new(after, &token, entries);
        after = store.append(&session, &batch).await.unwrap();
    }
    start.elapsed()
}

async fn through_client(client: &mut impl Client, session: &str, entries: &[Entry]) -> Duration {
    let start = Instant::now();
    client.append_all(session, entries).await;
    start.elapsed()
}

/// Measures a store and a client, and prints the result.
async fn compare(engine: &str, store: &impl LogStore, client: &mut impl Client) {
    let entries = entries();
    let (mut stores, mut clients, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // Ignore the first round, which opens connections and files.
    for round in 0..=ROUNDS {
        let session = format!("round-{round}");
        let (own, raw);
        if round % 2 == 0 {
            own = through_store(store, &session, &entries).await;
            raw = through_client(client, &session, &entries).await;
        } else {
            raw = through_client(client, &session, &entries).await;
            own = through_store(store, &session, &entries).await;
        }
        if round > 0 {
            stores.push(BATCHES as f64 / own.as_secs_f64());
            clients.push(BATCHES as f64 / raw.as_secs_f64());
            ratios.push(raw.as_secs_f64() / own.as_secs_f64());
        }
    }
    let (store, client) = (median(&mut stores), median(&mut clients));
    let ratio = median(&mut ratios);
    let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
    println!("{engine:<24}{store:>10.0}{client:>10.0}{ratio:>10.2}  ({least:.2}..{most:.2})");
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[tokio::main]
async fn main() {
    println!("batches of 10 entries and 5 kB a second, medians of {ROUNDS} rounds");
    println!("{:<24}{:>10}{:>10}{:>10}", "", "store", "client", "ratio");
    local::compare_all().await;
    servers::compare_all().await;
}
