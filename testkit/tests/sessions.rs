//! Tests of stored sessions: written, resumed, forked and refused.
#![allow(clippy::unwrap_used)]

use agentwire_testing::TempDir;
use agentwire_testkit::agent::Profile;
use agentwire_testkit::{Fault, Reply, Scenario, Signal, Step, fake_agent};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const ID: &str = "11111111-1111-4111-8111-111111111111";
const OTHER: &str = "22222222-2222-4222-8222-222222222222";

/// A configuration directory and a project.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(agentwire_testing::tempdir().unwrap());
        for folder in ["project", "elsewhere"] {
            std::fs::create_dir(home.0.path().join(folder)).unwrap();
        }
        home
    }

    fn run_in(&self, project: &str, args: &[&str]) -> Output {
        let scenario = Scenario::default()
            .reply([
                Step::text("Let me look."),
                Step::tool("Bash", json!({}), "1"),
            ])
            .reply([Step::text("It is one.")]);
        self.play(&scenario, project, &["Go"], args)
    }

    fn play(&self, scenario: &Scenario, project: &str, prompts: &[&str], args: &[&str]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
            .arg("--allowedTools=Bash")
            .args(args)
            .current_dir(self.0.path().join(project))
            .env(fake_agent::SCRIPT, scenario.to_json())
            .env(fake_agent::SESSIONS, self.0.path().join("config"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for prompt in prompts {
            let prompt = json!({"type": "user", "message": {"role": "user", "content": prompt}});
            // An agent that refuses to start reads nothing.
            drop(writeln!(stdin, "{prompt}"));
        }
        drop(stdin);
        child.wait_with_output().unwrap()
    }

    /// Runs a turn. Returns its session ID.
    fn turn(&self, args: &[&str]) -> String {
        let output = self.run_in("project", args);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        let mut ids: Vec<_> = lines
            .filter_map(|line| line["session_id"].as_str().map(str::to_owned))
            .collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{text}");
        ids.remove(0)
    }

    /// Runs turns whose replies cost half a dollar each. Returns the sums of the results.
    #[cfg(unix)]
    fn costs(&self, profile: Profile, prompts: &[&str], dies: bool, args: &[&str]) -> Vec<f64> {
        let mut reply = Reply::new([Step::text("Hello.")]).cost_usd(0.5);
        let mut scenario = Scenario::default();
        scenario.profile = Some(profile);
        for _ in 1..prompts.len() {
            scenario.replies.push(reply.clone());
        }
        if dies {
            reply.say.push(Step::Fault(Fault::Signal(Signal::Kill)));
        }
        scenario.replies.push(reply);
        let output = self.play(&scenario, "project", prompts, args);
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        let results = lines.filter(|it| it["type"] == "result");
        results
            .map(|it| it["total_cost_usd"].as_f64().unwrap())
            .collect()
    }

    fn folder(&self) -> PathBuf {
        let project = self.0.path().join("project").canonicalize().unwrap();
        let name: String = project
            .to_str()
            .unwrap()
            .replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        self.0.path().join("config/projects").join(name)
    }

    fn records(&self, id: &str) -> Vec<Value> {
        let file = self.folder().join(format!("{id}.jsonl"));
        let text = std::fs::read_to_string(file).unwrap();
        let records = text.lines().map(|it| serde_json::from_str(it).unwrap());
        records.collect()
    }

    fn number(&self) -> usize {
        std::fs::read_dir(self.folder()).map_or(0, Iterator::count)
    }
}

/// Returns the content of a record.
fn content(record: &Value) -> String {
    let content = &record["message"]["content"];
    let block = &content[0];
    let kind = record["type"].as_str().unwrap();
    let text = [content, &block["text"], &block["content"], &block["name"]]
        .into_iter()
        .find_map(Value::as_str);
    format!("{kind}: {}", text.unwrap_or("?"))
}

/// Checks that each record has a parent in this session. Returns the contents
/// from the last record back to the first.
fn chain(records: &[Value], id: &str) -> Vec<String> {
    let mut chain = vec![];
    let mut next = records.last();
    while let Some(record) = next {
        assert_eq!(record["sessionId"], id);
        chain.push(content(record));
        let parent = &record["parentUuid"];
        next = records.iter().find(|it| &it["uuid"] == parent);
        assert_eq!(next.is_none(), parent.is_null(), "{record}");
    }
    chain.reverse();
    chain
}

const TURN: [&str; 5] = [
    "user: Go",
    "assistant: Let me look.",
    "assistant: Bash",
    "user: 1",
    "assistant: It is one.",
];

#[test]
fn a_session_is_stored_and_resumed() {
    let home = Home::new();
    assert_eq!(home.turn(&["--session-id", ID]), ID);
    let records = home.records(ID);
    assert_eq!(chain(&records, ID), TURN);
    for record in &records {
        for member in ["uuid", "timestamp", "cwd", "version"] {
            assert!(record[member].is_string(), "{member}: {record}");
        }
    }
    assert_eq!(home.turn(&["--resume", ID]), ID);
    assert_eq!(home.turn(&["--continue"]), ID);
    assert_eq!(chain(&home.records(ID), ID), [TURN; 3].concat());

    // Resumes from an earlier message, which leaves a branch.
    let at = format!(
        "--resume-session-at={}",
        records[4]["uuid"].as_str().unwrap()
    );
    assert_eq!(home.turn(&["--resume", ID, &at]), ID);
    let records = home.records(ID);
    assert_eq!(records.len(), 20);
    assert_eq!(chain(&records, ID), [TURN; 2].concat());
    assert_eq!(home.number(), 1);
}

#[test]
fn a_fork_is_independent() {
    let home = Home::new();
    home.turn(&["--session-id", ID]);
    let fork = ["--resume", ID, "--fork-session", "--session-id", OTHER];
    assert_eq!(home.turn(&fork), OTHER);
    assert_eq!(chain(&home.records(OTHER), OTHER), [TURN; 2].concat());
    assert_eq!(chain(&home.records(ID), ID), TURN);
    let third = home.turn(&["--continue", "--fork-session"]);
    assert!(third != ID && third != OTHER, "{third}");
    assert_eq!(home.number(), 3);
}

#[test]
fn a_session_of_another_project_is_resumed_in_place() {
    let home = Home::new();
    home.turn(&["--session-id", ID]);
    let output = home.run_in("elsewhere", &["--resume", ID]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(chain(&home.records(ID), ID), [TURN; 2].concat());
    // Another project has no session to continue.
    let output = home.run_in("elsewhere", &["--continue"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(home.records(ID).len(), 10);
}

#[test]
fn no_session_persistence_stores_nothing() {
    let home = Home::new();
    home.turn(&["--no-session-persistence"]);
    assert_eq!(home.number(), 0);
    home.turn(&["--session-id", ID]);
    home.turn(&["--resume", ID, "--no-session-persistence"]);
    assert_eq!(home.records(ID).len(), 5);
}

#[test]
fn an_invalid_resume_is_refused_with_a_result() {
    let home = Home::new();
    home.turn(&["--session-id", ID]);
    let unknown = ["--resume", ID, "--resume-session-at", OTHER];
    for (args, id) in [
        (&["--resume", OTHER][..], Some(OTHER)),
        // `none` is not a valid session ID.
        (&["--resume=none"], None),
        (&["--resume"], None),
        (&unknown, Some(ID)),
    ] {
        let output = home.run_in("project", args);
        assert_eq!(output.status.code(), Some(1));
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["subtype"], "error_during_execution");
        assert!(id.is_none_or(|id| result["session_id"] == id), "{result}");
        let why = result["errors"][0].as_str().unwrap();
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!("{why}\n")
        );
    }
    for args in [
        &["--session-id", ID][..],
        &["--session-id=none"],
        &["--resume", ID, "--session-id", OTHER],
    ] {
        let output = home.run_in("project", args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    assert_eq!(home.number(), 1);
}

#[test]
fn resume_at_a_message_requires_that_only_the_named_turn_is_dropped() {
    let home = Home::new();
    home.turn(&["--session-id", ID]);
    let first = home.records(ID);
    home.turn(&["--resume", ID]);
    let records = home.records(ID);
    let uuid = |place: usize| records[place]["uuid"].as_str().unwrap().to_owned();
    let (last, prompt) = (uuid(first.len() - 1), uuid(first.len()));
    let resume_at = |message: &str, turn: &str| {
        let back = ["--resume-session-at", message, "--resume-drops-turn", turn];
        let args = [&["--resume", ID, "--no-session-persistence"][..], &back].concat();
        let output = home.run_in("project", &args);
        let said = String::from_utf8(output.stdout).unwrap();
        let result = said
            .lines()
            .find(|line| line.contains(r#""type":"result""#));
        let result: Value = serde_json::from_str(result.unwrap()).unwrap();
        (output.status.code(), result["subtype"] == "success")
    };
    assert_eq!(resume_at(&last, &prompt), (Some(0), true));
    // No message is dropped.
    assert_eq!(resume_at(&uuid(records.len() - 1), OTHER), (Some(0), true));
    // Drops another turn, or one more message.
    assert_eq!(resume_at(&last, OTHER), (Some(1), false));
    assert_eq!(resume_at(&uuid(0), &uuid(1)), (Some(1), false));
}

/// As measured: 2.1.197 begins with 0 in each process, and `/clear` changes nothing.
#[cfg(unix)]
#[test]
fn a_resumed_session_continues_with_the_cost_of_its_last_clean_exit() {
    for (profile, sums) in [
        (Profile::V2_1_332, [0.5, 1.0, 1.0, 1.5, 0.0]),
        (Profile::V2_1_197, [0.5, 0.5, 0.5, 0.5, 0.5]),
    ] {
        let home = Home::new();
        let name = ["--session-id", ID];
        let resume = ["--resume", ID];
        assert_eq!(home.costs(profile, &["Go"], false, &name), sums[..1]);
        let fork = [&resume[..], &["--fork-session"]].concat();
        assert_eq!(home.costs(profile, &["Go"], false, &fork), sums[1..2]);
        assert_eq!(home.costs(profile, &["Go"], true, &resume), [0.0; 0]);
        let costs = home.costs(profile, &["Go"], false, &resume);
        assert_eq!(costs, sums[2..3], "the killed process stored nothing");
        let costs = home.costs(profile, &["Go", "/clear"], false, &resume);
        assert_eq!(costs, sums[3..]);
    }
}
