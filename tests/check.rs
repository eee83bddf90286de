//! Tests of the check whether sessions can start.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::support::{LONG, fake, fake_agent_path, hasty, script};
use agentwire::check::{CliSource, Login, ProblemKind};
use agentwire::protocol::permission::PermissionMode;
use agentwire::store::MemoryStore;
use agentwire::{Check, Options, PermissionResult, check, check_with_turn};
use agentwire_testing::TempDir;
use agentwire_testkit::{ApiError, Scenario, Step};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Returns the kinds of the problems.
fn kinds(check: &Check) -> Vec<ProblemKind> {
    for problem in &check.problems {
        println!("{problem}");
        assert!(!problem.message.is_empty() && !problem.advice.is_empty());
    }
    check.problems.iter().map(|it| it.kind).collect()
}

/// Returns options for a CLI that has to be killed.
fn bad(cli: impl AsRef<Path>) -> Options {
    Options::new()
        .cli(cli.as_ref())
        .close_policy(hasty())
        .request_timeout(Duration::from_millis(300))
}

#[tokio::test]
async fn a_ready_cli_is_reported_with_its_version_and_login() {
    let options = fake(&Scenario::default());
    let found = check(&options).await;
    assert!(found.is_ready(), "{found}");
    assert_eq!(kinds(&found), []);
    assert_eq!(found.source, Some(CliSource::Option));
    assert!(found.cli.as_ref().unwrap().ends_with("fake_agent"));
    let version = found.version.clone().unwrap();
    assert!(version.starts_with("2."), "{version}");
    let source = "ANTHROPIC_API_KEY".to_owned();
    assert_eq!(found.login, Login::ApiKey { source });
    assert_eq!(found.model, None);
    let text = found.to_string();
    for part in [&*version, "fake_agent", "ANTHROPIC_API_KEY", "\nready"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["login"]["kind"], "api_key");
    assert_eq!(json["source"], "option");
    assert_eq!(json["problems"], json!([]));
}

#[tokio::test]
async fn a_cli_that_cannot_be_started_is_a_problem() {
    let folder = TempDir::new().unwrap();
    let missing = check(&bad(folder.path().join("none"))).await;
    assert_eq!(kinds(&missing), [ProblemKind::CliNotFound]);
    assert_eq!((&missing.cli, missing.source), (&None, None));
    assert!(missing.to_string().ends_with("not ready"));

    let text = folder.path().join("notes.txt");
    fs::write(&text, "notes").unwrap();
    let not_executable = check(&bad(&text)).await;
    assert_eq!(kinds(&not_executable), [ProblemKind::CliNotFound]);

    let damaged = folder.path().join("damaged");
    // Not written by this process: a child spawned meanwhile could inherit the open file.
    let write = "printf '\\177ELF\\002\\001\\001 no program' > \"$0\" && chmod 755 \"$0\"";
    let mut write_it = Command::new("sh");
    write_it.args(["-c", write]).arg(&damaged);
    assert!(write_it.status().unwrap().success());
    let damaged = check(&bad(&damaged)).await;
    assert_eq!(kinds(&damaged), [ProblemKind::CliNotStarted]);

    let crashes = script(&folder, "echo 'out of luck' >&2; exit 3");
    let crashed = check(&bad(&crashes)).await;
    assert_eq!(kinds(&crashed), [ProblemKind::CliExited]);
    let message = &crashed.problems[0].message;
    assert!(message.contains("out of luck"), "{message}");
    assert_eq!(crashed.version, None);
    assert_eq!(crashed.login, Login::Unknown);
}

#[tokio::test]
async fn a_cli_that_does_not_respond_is_a_problem() {
    let folder = TempDir::new().unwrap();
    let hangs = check(&bad(script(&folder, "exec sleep 600"))).await;
    assert_eq!(kinds(&hangs), [ProblemKind::NoResponse]);

    let folder = TempDir::new().unwrap();
    let babble = "echo Welcome; echo; exec sleep 600";
    let babbles = check(&bad(script(&folder, babble))).await;
    let expected = [ProblemKind::NoResponse, ProblemKind::InvalidOutput];
    assert_eq!(kinds(&babbles), expected);
    assert!(!babbles.is_ready());

    let folder = TempDir::new().unwrap();
    let binary = "head -c 100000 /dev/urandom";
    let noise = check(&bad(script(&folder, binary))).await;
    assert_eq!(kinds(&noise)[0], ProblemKind::CliExited);
    assert!(!noise.is_ready());
}

#[tokio::test]
async fn a_cli_that_is_too_old_is_a_problem() {
    let folder = TempDir::new().unwrap();
    let old = script(
        &folder,
        "[ \"$1\" = --version ] && echo '1.0.128 (Claude Code)'",
    );
    let old = check(&bad(old).system_prompt("You are a crab.")).await;
    assert_eq!(kinds(&old), [ProblemKind::CliTooOld]);
    assert_eq!(old.version.as_deref(), Some("1.0.128"));
    let advice = &old.problems[0].advice;
    assert!(advice.contains("claude update"), "{advice}");
}

#[tokio::test]
async fn all_flags_that_the_cli_does_not_know_are_reported() {
    let folder = TempDir::new().unwrap();
    // As the CLI does, it names only the first.
    let refuses = format!(
        "for flag; do case $flag in --no-such-flag|--nor-this=*)
            echo \"error: unknown option '$flag'\" >&2; exit 1;;
        esac; done; exec '{}' \"$@\"",
        fake_agent_path().display()
    );
    let options = fake(&Scenario::default())
        .cli(script(&folder, &refuses))
        .flag("--no-such-flag")
        .flag_value("--nor-this", "1");
    let unknown = check(&options).await;
    let flags = [
        ProblemKind::UnsupportedOption,
        ProblemKind::UnsupportedOption,
    ];
    assert_eq!(kinds(&unknown), flags);
    assert!(unknown.problems[0].message.contains("--no-such-flag"));
    assert!(unknown.problems[1].message.contains("--nor-this"));
    assert!(!unknown.is_ready());
    assert!(matches!(unknown.login, Login::ApiKey { .. }), "{unknown}");
}

#[tokio::test]
async fn all_options_that_need_a_later_version_are_reported() {
    let options = fake(&Scenario::default())
        .cli_version("2.1.30".parse().unwrap())
        .tool_aliases([("Bash", "mcp__a__b")])
        .verbatim_prompts(true)
        .flag_value("--effort", "high");
    let old = check(&options).await;
    let messages: Vec<_> = old.problems.iter().map(|it| &*it.message).collect();
    assert_eq!(messages.len(), 3, "{old}");
    for option in ["tool_aliases", "verbatim_prompts", "effort"] {
        let is_named = |it: &&str| it.contains(&format!("`{option}`"));
        assert!(messages.iter().any(is_named), "{option}: {old}");
    }
    assert!(old.problems.iter().all(|it| it.advice.contains("2.1.")));
}

#[tokio::test]
async fn ignored_options_do_not_prevent_sessions() {
    let options = fake(&Scenario::default())
        .permission_mode(PermissionMode::DontAsk)
        .on_permission(|_| async { PermissionResult::allow() });
    let found = check(&options).await;
    assert_eq!(kinds(&found), [ProblemKind::IgnoredOption]);
    assert!(found.is_ready(), "{found}");
}

#[tokio::test]
async fn invalid_options_are_a_problem() {
    let found = check(&fake(&Scenario::default()).session_id("7")).await;
    assert_eq!(kinds(&found), [ProblemKind::InvalidOption]);
    assert_eq!(found.cli, None);
}

#[tokio::test]
async fn the_session_and_the_store_of_the_options_are_not_used() {
    let folder = TempDir::new().unwrap();
    let written = folder.path().join("arguments");
    let records = format!(
        "echo \"$@\" > '{}'; exec '{}' \"$@\"",
        written.display(),
        fake_agent_path().display()
    );
    let options = fake(&Scenario::default())
        .cli(script(&folder, &records))
        .model("claude-haiku-4-5")
        .session_store(MemoryStore::new())
        .resume("11111111-0000-4000-8000-000000000001")
        .fork_session(true);
    let before = options.command_line().unwrap().arguments;
    assert_eq!(kinds(&check(&options).await), []);
    assert_eq!(options.command_line().unwrap().arguments, before);
    let arguments = fs::read_to_string(written).unwrap();
    assert!(arguments.contains("--model=claude-haiku-4-5"));
    for flag in ["--resume", "--fork-session", "--session-mirror"] {
        assert!(before.iter().any(|it| it.starts_with(flag)), "{flag}");
        assert!(!arguments.contains(flag), "{flag} in {arguments}");
    }
}

#[tokio::test]
async fn the_model_replies_in_a_turn() {
    let scenario = Scenario::default().reply([Step::text("OK.")]);
    let found = check_with_turn(&fake(&scenario)).await;
    assert!(found.is_ready(), "{found}");
    assert!(!found.model.clone().unwrap().is_empty());
    assert!(found.to_string().contains(" replied"));
}

#[tokio::test]
async fn a_model_that_refuses_or_does_not_reply_is_a_problem() {
    let refuses = Scenario::default()
        .reply([Step::Error(ApiError {
            status: 404,
            kind: "not_found_error".to_owned(),
            message: "There is no such model.".to_owned(),
        })])
        .repeated();
    let refused = check_with_turn(&fake(&refuses)).await;
    assert_eq!(kinds(&refused), [ProblemKind::NoReply]);
    let advice = &refused.problems[0].advice;
    assert!(advice.contains("model"), "{advice}");
    assert_eq!(refused.model, None);

    let hangs = Scenario::default().reply([Step::WaitMs(600_000)]);
    let options = fake(&hangs)
        .request_timeout(Duration::from_secs(2))
        .close_policy(hasty().finish(10 * LONG));
    let silent = tokio::time::timeout(LONG, check_with_turn(&options)).await;
    let silent = silent.expect("the check waits for the turn");
    assert_eq!(kinds(&silent), [ProblemKind::NoReply]);
}
