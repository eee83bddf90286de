//! Tests of settings files, and of the flags that add to them.
#![allow(clippy::unwrap_used)]

use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const RULES: &str =
    r#"{"permissions": {"allow": ["Bash(touch:*)"], "deny": ["WebFetch", "Bash(mkdir:*)"]}}"#;

/// Runs a session with these files, and returns its lines and standard error.
fn run(files: &[(&str, &str)], args: &[&str]) -> (Vec<Value>, String) {
    let home = TempDir::new().unwrap();
    let at = |path: &str| home.path().join(path);
    std::fs::create_dir(at("project")).unwrap();
    for (path, text) in files {
        std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        std::fs::write(at(path), text).unwrap();
    }
    let shell = |command: &str| Step::tool("Bash", json!({ "command": command }), "");
    let scenario = Scenario::default()
        .reply([shell("touch a")])
        .reply([shell("mkdir b")])
        .reply([Step::text("Done.")]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .args(args)
        .current_dir(at("project"))
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env(fake_agent::SESSIONS, at("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let agents = json!({"host": {"description": "h", "prompt": "p"}});
    for line in [
        json!({"type": "control_request", "request_id": "1",
            "request": {"subtype": "initialize", "agents": agents}}),
        json!({"type": "user", "message": {"role": "user", "content": "Go"}}),
    ] {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|it| serde_json::from_str(it).unwrap());
    (lines.collect(), String::from_utf8(output.stderr).unwrap())
}

fn init(lines: &[Value]) -> &Value {
    lines.iter().find(|it| it["subtype"] == "init").unwrap()
}

fn has(list: &Value, name: &str) -> bool {
    list.as_array().unwrap().iter().any(|it| it == name)
}

/// Returns whether each of the two shell commands ran.
fn commands_ran(lines: &[Value]) -> Vec<bool> {
    let results = lines.iter().filter(|it| it["type"] == "user");
    results
        .map(|it| it["message"]["content"][0]["is_error"] == false)
        .collect()
}

#[test]
fn the_source_with_the_highest_precedence_sets_the_output_style() {
    let user = ("config/settings.json", r#"{"outputStyle": "Concise"}"#);
    let project = ("project/.claude/settings.json", r#"{"outputStyle": "Own"}"#);
    let local = (
        "project/.claude/settings.local.json",
        r#"{"outputStyle": "Learning"}"#,
    );
    let flag = r#"--settings={"outputStyle": "Explanatory"}"#;
    let broken = ("config/settings.json", "{");
    for (files, args, style) in [
        (&[user][..], &[][..], "Concise"),
        (&[user, project], &[], "Own"),
        (&[user, project, local], &[], "Learning"),
        (&[user, project, local], &[flag], "Explanatory"),
        (&[user, project], &["--setting-sources=user"], "Concise"),
        (&[user, project], &["--setting-sources="], "default"),
        (&[broken], &[], "default"),
    ] {
        let (lines, _) = run(files, args);
        assert_eq!(init(&lines)["output_style"], style, "{files:?} {args:?}");
        let initialized = &lines[0]["response"]["response"];
        assert_eq!(initialized["output_style"], style);
    }
}

#[test]
fn permission_rules_of_settings_apply() {
    // Without a host, calls that no rule allows are denied.
    let (lines, stderr) = run(&[("config/settings.json", RULES)], &[]);
    assert_eq!(commands_ran(&lines), [true, false]);
    assert!(!has(&init(&lines)["tools"], "WebFetch"));
    assert!(has(&init(&lines)["tools"], "WebSearch"));
    assert_eq!(stderr, "");
    // Allow rules of an untrusted project are ignored.
    let (lines, stderr) = run(&[("project/.claude/settings.json", RULES)], &[]);
    assert_eq!(commands_ran(&lines), [false, false]);
    assert!(!has(&init(&lines)["tools"], "WebFetch"));
    assert!(stderr.contains("permissions.allow"), "{stderr}");
    // The command line overrides the mode of the settings.
    let mode = r#"--settings={"permissions": {"defaultMode": "acceptEdits"}}"#;
    let (lines, _) = run(&[], &[mode]);
    assert_eq!(init(&lines)["permissionMode"], "acceptEdits");
    let (lines, _) = run(&[], &[mode, "--permission-mode=plan"]);
    assert_eq!(init(&lines)["permissionMode"], "plan");
}

#[test]
fn sub_agents_come_from_files_flags_and_the_host() {
    let file = "---\nname: filed\ndescription: d\n---\nDo it.\n";
    let same = "---\nname: flagged\ndescription: of the file\n---\nDo it.\n";
    let (lines, _) = run(
        &[
            ("config/agents/below/a.md", same),
            ("project/.claude/agents/b.md", file),
            ("project/.claude/agents/c.md", "No sub-agent."),
        ],
        &[r#"--agents={"flagged": {"description": "of the flag", "prompt": "p"}}"#],
    );
    let agents = init(&lines)["agents"].as_array().unwrap();
    let names: Vec<_> = agents.iter().map(|it| it.as_str().unwrap()).collect();
    let expected = [
        "claude",
        "Explore",
        "filed",
        "flagged",
        "general-purpose",
        "host",
        "Plan",
        "statusline-setup",
    ];
    assert_eq!(names, expected);
    let listed = lines[0]["response"]["response"]["agents"]
        .as_array()
        .unwrap();
    let flagged = listed.iter().find(|it| it["name"] == "flagged").unwrap();
    assert_eq!(flagged["description"], "of the flag");
}

#[test]
fn tools_that_are_not_listed_do_not_exist() {
    let allowed = "--allowedTools=Bash";
    let (lines, _) = run(&[], &[allowed, "--tools", "Bash,Read", "Nope"]);
    assert_eq!(init(&lines)["tools"], json!(["Bash", "Read"]));
    assert_eq!(commands_ran(&lines), [true, true]);
    let (lines, _) = run(&[], &[allowed, "--tools", ""]);
    assert_eq!(init(&lines)["tools"], json!([]));
    assert_eq!(commands_ran(&lines), [false, false]);
    let (lines, _) = run(&[], &[allowed, "--tools=default"]);
    assert!(has(&init(&lines)["tools"], "Write"));
}
