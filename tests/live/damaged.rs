//! Tests that the conversion of a damaged transcript has the messages that the real CLI
//! sends to the model when it resumes the session.
//!
//! `AGENTWIRE_DAMAGED` is the number of transcripts, and `AGENTWIRE_DAMAGED_SEED` is the
//! first seed. Differences are written to `target/damaged/SEED`.

use crate::support::{Live, counted};
use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::{Options, query};
use agentwire_interop::Message;
use agentwire_interop::session::PLACEHOLDER;
use agentwire_interop::transcript::{Files, History, Place, conversation};
use agentwire_testing::Random;
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The prompt with which a damaged session is resumed.
const PROMPT: &str = "Where were we?";

/// A transcript of the real CLI, of which the test damages copies.
struct Base {
    name: &'static str,
    session: String,
    text: String,
}

/// Returns the lines of a transcript, with their line ends.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

/// Returns whether a line is a record of the conversation.
fn is_of_conversation(line: &[u8]) -> bool {
    let record: Value = serde_json::from_slice(line).unwrap_or_default();
    matches!(
        record["type"].as_str(),
        Some("user" | "assistant" | "system" | "attachment")
    )
}

/// Returns the transcript with up to three damages, and their descriptions.
fn damage(text: &str, seed: u64) -> (Vec<u8>, Vec<String>) {
    let mut random = Random::new(seed);
    let mut lines = lines(text.as_bytes());
    let mut done = vec![];
    for _ in 0..=random.below(3) {
        // Most damages affect records of the conversation.
        let said: Vec<usize> = (0..lines.len())
            .filter(|at| is_of_conversation(&lines[*at]))
            .collect();
        if said.is_empty() {
            break;
        }
        let at = match random.below(8) {
            0 => random.below(lines.len()),
            _ => said[random.below(said.len())],
        };
        let length = lines[at].len();
        let what = match random.below(11) {
            0 => {
                lines.truncate(at + 1);
                lines[at].truncate(random.below(length));
                "cut the end"
            }
            1 => {
                let end = random.below(length - 1);
                lines[at].truncate(end);
                lines[at].push(b'\n');
                "cut a record"
            }
            2 => {
                let end = random.below(length - 1);
                lines[at].truncate(end);
                "cut a record and its line break"
            }
            3 => {
                let hole = 1 + random.below(600);
                let line = std::mem::take(&mut lines[at]);
                lines[at] = [vec![0; hole], line].concat();
                "NUL bytes before a record"
            }
            4 => {
                let start = random.below(length);
                lines[at][start..].fill(0);
                "NUL bytes over the end of a record"
            }
            5 => {
                let line = lines[at].clone();
                let to = at + random.below(lines.len() + 1 - at);
                lines.insert(to, line);
                "a record twice"
            }
            6 => {
                let line = lines.remove(at);
                let to = random.below(lines.len() + 1);
                lines.insert(to, line);
                "a record elsewhere"
            }
            7 => {
                lines.remove(at);
                "a record dropped"
            }
            8 => {
                lines[at].pop();
                "two records on a line"
            }
            9 => {
                // The shuffled lines can be those of a message with several calls.
                let end = lines.len().min(at + 8);
                for place in (at + 1..end).rev() {
                    lines.swap(place, at + random.below(place + 1 - at));
                }
                "records in another order"
            }
            _ => {
                let mut record: Value = serde_json::from_slice(&lines[at]).unwrap_or_default();
                if record.get("parentUuid").is_some() {
                    record["parentUuid"] = "00000000-0000-4000-8000-000000000000".into();
                    lines[at] = format!("{record}\n").into_bytes();
                }
                "a parent that was never written"
            }
        };
        done.push(format!("{what}, {at}"));
    }
    (lines.concat(), done)
}

/// Sends a prompt, and returns the session ID.
async fn ask(prompt: &str, options: Options) -> String {
    crate::transcripts::ask(prompt, options).await.0
}

fn projects(live: &Live) -> PathBuf {
    let project = live.project().display().to_string();
    let key: String = project
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
        .collect();
    live.home.path().join(".claude/projects").join(key)
}

/// Returns the transcript of a session with these prompts.
async fn transcript_with(name: &'static str, scenario: Scenario, prompts: &[&str]) -> Base {
    let live = Live::start(scenario).await;
    let options = || live.options().allowed_tools(["Agent", "Bash"]);
    let session = ask(prompts[0], options()).await;
    for prompt in &prompts[1..] {
        ask(prompt, options().resume(&session)).await;
    }
    let text = fs::read_to_string(projects(&live).join(format!("{session}.jsonl"))).unwrap();
    Base {
        name,
        session,
        text,
    }
}

/// Returns the transcript of a session that was resumed at an earlier message.
async fn resumed_at_earlier_message(scenario: Scenario) -> Base {
    let live = Live::start(scenario).await;
    let options = || live.options().allowed_tools(["Bash"]);
    let (session, said) = crate::transcripts::ask("One", options()).await;
    let on = || options().resume(&session);
    ask("Left", on()).await;
    ask("Taken", on().resume_at(said.last().unwrap())).await;
    ask("Last", on()).await;
    let text = fs::read_to_string(projects(&live).join(format!("{session}.jsonl"))).unwrap();
    Base {
        name: "left",
        session,
        text,
    }
}

/// Returns transcripts with only text, with parallel calls, with an abandoned branch, and
/// with a compaction.
async fn bases() -> Vec<Base> {
    let bash = |command: &str| Step::tool("Bash", json!({ "command": command }), "");
    let texts = Scenario::default()
        .reply([Step::text("First.")])
        .reply([Step::text("Second.")])
        .reply([Step::text("Third.")])
        .reply([Step::text("Fourth.")]);
    let tools = Scenario::default()
        .reply([
            Step::thinking("Hm."),
            Step::text("I count."),
            bash("echo 1"),
        ])
        .reply([bash("sleep 0.2; echo 2"), bash("echo 3"), bash("echo 4")])
        .reply([Step::text("Counted.")])
        .reply([Step::text("Again."), bash("echo 5")])
        .reply([Step::text("Done.")]);
    let compacted = Scenario::default()
        .reply([Step::text("Before.")])
        .reply([Step::text("Before too."), bash("echo 1")])
        .reply([Step::text("Then.")])
        .reply([Step::text("After.")])
        .reply([Step::text("After all.")]);
    let branched = Scenario::default()
        .reply([Step::text("First."), bash("echo 1")])
        .reply([Step::text("Second.")])
        .reply([Step::text("Left.")])
        .reply([Step::text("Taken."), bash("echo 2"), bash("echo 3")])
        .reply([Step::text("Taken too.")])
        .reply([Step::text("Last.")]);
    vec![
        transcript_with("texts", texts, &["One", "Two", "Three", "Four"]).await,
        transcript_with("tools", tools, &["Count", "Count again"]).await,
        resumed_at_earlier_message(branched).await,
        transcript_with(
            "compacted",
            compacted,
            &["One", "Two", "/compact", "Three", "Four"],
        )
        .await,
    ]
}

/// Resumes the session. Returns what the CLI sends to the model, or `None` if it resumes
/// no session.
async fn sent(live: &Live, session: &str) -> Option<Value> {
    let before = live.model.requests().len();
    let mut answer = query(PROMPT, live.options().resume(session)).await.ok()?;
    while let Some(event) = answer.next().await {
        if event.is_err() {
            break;
        }
    }
    let requests = live.model.requests();
    let body = requests[before..].iter().rev().find_map(|it| {
        let body = it.body.as_ref()?;
        body["messages"]
            .to_string()
            .contains(PROMPT)
            .then(|| body.clone())
    });
    body.map(|body| body["messages"].clone())
}

/// Returns the parts of the messages that the model receives, one line each, without
/// additions of the CLI.
fn parts_sent(messages: &Value) -> Vec<String> {
    let mut parts = vec![];
    for message in messages.as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        match &message["content"] {
            Value::String(text) => parts.push(part(role, text)),
            content => {
                for block in content.as_array().unwrap() {
                    parts.push(match block["type"].as_str().unwrap() {
                        "text" => part(role, block["text"].as_str().unwrap()),
                        "tool_use" => format!("call {}", block["id"]),
                        "tool_result" => format!("result {}", block["tool_use_id"]),
                        other => format!("{role} {other}"),
                    });
                }
            }
        }
    }
    parts
}

fn part(role: &str, text: &str) -> String {
    format!("{role}: {}", text.trim())
}

fn parts_converted(text: &[u8], session: &str) -> Vec<String> {
    let mut files = Files::default();
    let place = Place::of(&format!("projects/-w/{session}.jsonl")).unwrap();
    files.add(&place, &String::from_utf8_lossy(text));
    let mut parts = vec![];
    for message in conversation(&files, History::SinceCompaction).messages {
        let role = match message {
            Message::User(_) => "user",
            _ => "assistant",
        };
        for block in &*message.blocks() {
            parts.push(match block {
                ContentBlock::Text(text) => part(role, &text.text),
                ContentBlock::ToolUse(call) => format!("call {:?}", call.id),
                ContentBlock::ToolResult(result) => {
                    let text = result.content.as_ref().map(Content::text);
                    match text.is_some_and(|text| text == PLACEHOLDER) {
                        true => continue,
                        false => format!("result {:?}", result.tool_use_id),
                    }
                }
                other => format!("{role} {}", other.tag().unwrap_or_default()),
            });
        }
    }
    parts
}

/// Removes additions of the CLI and parts that cannot be sent:
///
/// - messages with the role `system`, reminders, and the messages that the CLI inserts so that
///   roles alternate;
/// - thinking, which the CLI omits if its message has nothing else;
/// - calls without a result in the transcript, which the CLI omits except at the end,
///   where it adds a result; and results without a call;
/// - the order of the results of one message, and the position of its texts, which the
///   CLI puts before its calls.
fn normal(parts: Vec<String>, converted: &[String]) -> Vec<String> {
    let has = |kind: &str, id: &str| converted.contains(&format!("{kind} {id}"));
    let is_added = |part: &String| {
        let is_unpaired = match part.split_once(' ') {
            Some(("call", id)) => !has("result", id),
            Some(("result", id)) => !has("call", id) || !has("result", id),
            _ => false,
        };
        is_unpaired
            || part.starts_with("user: <system-reminder>")
            || part.starts_with("system: ")
            || *part == "assistant: No response requested."
            || *part == "user: (no content)"
            || *part == "assistant thinking"
            || *part == format!("user: {PROMPT}")
            || part.ends_with(": ")
    };
    let mut parts: Vec<String> = parts.into_iter().filter(|it| !is_added(it)).collect();
    for results in parts.chunk_by_mut(|a, b| a.starts_with("result") && b.starts_with("result")) {
        results.sort();
    }
    let is_from_model = |part: &String| part.starts_with("assistant") || part.starts_with("call");
    for message in parts.chunk_by_mut(|a, b| is_from_model(a) && is_from_model(b)) {
        message.sort_by_key(|part| part.starts_with("call"));
    }
    parts
}

/// Returns the differences of the damaged transcripts whose seeds are taken from `seeds`.
async fn differences(bases: &[Base], seeds: &Mutex<Range<u64>>) -> Vec<String> {
    let replies = |scenario: Scenario, _| scenario.reply([Step::text("There.")]);
    let cases = seeds.lock().unwrap().clone();
    let live = Live::start(cases.fold(Scenario::default(), replies)).await;
    fs::create_dir_all(projects(&live)).unwrap();
    let mut differences = vec![];
    loop {
        let Some(seed) = seeds.lock().unwrap().next() else {
            return differences;
        };
        let base = &bases[usize::try_from(seed).unwrap() % bases.len()];
        let (text, done) = damage(&base.text, seed);
        let file = projects(&live).join(format!("{}.jsonl", base.session));
        fs::write(&file, &text).unwrap();
        let sent = sent(&live, &base.session).await;
        let converted = parts_converted(&text, &base.session);
        let parts = sent.as_ref().map(parts_sent).unwrap_or_default();
        let (theirs, ours) = (
            normal(parts, &converted),
            normal(converted.clone(), &converted),
        );
        if theirs == ours {
            continue;
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/damaged");
        let folder = folder.join(seed.to_string());
        // In a sealed run, this folder is not writable.
        if fs::create_dir_all(&folder).is_ok() {
            let sent = serde_json::to_string_pretty(&sent).unwrap();
            fs::write(folder.join("transcript.jsonl"), &text).unwrap();
            fs::write(folder.join("base.jsonl"), &base.text).unwrap();
            fs::write(folder.join("sent.json"), sent).unwrap();
        }
        let name = base.name;
        differences.push(format!(
            "{seed}, {name}: {done:?}\n  sent: {theirs:#?}\n  converted: {ours:#?}"
        ));
    }
}

#[tokio::test]
async fn a_damaged_transcript_has_what_the_model_is_sent() {
    let number = |name: &str| {
        let number = std::env::var(name).ok();
        number.map(|it| it.parse::<u64>().unwrap())
    };
    let cases = number("AGENTWIRE_DAMAGED").unwrap_or(24);
    let first = number("AGENTWIRE_DAMAGED_SEED").unwrap_or(1);
    let bases = bases().await;
    let seeds = Mutex::new(first..first + cases);
    let next = || differences(&bases, &seeds);
    let (a, b, c, d) = tokio::join!(next(), next(), next(), next());
    let differences = [a, b, c, d].concat();
    counted(usize::try_from(cases).unwrap(), "damaged transcripts");
    let number = differences.len();
    assert!(
        differences.is_empty(),
        "{number} of {cases} differ:\n{}",
        differences.join("\n")
    );
}
