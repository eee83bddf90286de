//! Scenario files that run on the fake agent and on the real CLI: what the
//! model says, what the host does, and what the host then sees.

use super::{Live, fake, log_to_end};
use agentwire::protocol::Json;
use agentwire::{Client, Options, PermissionAsk, PermissionResult};
use agentwire_testkit::Scenario;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long nothing may come. A session that hangs is to fail, and to say
/// what it did before.
const PATIENCE: Duration = Duration::from_secs(20);

/// The part of a scenario file that says what the host does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Host {
    /// What is sent, one after the other: each when the one before is done.
    prompts: Vec<String>,
    /// What the permission callback answers, by tool.
    #[serde(default)]
    decisions: BTreeMap<String, Decision>,
    /// What is delivered and asked, in order. `{}` in it stands for anything.
    expect: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Decision {
    Allow,
    AllowWith(serde_json::Value),
    Deny(String),
    DenyAndInterrupt(String),
}

/// All scenario files.
pub(crate) fn files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Runs a scenario file against the fake agent.
pub(crate) async fn run_on_fake(file: &str) {
    let (scenario, host) = read(file);
    play(file, fake(&scenario), host).await;
}

/// Runs a scenario file against the real CLI.
pub(crate) async fn run_on_real(file: &str) {
    let (scenario, host) = read(file);
    let live = Live::start(scenario).await;
    play(file, live.options(), host).await;
}

fn read(file: &str) -> (Scenario, Host) {
    let scenario = Scenario::from_json(&std::fs::read_to_string(file).unwrap()).unwrap();
    let host = serde_json::from_value(scenario.host.clone().unwrap()).unwrap();
    (scenario, host)
}

/// Plays the host's part and compares what it saw.
async fn play(file: &str, options: Options, host: Host) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (decisions, asks) = (host.decisions, Arc::clone(&asked));
    let options = options.on_permission(move |ask: PermissionAsk| {
        let tool = ask.request.tool_name.clone();
        asks.lock()
            .unwrap()
            .push(format!("asked: {tool} {}", ask.request.input));
        let decision = decisions.get(&tool).cloned();
        async move {
            match decision {
                Some(Decision::Allow) => PermissionResult::allow(),
                Some(Decision::AllowWith(input)) => PermissionResult::allow_with(Json::from(input)),
                Some(Decision::Deny(message)) => PermissionResult::deny(message),
                Some(Decision::DenyAndInterrupt(message)) => {
                    PermissionResult::deny_and_interrupt(message)
                }
                None => panic!("nobody said what to do about {tool}"),
            }
        }
    });

    let mut client = Client::connect(options).await.unwrap();
    let mut log = Vec::new();
    for prompt in &host.prompts {
        log.push(format!("sent: {prompt}"));
        client.send(prompt.as_str()).await.unwrap();
        loop {
            let next = tokio::time::timeout(PATIENCE, client.next()).await;
            let Ok(Some(Ok(event))) = next else {
                panic!("{file}: {next:?} after\n  {}", log.join("\n  "));
            };
            log.extend(super::describe(&event));
            if let agentwire::Event::Activity(agentwire::Activity::Idle) = event {
                break;
            }
        }
    }
    let report = client.close().await;
    let (rest, error) = log_to_end(async || client.next().await).await;
    log.extend(rest);
    assert!(error.is_none(), "{file}: {error:?}");
    assert!(report.left.is_empty(), "{file}: {report:?}");

    let mut asked = asked.lock().unwrap().clone();
    let mut seen = Vec::new();
    // An ask has no place among the messages, which are read when there is
    // time; it comes before its tool's answer.
    for line in log {
        if line.starts_with("tool ") && !asked.is_empty() {
            seen.push(asked.remove(0));
        }
        seen.push(line);
    }
    seen.extend(asked);
    let matches = seen.len() == host.expect.len()
        && seen
            .iter()
            .zip(&host.expect)
            .all(|(seen, pattern)| fits(seen, pattern));
    assert!(
        matches,
        "{file}\nexpected:\n  {}\nseen:\n  {}",
        host.expect.join("\n  "),
        seen.join("\n  ")
    );
}

/// Whether a line fits a pattern in which `{}` stands for anything.
fn fits(line: &str, pattern: &str) -> bool {
    match pattern.split_once("{}") {
        None => line == pattern,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len()).any(|at| rest.is_char_boundary(at) && fits(&rest[at..], after))
        }),
    }
}
