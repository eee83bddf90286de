//! Plays random sessions on the real CLI and on the fake agent, and compares them.
//! `scripts/real random` runs this program:
//!
//! ```text
//! scripts/real random 100                # a hundred sessions
//! scripts/real random --minutes 60       # as many as an hour has
//! scripts/real random 1 --seed 42        # this one
//! scripts/real random --shrink 42        # a smaller one that differs as well
//! ```
//!
//! A seed determines a session. Each session runs twice on the real CLI, and differences
//! between these runs are ignored. A session with a difference runs again to confirm it,
//! and is written to `target/random/SEED`. Its `case.json` can be a case of
//! `testkit/conform/cases`. Accepted differences are in `accepted.json`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

mod accepted;
mod case;
mod compare;
mod plan;
mod shrink;

use accepted::Accepted;
use agentwire_testkit::conform::cli::{Case, IgnoredMembers};
use compare::{Outcome, compare};
use plan::Plan;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{fake_agent_path, live_cli};
use tokio::task::JoinSet;

/// The number of concurrent sessions.
const AT_ONCE: usize = 3;

/// The default number of sessions.
const SESSIONS: u64 = 20;

/// The maximum percentage of lines that are not compared.
const MOST_NOT_COMPARED: f64 = 5.0;

/// The agents to compare, and their parameters.
struct Agents {
    real: PathBuf,
    fake: PathBuf,
    rules: IgnoredMembers,
}

/// The seeds and the number of sessions to run.
struct Wanted {
    sessions: u64,
    time: Option<Duration>,
    first: u64,
    shrink: Option<u64>,
}

/// The state that the tasks and the report share.
struct Lab {
    agents: Agents,
    accepted: Accepted,
}

#[tokio::main]
async fn main() -> ExitCode {
    let wanted = match Wanted::read(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(why) => {
            println!("{why}");
            return ExitCode::from(2);
        }
    };
    let lab = Arc::new(Lab {
        agents: Agents {
            real: live_cli(),
            fake: fake_agent_path(),
            rules: IgnoredMembers::embedded().unwrap(),
        },
        accepted: Accepted::read(),
    });
    match wanted.shrink {
        Some(seed) => lab.shrink(seed).await,
        None => run(&lab, &wanted).await,
    }
}

impl Wanted {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = Self {
            sessions: SESSIONS,
            time: None,
            first: 1,
            shrink: None,
        };
        let number = |text: Option<String>| -> Result<u64, String> {
            let text = text.unwrap_or_default();
            text.parse().map_err(|_| format!("no number: `{text}`"))
        };
        while let Some(arg) = args.next() {
            match &*arg {
                "--minutes" => {
                    wanted.time = Some(Duration::from_secs(60 * number(args.next())?));
                    wanted.sessions = u64::MAX;
                }
                "--seed" => wanted.first = number(args.next())?,
                "--shrink" => wanted.shrink = Some(number(args.next())?),
                _ => wanted.sessions = number(Some(arg))?,
            }
        }
        Ok(wanted)
    }
}

/// Plays the sessions, and prints each session that differs.
async fn run(lab: &Arc<Lab>, wanted: &Wanted) -> ExitCode {
    let begun = Instant::now();
    let mut seeds = (wanted.first..).take(usize::try_from(wanted.sessions).unwrap_or(usize::MAX));
    let mut running = JoinSet::new();
    let mut tally = Tally::default();
    loop {
        while running.len() < AT_ONCE && wanted.time.is_none_or(|it| begun.elapsed() < it) {
            let Some(seed) = seeds.next() else { break };
            let lab = Arc::clone(lab);
            running.spawn(async move {
                let plan = Plan::new(seed);
                let first = lab.play(&plan, seed).await;
                if first.differences.is_empty() {
                    return (seed, first, false);
                }
                // On a busy machine, the host may be too late once.
                let again = lab.play(&plan, seed).await;
                let is_unsteady = again.differences.is_empty();
                (seed, again, is_unsteady)
            });
        }
        let Some(played) = running.join_next().await else {
            break;
        };
        let (seed, outcome, is_unsteady) = played.unwrap();
        tally.add(seed, &outcome, is_unsteady);
    }
    tally.report(&lab.accepted)
}

impl Lab {
    async fn play(&self, plan: &Plan, seed: u64) -> Outcome {
        let text = serde_json::to_string_pretty(&case::case(plan, seed)).unwrap();
        let case = Case::from_json(&format!("random_{seed}"), &text).unwrap();
        let outcome = compare(&case, &self.agents, &self.accepted).await;
        if !outcome.differences.is_empty() || outcome.not_compared > 0 {
            outcome.write(&folder(&seed.to_string()), &text);
        }
        outcome
    }

    /// Searches a smaller session that differs in the same way.
    async fn shrink(self: &Arc<Self>, seed: u64) -> ExitCode {
        let mut plan = Plan::new(seed);
        let Some(kind) = self.play(&plan, seed).await.kind() else {
            println!("nothing differs in {seed}");
            return ExitCode::FAILURE;
        };
        'smaller: loop {
            for candidate in shrink::smaller(&plan) {
                if self.play(&candidate, seed).await.kind().as_ref() == Some(&kind) {
                    plan = candidate;
                    continue 'smaller;
                }
            }
            break;
        }
        let outcome = self.play(&plan, seed).await;
        show(seed, &outcome);
        let folder = folder(&seed.to_string());
        println!(
            "{}",
            std::fs::read_to_string(folder.join("case.json")).unwrap()
        );
        ExitCode::SUCCESS
    }
}

/// Returns the folder of a session.
fn folder(seed: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(target)
        .join("random")
        .join(seed)
}

fn show(seed: u64, outcome: &Outcome) {
    let Some(first) = outcome.differences.first() else {
        return;
    };
    println!("DIFFERS {seed}: {} places", outcome.differences.len());
    println!("    after {}", first.after);
    for line in &first.expected {
        println!("      real {line}");
    }
    for line in &first.found {
        println!("      fake {line}");
    }
}

/// The results of all sessions.
#[derive(Default)]
struct Tally {
    sessions: usize,
    lines: usize,
    not_compared: usize,
    differing: Vec<u64>,
    /// The number of sessions that differed only in the first run.
    unsteady: usize,
    /// The number of occurrences of each accepted reason.
    accepted: BTreeMap<usize, usize>,
}

impl Tally {
    fn add(&mut self, seed: u64, outcome: &Outcome, is_unsteady: bool) {
        self.sessions += 1;
        if is_unsteady {
            println!("UNSTEADY {seed}: it differed the first time, and not the second");
            self.unsteady += 1;
        }
        self.lines += outcome.lines;
        self.not_compared += outcome.not_compared;
        for (reason, _) in &outcome.accepted {
            *self.accepted.entry(*reason).or_default() += 1;
        }
        if outcome.not_compared > 0 {
            println!(
                "chance  {seed}: {} of {} lines",
                outcome.not_compared, outcome.lines
            );
        }
        if !outcome.differences.is_empty() {
            self.differing.push(seed);
            show(seed, outcome);
        }
    }

    fn report(&self, accepted: &Accepted) -> ExitCode {
        let percent = 100.0 * self.not_compared as f64 / self.lines.max(1) as f64;
        for (reason, count) in &self.accepted {
            println!("{count} accepted: {}", accepted.differences[*reason].why);
        }
        support::counted(self.sessions, "random sessions");
        println!(
            "{} sessions, {} lines, {} not compared ({percent:.1} %), {} unsteady, {} differ: {:?}",
            self.sessions,
            self.lines,
            self.not_compared,
            self.unsteady,
            self.differing.len(),
            self.differing
        );
        let is_good = self.differing.is_empty() && percent <= MOST_NOT_COMPARED;
        ExitCode::from(u8::from(!is_good))
    }
}
