//! Kills writers at any moment. Acknowledged batches must be stored without gaps, and the next
//! writer must continue.
//!
//! The writer is a child process, which prints the position of each stored batch.
//! `AGENTWIRE_CRASHES` is the number of killed writers.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use agentwire_stores::session_log::{
    AppendError, Batch, Entry, LogKey, LogStore, NewBatch, Part, Position, Token,
};
use agentwire_stores::{Directory, Sqlite};
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn session() -> LogKey {
    LogKey::new("crashes", "session")
}

/// Returns the entries of the batch after a position.
fn entries(after: Position) -> Vec<Entry> {
    let entry = |at: u64| {
        let long = "x".repeat((after.0 * 37 % 5_000) as usize);
        let text = format!(r#"{{"uuid":"{}-{at}","text":"{long}"}}"#, after.0);
        Entry::new(Part::Main, text.parse().unwrap())
    };
    (0..=after.0 % 4).map(entry).collect()
}

/// Takes over the log and appends until the process is killed.
async fn write(store: impl LogStore, writer: &str) {
    let head = store.head(&session()).await.unwrap();
    let token = Token::next(head.as_ref(), writer);
    let mut after = head.map_or(Position::START, |head| head.position);
    let mut stdout = std::io::stdout();
    loop {
        let entries = entries(after);
        let batch = NewBatch::new(after, &token, &entries);
        after = store.append(&session(), &batch).await.unwrap();
        writeln!(stdout, "{after}").unwrap();
        stdout.flush().unwrap();
    }
}

/// Starts and kills a writer. Returns the last printed position.
fn killed(store: &str, path: &Path, number: u64) -> u64 {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["write", store, path.to_str().unwrap(), &number.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut last = None;
    for _ in 0..=number % 7 {
        last = lines.next().transpose().unwrap().or(last);
    }
    // Kill it during an append.
    let until = Instant::now() + Duration::from_micros(number * 613 % 4_000);
    while Instant::now() < until {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Read the remaining output.
    last = lines.map_while(Result::ok).last().or(last);
    last.expect("the writer appends").parse().unwrap()
}

async fn all(store: &impl LogStore) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    loop {
        let after = batches.last().map_or(Position::START, |it| it.position);
        let more = store.read(&session(), after).await.unwrap();
        if more.is_empty() {
            return batches;
        }
        batches.extend(more);
    }
}

/// Kills writers, and compares the log with the printed positions.
async fn check(name: &str, path: &Path, store: impl LogStore, kills: u64) {
    let mut acknowledged = 0;
    for number in 1..=kills {
        acknowledged = acknowledged.max(killed(name, path, number));
        let head = store.head(&session()).await.unwrap().unwrap();
        assert!(
            head.position.0 >= acknowledged,
            "{acknowledged} was acknowledged, {} is there",
            head.position
        );
        let batches = all(&store).await;
        assert_eq!(batches.len() as u64, head.position.0);
        for (before, batch) in (0..).zip(&batches) {
            assert_eq!(batch.position, Position(before + 1), "there is a hole");
            assert_eq!(batch.entries, entries(Position(before)), "a batch is whole");
        }
        // A retry of the killed writer succeeds without storing the batch again.
        let last = batches.last().unwrap();
        let before = Position(last.position.0 - 1);
        let (wanted, token) = (entries(before), head.token.clone());
        let again = store
            .append(&session(), &NewBatch::new(before, &token, &wanted))
            .await;
        assert_eq!(again.unwrap(), last.position);
        // An earlier writer is refused.
        let stale = Token::new(head.token.number - 1, "stale");
        let late = NewBatch::new(head.position, &stale, &wanted);
        let refused = store.append(&session(), &late).await;
        assert!(
            matches!(refused, Err(AppendError::Refused(_))),
            "{refused:?}"
        );
    }
    println!("test a_{name}_store_survives_its_writers ... ok");
    println!("counted: {kills} writers of stores killed");
    println!("counted: {acknowledged} batches kept of killed writers");
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let store_in = |path: &Path| path.join("sessions.db");
    if let [write_it, store, path, writer] = &arguments[..]
        && write_it == "write"
    {
        return match &**store {
            "directory" => write(Directory::new(path), writer).await,
            _ => write(Sqlite::open(store_in(Path::new(path))).unwrap(), writer).await,
        };
    }
    let kills = env::var("AGENTWIRE_CRASHES").map_or(40, |it| it.parse().unwrap());
    let folder = agentwire_testing::tempdir().unwrap();
    check(
        "directory",
        folder.path(),
        Directory::new(folder.path()),
        kills,
    )
    .await;
    let folder = agentwire_testing::tempdir().unwrap();
    let store = Sqlite::open(store_in(folder.path())).unwrap();
    check("sqlite", folder.path(), store, kills).await;
    println!("\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
