//! The command lines of options.

mod schemas;

use super::*;
use crate::PermissionResult;
use crate::event::Error;
use agentwire_protocol::agent_definition::AgentDefinition;
use agentwire_protocol::mcp::{McpHttpServer, McpServerConfig};
use agentwire_protocol::model::{EffortLevel, ThinkingDisplay};
use agentwire_protocol::permission::{PermissionMode, PermissionRule};
use agentwire_protocol::plugin::LocalPlugin;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Returns the arguments that the options add.
fn arguments(options: Options) -> Vec<String> {
    options.arguments().unwrap().split_off(3)
}

/// Returns the first request.
fn request(options: Options) -> Value {
    let line = options.assemble().unwrap();
    let mut request = serde_json::to_value(line.initialize).unwrap();
    assert_eq!(
        request.as_object_mut().unwrap().remove("subtype").unwrap(),
        "initialize"
    );
    request
}

/// Returns the variables that the options add.
fn variables(options: Options) -> Vec<(String, String)> {
    let mut variables = options.assemble().unwrap().environment;
    let mine = variables.split_off(5).into_iter();
    mine.map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
        .collect()
}

/// Returns the option of the error, and its problem.
#[track_caller]
fn refused(options: Options) -> (String, String) {
    match options.command_line() {
        Err(Error::Option { option, problem }) => (option, problem),
        it => panic!("{it:?}"),
    }
}

const ID: &str = "11111111-1111-4111-8111-111111111111";

#[test]
fn defaults_set_nothing() {
    let line = Options::new().command_line().unwrap();
    let always = [
        "--output-format=stream-json",
        "--verbose",
        "--input-format=stream-json",
    ];
    assert_eq!(line.arguments, always);
    assert_eq!(request(Options::new()), json!({}));
    assert!(
        line.inherited == Environment::default() && line.cwd.is_none() && line.ignored.is_empty()
    );
    let names: Vec<_> = line.environment.iter().map(|(name, _)| name).collect();
    let ours = [
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_AGENT_SDK_VERSION",
        "CLAUDE_CODE_SDK_READS_SESSION_STATE",
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
        "BUN_ENABLE_CRASH_REPORTING",
    ];
    assert_eq!(names, ours);
}

#[test]
fn model_options_are_passed() {
    let options = Options::new()
        .model("--dangerously-skip-permissions")
        .fallback_models(["opus", "haiku"])
        .thinking(Thinking::Tokens(2000))
        .thinking_display(ThinkingDisplay::Summarized)
        .effort(EffortLevel::High)
        .max_turns(3)
        .max_budget_usd(0.5)
        .task_budget(100_000)
        .betas(["context-1m-2025-08-07"]);
    let wanted = [
        "--model=--dangerously-skip-permissions",
        "--fallback-model=opus,haiku",
        "--max-thinking-tokens=2000",
        "--thinking-display=summarized",
        "--effort=high",
        "--max-turns=3",
        "--max-budget-usd=0.5",
        "--task-budget=100000",
        "--betas=context-1m-2025-08-07",
    ];
    assert_eq!(arguments(options.clone()), wanted);
    // The last call counts.
    let options = (options.thinking(Thinking::Off)).betas([]).model("m");
    let again = arguments(options);
    assert!(
        again.contains(&"--thinking=disabled".to_owned()),
        "{again:?}"
    );
    assert!(again.contains(&"--model=m".to_owned()), "{again:?}");
    assert_eq!(again.len(), wanted.len() - 1);
    for (thinking, argument) in [
        (Thinking::Adaptive, "--thinking=adaptive"),
        (Thinking::Off, "--thinking=disabled"),
        (Thinking::Tokens(0), "--thinking=disabled"),
    ] {
        assert_eq!(arguments(Options::new().thinking(thinking)), [argument]);
    }
}

#[test]
fn no_tools_differ_from_unset_tools() {
    assert_eq!(arguments(Options::new().tools([])), ["--tools="]);
    assert_eq!(
        arguments(Options::new().tools(["Read", "Bash"])),
        ["--tools=Read,Bash"]
    );
    assert_eq!(
        arguments(Options::new().default_tools()),
        ["--tools=default"]
    );
    let none = Options::new().setting_sources([]);
    assert_eq!(arguments(none), ["--setting-sources="]);
    let lists = Options::new().allowed_tools([]).disallowed_tools([]);
    assert_eq!(arguments(lists), [""; 0]);
    assert_eq!(request(Options::new().skills([])), json!({ "skills": [] }));
    assert_eq!(
        request(Options::new().agents::<&str>([])),
        json!({ "agents": {} })
    );
    assert_eq!(
        request(Options::new().system_prompt("")),
        json!({ "systemPrompt": [""] })
    );
}

#[test]
fn rules_and_skills_share_a_list() {
    let options = Options::new()
        .allowed_tools(&[
            PermissionRule::new("Bash").content("git *"),
            PermissionRule::new("Skill").content("pdf"),
        ])
        .disallowed_tools(["WebFetch", "Bash(rm *)"])
        .skills(["pdf", "office:docx"])
        .tool_aliases([("Bash", "mcp__box__bash")]);
    assert_eq!(
        arguments(options.clone()),
        [
            "--allowedTools=Bash(git *),Skill(pdf),Skill(office:docx)",
            "--disallowedTools=WebFetch,Bash(rm *)"
        ]
    );
    assert_eq!(
        request(options.clone()),
        json!({
            "skills": ["pdf", "office:docx"],
            "toolAliases": { "Bash": "mcp__box__bash" },
        })
    );
    let all = options.all_skills().allowed_tools([]);
    assert_eq!(arguments(all.clone())[0], "--allowedTools=Skill");
    assert_eq!(request(all)["skills"], Value::Null);
    for name in [
        "", " a", "a(b", "a,b", "a\n", "*", "a:*", "/a", "a\\", r"a\\b",
    ] {
        assert_eq!(refused(Options::new().skills([name])).0, "skills", "{name}");
    }
    assert_eq!(
        refused(Options::new().disallowed_tools(["Bash(rm", "Read"])).0,
        "--disallowedTools"
    );
    assert_eq!(refused(Options::new().tools(["a,b"])).0, "--tools");
}

#[test]
fn prompts_are_sent_over_the_pipe() {
    let options = Options::new()
        .system_prompt_blocks(["Same.", DYNAMIC_BOUNDARY, "Other."])
        .append_system_prompt("More.")
        .exclude_dynamic_sections(false)
        .system_prompt_snapshot(true)
        .plan_mode_instructions("Draw it.")
        .title("Crabs");
    assert_eq!(arguments(options.clone()), [""; 0]);
    let wanted = json!({
        "systemPrompt": ["Same.", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "Other."],
        "appendSystemPrompt": "More.",
        "excludeDynamicSections": false,
        "systemPromptSnapshot": true,
        "planModeInstructions": "Draw it.",
        "title": "Crabs",
    });
    assert_eq!(request(options), wanted);
}

#[test]
fn possible_secrets_are_sent_over_the_pipe_and_awaited() {
    let servers: [(&str, McpServerConfig); 1] = [(
        "wiki",
        McpHttpServer::new("http://h/mcp")
            .header("X-Key", "sk-1")
            .into(),
    )];
    let options = Options::new()
        .mcp_servers(servers)
        .strict_mcp_config(true)
        .plugins([LocalPlugin::new("crabs")])
        .settings(json!({ "env": { "KEY": "sk-2" } }))
        .sandbox(json!({ "enabled": true }))
        .managed_settings(json!({ "disableAllHooks": true }));
    assert_eq!(
        arguments(options.clone()),
        [
            "--strict-mcp-config",
            "--await-initialize",
            "--initialize-fields=settings",
            "--managed-settings-in-initialize",
        ]
    );
    let wanted = json!({
        "mcpServers": {
            "wiki": { "type": "http", "url": "http://h/mcp", "headers": { "X-Key": "sk-1" } }
        },
        "plugins": [{ "type": "local", "path": "crabs" }],
        "settings": {
            "env": { "KEY": "sk-2" },
            "sandbox": { "enabled": true, "failIfUnavailable": true },
        },
        "managedSettings": { "disableAllHooks": true },
    });
    assert_eq!(request(options.clone()), wanted);
    let line = options.env("MY_TOKEN", "sk-3").command_line().unwrap();
    for printed in [line.to_string(), format!("{line:?}")] {
        assert!(printed.contains("MY_TOKEN=***"), "{printed}");
        assert!(printed.contains(r#""X-Key":"***""#), "{printed}");
        assert!(!printed.contains("sk-"), "{printed}");
    }
    // A file is passed by its path.
    let options = Options::new()
        .settings(json!({}))
        .settings_file("settings.json");
    assert_eq!(arguments(options.clone()), ["--settings=settings.json"]);
    assert_eq!(request(options.clone()), json!({}));
    assert_eq!(refused(options.sandbox(json!({}))).0, "sandbox");
    assert_eq!(refused(Options::new().settings("text")).0, "settings");
    let managed = Options::new().managed_settings(json!([]));
    assert_eq!(refused(managed).0, "managed_settings");
}

#[test]
fn sub_agents_are_sent_over_the_pipe() {
    let options = Options::new()
        .agent("reviewer")
        .agents([("reviewer", AgentDefinition::new("Reviews.", "You review."))])
        .forward_subagent_text(true)
        .agent_progress_summaries(false)
        .per_task_stop(true);
    assert_eq!(arguments(options.clone()), ["--agent=reviewer"]);
    let wanted = json!({
        "agents": { "reviewer": { "description": "Reviews.", "prompt": "You review." } },
        "forwardSubagentText": true,
        "agentProgressSummaries": false,
        "perTaskStopAffordance": true,
    });
    assert_eq!(request(options), wanted);
}

#[test]
fn permission_options_are_passed() {
    let options = Options::new()
        .permission_mode(PermissionMode::Plan)
        .allow_bypassing_permissions(true)
        .permission_prompt_tool("mcp__gate__ask")
        .permission_prompts(PermissionPrompts::Host);
    assert_eq!(
        arguments(options.clone()),
        [
            "--permission-mode=plan",
            "--allow-dangerously-skip-permissions",
            "--permission-prompt-tool=mcp__gate__ask",
            "--permission-prompts=host"
        ]
    );
    let both = options.on_permission(|_| async { PermissionResult::allow() });
    assert_eq!(refused(both).0, "--permission-prompt-tool");
}

#[test]
fn conversation_options_are_passed_and_checked() {
    let options = Options::new()
        .resume(ID)
        .fork_session(true)
        .session_id(ID)
        .resume_at("m1")
        .resume_drops_turn("m2")
        .persist_session(false);
    assert_eq!(
        arguments(options.clone()),
        [
            &*format!("--resume={ID}"),
            "--fork-session",
            &format!("--session-id={ID}"),
            "--resume-session-at=m1",
            "--resume-drops-turn=m2",
            "--no-session-persistence"
        ]
    );
    let options = options.continue_latest(true).continue_latest(false);
    assert_eq!(arguments(options.persist_session(true)).len(), 5);
    for (options, option) in [
        (Options::new().resume(ID).continue_latest(true), "--resume"),
        (Options::new().fork_session(true), "--fork-session"),
        (Options::new().session_id("x"), "--session-id"),
        (Options::new().session_id(ID).resume(ID), "--session-id"),
        (Options::new().resume_at("m"), "--resume-session-at"),
        (
            Options::new().resume(ID).resume_drops_turn("m"),
            "--resume-drops-turn",
        ),
        // Set by any method.
        (Options::new().flag("--fork-session"), "--fork-session"),
    ] {
        assert_eq!(refused(options).0, option);
    }
    // The error names the value and the method.
    let (_, problem) = refused(Options::new().session_id("x"));
    assert_eq!(problem, "(`session_id`) is `x`, which is not a UUID");
}

#[test]
fn message_options_are_passed() {
    let options = Options::new()
        .partial_messages(true)
        .hook_events(true)
        .replay_user_messages(true)
        .debug(true)
        .debug_file("log.txt")
        .prompt_suggestions(true)
        .output_format(json!({ "type": "object" }));
    assert_eq!(
        arguments(options.clone()),
        [
            "--json-schema={\"type\":\"object\"}",
            "--include-partial-messages",
            "--include-hook-events",
            "--replay-user-messages",
            "--debug",
            "--debug-file=log.txt"
        ]
    );
    let wanted = json!({ "promptSuggestions": true, "jsonSchema": { "type": "object" } });
    assert_eq!(request(options.clone()), wanted);
    let off = options.debug(false).partial_messages(false);
    assert_eq!(arguments(off).len(), 4);
}

#[test]
fn directories_and_variables_are_passed() {
    let options = Options::new()
        .additional_directories(["a", "b c"])
        .project_config_root("/checkout")
        .file_checkpointing(true)
        .client_app("crabs/1.0")
        .question_preview(QuestionPreview::Html);
    assert_eq!(
        arguments(options.clone()),
        [
            "--add-dir=a",
            "--add-dir=b c",
            "--project-config-root=/checkout"
        ]
    );
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        variables(options.clone()),
        [
            pair("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true"),
            pair("CLAUDE_AGENT_SDK_CLIENT_APP", "crabs/1.0"),
            pair("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", "html"),
        ]
    );
    let off = options.file_checkpointing(false).env("A", "b");
    assert_eq!(variables(off)[2], pair("A", "b"));
}

#[test]
fn values_that_cannot_be_passed_are_refused() {
    let long = "x".repeat(200 * 1024);
    for (options, option) in [
        (Options::new().model("a\0b"), "--model"),
        (Options::new().model(long.clone()), "--model"),
        (
            Options::new().allowed_tools([long.as_str()]),
            "--allowedTools",
        ),
        (Options::new().flag("prompt"), "prompt"),
        (Options::new().env("A", "a\0b"), "env A"),
        (Options::new().env("A=B", "c"), "env A=B"),
        (Options::new().env("", "c"), "env "),
        (Options::new().env("A", &long), "env A"),
        (Options::new().cwd("/no/such/directory"), "cwd"),
        (Options::new().max_budget_usd(0.0), "--max-budget-usd"),
        (Options::new().max_budget_usd(f64::NAN), "--max-budget-usd"),
    ] {
        assert_eq!(refused(options).0, option);
    }
    // The pipe has no such limits.
    let request = request(Options::new().system_prompt(long.clone() + "\0"));
    assert_eq!(request["systemPrompt"][0], long + "\0");
}

#[cfg(unix)]
#[test]
fn paths_that_are_not_utf8_are_refused() {
    use std::os::unix::ffi::OsStringExt;
    let path = PathBuf::from(OsString::from_vec(b"a\xff".to_vec()));
    let options = Options::new().additional_directories([path]);
    assert_eq!(refused(options).0, "--add-dir");
}

#[test]
fn ignored_options_are_reported() {
    let ignored = |options: Options| -> Vec<(String, String)> {
        let line = options.command_line().unwrap();
        assert!(line.ignored.iter().all(|it| !it.effect.is_empty()));
        let pairs = line.ignored.into_iter().map(|it| (it.option, it.by));
        pairs.collect()
    };
    let asked = Options::new().on_permission(|_| async { PermissionResult::allow() });
    let mode = |mode| asked.clone().permission_mode(mode);
    let nobody = PermissionPrompts::Nobody;
    for (options, option, by) in [
        (
            mode(PermissionMode::BypassPermissions),
            "Options::on_permission",
            "--permission-mode=bypassPermissions",
        ),
        (
            mode(PermissionMode::DontAsk),
            "Options::on_permission",
            "--permission-mode=dontAsk",
        ),
        (
            asked.clone().permission_prompts(nobody),
            "Options::on_permission",
            "--permission-prompts=none",
        ),
        (
            asked.clone().allowed_tools(["Bash", "Read(src/**)"]),
            "Options::on_permission",
            "--allowedTools=Bash",
        ),
        (
            Options::new()
                .allowed_tools(["Bash"])
                .disallowed_tools(["Bash"]),
            "--allowedTools=Bash",
            "--disallowedTools=Bash",
        ),
        (
            Options::new()
                .system_prompt("a")
                .exclude_dynamic_sections(true),
            "exclude_dynamic_sections",
            "system_prompt",
        ),
        (Options::new().title("a").resume(ID), "title", "--resume"),
        (
            Options::new().model("a").fallback_models(["b", "a"]),
            "--fallback-model",
            "--model",
        ),
        (
            Options::new()
                .thinking(Thinking::Off)
                .thinking_display(ThinkingDisplay::Omitted),
            "--thinking-display",
            "--thinking=disabled",
        ),
    ] {
        assert_eq!(ignored(options), [(option.to_owned(), by.to_owned())]);
    }
    assert_eq!(ignored(mode(PermissionMode::Plan)), []);
    assert_eq!(ignored(Options::new().allowed_tools(["Bash"])), []);
}

#[test]
fn callbacks_are_declared_in_the_command_line() {
    let options = Options::new()
        .on_permission(|_| async { PermissionResult::allow() })
        .on_dialog("d", |ask| async move {
            drop(ask);
            agentwire_protocol::dialog::UserDialogResult::Cancelled(Default::default())
        });
    assert_eq!(
        arguments(options.clone()),
        ["--permission-prompt-tool=stdio"]
    );
    let wanted = json!({ "supportedDialogKinds": ["d"] });
    assert_eq!(request(options), wanted);
}

#[cfg(feature = "mcp")]
#[test]
fn mcp_servers_have_unique_names() {
    use crate::mcp::Tools;
    let options = Options::new().mcp_server("calc", Tools::new());
    let wanted = json!({ "sdkMcpServers": ["calc"] });
    assert_eq!(request(options.clone()), wanted);
    let twice = options.mcp_servers([("calc", McpHttpServer::new("http://h"))]);
    assert_eq!(refused(twice).0, "mcp_servers");
}

#[test]
fn debug_output_has_no_values() {
    let options = Options::new()
        .env("TOKEN", "secret")
        .flag_value("--key", "secret");
    let printed = format!("{options:?}");
    assert!(
        printed.contains("TOKEN") && printed.contains("--key"),
        "{printed}"
    );
    assert!(!printed.contains("secret"), "{printed}");
}

#[test]
fn options_that_the_agent_did_not_apply_are_found() {
    let options = Options::new()
        .settings(json!({}))
        .managed_settings(json!({}))
        .plugins([LocalPlugin::new("crabs")])
        .mcp_servers([("wiki", McpHttpServer::new("http://h"))]);
    let request = options.command_line().unwrap().initialize;
    let missing = |answer: Value| not_applied(&request, &serde_json::from_value(answer).unwrap());
    assert_eq!(
        missing(json!({})),
        ["settings", "managed_settings", "plugins", "mcp_servers"]
    );
    let some = json!({ "settings_applied": true, "managed_settings_applied": false,
        "plugins_applied": false, "mcp_servers_applied": true });
    assert_eq!(missing(some), ["managed_settings", "plugins"]);
    let none = Options::new().plugins::<LocalPlugin>([]);
    let none = none.command_line().unwrap().initialize;
    assert!(not_applied(&none, &Default::default()).is_empty());
}
