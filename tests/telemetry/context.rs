//! Tests of `TRACEPARENT` in the environment of the agent.

use crate::support::{self, fake, hasty, wait_for};
use agentwire::{Client, Event, Options, RestartPolicy};
use agentwire_testkit::{Scenario, Step, fake_agent};
use opentelemetry::Context;
use opentelemetry::context::FutureExt;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const ACTIVE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const STALE: &str = "00-11111111111111111111111111111111-2222222222222222-01";

/// Returns the context of [`ACTIVE`].
fn active(state: &str) -> Context {
    Context::new().with_remote_span_context(SpanContext::new(
        TraceId::from_hex("0af7651916cd43dd8448eb211c80319c").unwrap(),
        SpanId::from_hex("b7ad6b7169203331").unwrap(),
        TraceFlags::SAMPLED,
        true,
        state.parse::<TraceState>().unwrap(),
    ))
}

/// Returns the trace context that the agent would be started with.
fn passed(options: &Options) -> [Option<String>; 2] {
    let passed = options.passed_environment();
    ["TRACEPARENT", "TRACESTATE"].map(|it| passed.get(it).map(|it| it.to_str().unwrap().to_owned()))
}

#[test]
fn the_active_context_is_passed_on_unless_the_program_sets_one() {
    let options = Options::new().clean_env();
    assert_eq!(passed(&options), [None, None]);
    let _active = active("a=b").attach();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(passed(&options), [some(ACTIVE), some("a=b")]);
    let own = options.env("TRACEPARENT", STALE);
    assert_eq!(passed(&own), [some(STALE), None]);
    let own = Options::new().clean_env().env("TRACESTATE", "c=d");
    assert_eq!(passed(&own), [some(ACTIVE), some("c=d")]);
}

/// Prints the trace context for [`an_inherited_context_is_passed_on_if_none_is_active`].
#[test]
#[ignore = "a part of another test"]
#[allow(clippy::print_stdout, reason = "the other test reads it")]
fn prints_the_context() {
    let active = std::env::var_os("ACTIVE")
        .is_some()
        .then(|| active("").attach());
    println!("passed: {:?}", passed(&Options::new()));
    println!(
        "passed: {:?}",
        passed(&Options::new().env("TRACEPARENT", "mine"))
    );
    drop(active);
}

#[test]
fn an_inherited_context_is_passed_on_only_if_none_is_active() {
    let passed = |is_active: bool| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "telemetry::context::prints_the_context"])
            .args(["--ignored", "--nocapture"])
            .env("TRACEPARENT", STALE)
            .env("TRACESTATE", "stale=1");
        if is_active {
            command.env("ACTIVE", "1");
        }
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let lines = output.lines().filter_map(|it| it.split_once("passed: "));
        lines.map(|(_, it)| it.to_owned()).collect::<Vec<_>>()
    };
    let mine = r#"[Some("mine"), None]"#;
    assert_eq!(
        passed(true),
        [format!("[Some({ACTIVE:?}), None]").as_str(), mine]
    );
    let inherited = format!("[Some({STALE:?}), Some(\"stale=1\")]");
    assert_eq!(passed(false), [inherited.as_str(), mine]);
}

#[tokio::test]
async fn each_process_of_a_session_has_the_context_of_its_first() {
    let folder = agentwire_testing::tempdir().unwrap();
    let (script, log) = (folder.path().join("agent"), folder.path().join("log"));
    let agent = support::fake_agent_path();
    let (agent, file) = (agent.display(), log.display());
    let text = format!("#!/bin/sh\necho \"$TRACEPARENT\" >> '{file}'\nexec '{agent}' \"$@\"\n");
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let scenario = Scenario::default().reply([Step::text("Hello.")]).repeated();
    let options = fake(&scenario)
        .cli(&script)
        .env(fake_agent::SESSIONS, folder.path())
        .close_policy(hasty())
        .restart(RestartPolicy::default());
    let connecting = Client::connect(options).with_context(active(""));
    let mut client = connecting.await.unwrap();
    // No context is active from here on.
    client.prompt("One").await.unwrap();
    support::kill(client.pid().unwrap());
    let is_restarted = |event: &Event| matches!(event, Event::Restarted(_)).then_some(());
    wait_for(&mut client, is_restarted).await;
    client.prompt("Two").await.unwrap();
    client.sleep().await.unwrap();
    client.prompt("Three").await.unwrap();
    client.close().await;
    let processes = fs::read_to_string(&log).unwrap();
    assert_eq!(processes.lines().collect::<Vec<_>>(), [ACTIVE; 3]);
}
