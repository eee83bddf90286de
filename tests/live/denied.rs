//! Tests that effects that a rule of the host denies never occur: each rule against each
//! way of an agent, on the real CLI, with a planted secret.

use super::support::{LONG, Live, counted};
use agentwire::mcp::Tools;
use agentwire::schemars::{self, JsonSchema};
use agentwire::{Options, PermissionResult, Rules, query};
use agentwire_testkit::{Scenario, Step};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The tools of the CLI. Without this list, the CLI searches only with its shell tool.
const TOOLS: [&str; 9] = [
    "Agent", "Bash", "Edit", "Glob", "Grep", "Read", "Skill", "WebFetch", "Write",
];

/// A text that only the denied file contains.
const SECRET: &str = "S3CR3T";

/// The file that only a denied call changes.
const CHANGED: &str = "secrets/changed.txt";

/// A file that only a denied command creates.
const MADE: &str = "secrets/made.txt";

/// The beginning of a sub-agent's prompt.
const SUBAGENT: &str = "To the sub-agent";

/// A way to cause an effect that a rule denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Cat,
    Grep,
    Glob,
    /// `@file` in a prompt.
    Mention,
    /// `@file` in the text of a slash command.
    MentionOfSkill,
    /// A shell command in the text of a slash command.
    CatOfSkill,
    /// A shell command in the text of a skill that the model calls.
    CatOfCalledSkill,
    ReadOfSubagent,
    CatOfSubagent,
    Write,
    Edit,
    Echo,
    TouchOfSkill,
    WriteOfSubagent,
    Fetch,
    FetchOfSubagent,
    Mcp,
    McpOfSubagent,
    Subagent,
}

use Way::*;

const ALL: [Way; 20] = [
    Read,
    Cat,
    Grep,
    Glob,
    Mention,
    MentionOfSkill,
    CatOfSkill,
    CatOfCalledSkill,
    ReadOfSubagent,
    CatOfSubagent,
    Write,
    Edit,
    Echo,
    TouchOfSkill,
    WriteOfSubagent,
    Fetch,
    FetchOfSubagent,
    Mcp,
    McpOfSubagent,
    Subagent,
];

/// Rules, and the ways that each rule must prevent.
const RULES: &[(&str, &[Way])] = &[
    (
        "Read(secrets/**)",
        &[
            Read,
            Cat,
            Grep,
            Glob,
            Mention,
            MentionOfSkill,
            CatOfSkill,
            CatOfCalledSkill,
            ReadOfSubagent,
            CatOfSubagent,
            Write,
            Edit,
            WriteOfSubagent,
        ],
    ),
    (
        "Read(key.txt)",
        &[
            Read,
            Cat,
            Mention,
            MentionOfSkill,
            CatOfSkill,
            ReadOfSubagent,
        ],
    ),
    ("Read", &[Read, ReadOfSubagent, Write, Edit]),
    (
        "Edit(secrets/**)",
        &[Write, Edit, Echo, TouchOfSkill, WriteOfSubagent],
    ),
    ("Edit", &[Edit]),
    ("Write", &[Write, WriteOfSubagent]),
    (
        "Bash",
        &[
            Cat,
            Echo,
            CatOfSkill,
            CatOfCalledSkill,
            TouchOfSkill,
            CatOfSubagent,
        ],
    ),
    (
        "Bash(cat *)",
        &[Cat, CatOfSkill, CatOfCalledSkill, CatOfSubagent],
    ),
    ("Bash(echo:*)", &[Echo]),
    ("Bash(touch *)", &[TouchOfSkill]),
    ("WebFetch", &[Fetch, FetchOfSubagent]),
    ("WebFetch(domain:127.0.0.1)", &[Fetch, FetchOfSubagent]),
    ("mcp__s", &[Mcp, McpOfSubagent]),
    ("mcp__s__*", &[Mcp, McpOfSubagent]),
    ("mcp__s__get", &[Mcp, McpOfSubagent]),
    ("mcp__*", &[Mcp, McpOfSubagent]),
    ("Agent(general-purpose)", &[Subagent]),
    ("Agent", &[Subagent]),
    ("Skill(y)", &[CatOfCalledSkill]),
    ("**", &[Read, Cat, Mention]),
    ("Read(//**)", &[Read, Cat, Mention, MentionOfSkill]),
    ("*", &ALL),
];

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct Nothing {}

fn write(path: impl AsRef<Path>, text: &str) {
    fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn prepare(project: &Path) {
    write(project.join("secrets/key.txt"), SECRET);
    write(project.join(format!("secrets/{SECRET}")), "");
    write(project.join(CHANGED), "old");
    let skill = |text: &str| {
        format!("---\ndescription: d\nallowed-tools: Bash(cat *), Bash(touch *)\n---\n{text}\n")
    };
    let commands = project.join(".claude/commands");
    write(
        commands.join("cat.md"),
        &skill("Is: !`cat secrets/key.txt`"),
    );
    write(
        commands.join("touch.md"),
        &skill(&format!("Is: !`touch {MADE}`")),
    );
    write(commands.join("at.md"), "See @secrets/key.txt");
    let called = skill("Is: !`cat secrets/key.txt`").replace("---\nd", "---\nname: y\nd");
    write(project.join(".claude/skills/y/SKILL.md"), &called);
}

impl Way {
    fn prompt(self) -> &'static str {
        match self {
            Mention => "Look at @secrets/key.txt",
            MentionOfSkill => "/at",
            CatOfSkill => "/cat",
            TouchOfSkill => "/touch",
            _ => "Go",
        }
    }

    /// Returns the calls of the model, one for each reply.
    fn calls(self, port: u16) -> Vec<(&'static str, Value)> {
        let bash = |command: String| ("Bash", json!({ "command": command, "description": "d" }));
        let read = ("Read", json!({ "file_path": "secrets/key.txt" }));
        let cat = bash("cat secrets/key.txt".to_owned());
        let file = json!({ "file_path": CHANGED, "content": "new" });
        let url = format!("http://127.0.0.1:{port}/");
        let fetch = ("WebFetch", json!({ "url": url, "prompt": "p" }));
        let mcp = ("mcp__s__get", json!({}));
        let agent = (
            "Agent",
            json!({ "description": "d", "prompt": SUBAGENT, "subagent_type": "general-purpose",
                "run_in_background": false }),
        );
        match self {
            Mention | MentionOfSkill | CatOfSkill | TouchOfSkill => vec![],
            Read => vec![read],
            Cat => vec![cat],
            Grep => vec![(
                "Grep",
                json!({ "pattern": "S3.*", "path": ".", "output_mode": "content" }),
            )],
            Glob => vec![("Glob", json!({ "pattern": "secrets/*" }))],
            CatOfCalledSkill => vec![("Skill", json!({ "skill": "y" }))],
            ReadOfSubagent => vec![agent, read],
            CatOfSubagent => vec![agent, cat],
            Write => vec![("Read", json!({ "file_path": CHANGED })), ("Write", file)],
            Edit => vec![
                ("Read", json!({ "file_path": CHANGED })),
                (
                    "Edit",
                    json!({ "file_path": CHANGED, "old_string": "old", "new_string": "new" }),
                ),
            ],
            Echo => vec![bash(format!("echo new > {CHANGED}"))],
            WriteOfSubagent => vec![
                agent,
                ("Read", json!({ "file_path": CHANGED })),
                ("Write", file),
            ],
            Subagent => vec![agent],
            Fetch => vec![fetch],
            FetchOfSubagent => vec![agent, fetch],
            Mcp => vec![mcp],
            McpOfSubagent => vec![agent, mcp],
        }
    }
}

/// Takes a way. Returns whether it had its effect: the secret reached the model, a file
/// was written, a connection was made, a tool of the host was called, or a sub-agent was
/// started. The permission callback allows or denies everything.
async fn has_effect(way: Way, allows: bool, rule: impl Fn(Options) -> Options) -> bool {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let is_connected = Arc::new(AtomicBool::new(false));
    let connected = Arc::clone(&is_connected);
    let accepting = tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            connected.store(true, Ordering::SeqCst);
        }
    });
    let calls = way.calls(port).into_iter();
    let scenario = calls.fold(Scenario::default(), |scenario, (tool, input)| {
        scenario.reply([Step::tool(tool, input, "")])
    });
    let done = [Step::text("Done.")];
    let live = Live::start(scenario.reply(done.clone()).reply(done)).await;
    prepare(&live.project());
    let called = Arc::new(AtomicBool::new(false));
    let get = Arc::clone(&called);
    let tools = Tools::new().tool("get", "Gets it.", move |_: Nothing| {
        get.store(true, Ordering::SeqCst);
        async { Ok::<_, String>("got") }
    });
    let options = live
        .options()
        .setting_sources(["user", "project", "local"])
        .settings(json!({ "skipWebFetchPreflight": true }))
        .tools(TOOLS)
        .mcp_server("s", tools)
        .on_permission(move |_| async move {
            match allows {
                true => PermissionResult::allow(),
                false => PermissionResult::deny("No."),
            }
        });
    let turn = async { query(way.prompt(), rule(options)).await?.result().await };
    // A turn whose prompt is denied may fail.
    drop(tokio::time::timeout(LONG, turn).await.unwrap());
    accepting.abort();
    let requests = live.model.requests();
    let bodies = requests.iter().filter_map(|request| request.body.as_ref());
    let is_seen = bodies.clone().any(|body| body.to_string().contains(SECRET));
    let mut first = bodies.map(|body| body["messages"][0].to_string());
    let has_subagent = way == Subagent && first.any(|message| message.contains(SUBAGENT));
    let text = fs::read_to_string(live.project().join(CHANGED)).unwrap();
    let is_connected = is_connected.load(Ordering::SeqCst);
    let is_made = live.project().join(MADE).exists();
    let is_written = text != "old" || is_made;
    is_seen || has_subagent || is_written || is_connected || called.load(Ordering::SeqCst)
}

#[tokio::test]
async fn a_denied_effect_does_not_occur_by_any_way() {
    let mut plays: JoinSet<Option<String>> = JoinSet::new();
    let mut wrong = Vec::new();
    let (mut with, mut without) = (0, 0);
    for way in ALL {
        without += 1;
        plays.spawn(async move {
            let found = has_effect(way, true, |it| it).await;
            (!found).then(|| format!("{way:?} has no effect without a rule"))
        });
        for (rule, _) in RULES.iter().filter(|(_, closed)| closed.contains(&way)) {
            with += 1;
            plays.spawn(async move {
                let deny = Rules::builder().deny([*rule]).build().unwrap();
                let ask = Rules::builder().ask([*rule]).build().unwrap();
                let denied = has_effect(way, true, |it| it.rules(deny.clone())).await;
                let asked = has_effect(way, false, |it| it.rules(ask.clone())).await;
                // Ask rules do not apply to files that are only mentioned.
                let is_mention = matches!(way, Mention | MentionOfSkill);
                let found = format!("{way:?} in spite of {rule}: {denied}, to ask {asked}");
                (denied || asked != is_mention).then_some(found)
            });
            while plays.len() > 3 {
                wrong.extend(plays.join_next().await.unwrap().unwrap());
            }
        }
    }
    while let Some(played) = plays.join_next().await {
        wrong.extend(played.unwrap());
    }
    counted(without, "ways without a rule");
    counted(with, "ways with a rule that denies them");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
