//! Compares print mode of the fake agent with that of the real CLI: the same arguments,
//! the same standard input, and the same model.

use crate::support::{Live, fake_agent_path, live_cli};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Output, Stdio};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Stands for a text that the agent itself writes.
const PROSE: &str = "(prose)";

/// The outcome of a run: its exit status, a line for each output line, and whether it
/// wrote to standard error.
#[derive(Debug, PartialEq)]
struct Outcome {
    status: Option<i32>,
    said: Vec<String>,
    complains: bool,
}

async fn output(
    cli: &Path,
    version: Option<&str>,
    scenario: &Scenario,
    args: &[&str],
    input: &[u8],
) -> Output {
    let live = Live::start(scenario.clone()).await;
    let mut agent = Command::new(cli)
        .args(["--setting-sources=", "--model=claude-haiku-4-5"])
        .args(args)
        .env_clear()
        .envs(live.environment())
        // The fake agent reads the replies of the model from the script, and emulates a
        // version.
        .env(fake_agent::SCRIPT, scenario.to_json())
        .envs(version.map(|it| (fake_agent::PROFILE, it)))
        .current_dir(live.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An agent that refuses its arguments reads nothing.
    let mut stdin = agent.stdin.take().unwrap();
    drop(stdin.write_all(input).await);
    drop(stdin);
    agent.wait_with_output().await.unwrap()
}

async fn run(
    cli: &Path,
    version: &str,
    scenario: &Scenario,
    args: &[&str],
    input: &str,
) -> Outcome {
    let output = output(cli, Some(version), scenario, args, input.as_bytes()).await;
    let text = String::from_utf8(output.stdout).unwrap();
    let mut said: Vec<_> = text.lines().flat_map(compared_parts).collect();
    said.dedup_by(|one, other| one == PROSE && other == PROSE);
    Outcome {
        status: output.status.code(),
        said,
        complains: !output.stderr.is_empty(),
    }
}

/// Returns the compared parts of a line: of a text the reply of the model, of a message
/// its kind and the names of its members, of a result also the meaning.
fn compared_parts(line: &str) -> Vec<String> {
    match serde_json::from_str::<Value>(line) {
        Ok(Value::Array(messages)) => messages.iter().map(of_message).collect(),
        Ok(message @ Value::Object(_)) => vec![of_message(&message)],
        _ if ["Yes.", "Done.", "API Error: 400 No."].contains(&line) => vec![line.to_owned()],
        _ => vec![PROSE.to_owned()],
    }
}

fn of_message(message: &Value) -> String {
    let names = message.as_object().unwrap().keys();
    let mut names: Vec<_> = names.map(String::as_str).collect();
    names.sort_unstable();
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

/// Returns the version of a CLI, which selects the profile of the fake agent.
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

/// What the model replies.
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

/// The model, the arguments, and standard input of each case.
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

/// A control request, which is answered if it is read.
const REQUEST: &str =
    r#"{"type":"control_request","request_id":"r","request":{"subtype":"mcp_status"}}"#;

/// Lines that are answered, by the ID of the response. `@` is the request.
const ANSWERED: &[(&[u8], &str)] = &[
    (b"@\r", "r"),
    (b" \t@ ", "r"),
    (b"\xef\xbb\xbf@", "r"),
    (br#"{"type":"control_request","request_id":"a","request_id":"r","request":{"subtype":"mcp_status"}}"#, "r"),
    (br#"{"type":"user","type":"control_request","request_id":"r","request":{"subtype":"mcp_status"}}"#, "r"),
    (b"{\"type\":\"control_request\",\"request_id\":\"\xef\xbb\xbf\xe2\x80\xa8\\u0000\",\"request\":{\"subtype\":\"mcp_status\"}}", "\u{feff}\u{2028}\0"),
    (b"{\"type\":\"control_request\",\"request_id\":\"\xff\xed\xa0\x80\xc0\x80\",\"request\":{\"subtype\":\"mcp_status\"}}", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    (b"{\"type\":\r\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":\"mcp_status\"}}", "r"),
];

/// Lines that both agents ignore.
const IGNORED: &[&[u8]] = &[
    b"true",
    b"1",
    b"-1.5e3",
    b"\"x\"",
    b"[]",
    br#"[{"type":"user"}]"#,
    b"{}",
    br#"{"type":null}"#,
    br#"{"type":["user"]}"#,
    br#"{"type":"x","n":1e999}"#,
    br#"{"type":"\ud800"}"#,
    b"",
    b"\r",
    b"  \t ",
    b"\xc2\xa0",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
];

/// Lines on which the process exits.
const FATAL: &[&[u8]] = &[
    b"null",
    b" null",
    b"hello",
    b"NaN",
    b"//x",
    b"{'type':'x'}",
    br#"{"type":"user""#,
    br#"{"type":"x",}"#,
    b"@@",
    b"\0",
    b"\0@",
    b"@\0",
    b"{\"type\":\"\0\"}",
    b"{\"type\":\"\t\"}",
    b"\xef\xbb\xbf\xef\xbb\xbf@",
    b"@\xef\xbb\xbf",
    b"{\"type\":\xef\xbb\xbf\"x\"}",
    b"\xc2\xa0@",
    b"\xe2\x80\xa8@",
    b"\x0b@",
    b"\xff@",
];

/// Returns the exit status and the IDs of the responses.
async fn answered(cli: &Path, input: &[u8]) -> (Option<i32>, Vec<String>) {
    let args = [
        "--output-format=stream-json",
        "--verbose",
        "--input-format=stream-json",
    ];
    let output = output(cli, None, &Scenario::default(), &args, input).await;
    let lines = output.stdout.split(|it| *it == b'\n');
    let lines = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let ids = lines.filter_map(|line| Some(line["response"]["request_id"].as_str()?.to_owned()));
    (output.status.code(), ids.collect())
}

#[tokio::test]
async fn lines_that_no_host_sends_are_taken_by_the_fake_agent_as_by_the_real_cli() {
    let request = |id: &str| REQUEST.replace("\"r\"", &format!("\"{id}\"")) + "\n";
    let initialize =
        r#"{"type":"control_request","request_id":"i","request":{"subtype":"initialize"}}"#;
    let line = |line: &[u8]| {
        let parts: Vec<_> = line.split(|it| *it == b'@').collect();
        [&parts.join(REQUEST.as_bytes())[..], b"\n"].concat()
    };
    let end = request("end").into_bytes();
    let mut tolerated = format!("{initialize}\n").into_bytes();
    let mut expected = vec!["i".to_owned()];
    let others = IGNORED.iter().map(|it| (*it, ""));
    for (number, (bytes, id)) in ANSWERED.iter().copied().chain(others).enumerate() {
        tolerated.extend(line(bytes));
        tolerated.extend(request(&number.to_string()).into_bytes());
        expected.extend((!id.is_empty()).then(|| id.to_owned()));
        expected.push(number.to_string());
    }
    for cli in [live_cli(), fake_agent_path()] {
        let name = cli.display();
        let came = answered(&cli, &tolerated).await;
        assert_eq!(came, (Some(0), expected.clone()), "{name}");
        for bytes in FATAL {
            let all = [initialize.as_bytes(), b"\n", &line(bytes), &end];
            let came = answered(&cli, &all.concat()).await;
            assert_eq!(
                came,
                (Some(1), vec!["i".to_owned()]),
                "{name}: {}",
                bytes.escape_ascii()
            );
        }
    }
    crate::support::counted(
        ANSWERED.len() + IGNORED.len() + FATAL.len(),
        "invalid lines",
    );
}
