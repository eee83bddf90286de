//! Tests of the end of sessions, by the CLI, the host or a fault, and of the reported
//! reason.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::protocol::host::Queueing;
use agentwire::{Client, EndReason, Error, Options, RestartPolicy, query};
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use support::{LONG, answering, ended, fake, hasty, log_to_end, ready, says, script, wait_for};

#[tokio::test]
async fn an_early_exit_is_reported_at_once_with_its_status_and_stderr() {
    let scenario = Scenario::default()
        .at_startup(Fault::Stderr("no licence\n".to_owned()))
        .at_startup(Fault::Exit(3));
    // Only the exit of the CLI ends the request.
    let options = fake(&scenario).request_timeout(Duration::MAX);
    let error = Client::connect(options).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("exit status: 3") && text.contains("no licence"),
        "{text}"
    );
    assert_eq!(ended(error).reason, EndReason::ExitedBeforeFirstTurn);
}

#[tokio::test]
async fn the_error_of_a_missing_cli_has_the_searched_places() {
    let error = Client::connect(Options::new().cli("/no/such/claude"))
        .await
        .unwrap_err();
    let Error::CliNotFound(missing) = &error else {
        panic!("{error}")
    };
    assert_eq!(missing.named_by, Some("Options::cli"));
    let text = "`Options::cli` is `/no/such/claude`: no such file";
    assert_eq!(error.to_string(), text);
    // `unwrap` prints the text of the error once.
    assert_eq!(format!("{error:?}"), text);
    assert!(std::error::Error::source(&error).is_none());
}

#[test]
fn without_a_runtime_nothing_is_spawned_and_the_error_has_the_remedy() {
    let folder = agentwire_testing::tempdir().unwrap();
    let spawned = folder.path().join("spawned");
    let cli = script(&folder, &format!("touch {}", spawned.display()));
    // The options with settings first request the version of the CLI.
    for options in [Options::new(), Options::new().settings(json!({}))] {
        let options = options.cli(&cli);
        let error = ready(Client::connect(options.clone())).unwrap_err();
        assert!(matches!(error, Error::NoRuntime), "{error}");
        assert!(error.to_string().contains("#[tokio::main]"), "{error}");
        let error = ready(query("Hello?", options)).unwrap_err();
        assert!(matches!(error, Error::NoRuntime), "{error}");
    }
    assert!(!spawned.exists());
}

#[test]
fn a_runtime_without_timers_or_io_panics_and_leaves_no_process() {
    let folder = agentwire_testing::tempdir().unwrap();
    let cli = script(&folder, "exec cat");
    let named = format!("FOLDER={}", folder.path().display());
    for (time, io) in [(false, true), (true, false)] {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        if time {
            runtime.enable_time();
        }
        if io {
            runtime.enable_io();
        }
        let runtime = runtime.build().unwrap();
        let options = Options::new().cli(&cli).env("FOLDER", folder.path());
        let connect = AssertUnwindSafe(|| runtime.block_on(Client::connect(options)));
        assert!(catch_unwind(connect).is_err(), "time {time}, io {io}");
    }
    // Without timers, no process was spawned. Without I/O, the process is killed.
    let until = Instant::now() + LONG;
    while !support::processes_with(&named).is_empty() {
        assert!(Instant::now() < until, "a process is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[tokio::test]
async fn killing_the_cli_in_mid_turn_ends_the_stream_with_the_signal() {
    let scenario = Scenario::default().reply([Step::text("I begin "), Step::WaitMs(600_000)]);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    let handle = client.handle();
    client.send("Go").await.unwrap();
    wait_for(&mut client, says("begin")).await;

    // Without the kill, the turn would take ten minutes.
    support::kill(client.pid().unwrap());
    let (_, error) = log_to_end(async || client.next().await).await;
    let error = error.unwrap();
    assert!(error.to_string().contains("SIGKILL"), "{error}");
    let end = ended(error);
    assert_eq!(
        (end.reason, end.exit.unwrap().signal()),
        (EndReason::Exited, Some(9))
    );

    // Later callers receive the same end.
    for error in [
        handle.send("Hello?").await.unwrap_err(),
        handle.interrupt().await.map(drop).unwrap_err(),
    ] {
        assert_eq!(ended(error).exit.unwrap().signal(), Some(9));
    }
    assert!(client.next().await.is_none());
}

#[tokio::test]
async fn output_before_a_crash_is_delivered_first() {
    let many: Vec<Step> = (0..500)
        .map(|number| Step::text(format!("number {number}")))
        .collect();
    let scenario = Scenario::default().reply(many.into_iter().chain([Step::Fault(Fault::Exit(9))]));
    let mut answer = query("Count", fake(&scenario)).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    let texts = log
        .iter()
        .filter(|line| line.starts_with("text: number"))
        .count();
    assert_eq!(texts, 500);
    assert_eq!(ended(error.unwrap()).exit.unwrap().code(), Some(9));
}

#[tokio::test]
async fn a_grandchild_with_an_open_output_does_not_delay_the_end() {
    let folder = agentwire_testing::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let there = folder.path().join("there");
    let hold = format!(
        "echo $$ > {}; touch {}; exec sleep 1000",
        pid_file.display(),
        there.display()
    );
    let scenario = Scenario::default().reply([
        Step::Fault(Fault::Spawn(
            ["sh", "-c", &hold].map(str::to_owned).to_vec(),
        )),
        Step::text("Bye."),
        // The session does not end before the grandchild runs.
        Step::gate("there"),
        Step::Fault(Fault::Exit(4)),
    ]);
    let options = fake(&scenario).env(fake_agent::GATES, folder.path());
    let mut answer = query("Go", options).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert_eq!(log[0], "text: Bye.");
    assert_eq!(ended(error.unwrap()).exit.unwrap().code(), Some(4));
    let pid = support::line_of(&pid_file).await.parse().unwrap();
    support::wait_until_gone(pid);
}

#[tokio::test]
async fn an_error_result_and_the_following_exit_status_are_not_errors() {
    let mut answer = query("Go", fake(&Scenario::default())).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert_eq!(log.last().unwrap(), "result: success error");
    assert!(error.is_none(), "{error:?}");
}

#[tokio::test]
async fn closing_lets_a_running_turn_finish() {
    let scenario = Scenario::default().reply([Step::WaitMs(300), Step::text("Slow, but done.")]);
    let mut client = Client::connect(fake(&scenario)).await.unwrap();
    client.send("Go").await.unwrap();
    let report = client.close().await;
    assert_eq!(report.step, agentwire::process::CloseStep::Exited);
    let (log, error) = log_to_end(async || client.next().await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(log, ["text: Slow, but done.", "result: success fine"]);
}

#[tokio::test]
async fn a_closing_session_refuses_messages() {
    let scenario = Scenario::default().reply([Step::text("Hm "), Step::WaitMs(600_000)]);
    // The agent handles SIGTERM, so it is not killed.
    let policy = hasty().finish(Duration::from_millis(300));
    let policy = policy.terminate(support::LONG);
    let mut client = Client::connect(fake(&scenario).close_policy(policy))
        .await
        .unwrap();
    let handle = client.handle();
    client.send("Go").await.unwrap();
    wait_for(&mut client, says("Hm")).await;
    let close = client.close();
    let late = async { handle.send("One more").await };
    let (report, late) = tokio::join!(close, late);
    assert_eq!(ended(late.unwrap_err()).reason, EndReason::Closed);
    assert_eq!(report.step, agentwire::process::CloseStep::Terminated);
    let (_, error) = log_to_end(async || client.next().await).await;
    assert_eq!(ended(error.unwrap()).reason, EndReason::CutOff);
}

#[tokio::test]
async fn closing_comes_to_an_end_when_the_runtime_of_the_session_is_gone() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let scenario = Scenario::default().reply([Step::text("Hm "), Step::WaitMs(600_000)]);
    let options = fake(&scenario).close_policy(hasty());
    let mut client = runtime
        .spawn(Client::connect(options))
        .await
        .unwrap()
        .unwrap();
    client.send("Go").await.unwrap();
    runtime.shutdown_background();
    let report = client.close().await;
    assert!(report.remaining.is_empty(), "{report:?}");
    let (_, error) = log_to_end(async || client.next().await).await;
    assert_eq!(ended(error.unwrap()).reason, EndReason::RuntimeGone);
}

#[tokio::test]
async fn a_cli_that_only_closes_its_input_is_ended_with_an_error() {
    let folder = agentwire_testing::tempdir().unwrap();
    // The host notices the closed input when it writes, and no earlier line delays
    // writing.
    let options = answering(&folder, "{}", "exec 0<&-; exec sleep 1000");
    let options = options.queueing(Queueing::ByAgent).close_policy(hasty());
    let mut client = Client::connect(options).await.unwrap();
    // The first message may still fit into the pipe.
    let mut refused = client.send("Hello?").await.is_err();
    while !refused {
        refused = client.send("Hello?").await.is_err();
    }
    let error = client.send("Are you there?").await.unwrap_err();
    assert_eq!(ended(error).reason, EndReason::InputClosed);
    let (_, error) = log_to_end(async || client.next().await).await;
    assert_eq!(ended(error.unwrap()).reason, EndReason::InputClosed);
}

#[tokio::test]
async fn a_prompt_whose_result_line_is_malformed_fails_with_no_result() {
    let glued = json!({ "type": "assistant", "message": { "content": [] } }).to_string();
    for before in [&*glued, "warning: something "] {
        let damage = Step::Fault(Fault::Stdout(before.to_owned()));
        let scenario = Scenario::default().reply([Step::text("One."), damage]);
        for scenario in [scenario.clone(), scenario.without_queue()] {
            let error = agentwire::prompt("Go", fake(&scenario).partial_messages(false))
                .await
                .unwrap_err();
            assert!(matches!(error, Error::NoResult { .. }), "{before}: {error}");
        }
    }
    // Without a result, the exit decides.
    let folder = agentwire_testing::tempdir().unwrap();
    let exits = answering(&folder, "{}", "read -r line");
    let error = agentwire::prompt("Go", exits).await.unwrap_err();
    assert_eq!(ended(error).reason, EndReason::ExitedBeforeFirstTurn);
}

/// Returns the error of starting a copy of an executable that differs in the path of its
/// interpreter or loader.
async fn spawn_error(content: &[u8]) -> String {
    let folder = agentwire_testing::tempdir().unwrap();
    // Another process makes the copy; see [`script`].
    let (copied, cli) = (folder.path().join("content"), script(&folder, ""));
    std::fs::write(&copied, content).unwrap();
    let mut copy = std::process::Command::new("cp");
    assert!(copy.args([&copied, &cli]).status().unwrap().success());
    let error = Client::connect(Options::new().cli(&cli)).await.unwrap_err();
    assert!(matches!(error, Error::Spawn { .. }), "{error}");
    error.to_string().replace(&cli.display().to_string(), "CLI")
}

#[tokio::test]
async fn the_error_of_a_missing_loader_or_interpreter_names_it() {
    assert_eq!(
        spawn_error(b"#! /no/such/interpreter -x\n").await,
        "cannot start CLI: the file exists, but its interpreter /no/such/interpreter does not: \
         the first line of the script names it"
    );
    let mut binary = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let loader = b"/lib64/ld-linux-x86-64.so.2";
    if let Some(at) = binary.windows(loader.len()).position(|it| it == loader) {
        binary[at..at + 6].copy_from_slice(b"/none/");
        assert_eq!(
            spawn_error(&binary).await,
            "cannot start CLI: the file exists, but its loader /none//ld-linux-x86-64.so.2 does \
             not: the binary was built for another C library or system"
        );
    }
}

#[tokio::test]
async fn resuming_a_missing_session_is_an_error_with_its_id() {
    let folder = agentwire_testing::tempdir().unwrap();
    let missing = "11111111-1111-4111-8111-111111111111";
    for (profile, id, fork) in [
        ("2.1.332", missing, false),
        ("2.1.332", missing, true),
        ("2.1.332", "no \"title\" of a session", false),
        ("2.1.197", missing, false),
        ("2.0.77", missing, false),
    ] {
        let options = fake(&Scenario::default())
            .env(fake_agent::SESSIONS, folder.path())
            .env(fake_agent::PROFILE, profile)
            .resume(id)
            .fork_session(fork);
        for options in [options.clone().restart(RestartPolicy::default()), options] {
            match Client::connect(options).await {
                Err(Error::NoSuchSession {
                    session_id,
                    message,
                }) => {
                    assert_eq!(session_id, id);
                    // 2.0.77 writes no result, only to standard error.
                    let times = message.matches("No conversation found").count();
                    assert!(times == 1 || profile != "2.0.77", "{message}");
                    assert!(
                        message.contains("11111111") || message.contains("title"),
                        "{message}"
                    );
                }
                other => panic!("{profile} {id}: {other:?}"),
            }
        }
    }
}
