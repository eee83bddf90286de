//! Sessions with and without a store, one after the other.

use super::stores::{self, Visit};
use agentwire::store::{StoreError, StoreFlush, TranscriptKey};
use agentwire::{Client, Event, Notice, Options, SessionStore};
use agentwire_protocol::Json;
use agentwire_stores::LogBacked;
use agentwire_stores::session_log::LogStore;
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ROUNDS: usize = 9;

/// A kind of turn, and their number in a session.
struct Turn {
    name: &'static str,
    times: usize,
    scenario: Scenario,
}

fn turns() -> Vec<Turn> {
    let text = "Some words of a text that the model says. ";
    let tool = || Step::tool("Bash", json!({"command": "cargo test"}), "x".repeat(2_000));
    let short = Scenario::default().reply([Step::text(text)]).repeated();
    let tools = Scenario::default()
        .reply([Step::text(text.repeat(10)), tool()])
        .reply([Step::text(text.repeat(10)), tool()])
        .reply([Step::text(text.repeat(10)), tool()])
        .reply([Step::text(text.repeat(10))])
        .repeated();
    // A pause of 10 ms, less than any model's.
    let pause = Duration::from_millis(10);
    let paused = Scenario::default().reply([Step::chunks([text], pause)]);
    vec![
        Turn {
            name: "one text",
            times: 500,
            scenario: short,
        },
        Turn {
            name: "three tool calls",
            times: 150,
            scenario: tools,
        },
        Turn {
            name: "one text after 10 ms",
            times: 100,
            scenario: paused.repeated(),
        },
    ]
}

pub(crate) async fn compare_all() {
    println!("turns a second of one session, medians of {ROUNDS} rounds; ratio to no store");
    println!("CPU: that of this process, the store's included and the agent's not");
    println!(
        "{:<24}{:<28}{:>8}{:>10}{:>8}",
        "turn", "store", "CPU, µs", "turns/s", "ratio"
    );
    for turn in turns() {
        // The second one shows the differences that stores do not cause.
        let mut rows: Vec<Row> = ["none", "discards"]
            .map(|name| Row::new(name, Mode::Batched))
            .into();
        for name in stores::names() {
            for mode in [Mode::Batched, Mode::BeforeResult, Mode::Leased] {
                rows.push(Row::new(name, mode));
            }
        }
        // Ignore the first round.
        for round in 0..=ROUNDS {
            let mut speeds = vec![0.0; rows.len()];
            let mut order: Vec<usize> = (0..rows.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for number in order {
                let before = cpu();
                speeds[number] = rows[number].speed(&turn).await;
                rows[number].cpu += cpu() - before;
            }
            if round > 0 {
                for (row, speed) in rows.iter_mut().zip(&speeds) {
                    row.speeds.push(*speed);
                    row.ratios.push(speed / speeds[0]);
                }
            }
        }
        for row in &mut rows {
            row.print(&turn);
        }
    }
}

/// The use of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Batched,
    BeforeResult,
    /// With a lease: each message is stored before it is sent, and each turn before its result is
    /// delivered.
    Leased,
}

struct Row {
    store: &'static str,
    mode: Mode,
    /// The results of all rounds.
    cpu: Duration,
    speeds: Vec<f64>,
    ratios: Vec<f64>,
}

impl Row {
    fn new(store: &'static str, mode: Mode) -> Self {
        Self {
            store,
            mode,
            cpu: Duration::ZERO,
            speeds: Vec::new(),
            ratios: Vec::new(),
        }
    }

    /// Returns the turns per second of a session with a new store.
    async fn speed(&self, turn: &Turn) -> f64 {
        let folder = TempDir::new().unwrap();
        let options = Options::new()
            .cli(std::env::current_exe().unwrap())
            .cwd(folder.path())
            .env(fake_agent::SCRIPT, turn.scenario.to_json())
            .env(fake_agent::SESSIONS, folder.path().join("config"))
            .allowed_tools(["Bash"])
            .partial_messages(true);
        let mut took = Duration::ZERO;
        match self.store {
            "none" => took = session(options, turn.times).await,
            "discards" => took = session(options.session_store(Discards), turn.times).await,
            name => {
                let options = match self.mode {
                    Mode::BeforeResult => options.session_store_flush(StoreFlush::BeforeResult),
                    Mode::Batched | Mode::Leased => options,
                };
                let with = WithStore(options, turn.times, self.mode, &mut took);
                stores::open(name, folder.path(), with).await;
            }
        }
        turn.times as f64 / took.as_secs_f64()
    }

    fn print(&mut self, turn: &Turn) {
        let median = |numbers: &mut [f64]| {
            numbers.sort_unstable_by(f64::total_cmp);
            numbers[numbers.len() / 2]
        };
        let (speed, ratio) = (median(&mut self.speeds), median(&mut self.ratios));
        let (least, most) = (self.ratios[0], self.ratios[self.ratios.len() - 1]);
        let store = match self.mode {
            Mode::Batched => self.store.to_owned(),
            Mode::BeforeResult => format!("{}, before the result", self.store),
            Mode::Leased => format!("{}, with a lease", self.store),
        };
        let cpu = self.cpu.as_micros() / (turn.times * (ROUNDS + 1)) as u128;
        println!(
            "{:<24}{store:<28}{cpu:>8}{speed:>10.0}{ratio:>8.2}  ({least:.2}..{most:.2})",
            turn.name
        );
    }
}

/// Returns the CPU time of this process, in steps of 10 ms.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split(' ').collect();
    // `utime` and `stime` are the fields 14 and 15; `fields` begins with the third.
    let ticks: u64 = fields[12..14]
        .iter()
        .map(|it| it.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(ticks * 10)
}

/// A store that discards everything.
struct Discards;

impl SessionStore for Discards {
    async fn append(&self, _: &TranscriptKey, _: &[Json]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        Ok(None)
    }
}

struct WithStore<'a>(Options, usize, Mode, &'a mut Duration);

impl Visit for WithStore<'_> {
    async fn visit<S: LogStore>(self, store: S) {
        let Self(options, times, mode, took) = self;
        let store = LogBacked::new(store);
        let store = match mode {
            Mode::Leased => store.leased(Duration::from_secs(30)),
            Mode::Batched | Mode::BeforeResult => store,
        };
        *took = session(options.session_store(store), times).await;
    }
}

/// Runs a session. Returns the time until its last turn is stored.
async fn session(options: Options, times: usize) -> Duration {
    let mut client = Client::connect(options).await.unwrap();
    let start = Instant::now();
    for number in 0..times {
        client.send(format!("Turn {number}"));
        loop {
            match client.next().await.unwrap().unwrap() {
                Event::Frame(frame) if frame.kind() == "result" => break,
                Event::Notice(
                    notice @ (Notice::NotMirrored { .. } | Notice::StoreBehind { .. }),
                ) => panic!("{notice}"),
                _ => {}
            }
        }
    }
    client.flush_store().await.unwrap();
    let took = start.elapsed();
    client.close().await;
    took
}
