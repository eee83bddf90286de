//! A thousand concurrent sessions in one process with one store. Their agents are tasks.

use super::memory;
use super::peer::{Peer, connect};
use super::stores::{self, Visit};
use agentwire::{Client, Event, Notice, Options};
use agentwire_stores::LogBacked;
use agentwire_stores::session_log::{LogKey, LogStore, Position};
use serde_json::json;
use std::process::Command;
use std::time::Instant;
use tempfile::TempDir;
use tokio::task::JoinSet;

const SESSIONS: usize = 1_000;
const TURNS: usize = 5;
/// The numbers of messages in a turn, and of entries in a message.
const MESSAGES: usize = 2;
const ENTRIES: usize = 5;

const NONE: &str = "none";

/// The environment variable of a process that measures one store: its name.
pub(crate) const STORE: &str = "SESSIONS_STORE";

/// Starts a process for each store, because processes do not return memory.
pub(crate) fn run_all() {
    println!();
    println!(
        "{SESSIONS} sessions at once, {TURNS} turns each, {} entries a turn",
        MESSAGES * ENTRIES
    );
    println!(
        "{:<12}{:>12}{:>12}{:>10}{:>10}{:>8}",
        "store", "turns, s", "stored, s", "peak, MB", "entries", "lost"
    );
    for name in [NONE].into_iter().chain(stores::names()) {
        let program = std::env::current_exe().unwrap();
        let status = Command::new(program).env(STORE, name).status();
        assert!(status.unwrap().success(), "{name}");
    }
}

/// Measures a store, and prints the result.
pub(crate) async fn run(name: &str) {
    if name == NONE {
        let (turns, _) = sessions(Options::new()).await;
        let peak = memory::peak() / 1024;
        println!("{name:<12}{turns:>12.2}{:>12}{peak:>10}", "");
        return;
    }
    let folder = TempDir::new().unwrap();
    let mut row = String::new();
    stores::open(name, folder.path(), Run(&mut row)).await;
    // Open the store again, without its caches.
    stores::open(name, folder.path(), Count(name, &row)).await;
}

struct Run<'a>(&'a mut String);

impl Visit for Run<'_> {
    async fn visit<S: LogStore>(self, store: S) {
        let options = Options::new().session_store(LogBacked::new(store));
        let (turns, stored) = sessions(options).await;
        let peak = memory::peak() / 1024;
        *self.0 = format!("{turns:>12.2}{stored:>12.2}{peak:>10}");
    }
}

/// Runs all sessions. Returns the seconds until all turns have ended, and until they are stored.
async fn sessions(options: Options) -> (f64, f64) {
    let mut connecting = JoinSet::new();
    for number in 0..SESSIONS {
        let options = options.clone();
        connecting.spawn(async move {
            let (client, peer) = connect(options).await;
            tokio::spawn(agent(peer, number));
            client
        });
    }
    let clients = connecting.join_all().await;
    let start = Instant::now();
    let mut running = JoinSet::new();
    for mut client in clients {
        running.spawn(async move {
            for turn in 0..TURNS {
                client.send(format!("Turn {turn}"));
                result(&mut client).await;
            }
            client
        });
    }
    let clients = running.join_all().await;
    let turns = start.elapsed().as_secs_f64();
    let mut flushing = JoinSet::new();
    for client in clients {
        flushing.spawn(async move {
            client.flush_store().await.unwrap();
            client
        });
    }
    let clients = flushing.join_all().await;
    let stored = start.elapsed().as_secs_f64();
    let mut closing = JoinSet::new();
    for mut client in clients {
        closing.spawn(async move {
            client.close().await;
            while let Some(event) = client.next().await {
                if let Ok(Event::Notice(notice)) = event {
                    is_fine(&notice);
                }
            }
        });
    }
    closing.join_all().await;
    (turns, stored)
}

async fn result(client: &mut Client) {
    loop {
        match client.next().await.unwrap().unwrap() {
            Event::Frame(frame) if frame.kind() == "result" => return,
            Event::Notice(notice) => is_fine(&notice),
            _ => {}
        }
    }
}

fn is_fine(notice: &Notice) {
    let is_lost = matches!(notice, Notice::NotMirrored { .. });
    assert!(
        !is_lost && !matches!(notice, Notice::StoreBehind { .. }),
        "{notice}"
    );
}

fn id(session: usize) -> String {
    format!("11111111-2222-4333-8444-{session:012}")
}

fn uuid(session: usize, turn: usize, message: usize, entry: usize) -> String {
    format!("entry-{session}-{turn}-{message}-{entry}")
}

/// Responds to each prompt with a text, the entries and the result.
async fn agent(mut peer: Peer, session: usize) {
    let id = id(session);
    let path = format!("/home/crab/.claude/projects/-p/{id}.jsonl");
    let mut turn = 0;
    while let Some(line) = peer.input.next_line().await.unwrap() {
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        if line["type"] != "user" {
            continue;
        }
        for message in 0..MESSAGES {
            let text = json!([{ "type": "text", "text": "x".repeat(400) }]);
            let said = json!({
                "type": "assistant", "session_id": id, "parent_tool_use_id": null,
                "uuid": format!("said-{turn}-{message}"),
                "message": { "id": "m", "type": "message", "role": "assistant", "content": text },
            });
            peer.says(&said.to_string()).await;
            let entries = (0..ENTRIES).map(|entry| {
                let uuid = uuid(session, turn, message, entry);
                json!({
                    "type": "assistant", "uuid": uuid, "sessionId": id,
                    "message": { "role": "assistant", "content": text },
                })
            });
            let entries: Vec<_> = entries.collect();
            let line = json!({ "type": "transcript_mirror", "filePath": path, "entries": entries });
            peer.says(&line.to_string()).await;
        }
        let result = json!({
            "type": "result", "subtype": "success", "is_error": false, "session_id": id,
            "uuid": format!("r-{turn}"), "num_turns": 1, "duration_ms": 1,
            "duration_api_ms": 1, "total_cost_usd": 0, "usage": {}, "modelUsage": {},
            "permission_denials": [],
        });
        peer.says(&result.to_string()).await;
        turn += 1;
    }
}

struct Count<'a>(&'a str, &'a str);

impl Visit for Count<'_> {
    /// Compares the entries of the store with the sent ones, in order.
    async fn visit<S: LogStore>(self, store: S) {
        let Self(name, row) = self;
        let (mut found, mut lost) = (0, 0);
        for session in 0..SESSIONS {
            let key = LogKey::new("-p", id(session));
            let mut uuids = Vec::new();
            let mut after = Position::START;
            loop {
                let batches = store.read(&key, after).await.unwrap();
                let Some(last) = batches.last() else { break };
                after = last.position;
                for entry in batches.iter().flat_map(|batch| &batch.entries) {
                    let uuid = entry.json.member("uuid").unwrap();
                    uuids.push(uuid.read::<String>().unwrap());
                }
            }
            let mut told = Vec::new();
            for turn in 0..TURNS {
                for message in 0..MESSAGES {
                    told.extend((0..ENTRIES).map(|entry| uuid(session, turn, message, entry)));
                }
            }
            found += uuids.len();
            lost += told.iter().filter(|it| !uuids.contains(it)).count();
            assert_eq!(uuids, told, "{key}");
        }
        println!("{name:<12}{row}{found:>10}{lost:>8}");
    }
}
