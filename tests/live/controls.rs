//! Tests every control method against the real CLI: its response, or its refusal.

use crate::mcp_servers::{broken, tiny};
use crate::support::{Live, ended, log_to_end, until_idle};
use agentwire::protocol::control::{
    ContextCategoryId, Initialize, McpCall, ReloadPlugins, SetCwd, WritableSettings,
};
use agentwire::protocol::host::RequestFailure;
use agentwire::protocol::model::ThinkingDisplay;
use agentwire::protocol::permission::PermissionMode;
use agentwire::{Client, EndReason, Error, PermissionResult, SubmissionState};
use agentwire_testkit::{Scenario, Step};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs;
use std::future::Future;
use std::time::SystemTime;

/// How the CLI handles each request.
#[derive(Default)]
struct Table(Vec<(&'static str, String)>);

impl Table {
    async fn row<T: Serialize>(
        &mut self,
        method: &'static str,
        request: impl Future<Output = Result<T, Error>>,
    ) {
        let outcome = match request.await {
            Ok(answer) => match serde_json::to_value(answer).unwrap() {
                Value::Object(members) if !members.is_empty() => {
                    let mut names: Vec<_> = members.keys().map(String::as_str).collect();
                    names.sort_unstable();
                    format!("answered: {}", names.join(" "))
                }
                _ => "answered".to_owned(),
            },
            Err(Error::NotSupported { refusal, .. }) => {
                format!("not supported: {}", refusal.unwrap().code.unwrap())
            }
            Err(Error::Request(failure)) => match &*failure {
                RequestFailure::Refused { refusal, .. } => {
                    format!("refused: {}", refusal.code.as_deref().unwrap_or("no code"))
                }
                failure => panic!("{method}: {failure}"),
            },
            // A response that cannot be read is a bug of the types.
            Err(error) => panic!("{method}: {error}"),
        };
        println!("{method:34} {outcome}");
        self.0.push((method, outcome));
    }
}

#[tokio::test]
async fn every_method_is_answered_or_refused_as_measured() {
    let scenario = Scenario::default()
        .reply([Step::text("Hello.")])
        .reply([Step::text("On the side.")]);
    let live = Live::start(scenario).await;
    let project = live.project();
    fs::write(project.join("there.txt"), "Hello\n").unwrap();
    fs::create_dir(project.join("sub")).unwrap();
    let sub = project.join("sub");
    let mut client = Client::connect(live.options()).await.unwrap();
    assert!(!client.commands().is_empty());
    assert!(!client.models().is_empty());
    assert!(!client.agents().is_empty());
    let source = client.account().unwrap().api_key_source.as_deref();
    assert_eq!(source, Some("ANTHROPIC_API_KEY"));
    client.send("Hello?").await.unwrap();
    until_idle(&mut client).await;

    let mut table = Table::default();
    let t = &mut table;
    t.row("set_model", client.set_model("haiku")).await;
    let plan = client.set_permission_mode(PermissionMode::Plan);
    t.row("set_permission_mode", plan).await;
    let yolo = client.set_permission_mode("yolo".into());
    t.row("set_permission_mode, unknown", yolo).await;
    let bypass = client.set_permission_mode(PermissionMode::BypassPermissions);
    t.row("set_permission_mode, bypass", bypass).await;
    let tokens = client.set_max_thinking_tokens(Some(2048));
    t.row("set_max_thinking_tokens", tokens).await;
    let tokens = client.set_max_thinking_tokens(None);
    t.row("set_max_thinking_tokens, none", tokens).await;
    let display = client.set_thinking_display(ThinkingDisplay::Summarized);
    t.row("set_thinking_display", display).await;
    t.row("rename_session", client.rename_session("A title"))
        .await;
    let title = client.generate_session_title("Saying hello");
    t.row("generate_session_title", title).await;
    let question = client.side_question("Who are you?");
    t.row("side_question", question).await;
    t.row("set_color", client.set_color("blue")).await;
    let subscribers = client.set_has_subscribers(true);
    t.row("set_has_subscribers", subscribers).await;
    t.row("interrupt", client.interrupt()).await;
    t.row("interrupt_all", client.interrupt_all()).await;

    t.row("cancel_message", client.cancel_message("none")).await;

    t.row("rewind_files", client.rewind_files("none")).await;
    let dry_run = client.rewind_files_dry_run("none");
    t.row("rewind_files_dry_run", dry_run).await;
    t.row("read_file", client.read_file("there.txt")).await;
    t.row("read_file, none", client.read_file("none.txt")).await;
    let suggestions = client.file_suggestions("the");
    t.row("file_suggestions", suggestions).await;
    let there = project.join("there.txt").display().to_string();
    let seed = client.seed_read_state(&there, SystemTime::now());
    t.row("seed_read_state", seed).await;
    let root = client.register_repo_root(&sub.display().to_string());
    t.row("register_repo_root", root).await;
    let root = client.register_repo_root("/nowhere");
    t.row("register_repo_root, nowhere", root).await;

    t.row("mcp_status", client.mcp_status()).await;
    let set = client.mcp_set_servers([("tiny", tiny()), ("broken", broken())]);
    t.row("mcp_set_servers", set).await;
    let call = McpCall::new("mcp__tiny__hello", json!({}));
    t.row("mcp_call", client.mcp_call(&call)).await;
    let call = McpCall::new("mcp__none__hello", json!({}));
    t.row("mcp_call, unknown", client.mcp_call(&call)).await;
    let page = client.mcp_read_resource("tiny", "ui://page");
    t.row("mcp_read_resource", page).await;
    let page = client.mcp_read_resource("tiny", "file:///page");
    t.row("mcp_read_resource, a file", page).await;
    t.row("mcp_reconnect", client.mcp_reconnect("tiny")).await;
    let none = client.mcp_reconnect("none");
    t.row("mcp_reconnect, unknown", none).await;
    t.row("mcp_toggle", client.mcp_toggle("tiny", false)).await;
    let mode = Some(PermissionMode::Default);
    let known = client.set_mcp_permission_mode_override("tiny", mode.clone());
    t.row("set_mcp_permission_mode_override", known).await;
    let unknown = client.set_mcp_permission_mode_override("none", mode);
    t.row("set_mcp_…_override, unknown", unknown).await;
    let clear = client.set_mcp_permission_mode_override("tiny", None);
    t.row("set_mcp_…_override, none", clear).await;
    let message = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    t.row("mcp_message", client.mcp_message("none", message))
        .await;

    let plugins = ReloadPlugins::default()
        .hold_on_cache_impact()
        .refuse_if_busy();
    t.row("reload_plugins", client.reload_plugins(&plugins))
        .await;
    t.row("reload_skills", client.reload_skills()).await;
    t.row("reload_output_styles", client.reload_output_styles())
        .await;

    t.row("stop_task", client.stop_task("none")).await;
    t.row("background_all", client.background_all()).await;
    t.row("background_call", client.background_call("none"))
        .await;
    t.row("task_output", client.task_output("none")).await;

    t.row("settings", client.settings()).await;
    let settings = json!({"permissions": {"allow": ["Bash(ls:*)"]}});
    t.row("apply_flag_settings", client.apply_flag_settings(settings))
        .await;
    let settings = json!({"permissions": "bad"});
    let apply = client.apply_flag_settings(settings);
    t.row("apply_flag_settings, wrong", apply).await;
    let style = json!({"outputStyle": "Concise"});
    let update = client.update_settings(WritableSettings::LocalSettings, style);
    t.row("update_settings", update).await;
    t.row("permission_rules", client.permission_rules()).await;

    t.row("context_usage", client.context_usage()).await;
    t.row("usage", client.usage()).await;
    t.row("session_cost", client.session_cost()).await;
    t.row("status_report", client.status_report()).await;
    t.row("hooks_listing", client.hooks_listing()).await;
    t.row("plan", client.plan()).await;
    t.row("binary_version", client.binary_version()).await;
    t.row("list_models", client.list_models()).await;
    let initialize = client.initialize(&Initialize::default());
    t.row("initialize", initialize).await;

    t.row("set_cwd, nowhere", client.set_cwd("/nowhere")).await;
    let sub = sub.display().to_string();
    t.row("set_cwd", client.set_cwd(&sub)).await;
    let trusted = SetCwd::to(&sub).trusting(&sub);
    t.row("set_cwd, trusted", client.request(&trusted)).await;
    t.row("end_session", client.end_session()).await;
    let (_, end) = log_to_end(async || client.next().await).await;
    assert_eq!(ended(end.unwrap()).reason, EndReason::Exited);

    let met = table.0.iter().map(|(method, met)| (*method, &**met));
    let met: Vec<_> = met.collect();
    assert_eq!(met, KNOWN, "what the CLI does has changed");
}

/// How CLI 2.1.329 handles each request.
const KNOWN: &[(&str, &str)] = &[
    ("set_model", "answered: model"),
    ("set_permission_mode", "answered: mode"),
    ("set_permission_mode, unknown", "refused: invalid_mode"),
    (
        "set_permission_mode, bypass",
        "refused: bypass_not_launched",
    ),
    ("set_max_thinking_tokens", "answered"),
    ("set_max_thinking_tokens, none", "answered"),
    ("set_thinking_display", "answered"),
    ("rename_session", "answered"),
    ("generate_session_title", "answered: title"),
    ("side_question", "answered: response synthetic"),
    ("set_color", "not supported: unsupported_request"),
    ("set_has_subscribers", "answered"),
    ("interrupt", "answered: still_queued"),
    ("interrupt_all", "answered: cancelled still_queued"),
    ("cancel_message", "answered: cancelled"),
    ("rewind_files", "refused: no code"),
    ("rewind_files_dry_run", "answered: canRewind error"),
    (
        "read_file",
        "answered: absPath contents lossy requested_path",
    ),
    ("read_file, none", "refused: no code"),
    ("file_suggestions", "answered: cwd suggestions"),
    ("seed_read_state", "answered"),
    ("register_repo_root", "answered: directory"),
    ("register_repo_root, nowhere", "refused: no code"),
    ("mcp_status", "answered: mcpServers"),
    ("mcp_set_servers", "answered: added errors removed"),
    ("mcp_call", "answered: content"),
    ("mcp_call, unknown", "refused: no code"),
    ("mcp_read_resource", "answered: contents"),
    ("mcp_read_resource, a file", "refused: no code"),
    ("mcp_reconnect", "answered"),
    ("mcp_reconnect, unknown", "refused: no code"),
    ("mcp_toggle", "answered"),
    ("set_mcp_permission_mode_override", "answered"),
    ("set_mcp_…_override, unknown", "answered: warning"),
    ("set_mcp_…_override, none", "answered"),
    ("mcp_message", "answered"),
    (
        "reload_plugins",
        "answered: agents commands error_count held mcpServers plugins",
    ),
    ("reload_skills", "answered: skills"),
    ("reload_output_styles", "answered: available_output_styles"),
    ("stop_task", "answered"),
    ("background_all", "answered"),
    ("background_call", "answered: backgrounded"),
    ("task_output", "refused: no code"),
    (
        "settings",
        "answered: applied effective served_settings_state sources",
    ),
    ("apply_flag_settings", "answered"),
    ("apply_flag_settings, wrong", "refused: no code"),
    ("update_settings", "refused: no code"),
    ("permission_rules", "answered: state"),
    (
        "context_usage",
        "answered: agents apiUsage autoCompactThreshold autocompactSource categories \
         gridRows isAutoCompactEnabled maxTokens mcpInstructions mcpTools memoryFiles \
         messageBreakdown model percentage rawMaxTokens skills slashCommands totalTokens",
    ),
    (
        "usage",
        "answered: behaviors rate_limits rate_limits_available session subscription_type",
    ),
    ("session_cost", "answered: text"),
    ("status_report", "answered: sections"),
    (
        "hooks_listing",
        "answered: eventCatalog events hooks policy",
    ),
    ("plan", "answered: exists"),
    (
        "binary_version",
        "answered: buildTime oldestDesktopSdk version",
    ),
    ("list_models", "answered: models"),
    (
        "initialize",
        "answered: account agents analytics_disabled available_output_styles capabilities \
         claude_code_version commands current_permission_mode fast_mode_disabled_reason \
         fast_mode_state feedback_mode hook_on_failure_supported \
         hooks_when_unanswered_kept ide_rc_auto_enable_gate models \
         other_hook_ask_outranks_host output_style pid \
         remote_control_auto_connect_default remote_control_auto_enable \
         remote_control_auto_on_by_default remote_control_available sandbox_enabled \
         session_state user_output_styles_dir",
    ),
    ("set_cwd, nowhere", "answered: message reason status"),
    ("set_cwd", "answered: directory status"),
    (
        "set_cwd, trusted",
        "answered: changed cwd status transcript_relocated",
    ),
    ("end_session", "answered"),
];

#[tokio::test]
async fn files_are_rewound_to_the_state_before_a_message() {
    let folder = agentwire_testing::tempdir().unwrap();
    let poem = folder.path().join("poem.txt");
    let write = |text: &str| {
        let input = json!({ "file_path": poem, "content": text });
        [Step::tool("Write", input, "")]
    };
    let scenario = Scenario::default()
        .reply(write("Roses are red\n"))
        .reply([Step::text("Done.")])
        .reply(write("Roses are red\nCrabs are, too\n"))
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let options = live
        .options()
        .env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "1")
        .on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.unwrap();
    let mut first = client.send("Write a poem");
    assert_eq!(first.final_state().await, SubmissionState::Completed);
    let mut second = client.send("Go on");
    assert_eq!(second.final_state().await, SubmissionState::Completed);
    let written = || fs::read_to_string(&poem).ok();
    assert_eq!(written().unwrap().lines().count(), 2);

    let would = client.rewind_files_dry_run(second.uuid()).await.unwrap();
    assert!(would.can_rewind, "{would:?}");
    assert_eq!(would.files_changed.unwrap(), [poem.display().to_string()]);
    assert_eq!((would.insertions, would.deletions), (Some(0), Some(1)));
    assert_eq!(written().unwrap().lines().count(), 2);

    let done = client.rewind_files(second.uuid()).await.unwrap();
    assert!(done.can_rewind, "{done:?}");
    assert_eq!(done.skipped_links, Some(0));
    assert_eq!(written().unwrap(), "Roses are red\n");

    assert!(client.rewind_files(first.uuid()).await.unwrap().can_rewind);
    assert_eq!(written(), None);
    client.close().await;
}

#[tokio::test]
async fn context_usage_is_reported_as_estimated_and_as_counted() {
    let live = Live::start(Scenario::default().reply([Step::text("Hello.")])).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    client.send("Hello?").await.unwrap();
    until_idle(&mut client).await;
    let asked = live.model.requests().len();
    let estimated = client.context_usage().await.unwrap();
    assert_eq!(live.model.requests().len(), asked, "it costs nothing");
    let counted = client.context_usage_counted().await.unwrap();
    assert!(live.model.requests().len() > asked, "the API counted");
    for usage in [estimated, counted] {
        assert!(usage.total_tokens > 0, "{usage:?}");
        assert!(usage.max_tokens > usage.total_tokens, "{usage:?}");
        let ids = usage.categories.iter().filter_map(|it| it.id.clone());
        let ids: Vec<_> = ids.collect();
        for id in [
            ContextCategoryId::SystemPrompt,
            ContextCategoryId::FreeSpace,
        ] {
            assert!(ids.contains(&id), "{ids:?}");
        }
        let commands = usage.slash_commands.unwrap();
        assert!(commands.total_commands > Some(0), "{commands:?}");
    }
    client.close().await;
}
