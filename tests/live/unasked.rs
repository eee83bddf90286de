//! Tests of the real CLI's actions without a permission request. Measures the table of
//! `docs/guide/security.md`.

use super::support::{LONG, Live, counted};
use agentwire::hook::HookCall;
use agentwire::protocol::hook::{HookEvent, HookKind};
use agentwire::{Hook, Options, PermissionResult, query};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// A text that only a file contains.
const SECRET: &str = "S3CR3T";

const PAGE: &str = include_str!("../../docs/guide/security.md");

/// A tool and its input.
type Call = (&'static str, fn() -> Value);

/// The name of an option, and a function that sets it.
type Closing = (&'static str, fn(Options) -> Options);

/// A way to act without the permission callback.
struct UnaskedAction {
    /// The first cell of the table row of the way.
    what: &'static str,
    /// Writes the files of the project. The second argument is a file that a command
    /// creates.
    prepare: fn(&Path, &Path),
    prompt: &'static str,
    /// The tool that the model calls.
    tool: Option<Call>,
    /// The hooks that the CLI calls.
    hooks: &'static [&'static str],
    /// The options that prevent the way, with the names in the last cell.
    closed_by: &'static [Closing],
}

const NO_SOURCES: Closing = ("`setting_sources([])`", |it| it.setting_sources([]));

fn write(path: impl AsRef<Path>, text: impl AsRef<str>) {
    fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    fs::write(path, text.as_ref()).unwrap();
}

fn settings(project: &Path, settings: &Value) {
    write(project.join(".claude/settings.json"), settings.to_string());
}

fn touch(ran: &Path) -> String {
    format!("touch '{}'", ran.display())
}

fn hook(event: &str, project: &Path, ran: &Path) {
    let hooks = json!([{ "hooks": [{ "type": "command", "command": touch(ran) }] }]);
    settings(project, &json!({ "hooks": { event: hooks } }));
}

fn skill(project: &Path, _: &Path) {
    let text = "---\nallowed-tools: Bash(touch *)\n---\nResult: !`touch ran`\n";
    write(project.join(".claude/commands/x.md"), text);
}

fn secret(project: &Path, _: &Path) {
    write(project.join("secret.txt"), SECRET);
}

fn bash(command: &str) -> Value {
    json!({ "command": command, "description": "Look" })
}

const WAYS: &[UnaskedAction] = &[
    UnaskedAction {
        what: "shell command in the text of a skill or slash command",
        prepare: skill,
        prompt: "/x",
        tool: None,
        hooks: &["PreSkillShellCommand"],
        closed_by: &[
            ("a hook on `PreSkillShellCommand`", |it| {
                let deny = |_: HookCall<HookEvent>| async {
                    agentwire::protocol::hook::HookOutput::denial(
                        &HookKind::PreSkillShellCommand,
                        "No.",
                    )
                };
                it.hook(Hook::named(HookKind::PreSkillShellCommand, deny).gate())
            }),
            ("`disallowed_tools([\"Bash(touch *)\"])`", |it| {
                it.disallowed_tools(["Bash(touch *)"])
            }),
            ("the setting `disableSkillShellExecution`", |it| {
                it.settings(json!({ "disableSkillShellExecution": true }))
            }),
            ("`verbatim_prompts(true)`", |it| it.verbatim_prompts(true)),
            NO_SOURCES,
        ],
    },
    UnaskedAction {
        what: "hook in a settings file",
        prepare: |project, ran| hook("UserPromptSubmit", project, ran),
        prompt: "Hello",
        tool: None,
        hooks: &[],
        closed_by: &[
            NO_SOURCES,
            ("the setting `disableAllHooks`", |it| {
                it.settings(json!({ "disableAllHooks": true }))
            }),
        ],
    },
    UnaskedAction {
        what: "hook of a skill",
        prepare: |project, ran| {
            let hooks = format!(
                "hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: {}\n",
                touch(ran)
            );
            let file = project.join(".claude/skills/s/SKILL.md");
            write(
                file,
                format!("---\nname: s\ndescription: d\n{hooks}---\nHello.\n"),
            );
        },
        prompt: "/s",
        tool: Some(("Bash", || bash("ls"))),
        hooks: &["PreToolUse"],
        closed_by: &[NO_SOURCES],
    },
    UnaskedAction {
        what: "MCP server in `.mcp.json`",
        prepare: |project, ran| {
            let server = json!({ "command": "sh", "args": ["-c", format!("{}; cat", touch(ran))] });
            write(
                project.join(".mcp.json"),
                json!({ "mcpServers": { "x": server } }).to_string(),
            );
        },
        prompt: "Hello",
        tool: None,
        hooks: &[],
        closed_by: &[
            ("`strict_mcp_config(true)`", |it| it.strict_mcp_config(true)),
            NO_SOURCES,
        ],
    },
    UnaskedAction {
        what: "`apiKeyHelper`",
        prepare: |project, ran| {
            settings(
                project,
                &json!({ "apiKeyHelper": format!("{}; echo k", touch(ran)) }),
            );
        },
        prompt: "Hello",
        tool: None,
        hooks: &[],
        closed_by: &[NO_SOURCES],
    },
    UnaskedAction {
        what: "`env` in a settings file, such as `BASH_ENV`",
        prepare: |project, ran| {
            let file = project.join("env.sh");
            write(&file, touch(ran));
            settings(project, &json!({ "env": { "BASH_ENV": file } }));
        },
        prompt: "Hello",
        tool: Some(("Bash", || bash("ls"))),
        hooks: &["PreToolUse"],
        closed_by: &[NO_SOURCES],
    },
    UnaskedAction {
        what: "`core.fsmonitor` in `.git/config`, when the model runs `git status`",
        prepare: |project, ran| {
            let git = |arguments: &[&str]| {
                let mut git = std::process::Command::new("git");
                let status = git.arg("-C").arg(project).args(arguments).status();
                assert!(status.unwrap().success());
            };
            git(&["init", "--quiet"]);
            git(&[
                "config",
                "core.fsmonitor",
                &format!("{}; false", touch(ran)),
            ]);
        },
        prompt: "Hello",
        tool: Some(("Bash", || bash("git status"))),
        hooks: &["PreToolUse"],
        closed_by: &[
            ("`disallowed_tools([\"Bash(git *)\"])`", |it| {
                it.disallowed_tools(["Bash(git *)"])
            }),
            (
                "the variables `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_0` and `GIT_CONFIG_VALUE_0` for `core.fsmonitor=false`",
                |it| {
                    it.env("GIT_CONFIG_COUNT", "1")
                        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
                        .env("GIT_CONFIG_VALUE_0", "false")
                },
            ),
        ],
    },
    UnaskedAction {
        what: "`@file` in a prompt, outside of the project too",
        prepare: |project, _| write(project.with_file_name("secret.txt"), SECRET),
        prompt: "Look at @../secret.txt",
        tool: None,
        hooks: &[],
        closed_by: &[("`verbatim_prompts(true)`", |it| it.verbatim_prompts(true))],
    },
    UnaskedAction {
        what: "`@file` in the text of a skill or slash command",
        prepare: |project, _| {
            write(project.join(".claude/commands/x.md"), "See @../secret.txt");
            write(project.with_file_name("secret.txt"), SECRET);
        },
        prompt: "/x",
        tool: None,
        hooks: &[],
        closed_by: &[
            ("`verbatim_prompts(true)`", |it| it.verbatim_prompts(true)),
            NO_SOURCES,
        ],
    },
    UnaskedAction {
        what: "`CLAUDE.md` and `@file` in it, inside of the project",
        prepare: |project, ran| {
            write(project.join("CLAUDE.md"), "@secret.txt");
            secret(project, ran);
        },
        prompt: "Hello",
        tool: None,
        hooks: &[],
        closed_by: &[NO_SOURCES],
    },
    UnaskedAction {
        what: "`Read` of a file of the project",
        prepare: secret,
        prompt: "Hello",
        tool: Some(("Read", || json!({ "file_path": "secret.txt" }))),
        hooks: &["PreToolUse"],
        closed_by: &[("`disallowed_tools([\"Read(secret.txt)\"])`", |it| {
            it.disallowed_tools(["Read(secret.txt)"])
        })],
    },
    UnaskedAction {
        what: "shell command without effects, such as `cat` of a file of the project",
        prepare: secret,
        prompt: "Hello",
        tool: Some(("Bash", || bash("cat secret.txt"))),
        hooks: &["PreToolUse"],
        closed_by: &[("`disallowed_tools([\"Read(secret.txt)\"])`", |it| {
            it.disallowed_tools(["Read(secret.txt)"])
        })],
    },
];

/// Plays a way. Returns whether it had its effect, which hooks were called, and whether a
/// permission was requested.
async fn play(way: &UnaskedAction, close: fn(Options) -> Options) -> (bool, Vec<String>, bool) {
    let mut scenario = Scenario::default();
    if let Some((tool, input)) = way.tool {
        scenario = scenario.reply([Step::tool(tool, input(), "")]);
    }
    let live = Live::start(scenario.reply([Step::text("Done.")])).await;
    let (project, ran) = (live.project(), live.home.path().join("ran"));
    (way.prepare)(&project, &ran);
    let called = Arc::new(Mutex::new(Vec::new()));
    let asked = Arc::new(Mutex::new(false));
    let mut options = live.options().setting_sources(["user", "project", "local"]);
    for kind in [HookKind::PreToolUse, HookKind::PreSkillShellCommand] {
        let called = Arc::clone(&called);
        options = options.hook(Hook::named(kind.clone(), move |_: HookCall<HookEvent>| {
            called.lock().unwrap().push(kind.to_string());
            async {}
        }));
    }
    let heard = Arc::clone(&asked);
    let options = options.on_permission(move |_| {
        *heard.lock().unwrap() = true;
        async { PermissionResult::allow() }
    });
    let turn = async { query(way.prompt, close(options)).await?.result().await };
    tokio::time::timeout(LONG, turn).await.unwrap().unwrap();
    let has_secret = live.model.requests().iter().any(|request| {
        let body = request.body.as_ref().map(Value::to_string);
        body.is_some_and(|body| body.contains(SECRET))
    });
    let called = called.lock().unwrap().clone();
    let asked = *asked.lock().unwrap();
    let has_run = ran.exists() || project.join("ran").exists();
    (has_run || has_secret, called, asked)
}

#[tokio::test]
async fn the_table_of_what_needs_no_permission_request_is_right() {
    let mut plays: JoinSet<Option<String>> = JoinSet::new();
    let mut rows = 0;
    let mut wrong = Vec::new();
    for way in WAYS {
        let cells = format!("| {} |", way.what);
        let row = PAGE.lines().find(|row| row.starts_with(&cells));
        let row = row.unwrap_or_else(|| panic!("no row begins with {cells:?}"));
        rows += 1;
        plays.spawn(async move {
            let (had_effect, called, asked) = play(way, |it| it).await;
            let right = had_effect && called == way.hooks && !asked;
            let found = format!("{}: {had_effect} {called:?} {asked}", way.what);
            (!right).then_some(found)
        });
        for (name, close) in way.closed_by {
            assert!(row.contains(name), "{name} is not in the row {row}");
            plays.spawn(async move {
                let (had_effect, ..) = play(way, *close).await;
                had_effect.then(|| format!("{}: not closed by {name}", way.what))
            });
            while plays.len() > 3 {
                wrong.extend(plays.join_next().await.unwrap().unwrap());
            }
        }
    }
    while let Some(played) = plays.join_next().await {
        wrong.extend(played.unwrap());
    }
    counted(rows, "ways past the permission callback");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The gate of leases therefore needs no `onFailure`, which older CLIs would refuse.
#[tokio::test]
async fn a_shell_command_of_a_skill_does_not_run_if_its_hook_does_not_respond() {
    let (ran, ..) = play(&WAYS[0], |options| {
        let never = |_: HookCall<HookEvent>| std::future::pending::<()>();
        let hook = Hook::named(HookKind::PreSkillShellCommand, never);
        options.hook(hook.timeout(std::time::Duration::from_secs(1)))
    })
    .await;
    assert!(!ran);
}
