//! What the real CLI gives its children.

use crate::support::{Live, log_to_end};
use agentwire::{OUTER_SESSION, PermissionResult, query};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

/// What children are given that does not say whose they are: what a shell has,
/// how tools are to behave, and our own mark.
const NOT_OF_A_SESSION: [&str; 8] = [
    "AGENTWIRE_SESSION",
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
async fn what_marks_a_shell_a_hook_or_a_server_as_the_clis_is_not_passed_on() {
    // Whole, when it is there.
    let tell = |file: &Path| {
        let file = file.display();
        format!("env -0 > {file}.part; mv {file}.part {file}")
    };
    let project = tempfile::tempdir().unwrap();
    let file = |name: &str| project.path().join(name);
    let [shell, hook, server] = ["shell", "hook", "server"].map(file);
    // The server may take longer to start than the turn to end.
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
