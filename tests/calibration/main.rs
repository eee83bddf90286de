//! Holds the fake agent against the real CLI: every case is played on both,
//! and the two recordings are to be the same sequence. `scripts/calibrate`
//! runs it; its arguments are parts of the names of cases.
//!
//! What may differ stands in `accepted.json`, each with its reason. With
//! `AGENTWIRE_CALIBRATION_KEEP=folder` the recordings are written there, and
//! `differences.json`: what is not accepted, as it would stand in that file.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

mod accepted;
mod case;
mod diff;
mod host;
mod normal;
mod servers;

use accepted::Accepted;
use agentwire_testkit::{Scenario, fake_agent};
use case::Case;
use diff::Hunk;
use host::{Entry, Stuck};
use normal::Normal;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use support::{Live, fake_agent_path, live_cli};
use tokio::process::Command;
use tokio::sync::Semaphore;

/// Where recordings are written, when somebody wants them.
const KEEP: &str = "AGENTWIRE_CALIBRATION_KEEP";

/// How many cases run at once.
const AT_ONCE: usize = 3;

/// What came of a case.
struct Outcome {
    name: String,
    hunks: Vec<Hunk>,
    stuck: Option<String>,
    /// By rule, what was left out of each recording.
    left_out: [BTreeMap<usize, BTreeSet<String>>; 2],
    lines: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filters: Vec<_> = std::env::args()
        .skip(1)
        .filter(|it| !it.starts_with('-'))
        .collect();
    let accepted = Arc::new(Accepted::read());
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = Vec::new();
    for case in Case::all() {
        if filters.is_empty() || filters.iter().any(|it| case.name.contains(it.as_str())) {
            let (accepted, places) = (Arc::clone(&accepted), Arc::clone(&places));
            running.push(tokio::spawn(async move {
                let _place = places.acquire().await.unwrap();
                compare(&case, &accepted).await
            }));
        }
    }
    let mut outcomes = Vec::new();
    for case in running {
        outcomes.push(case.await.unwrap());
    }
    report(&accepted, &outcomes, filters.is_empty())
}

/// Plays a case on both agents.
async fn compare(case: &Case, accepted: &Accepted) -> Outcome {
    let (real, fake) = (on_real(case).await, on_fake(case).await);
    let mut normals = [Normal::new(case, accepted), Normal::new(case, accepted)];
    let mut lines = vec![];
    let mut stuck = None;
    for ((who, record), normal) in [("real", real), ("fake", fake)].iter().zip(&mut normals) {
        let entries = match record {
            Ok(entries) => entries,
            Err(Stuck { why, so_far }) => {
                stuck = Some(format!("the {who} one: {why}"));
                so_far
            }
        };
        let of_record = normal.lines(entries);
        keep(&case.name, who, entries, &of_record);
        lines.push(of_record);
    }
    Outcome {
        name: case.name.clone(),
        hunks: diff::hunks(&lines[0], &lines[1]),
        stuck,
        left_out: normals.map(|it| it.left_out),
        lines: lines[0].len(),
    }
}

async fn on_real(case: &Case) -> Result<Vec<Entry>, Stuck> {
    let live = Live::start(case.scenario.clone()).await;
    let mut command = Command::new(live_cli());
    let mut environment: BTreeMap<String, String> = live
        .environment()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if case.scenario.no_key {
        environment.remove("ANTHROPIC_API_KEY");
    }
    with_environment(&mut command, environment, case);
    host::play(case, command, live.project(), Some(&live.model)).await
}

async fn on_fake(case: &Case) -> Result<Vec<Entry>, Stuck> {
    let live = Live::start(Scenario::default()).await;
    let mut command = Command::new(fake_agent_path());
    let environment = BTreeMap::from([
        (fake_agent::SCRIPT.to_owned(), case.scenario.to_json()),
        (
            "FAKE_AGENT_GATES".to_owned(),
            live.project().display().to_string(),
        ),
    ]);
    with_environment(&mut command, environment, case);
    host::play(case, command, live.project(), None).await
}

fn with_environment(command: &mut Command, mut all: BTreeMap<String, String>, case: &Case) {
    let states = "CLAUDE_CODE_SDK_READS_SESSION_STATE".to_owned();
    all.insert(states, "1".to_owned());
    all.insert("CLAUDE_CODE_ENTRYPOINT".to_owned(), "sdk-rust".to_owned());
    for (name, value) in &case.host.env {
        match value {
            Some(value) => drop(all.insert(name.clone(), value.clone())),
            None => drop(all.remove(name)),
        }
    }
    command.env_clear().envs(all);
}

/// Writes a recording where somebody wants it.
fn keep(case: &str, who: &str, entries: &[Entry], lines: &[String]) {
    let Some(folder) = std::env::var_os(KEEP) else {
        return;
    };
    let folder = std::path::Path::new(&folder);
    std::fs::create_dir_all(folder).unwrap();
    let raw: Vec<_> = entries
        .iter()
        .map(|entry| match entry {
            Entry::Sent(line) => format!("> {line}"),
            Entry::Received(line) => format!("< {line}"),
            Entry::Exited(code) => format!("exit {code}"),
        })
        .collect();
    std::fs::write(folder.join(format!("{case}.{who}.raw")), raw.join("\n")).unwrap();
    std::fs::write(folder.join(format!("{case}.{who}.txt")), lines.join("\n")).unwrap();
}

/// Prints what is not accepted, and what is accepted for nothing.
fn report(accepted: &Accepted, outcomes: &[Outcome], is_all: bool) -> ExitCode {
    let mut met = BTreeSet::new();
    let (mut wrong, mut explained, mut lines) = (0, 0, 0);
    let mut new = vec![];
    for outcome in outcomes {
        lines += outcome.lines;
        let unexplained: Vec<_> = outcome
            .hunks
            .iter()
            .filter(|hunk| {
                let mut listed = accepted.differences.iter();
                let place = listed.position(|it| {
                    it.cases.contains(&outcome.name) && it.real == hunk.real && it.fake == hunk.fake
                });
                if let Some(place) = place {
                    met.insert((place, outcome.name.clone()));
                    explained += 1;
                }
                place.is_none()
            })
            .collect();
        if unexplained.is_empty() && outcome.stuck.is_none() {
            println!("same    {}", outcome.name);
            continue;
        }
        wrong += 1;
        println!("DIFFERS {}", outcome.name);
        if let Some(why) = &outcome.stuck {
            println!("    stuck: {why}");
        }
        for hunk in unexplained {
            new.push(json!({
                "cases": [outcome.name], "real": hunk.real, "fake": hunk.fake, "why": "",
            }));
            println!("    after {}", hunk.after);
            for line in &hunk.real {
                println!("      real {line}");
            }
            for line in &hunk.fake {
                println!("      fake {line}");
            }
        }
    }
    if let Some(folder) = std::env::var_os(KEEP) {
        let text = serde_json::to_string_pretty(&new).unwrap();
        std::fs::write(std::path::Path::new(&folder).join("differences.json"), text).unwrap();
    }
    if is_all {
        wrong += report_stale(accepted, outcomes, &met);
    }
    println!(
        "{} cases, {lines} lines, {explained} accepted differences, {wrong} complaints",
        outcomes.len()
    );
    ExitCode::from(u8::from(wrong > 0))
}

/// Says what is listed and does not occur.
fn report_stale(
    accepted: &Accepted,
    outcomes: &[Outcome],
    met: &BTreeSet<(usize, String)>,
) -> usize {
    let mut stale = 0;
    for (place, difference) in accepted.differences.iter().enumerate() {
        for case in &difference.cases {
            if !met.contains(&(place, case.clone())) {
                stale += 1;
                println!("STALE   {case} has no such difference: {}", difference.why);
            }
        }
    }
    for rule in 0..accepted.rules() {
        let matters = outcomes
            .iter()
            .any(|it| it.left_out[0].get(&rule) != it.left_out[1].get(&rule));
        if !matters {
            stale += 1;
            println!("STALE   nothing differs in {}", accepted.rule(rule));
        }
    }
    stale
}
