//! Tests of policies and their combinations, in a session.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire::callback::Response;
use agentwire::permission::{Audited, PermissionRequest, Policy, ReadOnly, Within};
use agentwire::protocol::permission::CanUseTool;
use agentwire::terminal::TerminalPrompter;
use agentwire::{Hook, Later, Options, PermissionResult, Rules};
use serde_json::{Value, json};
use std::time::Duration;
use support::peer::{Peer, connect, connect_with};
use tokio::sync::mpsc;

/// Returns a permission request for a tool.
fn tool(name: &str, input: Value) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": name, "input": input})
}

async fn answer_to(agent: &mut Peer, request: &Value) -> Value {
    agent.asks("a", request).await;
    agent.is_answered().await.1
}

fn rules() -> Rules {
    let rules = Rules::builder().allow(["Bash(git *)"]).ask(["Grep"]);
    rules.deny(["Read(.env)"]).build().unwrap()
}

#[tokio::test]
async fn requests_without_a_decision_are_denied_with_the_message() {
    let policy = rules().or(ReadOnly).or_deny("Nobody is there.");
    let (_client, mut agent) = connect(Options::new().permission_handler(policy)).await;
    for (request, answer) in [
        (tool("Bash", json!({"command": "git log"})), "allow"),
        (tool("Read", json!({"file_path": "a"})), "allow"),
        (tool("Bash", json!({"command": "make"})), "Nobody is there."),
        (tool("Grep", json!({"pattern": "a"})), "Nobody is there."),
        (
            tool("Read", json!({"file_path": ".env"})),
            "The rule Read(.env) denies this call.",
        ),
    ] {
        let said = answer_to(&mut agent, &request).await;
        let said = said.get("message").unwrap_or(&said["behavior"]);
        assert_eq!(said, answer, "{request}");
    }
}

#[tokio::test]
async fn file_tools_stay_within_a_directory() {
    let folder = agentwire_testing::tempdir().unwrap();
    let (project, out) = (folder.path().join("project"), folder.path().join("out"));
    for folder in [&project, &out] {
        std::fs::create_dir(folder).unwrap();
    }
    std::os::unix::fs::symlink(&out, project.join("link")).unwrap();
    let rules = Rules::builder().allow(["Bash(git *)", "mcp__wiki"]);
    let policy = Within::new(&project).unwrap().or(rules.build().unwrap());
    let policy = policy.or_deny("Nobody is there.");
    let (_client, mut agent) = connect(Options::new().permission_handler(policy)).await;
    let outside = |path: &str| format!("Not allowed: `{path}` is not in {}.", project.display());
    let at = |name: &str| project.join(name).display().to_string();
    for (request, answer) in [
        (
            tool("Write", json!({"file_path": at("new.txt")})),
            "allow".to_owned(),
        ),
        (
            tool("Read", json!({"file_path": "/etc/passwd"})),
            outside("/etc/passwd"),
        ),
        (
            tool("Write", json!({"file_path": at("link/new.txt")})),
            outside(&at("link/new.txt")),
        ),
        (tool("Glob", json!({"pattern": "/etc/*"})), outside("/etc/")),
        (
            tool("Bash", json!({"command": "git log"})),
            "allow".to_owned(),
        ),
        (
            tool("Bash", json!({"command": "make"})),
            "Nobody is there.".to_owned(),
        ),
        (
            tool("mcp__wiki__get", json!({"path": "/etc"})),
            "allow".to_owned(),
        ),
        (
            tool("mcp__files__read", json!({"path": at("a")})),
            "Nobody is there.".to_owned(),
        ),
        (
            tool("Teleport", json!({"file_path": at("a")})),
            "Nobody is there.".to_owned(),
        ),
    ] {
        let said = answer_to(&mut agent, &request).await;
        let said = said.get("message").unwrap_or(&said["behavior"]);
        assert_eq!(said, &answer, "{request}");
    }
}

#[tokio::test]
async fn the_user_decides_other_requests_and_each_decision_is_reported() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let ask = |ask: PermissionRequest| async move {
        match &*ask.request.tool_name {
            "WebFetch" => {
                drop(ask.later().into_request_id());
                Later.into()
            }
            "WebSearch" => Response::Failed("out of order".to_owned()),
            _ => PermissionResult::deny("No.").into(),
        }
    };
    let record = move |request: &CanUseTool, reply: &Response<PermissionResult>, took: Duration| {
        let decision = (request.tool_name.clone(), reply.clone(), took);
        tell.send(decision).unwrap();
    };
    let handler = Audited::new(rules().or_ask(ask), record);
    let (_client, mut agent) = connect(Options::new().permission_handler(handler)).await;
    for (name, input, reply) in [
        (
            "Bash",
            json!({"command": "git log"}),
            PermissionResult::allow().into(),
        ),
        ("Write", json!({}), PermissionResult::deny("No.").into()),
        ("WebFetch", json!({}), Response::Later),
        (
            "WebSearch",
            json!({}),
            Response::Failed("out of order".to_owned()),
        ),
    ] {
        agent.asks(name, &tool(name, input)).await;
        let (told, said, took) = told.recv().await.unwrap();
        assert_eq!((&*told, said), (name, reply));
        assert!(took < Duration::from_secs(60));
    }
}

#[tokio::test]
async fn without_a_terminal_everything_is_denied() {
    let options = Options::new().permission_handler(TerminalPrompter::nobody());
    let (_client, mut agent) = connect(options).await;
    let said = answer_to(&mut agent, &tool("Bash", json!({"command": "ls"}))).await;
    assert_eq!(said["behavior"], "deny");
}

#[tokio::test]
async fn rules_of_a_session_are_sent_to_the_agent_and_precede_the_callback() {
    let options = Options::new()
        .rules(rules())
        .disallowed_tools(["Write"])
        .settings(json!({"permissions": {"ask": ["Glob"]}}));
    let arguments = options.arguments().unwrap();
    let denied = "--disallowedTools=Write,Read(.env)".to_owned();
    assert!(arguments.contains(&denied), "{arguments:?}");
    let handler = |ask: PermissionRequest| async move {
        PermissionResult::deny(format!("Asked about {}.", ask.request.tool_name))
    };
    let answer = json!({"hooks_applied": true, "settings_applied": true});
    let (client, mut agent, initialize) =
        connect_with(options.on_permission(handler), &answer).await;
    let _client = client.unwrap();
    let asked = json!({"permissions": {"ask": ["Glob", "Grep"]}});
    assert_eq!(initialize["settings"], asked);
    let registered = |event: &str| initialize["hooks"][event][0].clone();
    let gate = json!({"hookCallbackIds": ["hook_0"], "onFailure": "block"});
    assert_eq!(registered("PreToolUse"), gate);
    let command = json!({"hookCallbackIds": ["hook_1"]});
    assert_eq!(registered("PreSkillShellCommand"), command);

    let due = |id: &str, event: &str, tool: &str, input: Value| {
        let input = json!({"hook_event_name": event, "session_id": "s", "cwd": "/",
            "tool_name": tool, "tool_input": input, "command_name": "x"});
        json!({"subtype": "hook_callback", "callback_id": id, "input": input})
    };
    let tool_use = "PreToolUse";
    let of_skill = "PreSkillShellCommand";
    let env = json!({"file_path": ".env"});
    for (request, decision) in [
        (due("hook_0", tool_use, "Read", env.clone()), json!("deny")),
        (
            due("hook_0", tool_use, "Read", json!({"file_path": "a"})),
            json!(null),
        ),
        (
            due("hook_0", tool_use, "Grep", json!({"pattern": "a"})),
            json!("ask"),
        ),
        (
            due("hook_0", tool_use, "Bash", json!({"command": "cat .env"})),
            json!("deny"),
        ),
        (
            due("hook_1", of_skill, "Bash", json!({"command": "cat .env"})),
            json!("deny"),
        ),
        (
            due("hook_1", of_skill, "Bash", json!({"command": "date"})),
            json!(null),
        ),
    ] {
        let said = answer_to(&mut agent, &request).await;
        assert_eq!(
            said["hookSpecificOutput"]["permissionDecision"], decision,
            "{request}"
        );
    }
    for (request, answer) in [
        (tool("Read", env), "The rule Read(.env) denies this call."),
        (tool("Bash", json!({"command": "git log"})), "allow"),
        (tool("Grep", json!({"pattern": "a"})), "Asked about Grep."),
        (
            tool("Bash", json!({"command": "make"})),
            "Asked about Bash.",
        ),
    ] {
        let said = answer_to(&mut agent, &request).await;
        let said = said.get("message").unwrap_or(&said["behavior"]);
        assert_eq!(said, answer, "{request}");
    }
}

#[tokio::test]
async fn rules_of_a_session_precede_the_stream_and_allow_without_a_callback() {
    for in_stream in [true, false] {
        let rules = Rules::builder().allow(["Bash(git *)"]).build().unwrap();
        let options = Options::new().rules(rules).requests_in_stream(in_stream);
        let (_client, mut agent) = connect(options).await;
        let git = tool("Bash", json!({"command": "git log"}));
        assert_eq!(answer_to(&mut agent, &git).await["behavior"], "allow");
    }
}

#[test]
fn unsupported_rules_of_a_session_are_refused() {
    let refused = |options: Options| options.arguments().unwrap_err().to_string();
    let elsewhere = Rules::builder()
        .deny(["Read(.env)"])
        .working_directory("/elsewhere");
    let options = Options::new()
        .cwd("/here")
        .rules(elsewhere.build().unwrap());
    let why = refused(options);
    assert!(why.contains("/elsewhere") && why.contains("/here"), "{why}");
    let why = refused(Options::new().settings_file("a.json").rules(rules()));
    assert!(why.contains("permissions.ask"), "{why}");
    let without = Rules::builder().deny(["Bash"]).build().unwrap();
    let options = Options::new().settings_file("a.json").rules(without);
    assert!(options.arguments().is_ok());
}

#[tokio::test]
async fn a_policy_in_a_hook_checks_every_call_but_that_of_structured_output() {
    let folder = agentwire_testing::tempdir().unwrap();
    let policy = Within::new(folder.path()).unwrap().read_only();
    let options = Options::new().hook(Hook::policy(policy.or_deny("Only read.")));
    let (_client, mut agent) = connect(options).await;
    let at = |name: &str| folder.path().join(name).display().to_string();
    for (name, input, denial) in [
        ("Read", json!({"file_path": at("a.txt")}), None),
        // Relative to the directory that the hook call reports.
        ("Read", json!({"file_path": "a.txt"}), None),
        ("Read", json!({"file_path": "../a.txt"}), Some("is not in")),
        (
            "Write",
            json!({"file_path": at("a.txt")}),
            Some("`Write` changes files"),
        ),
        ("Bash", json!({"command": "ls"}), Some("Only read.")),
        ("StructuredOutput", json!({"findings": []}), None),
    ] {
        let event = json!({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input,
            "cwd": folder.path(), "session_id": "s", "transcript_path": "t"});
        let call = json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": event});
        let answer = answer_to(&mut agent, &call).await;
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str();
        assert_eq!(reason.is_some(), denial.is_some(), "{name}: {answer}");
        assert!(
            reason.unwrap_or("").contains(denial.unwrap_or("")),
            "{name}: {answer}"
        );
    }
}
