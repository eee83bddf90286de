//! Every option by itself, and what it does.

use crate::lab::{Bench, Fault, Lab, Turn, ask, bash, ensure, until_idle};
use crate::turns::hello;
use agentwire::hook::HookCall;
use agentwire::options::{PermissionPrompts, QuestionPreview};
use agentwire::protocol::agent_definition::AgentDefinition;
use agentwire::protocol::hook::PostToolBatch;
use agentwire::protocol::mcp::McpStdioServer;
use agentwire::protocol::model::{EffortLevel, ThinkingDisplay};
use agentwire::protocol::permission::PermissionMode;
use agentwire::protocol::plugin::LocalPlugin;
use agentwire::store::MemoryStore;
use agentwire::{Client, Error, Hook, Notice, Options, Thinking};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a session with one option did.
struct Seen {
    turn: Turn,
    /// What the model was asked, as text.
    asked: String,
    body: Value,
    init: Value,
    project: PathBuf,
    home: PathBuf,
}

impl Seen {
    /// Whether a transcript has this text.
    fn keeps(&self, text: &str) -> bool {
        let projects = self.home.join(".claude/projects");
        let folders = fs::read_dir(projects).into_iter().flatten().flatten();
        let files = folders.flat_map(|it| fs::read_dir(it.path()).into_iter().flatten().flatten());
        files
            .map(|it| it.path())
            .filter(|it| it.extension().is_some_and(|it| it == "jsonl"))
            .any(|it| fs::read_to_string(it).is_ok_and(|it| it.contains(text)))
    }

    fn has(&self, list: &str, name: &str) -> bool {
        let list = self.init[list].as_array();
        list.is_some_and(|list| list.iter().any(|it| it == name || it["name"] == name))
    }
}

/// One prompt with this option, and what has to be seen then.
async fn with(
    lab: Lab,
    scenario: Scenario,
    option: fn(Options, &Bench) -> Options,
    is_seen: fn(&Seen) -> bool,
) -> Result<(), Fault> {
    let bench = lab.start(scenario).await;
    let options = option(bench.options(), &bench);
    let mut client = Client::connect(options).await?;
    client.send("Hi").await?;
    let turn = until_idle(&mut client).await?.well()?;
    let body = bench.live.model.asked(0).await.body.unwrap();
    client.close().await;
    let seen = Seen {
        asked: body.to_string(),
        body,
        init: turn.init.clone().unwrap_or_default(),
        turn,
        project: bench.live.project(),
        home: bench.live.home.path().to_owned(),
    };
    ensure!(is_seen(&seen), "it has no effect");
    Ok(())
}

/// A row: the option, how it is set, what is seen of it.
macro_rules! options {
    ($($name:literal: $option:expr, $seen:expr;)*) => {
        pub(crate) const FLOWS: &[crate::Flow] = &[
            $((concat!("option ", $name), |lab| {
                Box::pin(with(lab, hello(), $option, $seen)) as crate::lab::Played
            }),)*
            ("option settings with a rule that denies", |lab| Box::pin(settings_deny(lab))),
            ("option managed_settings with a rule that denies", |lab| Box::pin(managed_deny(lab))),
            ("option sandbox", |lab| Box::pin(sandbox(lab))),
            ("option hook for a new event", |lab| Box::pin(new_hook(lab))),
            ("option max_turns", |lab| Box::pin(max_turns(lab))),
            ("option disallowed_tools", |lab| Box::pin(disallowed(lab))),
            ("option allowed_tools", |lab| Box::pin(allowed(lab))),
            ("option tool_aliases", |lab| Box::pin(aliases(lab))),
            ("option additional_directories", |lab| Box::pin(additional(lab))),
            ("option plugins that are not there", |lab| Box::pin(no_plugin(lab))),
            ("option of a flag that no CLI knows", |lab| Box::pin(unknown_flag(lab))),
        ];
    };
}

fn started(seen: &Seen) -> bool {
    seen.turn.has("text: Hello.")
}

fn thinks(seen: &Seen) -> bool {
    seen.body
        .get("thinking")
        .is_some_and(|it| it["type"] != "disabled")
}

options! {
    "model": |it, _| it.model("claude-haiku-4-5"), |seen| seen.asked.contains("claude-haiku-4-5");
    "fallback_models": |it, _| it.fallback_models(["claude-haiku-4-5"]), started;
    "thinking, so many tokens": |it, _| it.thinking(Thinking::Tokens(2000)), thinks;
    "thinking off": |it, _| it.model("claude-sonnet-4-5").thinking(Thinking::Off), |seen| !thinks(seen);
    "thinking_display": |it, _| it.thinking_display(ThinkingDisplay::Summarized), started;
    "effort": |it, _| it.effort(EffortLevel::Low), started;
    "max_budget_usd": |it, _| it.max_budget_usd(10.0), started;
    "task_budget": |it, _| it.task_budget(100_000), started;
    "betas": |it, _| it.betas(["context-1m-2025-08-07"]), started;
    "system_prompt": |it, _| it.system_prompt("You are ZORK."), |seen| {
        seen.body["system"].to_string().contains("You are ZORK.")
    };
    "system_prompt, empty": |it, _| it.system_prompt(""), |seen| {
        !seen.body["system"].to_string().contains("software engineering")
    };
    "system_prompt_blocks": |it, _| it.system_prompt_blocks(["You are ZORK.", "Dig."]), |seen| {
        let system = seen.body["system"].to_string();
        system.contains("You are ZORK.") && system.contains("Dig.")
    };
    "append_system_prompt": |it, _| it.append_system_prompt("Be ZORK."), |seen| {
        seen.asked.contains("Be ZORK.")
    };
    "exclude_dynamic_sections": |it, _| it.exclude_dynamic_sections(true), started;
    "system_prompt_snapshot": |it, _| it.system_prompt_snapshot(false), started;
    "plan_mode_instructions": |it, _| {
        it.plan_mode_instructions("Plan as ZORK.").permission_mode(PermissionMode::Plan)
    }, |seen| seen.asked.contains("Plan as ZORK.");
    "tools": |it, _| it.tools(["Read"]), |seen| seen.has("tools", "Read") && !seen.has("tools", "Bash");
    "tools, none": |it, _| it.tools([]).strict_mcp_config(true), |seen| {
        seen.init["tools"] == json!([])
    };
    "default_tools": |it, _| it.default_tools(), |seen| seen.has("tools", "Bash");
    "skills": |it, bench| {
        for name in ["zork", "gnusto"] {
            let folder = bench.live.project().join(".claude/skills").join(name);
            fs::create_dir_all(&folder).unwrap();
            let text = format!("---\nname: {name}\ndescription: SKILL of {name}\n---\nDig.");
            fs::write(folder.join("SKILL.md"), text).unwrap();
        }
        it.setting_sources(["project"]).skills(["zork"])
    }, |seen| seen.asked.contains("SKILL of zork") && !seen.asked.contains("SKILL of gnusto");
    "skills, none": |it, bench| {
        let folder = bench.live.project().join(".claude/skills/zork");
        fs::create_dir_all(&folder).unwrap();
        let text = "---\nname: zork\ndescription: SKILL of zork\n---\nDig.";
        fs::write(folder.join("SKILL.md"), text).unwrap();
        it.setting_sources(["project"]).skills([])
    }, |seen| !seen.asked.contains("SKILL of zork");
    "question_preview": |it, _| it.question_preview(QuestionPreview::Markdown), started;
    "permission_mode": |it, _| it.permission_mode(PermissionMode::Plan), |seen| {
        seen.init["permissionMode"] == "plan"
    };
    "permission_mode, don't ask": |it, _| it.permission_mode(PermissionMode::DontAsk), |seen| {
        seen.init["permissionMode"] == "dontAsk"
    };
    "allow_bypassing_permissions": |it, _| it.allow_bypassing_permissions(true).env("IS_SANDBOX", "1"), started;
    "permission_prompts": |it, _| it.permission_prompts(PermissionPrompts::Nobody), started;
    "agent": |it, _| it.agent("general-purpose"), started;
    "agents": |it, _| {
        it.agents([("zork", AgentDefinition::new("Digs.", "You dig."))])
    }, |seen| seen.has("agents", "zork");
    "agents, limited": |it, _| {
        it.agents([("zork", AgentDefinition::new("Digs.", "You dig.").disallowed_tools(["Bash"]))])
    }, |seen| seen.has("agents", "zork");
    "agents, with a model by its ID": |it, _| {
        it.agents([("zork", AgentDefinition::new("Digs.", "You dig.").model("claude-haiku-4-5"))])
    }, |seen| seen.has("agents", "zork");
    "forward_subagent_text": |it, _| it.forward_subagent_text(true), started;
    "agent_progress_summaries": |it, _| it.agent_progress_summaries(true), started;
    "per_task_stop": |it, _| it.per_task_stop(true), started;
    "mcp_servers": |it, _| it.mcp_servers([("zork", McpStdioServer::new("false", [""; 0]))]), |seen| {
        seen.has("mcp_servers", "zork")
    };
    "mcp_server": |it, _| crate::controls::with_calc(it), |seen| {
        seen.has("tools", "mcp__calc__add") || seen.has("mcp_servers", "calc")
    };
    "strict_mcp_config": |it, bench| {
        let config = json!({"mcpServers": {"zork": {"command": "false"}}}).to_string();
        fs::write(bench.live.project().join(".mcp.json"), config).unwrap();
        it.setting_sources(["project"]).strict_mcp_config(true)
    }, |seen| !seen.has("mcp_servers", "zork");
    "plugins": |it, bench| {
        let plugin = bench.live.home.path().join("crabs");
        fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
        fs::create_dir_all(plugin.join("commands")).unwrap();
        let about = json!({"name": "crabs", "version": "1.0.0", "description": "d"}).to_string();
        fs::write(plugin.join(".claude-plugin/plugin.json"), about).unwrap();
        fs::write(plugin.join("commands/pinch.md"), "Pinch.").unwrap();
        it.plugins([LocalPlugin::new(plugin.to_str().unwrap())])
    }, |seen| seen.has("slash_commands", "crabs:pinch");
    "settings": |it, _| it.settings(json!({"model": "claude-haiku-4-5"})), |seen| {
        seen.asked.contains("claude-haiku-4-5")
    };
    "settings_file": |it, bench| {
        let file = bench.live.home.path().join("settings.json");
        fs::write(&file, json!({"model": "claude-haiku-4-5"}).to_string()).unwrap();
        it.settings_file(file)
    }, |seen| seen.asked.contains("claude-haiku-4-5");
    "setting_sources": |it, bench| {
        fs::write(bench.live.project().join("CLAUDE.md"), "ZORKMEMORY").unwrap();
        it.setting_sources(["project"])
    }, |seen| seen.asked.contains("ZORKMEMORY");
    "setting_sources, none": |it, bench| {
        fs::write(bench.live.project().join("CLAUDE.md"), "ZORKMEMORY").unwrap();
        it.setting_sources([])
    }, |seen| !seen.asked.contains("ZORKMEMORY");
    "sandbox, none": |it, _| it.sandbox(json!({"enabled": false})), started;
    "session_id": |it, _| it.session_id("346415ac-c027-4d7b-b153-8aff2aeb4643"), |seen| {
        seen.init["session_id"] == "346415ac-c027-4d7b-b153-8aff2aeb4643"
    };
    "persist_session, not": |it, _| it.persist_session(false), |seen| !seen.keeps("Hi");
    "title": |it, _| it.title("ZORKTITLE"), |seen| seen.keeps("ZORKTITLE");
    "session_store": |it, _| it.session_store(MemoryStore::new()), started;
    "cwd": |it, bench| {
        let folder = bench.live.home.path().join("elsewhere");
        fs::create_dir(&folder).unwrap();
        it.cwd(folder)
    }, |seen| seen.init["cwd"].as_str().is_some_and(|it| it.ends_with("elsewhere"));
    "project_config_root": |it, bench| it.project_config_root(bench.live.project()), started;
    "file_checkpointing": |it, _| it.file_checkpointing(true), started;
    "partial_messages": |it, _| it.partial_messages(true), |seen| seen.turn.deltas > 0;
    "partial_messages, none": |it, _| it.partial_messages(false), |seen| seen.turn.deltas == 0;
    "hook_events": |it, _| it.hook_events(true), started;
    "replay_user_messages": |it, _| it.replay_user_messages(true), started;
    "prompt_suggestions": |it, _| it.prompt_suggestions(true), started;
    "debug": |it, _| it.debug(true), started;
    "debug_file": |it, bench| it.debug_file(bench.live.project().join("log")), |seen| {
        seen.project.join("log").exists()
    };
    "client_app": |it, _| it.client_app("zork/1.0"), started;
}

/// A session in which the model makes a file, and nobody is asked but by rules.
async fn making(lab: Lab, option: fn(Options) -> Options) -> Result<(bool, Turn), Fault> {
    let scenario = Scenario::default()
        .reply([bash("touch made")])
        .reply([Step::text("Fine.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(option(bench.options())).await?;
    let turn = ask(&mut client, "Make it").await?.well()?;
    Ok((bench.live.project().join("made").exists(), turn))
}

fn denied() -> Value {
    json!({"permissions": {"deny": ["Bash"]}})
}

fn allowing(options: Options) -> Options {
    options.on_permission(|_| async { agentwire::PermissionResult::allow() })
}

async fn settings_deny(lab: Lab) -> Result<(), Fault> {
    let (is_made, turn) = making(lab, |it| allowing(it).settings(denied())).await?;
    ensure!(!is_made, "{:?}", turn.log);
    Ok(())
}

async fn managed_deny(lab: Lab) -> Result<(), Fault> {
    let (is_made, turn) = making(lab, |it| allowing(it).managed_settings(denied())).await?;
    ensure!(!is_made, "{:?}", turn.log);
    Ok(())
}

/// A command that would write outside of the sandbox: that the session does not
/// start is as good as that the command fails.
async fn sandbox(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([bash("touch ../made")])
        .reply([Step::text("Fine.")]);
    let bench = lab.start(scenario).await;
    let options = allowing(bench.options()).sandbox(json!({"enabled": true}));
    let ended = match Client::connect(options).await {
        Ok(mut client) => match ask(&mut client, "Make it").await {
            Err(Fault::Unsupported(what)) => return Err(Fault::Unsupported(what)),
            Err(Fault::Wrong(why)) => why,
            Ok(turn) => turn.log.join("; "),
        },
        Err(error @ Error::TooOld { .. }) => return Err(error.into()),
        Err(error) => error.to_string(),
    };
    let is_made = bench.live.home.path().join("made").exists();
    ensure!(
        !is_made && ended.to_lowercase().contains("sandbox"),
        "{ended}"
    );
    Ok(())
}

/// It is called where the CLI has the event; otherwise the session says so.
async fn new_hook(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([bash("true"), bash("true")])
        .reply([Step::text("Fine.")]);
    let bench = lab.start(scenario).await;
    let is_called = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_called);
    let hook = Hook::new(move |_: HookCall<PostToolBatch>| {
        flag.store(true, Ordering::Relaxed);
        async {}
    });
    let mut client = Client::connect(allowing(bench.options()).hook(hook)).await?;
    ask(&mut client, "Go").await?.well()?;
    ensure!(is_called.load(Ordering::Relaxed), "it was not called");
    client.close().await;
    Ok(())
}

async fn disallowed(lab: Lab) -> Result<(), Fault> {
    let (is_made, turn) = making(lab, |it| allowing(it).disallowed_tools(["Bash"])).await?;
    ensure!(!is_made, "{:?}", turn.log);
    Ok(())
}

async fn allowed(lab: Lab) -> Result<(), Fault> {
    let (is_made, turn) = making(lab, |it| it.allowed_tools(["Bash(touch:*)"])).await?;
    ensure!(is_made, "{:?}", turn.log);
    Ok(())
}

async fn max_turns(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([bash("true")])
        .reply([Step::text("Fine.")]);
    let bench = lab.start(scenario).await;
    let mut client = Client::connect(allowing(bench.options()).max_turns(1)).await?;
    let turn = ask(&mut client, "Go").await?;
    let result = turn.result.as_ref().map(|it| it.subtype.to_string());
    ensure!(result.as_deref() == Some("error_max_turns"), "{result:?}");
    Ok(())
}

async fn aliases(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(hello()).await;
    let options = crate::controls::with_calc(bench.options());
    let options = options.tool_aliases([("Bash", "mcp__calc__add")]);
    let mut client = Client::connect(options).await?;
    ask(&mut client, "Hi").await?.well()?;
    Ok(())
}

async fn additional(lab: Lab) -> Result<(), Fault> {
    let scenario = |file: PathBuf| {
        Scenario::default()
            .reply([Step::tool("Read", json!({"file_path": file}), "")])
            .reply([Step::text("Fine.")])
    };
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("notes");
    fs::write(&file, "ZORK\n").unwrap();
    let bench = lab.start(scenario(file)).await;
    let options = bench.options().additional_directories([elsewhere.path()]);
    let mut client = Client::connect(options).await?;
    let turn = ask(&mut client, "Read").await?.well()?;
    ensure!(turn.has("ZORK"), "{:?}", turn.log);
    Ok(())
}

/// The session says that it does without.
async fn no_plugin(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(hello()).await;
    let options = bench
        .options()
        .plugins([LocalPlugin::new("/no/such/plugin")]);
    let mut client = Client::connect(options).await?;
    client.send("Hi").await?;
    let mut told = false;
    while let Some(event) = client.next().await {
        match event? {
            agentwire::Event::Notice(Notice::NotApplied { option: "plugins" }) => told = true,
            agentwire::Event::Frame(frame) if frame.subtype() == Some("init") => {
                // A current one names it there.
                told |= frame.read::<Value>().unwrap()["plugin_errors"].is_array();
            }
            agentwire::Event::Activity(agentwire::Activity::Idle) => break,
            _ => {}
        }
    }
    ensure!(told, "it is not told");
    Ok(())
}

/// The error names the flag.
async fn unknown_flag(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(hello()).await;
    let Err(error) = Client::connect(bench.options().flag_value("--zork", "x")).await else {
        return Err(Fault::Wrong("it started".to_owned()));
    };
    ensure!(
        matches!(error, agentwire::Error::TooOld { .. }),
        "{error:?}"
    );
    ensure!(error.to_string().contains("--zork"), "{error}");
    Ok(())
}
