//! Claude Code, Codex and an ACP agent in one program.

use agentwire::mcp::Tools;
use agentwire::permission::Policy;
use agentwire::{Options, Rules};
use agentwire_codex::wire::NamedPolicy;
use agentwire_codex::{Codex, CodexOptions, ThreadOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::process::Command;

/// Returns the path of an example. Cargo builds a package's examples with its tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap().parent().unwrap();
    built.join("examples").join(name)
}

/// Runs the example with three agents. Asserts that it shows each of their texts.
pub(crate) async fn side_by_side(
    acp: &str,
    home: &Path,
    variables: Vec<(&'static str, String)>,
    text: &str,
) {
    let output = Command::new(example("side_by_side"))
        .args(["hello", "claude", "codex", acp])
        .env_clear()
        .envs(variables)
        .current_dir(home.join("project"))
        .kill_on_drop(true)
        .output();
    let output = output.await.unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = shown.rsplit("\x1b[2J\x1b[H").next().unwrap();
    assert!(output.status.success(), "{last}{stderr}");
    for shown in ["> hello", text, "Completed"] {
        assert_eq!(last.matches(shown).count(), 3, "{shown}: {last}{stderr}");
    }
}

#[derive(serde::Deserialize, agentwire::schemars::JsonSchema)]
#[schemars(crate = "agentwire::schemars")]
struct Lookup {
    word: String,
}

/// Gives the same rules and the same tool to Claude Code and Codex. Both are to call the tool, to
/// run `mkdir allowed` and to try `touch denied`.
pub(crate) async fn rules_and_tools(
    claude: Options,
    claude_project: &Path,
    codex: CodexOptions,
    thread: ThreadOptions,
    codex_project: &Path,
) {
    let words = Arc::new(Mutex::new(Vec::new()));
    let called = Arc::clone(&words);
    let tools = Tools::new().tool("lookup", "Looks up a word.", move |it: Lookup| {
        called.lock().unwrap().push(it.word);
        async { Ok::<_, String>("A crab.") }
    });
    let rules = || {
        Rules::builder()
            .allow(["Bash(mkdir *)", "mcp__words__lookup"])
            .deny(["Bash(touch *)"])
    };

    let of_claude = rules().working_directory(claude_project).build().unwrap();
    let options = claude
        .mcp_server("words", tools.clone())
        .permission_handler(of_claude.or_deny("Nobody allows this."));
    agentwire::prompt("Work", options).await.unwrap();

    let of_codex = rules().working_directory(codex_project).build().unwrap();
    let codex = Codex::spawn(codex).await.unwrap();
    let options = thread
        .approval_policy(NamedPolicy::Untrusted)
        .policy(of_codex)
        .tools("words", &tools);
    let thread = codex.start(options).await.unwrap();
    assert!(thread.send("Work").await.unwrap().is_completed());
    codex.close().await;

    assert_eq!(*words.lock().unwrap(), ["claude", "codex"]);
    for project in [claude_project, codex_project] {
        assert!(!project.join("denied").exists());
    }
}
