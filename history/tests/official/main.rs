//! Compares the history with the official SDK. For generated directories, each function must return
//! the same members and make the same changes as the official function. `scripts/real history`
//! installs the SDK and runs this program.
//!
//! Arguments: `--seeds N` is the number of seeds; `--first N` is the first seed; `--changes N` is
//! the number of changes per seed; `--reads 0` omits the queries.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod changes;
mod same;
mod tree;
mod world;

use agentwire_history::{History, HistoryError, ListSessions, MessageSelection};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use world::World;

/// The number of queried working directories per seed. Each query runs git.
const DIRECTORIES: usize = 3;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut seeds, mut first, mut changes, mut reads) = (100, 0, 8, 1);
    while let Some(argument) = arguments.next() {
        let number = arguments
            .next()
            .and_then(|it| it.parse().ok())
            .expect("a number");
        match &*argument {
            "--seeds" => seeds = number,
            "--first" => first = number,
            "--changes" => changes = number,
            "--reads" => reads = number,
            _ => panic!("unknown argument {argument}"),
        }
    }
    let mut official = Official::start();
    let (mut counts, mut failed) = (Counts::default(), 0);
    for seed in first..first + seeds {
        let folder = tempfile::tempdir().unwrap();
        let mut world = World::new(folder.path(), seed);
        let is_same = (reads == 0 || compare(&mut official, seed, &mut world, &mut counts))
            && change(&mut official, seed, &mut world, changes, &mut counts);
        if !is_same {
            if std::env::var_os("AGENTWIRE_KEEP").is_some() {
                println!("  {}", folder.keep().display());
            }
            failed += 1;
            if failed == 10 {
                break;
            }
        }
    }
    let Counts {
        calls,
        items,
        threw,
        changes,
    } = counts;
    println!(
        "history: {} changes, {} failed on both sides, {} differ on purpose",
        changes.changes, changes.failed, changes.explained
    );
    println!(
        "history: {seeds} seeds, {calls} calls, {items} results, {threw} failed in the SDK, {failed} seeds differ"
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[derive(Default)]
struct Counts {
    calls: usize,
    items: usize,
    threw: usize,
    changes: changes::Counts,
}

/// A call of the official SDK, and the result of this crate.
struct Call {
    official: Value,
    ours: Result<Value, HistoryError>,
}

/// Makes changes of a seed's directory on both sides. Returns whether the results are equal.
fn change(
    official: &mut Official,
    seed: u64,
    world: &mut World,
    changes: u64,
    counts: &mut Counts,
) -> bool {
    let same = changes::compare(official, world, changes, &mut counts.changes);
    if let Err(difference) = &same {
        println!("seed {seed}: {difference}");
    }
    same.is_ok()
}

/// Queries both sides about a seed's directory. Returns whether the results are equal.
fn compare(official: &mut Official, seed: u64, world: &mut World, counts: &mut Counts) -> bool {
    let calls = calls(world);
    let query_count: Vec<&Value> = calls.iter().map(|call| &call.official).collect();
    let answers = official.ask(&world.config, &query_count);
    assert_eq!(answers.len(), calls.len(), "seed {seed}");
    for (call, answer) in calls.iter().zip(answers) {
        counts.calls += 1;
        if let Some(error) = answer.get("threw") {
            counts.threw += 1;
            println!("seed {seed}: {} threw {error}", call.official);
            continue;
        }
        let ours = call.ours.as_ref().unwrap();
        counts.items += ours.as_array().map_or(1, Vec::len);
        if let Some(difference) = same::difference(&answer["is"], ours, "") {
            println!("seed {seed}: {}\n  {difference}", call.official);
            if let Some(kept) = std::env::var_os("AGENTWIRE_KEEP") {
                let to = PathBuf::from(kept);
                std::fs::write(&to, format!("{}\n{}\n", answer["is"], ours)).unwrap();
            }
            return false;
        }
    }
    true
}

/// Returns the queries of a world and the results of this crate.
fn calls(world: &mut World) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut directories: Vec<Option<PathBuf>> = vec![None];
    for _ in 0..DIRECTORIES {
        let index = world.below(world.directories.len());
        directories.push(Some(world.directories[index].clone()));
    }
    for directory in directories {
        let history = History::in_directory(&world.config);
        let history = match &directory {
            Some(directory) => history.project(directory),
            None => history,
        };
        let dir = directory
            .as_ref()
            .map(|it| it.to_string_lossy().into_owned());
        for (limit, offset) in [(0, 0), (world.below(5), world.below(4))] {
            for (worktrees, programmatic) in [(true, true), (false, true), (true, false)] {
                let list = ListSessions::new().limit(limit).offset(offset);
                let list = list.worktrees(worktrees).programmatic(programmatic);
                calls.push(Call {
                    official: json!(["listSessions", {
                        "dir": dir, "limit": limit, "offset": offset,
                        "includeWorktrees": worktrees, "includeProgrammatic": programmatic,
                    }]),
                    ours: value(history.list_sessions(&list)),
                });
            }
        }
        for id in world.sessions.clone() {
            if dir.is_some() && world.below(3) > 0 {
                continue;
            }
            of_session(world, &history, dir.as_deref(), &id, &mut calls);
        }
    }
    calls
}

fn of_session(
    world: &mut World,
    history: &History,
    dir: Option<&str>,
    id: &str,
    calls: &mut Vec<Call>,
) {
    let options = json!({"dir": dir});
    calls.push(Call {
        official: json!(["getSessionInfo", id, options]),
        ours: value(history.session_info(id)),
    });
    calls.push(Call {
        official: json!(["listSubagents", id, options]),
        ours: value(history.list_subagents(id)),
    });
    for (system, limit, offset) in [
        (false, 0, 0),
        (true, 0, 0),
        (true, world.below(6), world.below(6)),
    ] {
        let selection = MessageSelection::new()
            .system_messages(system)
            .limit(limit)
            .offset(offset);
        let options = json!({
            "dir": dir, "includeSystemMessages": system, "limit": limit, "offset": offset,
        });
        calls.push(Call {
            official: json!(["getSessionMessages", id, options]),
            ours: value(history.session_messages(id, selection)),
        });
    }
    if dir.is_some() {
        return;
    }
    for agent in history
        .list_subagents(id)
        .unwrap()
        .into_iter()
        .chain(world.agents.last().cloned())
    {
        for limit in [0, world.below(4)] {
            let selection = MessageSelection::new().limit(limit).offset(limit);
            calls.push(Call {
                official: json!(["getSubagentMessages", id, agent, {"limit": limit, "offset": limit}]),
                ours: value(history.subagent_messages(id, &agent, selection)),
            });
        }
    }
}

/// Converts a result to JSON, with U+FFFD for lone surrogates.
fn value<T: Serialize>(result: Result<T, HistoryError>) -> Result<Value, HistoryError> {
    Ok(agentwire_protocol::Json::from_value(&result?)
        .unwrap()
        .to_value()
        .unwrap())
}

/// The official SDK in another process.
struct Official {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Official {
    fn start() -> Self {
        let sdk = std::env::var_os("AGENTWIRE_OFFICIAL_SDK").expect(
            "AGENTWIRE_OFFICIAL_SDK is not set: run scripts/real history, which installs the SDK",
        );
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/official/official.mjs");
        let mut process = Command::new("node")
            .arg(script)
            .arg(sdk)
            .env_remove("CLAUDE_CODE_PROJECT_DIR_NAME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node starts");
        Self {
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
        }
    }

    fn ask(&mut self, config: &Path, calls: &[&Value]) -> Vec<Value> {
        let question = json!({"config": config.to_string_lossy(), "calls": calls});
        writeln!(self.input, "{question}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let json: agentwire_protocol::Json = line.trim_end().parse().expect("an answer of the SDK");
        json.read().unwrap()
    }
}

impl Drop for Official {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
