//! Views of random sessions of the fake agent: the same live and restored. The fake agent does
//! not store commands such as `/compact` and prompts that join a turn; those of the real CLI are in
//! `tests/live/view.rs`.

use crate::support::{counted, fake};
use crate::viewed::{Session, allow, deny, differences, restored};
use agentwire::UserMessage;
use agentwire::protocol::message::Priority;
use agentwire_testing::{Random, number};
use agentwire_testkit::{Scenario, Step, ToolCall, fake_agent};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Returns a step of a reply. Those of a sub-agent start no other sub-agent.
fn step(random: &mut Random, is_subagent: bool) -> Step {
    let word = random.pick(&["crab", "a\nb", "é漢", "\u{1b}[1mred", "`x`"]);
    match random.below(if is_subagent { 5 } else { 8 }) {
        0 => Step::thinking(format!("{word}?")),
        1 => Step::chunks([word, " ", word], Duration::ZERO),
        2 => Step::text("\n"),
        3 => Step::Tool(ToolCall {
            is_error: random.one_in(3),
            ask: random.one_in(2),
            ..ToolCall::new("Bash", json!({"command": format!("echo {word}")}), word)
        }),
        4 => Step::tool("Read", json!({"file_path": "/a/b.txt", "offset": 3}), word),
        5 => Step::tool("mcp__art__paint", json!({"color": word}), r#"{"a":1}"#),
        6 => Step::tool(
            "Agent",
            json!({"description": word, "prompt": "Look.", "subagent_type": "general-purpose"}),
            "",
        ),
        _ => Step::text(format!("{word} and {word}")),
    }
}

fn scenario(random: &mut Random) -> Scenario {
    let mut scenario = Scenario::default();
    for _ in 0..=random.below(8) {
        let steps: Vec<Step> = match random.one_in(12) {
            true => vec![Step::error(400, "invalid_request_error", "No.")],
            false => (0..=random.below(5)).map(|_| step(random, false)).collect(),
        };
        scenario = scenario.reply(steps);
    }
    for _ in 0..3 {
        let steps: Vec<Step> = (0..=random.below(4)).map(|_| step(random, true)).collect();
        scenario = scenario.subagent(steps);
    }
    // Each sub-agent in the background starts a turn when it ends, so replies that are repeated
    // would go on for ever.
    for _ in 0..60 {
        scenario = scenario
            .reply([Step::text("Done.")])
            .subagent([Step::text("Seen.")]);
    }
    scenario
}

/// Runs a session. It has one process, since each process of the fake agent uses the same IDs.
async fn run(seed: u64, home: &Path) {
    let mut random = Random::new(seed);
    let scenario = scenario(&mut random);
    let options = fake(&scenario).env(fake_agent::SESSIONS, home.display().to_string());
    let mut session = Session::start(options).await;
    session.answer = if random.one_in(4) { deny } else { allow };
    for _ in 0..=random.below(5) {
        let priority = random.pick(&[Priority::Now, Priority::Later]);
        match random.below(6) {
            0 => {
                session.send("First");
                session.send(UserMessage::text("Second").priority(priority));
                session.idle().await;
            }
            1 => {
                session.send("Interrupted");
                // Before this, the fake agent stores the interruption first.
                session.frame("\"requesting\"").await;
                session.client.interrupt().await.unwrap();
                session.idle().await;
            }
            number => session.say(format!("Prompt {number}").as_str()).await,
        }
    }
    session.check(&home.join("projects")).await;
}

#[tokio::test]
async fn a_changed_transcript_is_different() {
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", json!({"command": "ls"}), "a.txt")])
        .reply([Step::text("One file.")]);
    for (planted, found) in [
        ("a.txt", "b.txt"),
        ("One file.", "Two files."),
        ("\"ls\"", "\"cat x\""),
    ] {
        let home = agentwire_testing::tempdir().unwrap();
        let options = fake(&scenario).env(fake_agent::SESSIONS, home.path().display().to_string());
        let mut session = Session::start(options).await;
        session.say("Look").await;
        let (view, id) = session.close().await;
        let projects = home.path().join("projects");
        assert_eq!(differences(&view, &restored(&projects, &id)), [""; 0]);
        let project = std::fs::read_dir(&projects)
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let file = project.path().join(format!("{id}.jsonl"));
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace(planted, found)).unwrap();
        let differences = differences(&view, &restored(&projects, &id));
        assert_eq!(differences.len(), 1, "{planted}: {differences:?}");
    }
}

#[tokio::test]
#[allow(clippy::print_stdout, reason = "a failure needs the seed")]
async fn random_sessions_are_the_same_restored() {
    let count = number("AGENTWIRE_SIMULATE").unwrap_or(30);
    let first = number("AGENTWIRE_SEED").unwrap_or(0);
    for seed in first..first + count {
        println!("AGENTWIRE_SEED={seed}");
        let home = agentwire_testing::tempdir().unwrap();
        run(seed, home.path()).await;
    }
    counted(count, "sessions are the same restored");
}
