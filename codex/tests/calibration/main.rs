//! Compares the fake Codex with the real one. Every case runs on both, and the
//! normalized lines must be the same. `scripts/real codex` runs this program;
//! its arguments are parts of the names of cases.
//!
//! Where two runs of the real one differ in the order of their lines only, that
//! order is not compared.
//!
//! If `AGENTWIRE_CALIBRATION_KEEP` names a folder, the lines are written to it.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod case;
mod host;
mod normal;

use agentwire_codex::wire::{AgentRequest, Notification};
use agentwire_protocol::{Json, is_same_value};
use agentwire_testkit::conform::cli::hunks;
use case::Case;
use host::{Agent, Entry, play};
use normal::Ignored;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How often the real one runs, if its first run differs.
const RUNS: usize = 6;

/// The number of cases that run at once: they wait more than they compute.
const AT_ONCE: usize = 4;

#[tokio::main]
async fn main() -> ExitCode {
    let mut parts: Vec<String> = std::env::args().skip(1).collect();
    let real_only = parts.iter().any(|it| it == "--real");
    parts.retain(|it| !it.starts_with('-'));
    let real = std::env::var_os("AGENTWIRE_LIVE_CODEX");
    let real = PathBuf::from(real.expect("AGENTWIRE_LIVE_CODEX: use scripts/real codex"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calibration/cases");
    let cases = Case::in_folder(&folder);
    let chosen = |case: &Case| parts.is_empty() || parts.iter().any(|it| case.name.contains(it));
    let ignored = Arc::new(Ignored::read());
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let played = cases.into_iter().filter(chosen).map(|case| {
        let (real, ignored, turns) = (real.clone(), Arc::clone(&ignored), Arc::clone(&turns));
        tokio::spawn(async move {
            let _turn = turns.acquire().await;
            let outcome = if real_only {
                let lines = lines(&case, Agent::Real, &real, &ignored).await;
                lines.map(|it| format!("\n{}", it.join("\n")))
            } else {
                let same = compare(&case, &real, &ignored).await;
                same.map(|how| format!(" same{how}"))
            };
            (case.name, outcome)
        })
    });
    let played: Vec<_> = played.collect();
    let (count, mut differing) = (played.len(), 0);
    for case in played {
        match case.await.unwrap() {
            (name, Ok(text)) => println!("{name}{text}"),
            (name, Err(difference)) => {
                differing += 1;
                println!("{name} DIFFERS\n{difference}");
            }
        }
    }
    println!("counted: {count} calibration cases of Codex");
    println!("{count} cases, {differing} differ");
    ExitCode::from(u8::from(differing > 0 || count == 0))
}

/// Plays a case to both.
async fn compare(case: &Case, real: &Path, ignored: &Ignored) -> Result<&'static str, String> {
    let fake = lines(case, Agent::Fake, &host::fake(), ignored).await?;
    let mut runs: Vec<Vec<String>> = vec![];
    for run in 0..RUNS {
        let lines = lines(case, Agent::Real, real, ignored).await?;
        if lines == fake {
            return Ok(if run == 0 {
                ""
            } else {
                " (another run differed)"
            });
        }
        runs.push(lines);
    }
    let varies = runs.iter().any(|run| *run != runs[0]);
    if varies && runs.iter().any(|run| sorted(run) == sorted(&fake)) {
        return Ok(" (the order of the real one varies)");
    }
    let best = runs
        .iter()
        .min_by_key(|run| hunks(run, &fake).len())
        .unwrap();
    let mut text = String::new();
    for hunk in hunks(best, &fake) {
        text.push_str(&format!("  after {}\n", hunk.after));
        for line in &hunk.expected {
            text.push_str(&format!("    real {line}\n"));
        }
        for line in &hunk.found {
            text.push_str(&format!("    fake {line}\n"));
        }
    }
    Err(text)
}

async fn lines(
    case: &Case,
    agent: Agent,
    program: &Path,
    ignored: &Ignored,
) -> Result<Vec<String>, String> {
    let recording = play(case, agent, program).await;
    if agent == Agent::Real {
        let mut unreadable = recording.entries.iter().filter_map(unreadable);
        if let Some(why) = unreadable.next() {
            return Err(why);
        }
    }
    let lines = normal::lines(&recording, ignored);
    if let Some(folder) = std::env::var_os("AGENTWIRE_CALIBRATION_KEEP") {
        let file = Path::new(&folder).join(format!("{}.{agent:?}.txt", case.name));
        std::fs::write(file, lines.join("\n")).unwrap();
    }
    match recording.stuck {
        Some(why) => {
            let end = &lines[lines.len().saturating_sub(5)..];
            Err(format!(
                "  {agent:?} is stuck: {why}\n  {}\n",
                end.join("\n  ")
            ))
        }
        None => Ok(lines),
    }
}

/// Returns why our types do not fit what Codex sent: a frame cannot be read, or is not written as
/// it was read.
fn unreadable(entry: &Entry) -> Option<String> {
    let Entry::Received(frame) = entry else {
        return None;
    };
    let method = frame["method"].as_str()?;
    let params = Json::of_text(frame["params"].to_string());
    let (is_read, written) = match frame.get("id") {
        None => {
            let read = Notification::read(method, &params);
            let is_read = !matches!(read, Notification::Unreadable { .. });
            (is_read, read.params())
        }
        Some(_) => {
            let read = AgentRequest::read(method, &params);
            let is_read = !matches!(read, AgentRequest::Unreadable { .. });
            (is_read, read.params())
        }
    };
    let is_same = is_same_value(params.get(), written.get()).is_ok_and(|it| it);
    (!is_read || !is_same).then(|| format!("  our types do not fit {frame}\n"))
}

fn sorted(lines: &[String]) -> Vec<&String> {
    let mut sorted: Vec<_> = lines.iter().collect();
    sorted.sort_unstable();
    sorted
}
