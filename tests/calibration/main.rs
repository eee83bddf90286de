//! Compares the fake agent with the real CLI. Every case runs on both, and the two
//! recordings must be the same sequence. `scripts/real calibrate` runs this program; its
//! arguments are parts of the names of cases.
//!
//! With `--plain`, each case also runs without the host's optional features: no partial
//! messages, and none of the variables that SDKs set.
//!
//! The cases are in the testkit's `conform/cases`, accepted differences in
//! `conform/accepted.json`, and members that are not compared in `conform/left-out.json`,
//! each with its reason. Accepted differences that do not occur are reported. If
//! `AGENTWIRE_CALIBRATION_KEEP` names a folder, the recordings are written to it, and the
//! other differences to `differences.json` in it, in the format of `accepted.json`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

use agentwire_testkit::conform::cli::{
    AcceptedDifference, Case, Entry, Hunk, IgnoredMembers, Normal, hunks, play,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use support::{fake_agent_path, live_cli};
use tokio::sync::Semaphore;

/// The variable with the folder for recordings.
const KEEP: &str = "AGENTWIRE_CALIBRATION_KEEP";

/// The number of concurrent cases.
const AT_ONCE: usize = 3;

/// The timeout of a session.
const DEADLINE: Duration = Duration::from_secs(60);

/// The result of a case.
struct Outcome {
    name: String,
    hunks: Vec<Hunk>,
    stuck: Option<String>,
    /// The members of each recording that were not compared, by rule.
    left_out: [BTreeMap<usize, BTreeSet<String>>; 2],
    lines: usize,
}

impl Outcome {
    /// Returns whether both agents did the same.
    fn is_same(&self) -> bool {
        self.hunks.is_empty() && self.stuck.is_none()
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let filters: Vec<_> = std::env::args()
        .skip(1)
        .filter(|it| !it.starts_with('-'))
        .collect();
    let rules = Arc::new(IgnoredMembers::embedded().unwrap());
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = Vec::new();
    let cases = Case::embedded().unwrap();
    let with_plain = std::env::args().any(|it| it == "--plain");
    let plain: Vec<_> = if with_plain {
        cases.iter().filter_map(Case::plain).collect()
    } else {
        Vec::new()
    };
    for case in cases.into_iter().chain(plain) {
        if filters.is_empty() || filters.iter().any(|it| case.name().contains(&**it)) {
            let (rules, places) = (Arc::clone(&rules), Arc::clone(&places));
            running.push(tokio::spawn(async move {
                let _place = places.acquire().await.unwrap();
                let outcome = compare(&case, &rules).await;
                if outcome.is_same() {
                    return outcome;
                }
                // Random behaviour of the real agent does not repeat.
                let again = compare(&case, &rules).await;
                if again.is_same() {
                    println!("UNSTEADY {}: it differed the first time only", again.name);
                    return again;
                }
                outcome
            }));
        }
    }
    let mut outcomes = Vec::new();
    for case in running {
        outcomes.push(case.await.unwrap());
    }
    report(&rules, &outcomes, filters.is_empty(), with_plain)
}

/// Plays a case on both agents.
async fn compare(case: &Case, rules: &IgnoredMembers) -> Outcome {
    let mut normals = [Normal::new(case, rules), Normal::new(case, rules)];
    let mut lines = vec![];
    let mut stuck = None;
    let clis: [(&str, PathBuf); 2] = [("real", live_cli()), ("fake", fake_agent_path())];
    for ((who, cli), normal) in clis.into_iter().zip(&mut normals) {
        let recording = play(case, &[cli.into()], DEADLINE).await.unwrap();
        if let Some(why) = recording.stuck.or(recording.remaining) {
            stuck = Some(format!("the {who} one: {why}\n{}", recording.stderr));
        }
        let of_record = normal.lines(&recording.entries);
        write_recording(case.name(), who, &recording.entries, &of_record);
        lines.push(of_record);
    }
    Outcome {
        name: case.name().to_owned(),
        hunks: hunks(&lines[1], &lines[0]),
        stuck,
        left_out: normals.map(|it| it.ignored().clone()),
        lines: lines[0].len(),
    }
}

/// Writes a recording, if `AGENTWIRE_CALIBRATION_KEEP` is set.
fn write_recording(case: &str, who: &str, entries: &[Entry], lines: &[String]) {
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
            other => format!("{other:?}"),
        })
        .collect();
    std::fs::write(folder.join(format!("{case}.{who}.raw")), raw.join("\n")).unwrap();
    std::fs::write(folder.join(format!("{case}.{who}.txt")), lines.join("\n")).unwrap();
}

/// Prints differences that are not accepted, and accepted differences that do not occur.
fn report(
    rules: &IgnoredMembers,
    outcomes: &[Outcome],
    is_all: bool,
    with_plain: bool,
) -> ExitCode {
    let accepted = AcceptedDifference::embedded().unwrap();
    let mut met = BTreeSet::new();
    let (mut wrong, mut explained, mut lines) = (0, 0, 0);
    let mut new = vec![];
    for outcome in outcomes {
        lines += outcome.lines;
        let unexplained: Vec<_> = outcome
            .hunks
            .iter()
            .filter(|hunk| {
                let mut listed = accepted.iter();
                let place = listed.position(|it| it.matches(&outcome.name, hunk));
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
                "cases": [outcome.name], "why": "", "real": hunk.found, "fake": hunk.expected,
            }));
            println!("    after {}", hunk.after);
            for line in &hunk.found {
                println!("      real {line}");
            }
            for line in &hunk.expected {
                println!("      fake {line}");
            }
        }
    }
    if let Some(folder) = std::env::var_os(KEEP) {
        let text = serde_json::to_string_pretty(&new).unwrap();
        std::fs::write(std::path::Path::new(&folder).join("differences.json"), text).unwrap();
    }
    if is_all {
        wrong += report_stale(&accepted, rules, outcomes, &met, with_plain);
    }
    support::counted(outcomes.len(), "calibration cases");
    println!(
        "{} cases, {lines} lines, {explained} accepted differences, {wrong} complaints",
        outcomes.len()
    );
    ExitCode::from(u8::from(wrong > 0))
}

/// Prints entries of the lists that match nothing.
fn report_stale(
    accepted: &[AcceptedDifference],
    rules: &IgnoredMembers,
    outcomes: &[Outcome],
    met: &BTreeSet<(usize, String)>,
    with_plain: bool,
) -> usize {
    let mut stale = 0;
    for (place, difference) in accepted.iter().enumerate() {
        // Cases that did not run are not stale.
        let ran = |case: &&String| with_plain || !case.ends_with(" (plain)");
        for case in difference.cases.iter().filter(ran) {
            if !met.contains(&(place, case.clone())) {
                stale += 1;
                println!("STALE   {case} has no such difference: {}", difference.why);
            }
        }
    }
    for rule in 0..rules.rules() {
        let matters = outcomes
            .iter()
            .any(|it| it.left_out[0].get(&rule) != it.left_out[1].get(&rule));
        if !matters {
            stale += 1;
            println!("STALE   nothing differs in {}", rules.rule(rule));
        }
    }
    stale
}
