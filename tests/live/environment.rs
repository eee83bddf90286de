//! Tests of the environment of the real CLI's children.

use crate::support::{Live, ended, live_cli, log_to_end, patient};
use agentwire::process::{Environment, HOST_TOOLS, OUTER_SESSION};
use agentwire::{EndReason, Message, Options, PermissionResult, query};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Variables of children that do not identify their session: those of a shell, those that
/// configure tools, and the mark of this library.
const NOT_OF_A_SESSION: [&str; 9] = [
    "AGENTWIRE_SESSION",
    "BUN_ENABLE_CRASH_REPORTING",
    "COREPACK_ENABLE_AUTO_PIN",
    "GIT_EDITOR",
    "NoDefaultCurrentDirectoryInExePath",
    "PWD",
    "SHELL",
    "SHLVL",
    "_",
];

fn names(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let names = text.split('\0').filter_map(|line| line.split_once('='));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[tokio::test]
async fn variables_of_an_outer_cli_are_not_passed_on() {
    // Rename the file when it is complete.
    let tell = |file: &Path| {
        let file = file.display();
        format!("env -0 > {file}.part; mv {file}.part {file}")
    };
    let project = agentwire_testing::tempdir().unwrap();
    let file = |name: &str| project.path().join(name);
    let [shell, hook, server] = ["shell", "hook", "server"].map(file);
    // The server may take longer to start than the turn takes to end.
    let wait = format!("until [ -e {} ]; do sleep 0.05; done", server.display());
    let command = format!("{wait}; {}", tell(&shell));
    let call = Step::tool("Bash", json!({ "command": command }), "");
    let scenario = Scenario::default()
        .reply([call])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": tell(&hook) }] }] } });
    let servers = json!({ "mcpServers": { "told": { "type": "stdio", "command": "sh",
        "args": ["-c", format!("{}; exec cat", tell(&server))] } } });
    let options = live
        .options()
        .flag_value("--settings", hooks.to_string())
        .flag_value("--mcp-config", servers.to_string())
        .on_permission(|_| async { PermissionResult::allow() });
    let mut answer = query("Work", options).await.unwrap();
    let (log, error) = log_to_end(async || answer.next().await).await;
    assert!(error.is_none(), "{log:?} {error:?}");

    let given: BTreeSet<_> = live
        .environment()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for file in [shell, hook, server] {
        let added = names(&file);
        let unknown: Vec<_> = added
            .iter()
            .map(String::as_str)
            .filter(|name| !given.contains(name) && !NOT_OF_A_SESSION.contains(name))
            .filter(|name| !OUTER_SESSION.contains(name))
            .collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", file.display());
        assert!(added.contains("CLAUDECODE"), "{added:?}");
    }
}

/// The effect of an inherited variable on the CLI.
#[derive(Debug, PartialEq)]
enum Effect {
    /// The CLI exits before its first response, without output.
    ExitsSilently,
    /// The CLI exits, and writes the reason to standard error.
    Exits,
    /// The CLI writes to standard error.
    Writes,
    /// The host observes no effect.
    None,
}

#[tokio::test]
async fn variables_that_stop_the_cli_or_make_it_write_are_not_inherited() {
    use Effect::{Exits, ExitsSilently, None as NoEffect, Writes};
    let cases = [
        ("NODE_OPTIONS", "--inspect", ExitsSilently),
        ("NODE_UNIQUE_ID", "1", ExitsSilently),
        ("BUN_OPTIONS", "--inspect", ExitsSilently),
        ("BUN_INSPECT_PRELOAD", "/no/such.js", Exits),
        ("BUN_JSC_noSuchOption", "1", Exits),
        ("BUN_CONFIG_VERBOSE_FETCH", "curl", Writes),
        ("MIMALLOC_VERBOSE", "1", Writes),
        ("LD_DEBUG", "libs", Writes),
        ("NODE_ENV", "development", NoEffect),
        ("NODE_PATH", "/no/such", NoEffect),
        ("npm_config_node_options", "--inspect", NoEffect),
        ("VSCODE_PID", "1", NoEffect),
    ];
    let scenario = Scenario::default().reply([Step::text("Hello.")]).repeated();
    let live = Live::start(scenario).await;
    for (name, value, expected) in cases {
        let wrote = Arc::new(AtomicBool::new(false));
        let noticed = Arc::clone(&wrote);
        let options = live.options().env(name, value);
        let options = options.on_stderr(move |_| noticed.store(true, Ordering::Relaxed));
        let effect = match query("Hello?", options).await {
            Err(error) => {
                let end = ended(error);
                assert_eq!(end.reason, EndReason::ExitedBeforeFirstTurn, "{name}");
                match end.stderr.is_empty() {
                    true => {
                        assert_eq!(end.suspects, [name]);
                        ExitsSilently
                    }
                    false => Exits,
                }
            }
            Ok(answer) => {
                assert_eq!(answer.result().await.unwrap().text(), "Hello.", "{name}");
                match wrote.load(Ordering::Relaxed) {
                    true => Writes,
                    false => NoEffect,
                }
            }
        };
        assert_eq!(effect, expected, "{name}={value}");
        let is_inherited = !HOST_TOOLS.iter().any(|it| match it.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => name == *it,
        });
        assert_eq!(is_inherited, effect == NoEffect, "{name}");
    }
}

#[tokio::test]
async fn the_minimal_environment_is_what_the_cli_and_its_tools_need() {
    let call = Step::tool("Bash", json!({ "command": "ls / && env" }), "");
    let scenario = Scenario::default()
        .reply([call])
        .reply([Step::text("Done.")])
        .repeated();
    let live = Live::start(scenario).await;
    let (url, home) = (live.model.url(), live.home.path());
    let result = async |environment| {
        let options = Options::new()
            .cli(live_cli())
            .cwd(live.project())
            .environment(environment)
            .env("HOME", home)
            .env("TMPDIR", home.join("tmp"))
            .env("ANTHROPIC_API_KEY", "anything")
            .env("ANTHROPIC_BASE_URL", &url)
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .close_policy(patient())
            .on_permission(|_| async { PermissionResult::allow() });
        let mut messages = query("Look around", options).await.unwrap().messages();
        let mut result = None;
        while let Some(message) = messages.next().await {
            if let Message::User(user) = message.unwrap() {
                result = result.or(user.tool_results().next().cloned());
            }
        }
        let result = result.unwrap();
        (
            result.is_error == Some(true),
            format!("{:?}", result.content),
        )
    };

    let (is_error, printed) = result(Environment::minimal()).await;
    assert!(!is_error && printed.contains("PATH="), "{printed}");
    assert!(!printed.contains("CARGO_MANIFEST_DIR"), "{printed}");

    let (is_error, printed) = result(Environment::only(["NOTHING"])).await;
    assert!(
        is_error && printed.contains("ls: No such file"),
        "{printed}"
    );
}
