//! Tests of the binary: expectations, clock, faults and load.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::{
    Expect, Fault, LineFault, Load, LoadKind, Scenario, Step, ToolCall, fake_agent,
};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Returns the command of a fake agent with this scenario.
fn agent(scenario: &Scenario) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
    command
        .env(fake_agent::SCRIPT, scenario.to_json())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the agent with these lines.
fn run(mut command: Command, lines: &[Value]) -> Output {
    let mut child = command.spawn().unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut stdin = child.stdin.take().unwrap();
    // The agent may have exited.
    drop(stdin.write_all(text.as_bytes()));
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn prompt(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

fn request(subtype: &str) -> Value {
    json!({"type": "control_request", "request_id": subtype, "request": {"subtype": subtype}})
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn text_scenario(text: &str) -> Scenario {
    Scenario::default().reply([Step::text(text)])
}

#[test]
fn expectations_are_checked_at_the_start_on_arrival_and_at_the_end() {
    let expect = Expect::default()
        .argument("--model=opus")
        .no_argument("--resume")
        .variable("DRIVER_TEST=1")
        .line(json!({"type": "control_request", "request": {"subtype": "initialize"}}))
        .line(json!({"type": "user", "message": {"content": {"$matches": "^Go"}}}))
        .no_others(json!({"type": "user"}));
    let scenario = text_scenario("Fine.").expecting(expect);
    let start = || {
        let mut command = agent(&scenario);
        command.args(["--model", "opus"]).env("DRIVER_TEST", "1");
        command
    };
    let output = run(start(), &[request("initialize"), prompt("Go on")]);
    assert_eq!(
        (output.status.code(), stderr(&output)),
        (Some(0), String::new())
    );

    let output = run(start(), &[request("initialize")]);
    assert_eq!(output.status.code(), Some(fake_agent::UNEXPECTED));
    assert!(stderr(&output).contains("(line 2 of 2)"), "{output:?}");

    let twice = [request("initialize"), prompt("Go on"), prompt("Go on")];
    let output = run(start(), &twice);
    assert_eq!(output.status.code(), Some(fake_agent::UNEXPECTED));
    assert!(stderr(&output).contains("an unexpected line"), "{output:?}");

    let output = run(agent(&scenario), &[]);
    assert_eq!(output.status.code(), Some(fake_agent::UNEXPECTED));
    let report = stderr(&output);
    assert!(report.contains("the argument \"--model=opus\""), "{report}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn a_virtual_clock_skips_pauses_and_preserves_the_order() {
    let hour = 3_600_000;
    let slow = Step::Tool(ToolCall {
        takes_ms: hour,
        ask: false,
        ..ToolCall::new("Bash", json!({}), "slept")
    });
    let mut scenario = Scenario::default()
        .reply([
            Step::WaitMs(hour),
            Step::chunks(["One ", "two."], Duration::from_millis(hour)),
            slow,
        ])
        .reply([Step::text("Three.")]);
    scenario.startup.push(Fault::FreezeMs(hour));
    let started = Instant::now();
    let mut command = agent(&scenario);
    command.env(fake_agent::CLOCK, "virtual");
    let output = run(command, &[prompt("Go")]);
    assert!(started.elapsed() < Duration::from_millis(hour / 2));
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let places = ["One two.", "slept", "Three."].map(|it| text.find(it).unwrap());
    assert!(places.is_sorted(), "{text}");
    // The virtual time has passed.
    let result = text
        .lines()
        .find(|line| line.contains(r#""type":"result""#));
    let result: Value = serde_json::from_str(result.unwrap()).unwrap();
    assert!(
        result["duration_ms"].as_u64().unwrap() >= 4 * hour,
        "{result}"
    );

    let mut command = agent(&scenario);
    command.env(fake_agent::CLOCK, "fast");
    let output = run(command, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected `real` or `virtual`"));
}

#[test]
fn load_is_complete_and_reports_its_size() {
    for kind in [LoadKind::TextDeltas, LoadKind::WholeMessages] {
        let load = Load {
            messages: 20_000,
            size: 100,
            kind,
        };
        let scenario = Scenario::default().reply([Step::Load(load)]);
        let output = run(agent(&scenario), &[prompt("Go")]);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        let numbers = text.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = match kind {
                LoadKind::TextDeltas => &line["event"]["delta"]["text"],
                LoadKind::WholeMessages => &line["message"]["content"][0]["text"],
            };
            text.as_str()?.trim_end_matches('.').parse::<u64>().ok()
        });
        assert!(numbers.eq(0..load.messages));
        let result = text
            .lines()
            .find(|line| line.contains(r#""type":"result""#));
        let result: Value = serde_json::from_str(result.unwrap()).unwrap();
        assert_eq!(result["result"], "sent 20000 messages of 100 bytes");
    }
}

#[test]
fn input_is_handled_during_load() {
    let load = Load {
        messages: u64::MAX,
        size: 100,
        kind: LoadKind::default(),
    };
    let scenario = Scenario::default().reply([Step::Load(load)]);
    // The interrupt ends the load. Without an interrupt, the test would time
    // out.
    let output = run(agent(&scenario), &[prompt("Go"), request("interrupt")]);
    let text = String::from_utf8(output.stdout).unwrap();
    let result = text
        .lines()
        .find(|line| line.contains(r#""type":"result""#));
    let result: Value = serde_json::from_str(result.unwrap()).unwrap();
    assert_eq!(result["is_error"], true);
}

#[test]
fn faults_change_the_output() {
    let mut scenario = text_scenario("Ümläut.");
    scenario.startup = vec![
        Fault::Crlf,
        Fault::Chunked(2),
        Fault::Line(LineFault::Noise),
    ];
    let output = run(agent(&scenario), &[prompt("Go")]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("This line is no JSON.\r\n{"), "{text}");
    assert!(text.contains("Ümläut."));
    let ends = |end: &str| text.matches(end).count();
    assert_eq!(ends("\n"), ends("}\r\n") + 1);
}
