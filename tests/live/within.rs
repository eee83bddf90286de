//! The policy for the files of one directory, and the path that the real CLI names in its
//! permission requests.

use super::support::{Live, counted};
use agentwire::permission::{PermissionRequest, Policy, Within};
use agentwire::protocol::permission::CanUseTool;
use agentwire::{Hook, Options, PermissionResult, query};
use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Only a file outside of the project has this text.
const SECRET: &str = "S3CR3T";

type Call = (&'static str, Value);

/// A project, with a link that leads out of it.
struct Folders {
    root: TempDir,
}

impl Folders {
    fn new() -> Self {
        let root = agentwire_testing::tempdir().unwrap();
        let folders = Self { root };
        fs::create_dir_all(folders.at("project/sub")).unwrap();
        fs::create_dir(folders.at("out")).unwrap();
        fs::write(folders.at("out/secret.txt"), SECRET).unwrap();
        fs::write(folders.at("project/a.txt"), "text").unwrap();
        std::os::unix::fs::symlink(folders.at("out"), folders.at("project/sub/link")).unwrap();
        folders
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    /// Starts a model that makes these calls, one after the other.
    async fn live(&self, calls: &[Call]) -> (Live, Options) {
        let mut scenario = Scenario::default();
        for (tool, input) in calls {
            scenario = scenario.reply([Step::tool(*tool, input.clone(), "")]);
        }
        let live = Live::start(scenario.reply([Step::text("Done.")])).await;
        let tools = ["Bash", "Glob", "Grep", "Read", "Write"];
        let options = live.options().cwd(self.at("project")).tools(tools);
        (live, options)
    }
}

#[tokio::test]
async fn file_tools_stay_within_a_directory() {
    let folders = Folders::new();
    let at = |path: &str| folders.at(path);
    let search = |path: Value| json!({"pattern": SECRET, "path": path, "output_mode": "content"});
    let write = |path: Value| json!({"file_path": path, "content": "x"});
    let inside = [
        ("Read", json!({"file_path": at("project/a.txt")})),
        ("Grep", json!({"pattern": "text"})),
        ("Glob", json!({"pattern": "*.txt"})),
        ("Write", write(json!(at("project/new.txt")))),
        ("Write", write(json!(at("project/sub/new/new.txt")))),
    ];
    let outside = [
        ("Read", json!({"file_path": at("out/secret.txt")})),
        (
            "Read",
            json!({"file_path": at("project/sub/link/secret.txt")}),
        ),
        (
            "Read",
            json!({"file_path": at("project/../out/secret.txt")}),
        ),
        (
            "Read",
            json!({"file_path": format!("/proc/self/root{}", at("out/secret.txt").display())}),
        ),
        ("Grep", search(json!(at("out")))),
        ("Grep", search(json!(at("project/sub/link")))),
        ("Glob", json!({"pattern": at("out/*")})),
        ("Write", write(json!(at("out/new.txt")))),
        ("Write", write(json!(at("project/sub/link/new.txt")))),
        (
            "Bash",
            json!({"command": format!("cat {}", at("out/secret.txt").display())}),
        ),
    ];
    // The directory of relative paths changes.
    let moved = [
        ("Bash", json!({"command": "cd sub && pwd"})),
        ("Read", json!({"file_path": "link/secret.txt"})),
        ("Grep", search(json!("link"))),
        ("Glob", json!({"pattern": "*", "path": "link"})),
        ("Write", write(json!("link/moved.txt"))),
    ];
    let calls: Vec<Call> = inside.into_iter().chain(outside).chain(moved).collect();
    let (live, options) = folders.live(&calls).await;
    let within = Within::new(at("project")).unwrap();
    let options = options
        .hook(Hook::policy(within.clone()))
        .permission_handler(within.or_deny("Nobody is there."));
    let turn = query("Go", options).await.unwrap();
    assert_eq!(turn.result().await.unwrap().text(), "Done.");

    assert!(at("project/new.txt").exists() && at("project/sub/new/new.txt").exists());
    let remaining: Vec<_> = fs::read_dir(at("out")).unwrap().flatten().collect();
    assert_eq!(remaining.len(), 1, "{remaining:?}");
    let requests = live.model.requests();
    let last = requests.last().unwrap().body.as_ref().unwrap();
    let results: Vec<&Value> = (last["messages"].as_array().unwrap().iter())
        .filter_map(|message| message["content"].as_array())
        .flatten()
        .filter(|block| block["type"] == "tool_result")
        .collect();
    assert_eq!(results.len(), calls.len());
    for (index, result) in results.iter().enumerate() {
        let (call, result) = (&calls[index], result.to_string());
        let is_denied = result.contains("is not in") || result.contains("Nobody is there");
        assert_eq!(
            is_denied,
            !(0..5).contains(&index) && index != 15,
            "{call:?}: {result}"
        );
        assert!(!result.contains(SECRET), "{call:?}: {result}");
    }
    counted(calls.len(), "calls within a directory");
}

/// The table at `CanUseTool::blocked_path`.
#[tokio::test]
async fn a_blocked_path_is_the_target_of_a_link_or_a_path_of_a_shell_command() {
    let folders = Folders::new();
    let at = |path: &str| folders.at(path).display().to_string();
    let write = |path: String| json!({"file_path": path, "content": "x"});
    let bash = |command: String| json!({ "command": command });
    let secret = Some(at("out/secret.txt"));
    let table: Vec<(Call, Option<String>)> = vec![
        (("Read", json!({"file_path": at("out/secret.txt")})), None),
        (
            (
                "Read",
                json!({"file_path": at("project/sub/link/secret.txt")}),
            ),
            secret.clone(),
        ),
        (("Write", write(at("project/new.txt"))), None),
        (("Write", write(at("out/new.txt"))), None),
        (
            ("Write", write(at("project/sub/link/new.txt"))),
            Some(at("out/new.txt")),
        ),
        (("Grep", json!({"pattern": "x", "path": at("out")})), None),
        (
            (
                "Grep",
                json!({"pattern": "x", "path": at("project/sub/link")}),
            ),
            Some(at("out")),
        ),
        (("Glob", json!({"pattern": "*", "path": at("out")})), None),
        (
            ("Bash", bash(format!("cat {}", at("out/secret.txt")))),
            secret.clone(),
        ),
        (
            ("Bash", bash("touch new.txt".to_owned())),
            Some(at("project/new.txt")),
        ),
        (
            (
                "Bash",
                bash(format!("rm {} {}", at("out/secret.txt"), at("out/x"))),
            ),
            secret,
        ),
        (("Bash", bash("python3 -c 1".to_owned())), None),
    ];
    let calls: Vec<Call> = table.iter().map(|(call, _)| call.clone()).collect();
    let (_live, options) = folders.live(&calls).await;
    let asked: Arc<Mutex<Vec<CanUseTool>>> = Arc::default();
    let heard = Arc::clone(&asked);
    let options = options.on_permission(move |ask: PermissionRequest| {
        heard.lock().unwrap().push(ask.request);
        async { PermissionResult::deny("No.") }
    });
    query("Go", options).await.unwrap().result().await.unwrap();
    let asked = asked.lock().unwrap();
    let found: Vec<_> = asked
        .iter()
        .map(|request| (&*request.tool_name, request.blocked_path.clone()))
        .collect();
    let expected: Vec<_> = table
        .iter()
        .map(|((tool, _), path)| (*tool, path.clone()))
        .collect();
    assert_eq!(found, expected);
}
