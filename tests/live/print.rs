//! Print mode of the fake agent, beside that of the real CLI: the same arguments,
//! the same standard input, the same model.

use crate::support::{Live, fake_agent_path, live_cli};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// What the agent says by itself, in its own words.
const PROSE: &str = "(prose)";

/// What a run left: its exit status, a line for each thing that it wrote, and
/// whether it complained.
#[derive(Debug, PartialEq)]
struct Came {
    status: Option<i32>,
    said: Vec<String>,
    complains: bool,
}

async fn run(cli: &Path, version: &str, scenario: &Scenario, args: &[&str], input: &str) -> Came {
    let live = Live::start(scenario.clone()).await;
    let mut agent = Command::new(cli)
        .args(["--setting-sources=", "--model=claude-haiku-4-5"])
        .args(args)
        .env_clear()
        .envs(live.environment())
        // The real one has the model instead, and is of a version.
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env(fake_agent::PROFILE, version)
        .current_dir(live.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that refuses its arguments reads nothing.
    let mut stdin = agent.stdin.take().unwrap();
    drop(stdin.write_all(input.as_bytes()).await);
    drop(stdin);
    let output = agent.wait_with_output().await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut said: Vec<_> = text.lines().flat_map(told).collect();
    said.dedup_by(|one, other| one == PROSE && other == PROSE);
    Came {
        status: output.status.code(),
        said,
        complains: !output.stderr.is_empty(),
    }
}

/// What is compared of a line: of a text what the model said, of a message the kind
/// and the names of its members, of a result its meaning as well.
fn told(line: &str) -> Vec<String> {
    match serde_json::from_str::<Value>(line) {
        Ok(Value::Array(messages)) => messages.iter().map(of_message).collect(),
        Ok(message @ Value::Object(_)) => vec![of_message(&message)],
        _ if ["Yes.", "Done.", "API Error: 400 No."].contains(&line) => vec![line.to_owned()],
        _ => vec![PROSE.to_owned()],
    }
}

fn of_message(message: &Value) -> String {
    let names = message.as_object().unwrap().keys();
    let names: Vec<_> = names.map(String::as_str).collect();
    let meaning = [
        "type",
        "subtype",
        "is_error",
        "result",
        "num_turns",
        "terminal_reason",
    ]
    .map(|name| message[name].to_string());
    format!("{} {}", meaning.join(" "), names.join(","))
}

/// The version of a CLI, which is the profile of the fake agent.
async fn version_of(cli: &Path) -> String {
    let live = Live::start(Scenario::default()).await;
    let output = Command::new(cli)
        .arg("--version")
        .env_clear()
        .envs(live.environment())
        .output()
        .await;
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.split(' ').next().unwrap().to_owned()
}

/// The model's part.
#[derive(Clone, Copy)]
enum Model {
    Answers,
    CallsTool,
    Fails,
}

impl Model {
    fn scenario(self) -> Scenario {
        match self {
            Self::Answers => Scenario::default().reply([Step::text("Yes.")]),
            Self::CallsTool => {
                let input = json!({"file_path": "made", "content": "x"});
                Scenario::default()
                    .reply([Step::text("Let me."), Step::tool("Write", input, "made")])
                    .reply([Step::text("Done.")])
            }
            Self::Fails => {
                let error =
                    json!({"status": 400, "type": "invalid_request_error", "message": "No."});
                let file = json!({"replies": [[{ "error": error }]]});
                Scenario::from_json(&file.to_string()).unwrap()
            }
        }
    }
}

const STREAM: &str = "-p --output-format=stream-json --verbose";

/// The arguments, and standard input.
const CASES: [(Model, &str, &str); 37] = [
    (Model::Answers, "-p Hi", ""),
    (Model::Answers, "--print Hi", "more"),
    (Model::Answers, "-p", "Hi\n"),
    (Model::Answers, "Hi", ""),
    (Model::Answers, "-p", ""),
    (Model::Answers, "-p", " \n"),
    (Model::Answers, "-p Hi --output-format=text", ""),
    (Model::Answers, "-p Hi --output-format=json", ""),
    (Model::Answers, "-p Hi --output-format json --verbose", ""),
    (Model::Answers, "-p Hi --output-format=stream-json", ""),
    (Model::Answers, "STREAM Hi", ""),
    (Model::Answers, "STREAM Hi --include-partial-messages", ""),
    (Model::Answers, "-p Hi --include-partial-messages", ""),
    (Model::Answers, "-p Hi --output-format=yaml", ""),
    (Model::Answers, "-p Hi --input-format=text", ""),
    (Model::Answers, "-p Hi --input-format=stream-json", ""),
    (Model::Answers, "STREAM --replay-user-messages", "Hi"),
    (
        Model::Answers,
        "STREAM --input-format=stream-json",
        r#"{"type":"user","message":{"role":"user","content":"Hi"}}"#,
    ),
    (
        Model::Answers,
        "STREAM --input-format=stream-json",
        r#"{"type":"user","uuid":"11111111-0000-4000-8000-000000000001","message":{"role":"user","content":"Hi"}}"#,
    ),
    (Model::Answers, "-p Hi --no-such-flag", ""),
    (Model::Answers, "-p Hi --max-turns=0", ""),
    (
        Model::Answers,
        "-p Hi --max-turns=1 --output-format=json",
        "",
    ),
    (Model::Answers, "-p Hi --resume=none", ""),
    (Model::Answers, "-p Hi --session-id=none", ""),
    (Model::Answers, "-p Hi --permission-mode=none", ""),
    (Model::Answers, "-p /cost", ""),
    (Model::Answers, "-p /no-such-command", ""),
    (Model::Answers, "-p Hi --continue", ""),
    (Model::Answers, "--version", ""),
    (Model::CallsTool, "-p Go", ""),
    (Model::CallsTool, "-p Go --output-format=json", ""),
    (Model::CallsTool, "STREAM Go", ""),
    (Model::CallsTool, "-p Go --max-turns=1", ""),
    (
        Model::CallsTool,
        "-p Go --max-turns=1 --output-format=json",
        "",
    ),
    (Model::Fails, "-p Go", ""),
    (Model::Fails, "-p Go --output-format=json", ""),
    (Model::Fails, "STREAM Go", ""),
];

#[tokio::test]
async fn print_mode_of_the_fake_agent_is_that_of_the_real_cli() {
    let version = version_of(&live_cli()).await;
    let mut differ = vec![];
    for (model, args, input) in CASES {
        let scenario = model.scenario();
        let args = args.replace("STREAM", STREAM);
        let args: Vec<_> = args.split(' ').collect();
        let real = run(&live_cli(), &version, &scenario, &args, input).await;
        let fake = run(&fake_agent_path(), &version, &scenario, &args, input).await;
        if real != fake {
            differ.push(format!(
                "{args:?} < {input:?}\n  real {real:#?}\n  fake {fake:#?}"
            ));
        }
    }
    crate::support::counted(CASES.len(), "command lines of print mode");
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
