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
        fs::create_dir_all(folders.path_to("project/sub")).unwrap();
        fs::create_dir(folders.path_to("out")).unwrap();
        fs::write(folders.path_to("out/secret.txt"), SECRET).unwrap();
        fs::write(folders.path_to("project/a.txt"), "text").unwrap();
        std::os::unix::fs::symlink(folders.path_to("out"), folders.path_to("project/sub/link"))
            .unwrap();
        folders
    }

    fn path_to(&self, path: &str) -> PathBuf {
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
        let options = live.options().cwd(self.path_to("project")).tools(tools);
        (live, options)
    }
}

#[tokio::test]
async fn file_tools_stay_within_a_directory() {
    let folders = Folders::new();
    let path_to = |path: &str| folders.path_to(path);
    let search = |path: Value| json!({"pattern": SECRET, "path": path, "output_mode": "content"});
    let write = |path: Value| json!({"file_path": path, "content": "x"});
    let inside = [
        ("Read", json!({"file_path": path_to("project/a.txt")})),
        ("Grep", json!({"pattern": "text"})),
        ("Glob", json!({"pattern": "*.txt"})),
        ("Write", write(json!(path_to("project/new.txt")))),
        ("Write", write(json!(path_to("project/sub/new/new.txt")))),
    ];
    let outside = [
        ("Read", json!({"file_path": path_to("out/secret.txt")})),
        (
            "Read",
            json!({"file_path": path_to("project/sub/link/secret.txt")}),
        ),
        (
            "Read",
            json!({"file_path": path_to("project/../out/secret.txt")}),
        ),
        (
            "Read",
            json!({"file_path": format!("/proc/self/root{}", path_to("out/secret.txt").display())}),
        ),
        ("Grep", search(json!(path_to("out")))),
        ("Grep", search(json!(path_to("project/sub/link")))),
        ("Glob", json!({"pattern": path_to("out/*")})),
        ("Write", write(json!(path_to("out/new.txt")))),
        ("Write", write(json!(path_to("project/sub/link/new.txt")))),
        (
            "Bash",
            json!({"command": format!("cat {}", path_to("out/secret.txt").display())}),
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
    let within = Within::new(path_to("project")).unwrap();
    let options = options
        .hook(Hook::policy(within.clone()))
        .permission_handler(within.or_deny("Nobody is there."));
    let turn = query("Go", options).await.unwrap();
    assert_eq!(turn.result().await.unwrap().text(), "Done.");

    assert!(path_to("project/new.txt").exists() && path_to("project/sub/new/new.txt").exists());
    let remaining: Vec<_> = fs::read_dir(path_to("out")).unwrap().flatten().collect();
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
    let path_to = |path: &str| folders.path_to(path).display().to_string();
    let write = |path: String| json!({"file_path": path, "content": "x"});
    let bash = |command: String| json!({ "command": command });
    let secret = Some(path_to("out/secret.txt"));
    let table: Vec<(Call, Option<String>)> = vec![
        (
            ("Read", json!({"file_path": path_to("out/secret.txt")})),
            None,
        ),
        (
            (
                "Read",
                json!({"file_path": path_to("project/sub/link/secret.txt")}),
            ),
            secret.clone(),
        ),
        (("Write", write(path_to("project/new.txt"))), None),
        (("Write", write(path_to("out/new.txt"))), None),
        (
            ("Write", write(path_to("project/sub/link/new.txt"))),
            Some(path_to("out/new.txt")),
        ),
        (
            ("Grep", json!({"pattern": "x", "path": path_to("out")})),
            None,
        ),
        (
            (
                "Grep",
                json!({"pattern": "x", "path": path_to("project/sub/link")}),
            ),
            Some(path_to("out")),
        ),
        (
            ("Glob", json!({"pattern": "*", "path": path_to("out")})),
            None,
        ),
        (
            ("Bash", bash(format!("cat {}", path_to("out/secret.txt")))),
            secret.clone(),
        ),
        (
            ("Bash", bash("touch new.txt".to_owned())),
            Some(path_to("project/new.txt")),
        ),
        (
            (
                "Bash",
                bash(format!(
                    "rm {} {}",
                    path_to("out/secret.txt"),
                    path_to("out/x")
                )),
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
