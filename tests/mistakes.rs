//! Tests of common mistakes and their error messages: the cause, and the remedy.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::support;

use agentwire::protocol::permission::PermissionMode;
use agentwire::{
    Activity, Client, Error, Event, Later, Notice, Options, PermissionResult, Rules, attach,
    prompt, query,
};
use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::time::Duration;
use support::{fake, script, wait_for};

/// Asserts that the message of a mistake has each of these parts.
#[track_caller]
fn assert_message(mistake: &str, message: impl ToString, parts: &[&str]) {
    let message = message.to_string();
    println!("{mistake}:\n  {}", message.replace('\n', "\n  "));
    for part in parts {
        assert!(
            message.contains(part),
            "{mistake}: no {part:?} in: {message}"
        );
    }
}

fn turn_scenario() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")])
}

fn tool(name: &str, input: Value) -> Scenario {
    Scenario::default()
        .reply([Step::tool(name, input, "")])
        .reply([Step::text("Done.")])
}

/// Returns the error of a session that does not start.
async fn refused(options: Options) -> Error {
    Client::connect(options).await.err().unwrap()
}

/// Sends a prompt. Returns the first notice.
async fn notice(options: Options) -> Notice {
    let mut client = Client::connect(options).await.unwrap();
    client.send("Go");
    wait_for(&mut client, |event| match event {
        Event::Notice(notice) => Some(notice.clone()),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_cli_that_cannot_be_started() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("claud");
    let error = refused(Options::new().cli(&missing)).await;
    assert_message(
        "a wrong path",
        error,
        &[missing.to_str().unwrap(), "Options::cli"],
    );

    let error = refused(Options::new().cli("claud-e")).await;
    assert_message("a wrong name", error, &["claud-e", "PATH", "Options::cli"]);

    let error = refused(Options::new().cli(folder.path())).await;
    assert_message(
        "a directory",
        error,
        &[folder.path().to_str().unwrap(), "directory"],
    );

    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "notes").unwrap();
    let error = refused(Options::new().cli(&text)).await;
    assert_message(
        "a file that is no program",
        error,
        &["notes.txt", "chmod +x"],
    );

    let other = script(&folder, "echo 'usage: other [FILE]' >&2; exit 2");
    let error = refused(Options::new().cli(other)).await;
    assert_message(
        "another program",
        error,
        &["before its first turn", "usage: other"],
    );

    let hangs = script(&folder, "sleep 60");
    let options = Options::new()
        .cli(hangs)
        .request_timeout(Duration::from_millis(50));
    let error = refused(options).await;
    assert_message(
        "a CLI that hangs",
        error,
        &["initialize", "50ms", "Options::request_timeout"],
    );

    let nowhere = folder.path().join("nowhere");
    let error = refused(fake(&turn_scenario()).cwd(&nowhere)).await;
    assert_message(
        "a working directory that does not exist",
        error,
        &["nowhere", "cwd"],
    );
}

#[test]
fn no_runtime() {
    let scenario = turn_scenario();
    let connect = std::pin::pin!(Client::connect(fake(&scenario)));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(Err(error)) = connect.poll(&mut context) else {
        panic!("pending");
    };
    assert_message("no runtime", error, &["tokio runtime", "#[tokio::main]"]);
}

#[tokio::test]
async fn options_that_make_no_sense() {
    let error = refused(fake(&turn_scenario()).session_id("abc")).await;
    assert_message(
        "a session ID that is no UUID",
        error,
        &["abc", "session_id", "UUID"],
    );

    let schema = json!({"type": "string"});
    let error = refused(fake(&turn_scenario()).output_format(schema)).await;
    assert_message(
        "a schema of another type",
        error,
        &["output_format", "string", "object", "field of a struct"],
    );

    let error = refused(fake(&turn_scenario()).tools(["Read,Write"])).await;
    assert_message("two tools in one", error, &["tools", "Read,Write", "comma"]);

    let error = refused(fake(&turn_scenario()).allowed_tools(["Bash(git"])).await;
    assert_message("an invalid rule", error, &["allowedTools", "Bash(git"]);

    let error = Rules::builder().allow(["Bash(git"]).build().unwrap_err();
    assert_message("an invalid rule of the program's", error, &["Bash(git"]);

    let error = Rules::builder().allow(["Bsh(git *)"]).build().unwrap_err();
    assert_message(
        "a rule about a tool that does not exist",
        error,
        &["`Bsh`", "`Bash`"],
    );

    let options = fake(&turn_scenario())
        .permission_mode(PermissionMode::BypassPermissions)
        .on_permission(|_| async { PermissionResult::allow() });
    let ignored = notice(options).await;
    assert_message(
        "a callback that is never called",
        ignored,
        &["Options::on_permission", "bypassPermissions"],
    );
}

#[tokio::test]
async fn tools_that_do_not_exist() {
    let rules = || {
        let rules = Rules::builder().allow(["WebFtch"]).deny(["Wirte"]);
        rules.deny(["mcp__wiki", "mcp__*"]).build().unwrap()
    };
    for (options, parts) in [
        (
            fake(&turn_scenario()).tools(["Bash", "Raed"]),
            ["Options::tools", "`Raed`", "`Read`"],
        ),
        (
            fake(&turn_scenario()).allowed_tools(["Task", "Bsh(git *)"]),
            ["Options::allowed_tools", "`Bsh`", "`Bash`"],
        ),
        (
            fake(&turn_scenario()).disallowed_tools(["Teleport"]),
            ["Options::disallowed_tools", "`Teleport`", "no effect"],
        ),
        (
            fake(&turn_scenario()).rules(rules()),
            ["Options::rules", "`WebFtch`", "`WebFetch`"],
        ),
    ] {
        assert_message("an unknown tool", notice(options).await, &parts);
    }

    // Once, and for each name once.
    let scenario = turn_scenario().reply([Step::text("Again.")]);
    let mut client = Client::connect(fake(&scenario).rules(rules()))
        .await
        .unwrap();
    let mut found = Vec::new();
    for _ in 0..2 {
        client.send("Go");
        wait_for(&mut client, |event| match event {
            Event::Notice(Notice::UnknownTool { name, .. }) => {
                found.push(name.to_string());
                None
            }
            Event::Activity(Activity::Idle) => Some(()),
            _ => None,
        })
        .await;
    }
    assert_eq!(found, ["WebFtch", "Wirte"]);
}

#[tokio::test]
async fn turns_that_fail() {
    let mut scenario = turn_scenario();
    scenario.no_key = true;
    let failed = prompt("Go", fake(&scenario)).await.unwrap();
    let error = failed.error_for_result().unwrap_err();
    assert_message("no key", Error::from(error), &["ANTHROPIC_API_KEY"]);

    let message = "model: claude-opsu-5";
    let scenario = Scenario::default().reply([Step::error(404, "not_found_error", message)]);
    let failed = prompt("Go", fake(&scenario).model("claude-opsu-5"))
        .await
        .unwrap();
    let error = failed.error_for_result().unwrap_err();
    assert_message(
        "an unknown model",
        Error::from(error),
        &["Options::model", "set_model"],
    );

    let result = prompt("Go", fake(&turn_scenario())).await.unwrap();
    let error = result.structured::<Value>().unwrap_err();
    assert_message(
        "structured output that was not requested",
        error,
        &["Options::output_type"],
    );
}

#[tokio::test]
async fn a_client_that_is_gone() {
    let client = Client::connect(fake(&turn_scenario())).await.unwrap();
    let handle = client.handle().clone();
    drop(client);
    let error = handle.send("Go").result().await.unwrap_err();
    assert_message(
        "a client that was dropped",
        error,
        &["`Client` was dropped"],
    );

    let mut client = Client::connect(fake(&turn_scenario())).await.unwrap();
    let handle = client.handle().clone();
    client.close().await;
    let error = handle.send("Go").result().await.unwrap_err();
    assert_message("a message after close", error, &["closed"]);
}

#[tokio::test]
async fn texts_without_partial_messages_are_whole() {
    let mut texts = query("Go", fake(&turn_scenario())).await.unwrap().texts();
    assert_eq!(texts.next().await.unwrap().unwrap(), "Hello.");
}

#[tokio::test]
async fn permissions() {
    let bash = || fake(&tool("Bash", json!({"command": "make"})));
    let denied = notice(bash()).await;
    assert_message("no callback", denied, &["Bash", "Options::on_permission"]);

    let options = bash().on_permission(|_| async { Later });
    let client = Client::connect(options).await.unwrap();
    let error = client
        .respond("no-such-id", PermissionResult::allow())
        .await;
    assert_message("an unknown request ID", error.unwrap_err(), &["no-such-id"]);

    let options = fake(&tool("AskUserQuestion", json!({"questions": []})))
        .on_permission(|_| async { PermissionResult::allow_with(json!({"answers": {}})) });
    let denied = notice(options).await;
    assert_message(
        "an answer without the questions",
        denied,
        &["`questions`", "Options::on_question"],
    );
}

#[tokio::test]
async fn files() {
    let error = attach("no-such-chart.png").await.unwrap_err();
    assert_message("a file that does not exist", error, &["no-such-chart.png"]);
}

#[tokio::test]
async fn a_resumed_session_that_does_not_exist() {
    let folder = TempDir::new().unwrap();
    let id = "8d8f7d1e-2a7d-4f0e-9a30-0b7f5f4ef2aa";
    let options = fake(&turn_scenario())
        .env("CLAUDE_CONFIG_DIR", folder.path())
        .resume(id);
    let error = match Client::connect(options).await {
        Err(error) => error,
        Ok(client) => client.send("Go").result().await.unwrap_err(),
    };
    assert_message("an unknown session", error, &[id]);
}
