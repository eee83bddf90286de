//! Kills hosts of one session of the real CLI at any moment, one after the other. The next host
//! must continue with every delivered turn.
//!
//! The host is a child process, which prints the prompts whose results it has received.
//! `AGENTWIRE_HOSTS` is the number of killed hosts; `AGENTWIRE_SEED` seeds the random moments.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../tests/support/mod.rs"]
mod support;

use agentwire::ownership::WhenOwned;
use agentwire::protocol::Json;
use agentwire::store::{StoreError, StoreFlush, TranscriptKey};
use agentwire::{Client, Event, Notice, Options, SessionStore};
use agentwire_stores::{Directory, LogBacked};
use agentwire_testing::Random;
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use support::{LONG, Live, counted, live_cli, patient};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// A store that sometimes fails.
struct SometimesFailing {
    store: LogBacked<Directory>,
    /// On average, one in this number of calls fails. If it is 0, no call fails.
    one_of: u64,
    calls: AtomicU64,
}

impl SessionStore for SometimesFailing {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        // Three attempts in a row fail, so that the store is reported as behind.
        if self.one_of > 0 && (call / 3) % self.one_of == 1 {
            return Err("out of order".into());
        }
        self.store.append(key, entries).await
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        self.store.load(key).await
    }

    async fn subpaths(&self, session: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        self.store.subpaths(session).await
    }
}

/// Opens the session and sends prompts until the process is killed.
async fn host(logs: &str, number: u64, one_of: u64, prompts: u64) {
    let store = SometimesFailing {
        store: LogBacked::new(Directory::new(logs)),
        one_of,
        calls: AtomicU64::new(number),
    };
    let options = Options::new()
        .cli(live_cli())
        .setting_sources([])
        .allowed_tools(["Bash"])
        .request_timeout(LONG)
        .close_policy(patient())
        .session_store(store)
        .session_store_flush(StoreFlush::BeforeResult)
        .when_owned(WhenOwned::Wait(LONG));
    let options = match number {
        0 => options.session_id(ID),
        _ => options.resume(ID),
    };
    let mut client = Client::connect(options).await.unwrap();
    say("open");
    for prompt in 0..prompts {
        let text = format!("Prompt {number}.{prompt}");
        let submission = client.send(text.as_str());
        drop(submission);
        loop {
            match client.next().await.unwrap().unwrap() {
                Event::Frame(frame) if frame.kind() == "result" => break,
                Event::Notice(notice @ Notice::NotMirrored { .. }) => say(&notice.to_string()),
                _ => {}
            }
        }
        say(&text);
    }
    client.flush_store().await.ok();
    client.close().await;
    say("closed");
}

fn say(line: &str) {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{line}").unwrap();
    stdout.flush().unwrap();
}

fn start(live: &Live, arguments: &[&str]) -> Child {
    Command::new(env::current_exe().unwrap())
        .arg("host")
        .args(arguments)
        .env_clear()
        .envs(live.environment())
        .env("AGENTWIRE_LIVE_CLI", live_cli())
        .current_dir(live.project())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the stored main conversation.
async fn stored(logs: &Path, project: &Path) -> Vec<Value> {
    let store = LogBacked::new(Directory::new(logs));
    let key = TranscriptKey::in_directory(project, ID).unwrap();
    let entries = store.load(&key).await.unwrap().unwrap_or_default();
    entries.iter().map(|it| it.to_value().unwrap()).collect()
}

/// Counts the stored prompts.
fn prompts(entries: &[Value]) -> BTreeMap<String, usize> {
    let mut prompts = BTreeMap::new();
    for entry in entries {
        let text = entry["message"]["content"].as_str();
        if entry["type"] == "user"
            && let Some(text) = text.filter(|it| it.starts_with("Prompt "))
        {
            *prompts.entry(text.to_owned()).or_default() += 1;
        }
    }
    prompts
}

/// Checks the invariants of the store.
fn check(entries: &[Value]) {
    let mut uuids = BTreeSet::new();
    for entry in entries {
        let parent = entry["parentUuid"].as_str();
        assert!(
            parent.is_none_or(|it| uuids.contains(it)),
            "there is a hole before {entry}"
        );
        if let Some(uuid) = entry["uuid"].as_str() {
            assert!(uuids.insert(uuid), "{uuid} is there twice");
        }
    }
}

async fn kills(one_of: u64, hosts: u64, seed: u64) {
    let bash = json!({ "command": "echo ran >> ran" });
    let turn = Scenario::default()
        .reply([Step::tool("Bash", bash, "")])
        .reply([Step::text("Done.")]);
    let live = Live::start(turn.repeated()).await;
    let logs = live.home.path().join("logs");
    let logs_text = logs.to_str().unwrap();
    let one_of_text = one_of.to_string();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for number in 0..hosts {
        let number_text = number.to_string();
        let arguments = [logs_text, &number_text, &one_of_text, "1000"];
        let mut child = start(&live, &arguments);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let opened = timeout(LONG, lines.next_line()).await.unwrap().unwrap();
        assert_eq!(
            opened.as_deref(),
            Some("open"),
            "host {number} of seed {seed}"
        );
        let pause = Random::new(seed ^ number).number() % 1200;
        let mut printed = vec![];
        let reads = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                printed.push(line);
            }
        };
        // The first turn must be on disk before the kill, so that other hosts can resume it.
        let pause = if number == 0 { 3000 } else { pause };
        let _ = timeout(Duration::from_millis(pause), reads).await;
        child.start_kill().unwrap();
        child.wait().await.unwrap();
        // Read the remaining output.
        while let Some(line) = lines.next_line().await.unwrap() {
            printed.push(line);
        }
        for line in printed {
            assert!(
                line.starts_with("Prompt "),
                "host {number} of seed {seed}: {line}"
            );
            seen.insert(line);
        }
        let entries = stored(&logs, &live.project()).await;
        check(&entries);
        if one_of == 0 {
            let kept = prompts(&entries);
            for prompt in &seen {
                assert_eq!(kept.get(prompt), Some(&1), "{prompt} of seed {seed}");
            }
        }
        // Some hosts start while the previous agent still runs.
        sleep(Duration::from_millis(Random::new(number).number() % 300)).await;
    }
    // The last host sends the remaining entries.
    let number = hosts.to_string();
    let child = start(&live, &[logs_text, &number, "0", "1"]);
    let output = timeout(LONG, child.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, format!("open\nPrompt {number}.0\nclosed\n"));
    let entries = stored(&logs, &live.project()).await;
    check(&entries);
    let kept = prompts(&entries);
    for prompt in &seen {
        assert_eq!(kept.get(prompt), Some(&1), "{prompt} of seed {seed}");
    }
    // The killed hosts leave no private folders and locks.
    let temporary = std::fs::read_dir(live.home.path().join("tmp")).unwrap();
    let left: Vec<_> = temporary
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .filter(|it| it.starts_with("agentwire-"))
        .collect();
    assert!(left.is_empty(), "{left:?} of seed {seed}");
    assert!(!live.home.path().join(".claude/agentwire").exists());
    counted(hosts as usize, "hosts of a session in a store killed");
    counted(seen.len(), "turns kept of killed hosts");
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [host_it, logs, numbers @ ..] = &arguments[..]
        && host_it == "host"
    {
        let numbers: Vec<u64> = numbers.iter().map(|it| it.parse().unwrap()).collect();
        return host(logs, numbers[0], numbers[1], numbers[2]).await;
    }
    let hosts = env::var("AGENTWIRE_HOSTS").map_or(8, |it| it.parse().unwrap());
    let seed = env::var("AGENTWIRE_SEED").map_or(1, |it| it.parse().unwrap());
    for one_of in [0, 3] {
        kills(one_of, hosts, seed).await;
    }
    println!("\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
