//! Agents of other authors, driven by the crate. Prints a table of what each can do, as it was
//! run and not as the agents declare it.

use super::processes::{agents, processes};
use agentwire::process::{CloseStep, Environment};
use agentwire::view::agent::{Agent as _, AgentError, Decision};
use agentwire::view::entry::{Content, Delivery, Outcome, Status, ToolCall};
use agentwire::view::{Body, View};
use agentwire_acp::{Agent, AgentOptions, ConnectError};
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Reply, Scenario, Step, When};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::timeout;

/// A timeout that only a broken test exceeds.
const LONG: Duration = Duration::from_secs(120);

pub(crate) struct Program {
    name: &'static str,
    pub(crate) command: Vec<String>,
    method: Option<&'static str>,
    /// The shell tool and its input.
    shell: fn(&str) -> (&'static str, Value),
    /// The tool that changes a file, and one that reads it before.
    edit: fn(&Path) -> Vec<(&'static str, Value)>,
}

pub(crate) fn program(name: &'static str) -> Program {
    let bin = |it: &str| agents().join(".bin").join(it).display().to_string();
    match name {
        "gemini" => Program {
            name,
            command: vec![
                bin("gemini"),
                "--acp".into(),
                "-m".into(),
                "gemini-2.5-flash".into(),
            ],
            method: Some("gemini-api-key"),
            shell: |it| {
                (
                    "run_shell_command",
                    json!({"command": it, "description": "A test"}),
                )
            },
            edit: |path| {
                let input = json!({"file_path": path, "instruction": "Change it",
                    "old_string": "two", "new_string": "2"});
                vec![("replace", input)]
            },
        },
        "qwen" => Program {
            name,
            command: vec![bin("qwen"), "--acp".into()],
            method: Some("openai"),
            shell: |it| {
                let input = json!({"command": it, "is_background": false, "description": "A test"});
                ("run_shell_command", input)
            },
            edit: |path| {
                let edit = json!({"file_path": path, "old_string": "two", "new_string": "2"});
                vec![("read_file", json!({"file_path": path})), ("edit", edit)]
            },
        },
        "opencode" => Program {
            name,
            command: vec![
                agents()
                    .join("opencode-linux-x64/bin/opencode")
                    .display()
                    .to_string(),
                "acp".into(),
            ],
            method: None,
            shell: |it| ("bash", json!({"command": it, "description": "A test"})),
            edit: |path| {
                let edit = json!({"filePath": path, "oldString": "two", "newString": "2"});
                vec![("read", json!({"filePath": path})), ("edit", edit)]
            },
        },
        "claude" => Program {
            name,
            command: vec![bin("claude-agent-acp")],
            method: None,
            shell: |it| ("Bash", json!({"command": it, "description": "A test"})),
            edit: |path| {
                let edit = json!({"file_path": path, "old_string": "two", "new_string": "2"});
                vec![("Read", json!({"file_path": path})), ("Edit", edit)]
            },
        },
        _ => unreachable!(),
    }
}

/// Writes the configuration of each agent into its home.
pub(crate) fn configure(home: &Path, url: &str) {
    let write = |path: &str, text: String| {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let qwen = json!({"tools": {"approvalMode": "default", "todoWrite": {"enabled": true}}});
    write(".qwen/settings.json", qwen.to_string());
    let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "fake",
        "options": {"baseURL": format!("{url}/v1"), "apiKey": "k"}, "models": {"m": {"name": "m"}}});
    let opencode = json!({"model": "fake/m", "permission": {"bash": "ask", "edit": "ask"},
        "provider": {"fake": provider}});
    write(".config/opencode/opencode.json", opencode.to_string());
    let codex = format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"KEY\"\n"
    );
    write(".codex/config.toml", codex);
    for directory in ["tmp", "project"] {
        std::fs::create_dir(home.join(directory)).unwrap();
    }
}

/// Returns the environment of the agents.
pub(crate) fn variables(home: &Path, url: &str) -> [(&'static str, String); 19] {
    let path = format!("{}:/usr/bin:/bin", agents().join(".bin").display());
    [
        ("PATH", path),
        ("HOME", home.display().to_string()),
        ("TMPDIR", home.join("tmp").display().to_string()),
        ("TERM", "dumb".into()),
        ("LANG", "C.UTF-8".into()),
        ("NO_COLOR", "1".into()),
        ("GEMINI_API_KEY", "k".into()),
        ("GOOGLE_GEMINI_BASE_URL", url.into()),
        ("OPENAI_BASE_URL", format!("{url}/v1")),
        ("OPENAI_API_KEY", "k".into()),
        ("OPENAI_MODEL", "m".into()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".into()),
        ("CODEX_HOME", home.join(".codex").display().to_string()),
        ("KEY", "k".into()),
        (
            "CLAUDE_CONFIG_DIR",
            home.join(".claude").display().to_string(),
        ),
        ("ANTHROPIC_BASE_URL", url.into()),
        ("ANTHROPIC_API_KEY", "k".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ("DISABLE_AUTOUPDATER", "1".into()),
    ]
}

fn options(program: &Program, home: &Path, url: &str) -> AgentOptions {
    let options = AgentOptions::new(&program.command)
        .environment(Environment::only([""; 0]))
        .cwd(home.join("project"));
    let options = variables(home, url)
        .into_iter()
        .fold(options, |all, (name, it)| all.env(name, it));
    match program.method {
        Some(method) => options.authenticate(method),
        None => options,
    }
}

fn calls(agent: &Agent) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    agent.read(&mut |view| {
        for entry in view.entries() {
            if let Body::ToolCall(call) = &entry.body {
                calls.push((**call).clone());
            }
        }
    });
    calls
}

fn texts(view: &View) -> String {
    let texts = view.entries().filter_map(|it| match &it.body {
        Body::Text(text) => Some(text.text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Waits until the view satisfies the condition.
async fn until(agent: &Agent, met: impl Fn(&View) -> bool) {
    loop {
        let (mut number, mut done) = (0, false);
        agent.read(&mut |view| (number, done) = (view.number(), met(view)));
        if done {
            return;
        }
        timeout(LONG, agent.changed(number)).await.unwrap().unwrap();
    }
}

async fn approve(agent: &Agent, decision: Decision) {
    let pending = |view: &View| {
        view.entries().find_map(|it| match &it.body {
            Body::Approval(it) => Some(it.request_id.clone()),
            _ => None,
        })
    };
    until(agent, |view| pending(view).is_some()).await;
    let mut request = None;
    agent.read(&mut |view| request = pending(view));
    let responded = agent.respond(&request.unwrap(), decision.clone()).await;
    assert_eq!(
        matches!(responded, Err(AgentError::Unsupported(_))),
        matches!(decision, Decision::AllowWith(_)),
        "{responded:?}"
    );
}

async fn drive(program: Program) {
    let home = agentwire_testing::tempdir().unwrap();
    let project = home.path().join("project");
    let file = project.join("notes.txt");
    let say = |prompt: &str| When::prompt_contains(prompt);
    let tool = |(name, input): (&'static str, Value)| Step::tool(name, input, "");
    let mut scenario =
        Scenario::default().reply(Reply::new([Step::text("Hello, crab.")]).when(say("hello")));
    for (prompt, made) in [("first", "one"), ("second", "two"), ("third", "three")] {
        let call = (program.shell)(&format!("echo {made} > {made}.txt; echo made-{made}"));
        let reply = Reply::new([tool(call)]);
        scenario = scenario
            .reply(reply.when(say(prompt).after_tools(false)))
            .reply(Reply::new([Step::text("Done.")]).when(say(prompt).after_tools(true)));
    }
    for (number, call) in (program.edit)(&file).into_iter().enumerate() {
        let when = say("edit").after_tools(number > 0);
        scenario = scenario.reply(Reply::new([tool(call)]).when(when));
    }
    scenario = scenario
        .reply(Reply::new([Step::text("Edited.")]).when(say("edit").after_tools(true)))
        .reply(Reply::new([Step::text("Slow"), Step::gate("never")]).when(say("slow")))
        .reply(
            Reply::new([Step::error(400, "invalid_request_error", "No crabs")])
                .when(say("broken"))
                .always(),
        );
    let model = ScriptedModel::start(scenario).await.unwrap();
    configure(home.path(), &model.url());
    std::fs::write(&file, "one\ntwo\nthree\n").unwrap();
    let began = std::time::Instant::now();
    let agent = timeout(
        LONG,
        Agent::connect(options(&program, home.path(), &model.url())),
    );
    let agent = agent.await.unwrap().unwrap();
    let started = began.elapsed();

    agent.prompt("hello").await.unwrap();
    agent.read(&mut |view| assert_eq!(texts(view), "Hello, crab."));
    let mut tokens = false;
    agent.read(&mut |view| {
        let Some(Body::TurnEnd(end)) = view.entries().last().map(|it| &it.body) else {
            panic!("no end of the turn")
        };
        assert_eq!(end.outcome, Outcome::Completed);
        tokens = end.tokens.is_some();
    });

    // Allowed once, denied, and with another input, which no agent can have.
    let turn = agent.prompt("first");
    approve(&agent, Decision::Allow).await;
    turn.await.unwrap();
    assert!(project.join("one.txt").exists());
    let call = calls(&agent).pop().unwrap();
    assert_eq!(call.status, Status::Completed, "{call:#?}");
    let output = call.content.iter().any(|it| {
        matches!(it, Content::Command(it) if it.output.as_ref().is_some_and(|it| it.text.contains("made-one")))
    });
    let changed = Decision::AllowWith("{}".to_owned());
    for (prompt, decision) in [
        ("second", Decision::Deny(String::new())),
        ("third", changed),
    ] {
        let turn = agent.prompt(prompt);
        approve(&agent, decision).await;
        // Some agents end the turn as cancelled.
        let _ = turn.await;
        let call = calls(&agent).pop().unwrap();
        assert_eq!(call.status, Status::Failed, "{prompt}: {call:#?}");
    }
    assert!(!project.join("two.txt").exists() && !project.join("three.txt").exists());

    let turn = agent.prompt("edit");
    approve(&agent, Decision::Allow).await;
    turn.await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n2\nthree\n");
    let diff = calls(&agent).iter().any(|call| {
        call.content.iter().any(|it| {
            matches!(it, Content::Diff(it) if it.applied && it.hunks.iter().any(
                |it| it.lines.contains(&"-two".to_owned()) && it.lines.contains(&"+2".to_owned())
            ))
        })
    });

    let turn = agent.prompt("slow");
    until(&agent, |view| texts(view).ends_with("Slow")).await;
    let waits = agent.prompt("hello again");
    agent.cancel().await.unwrap();
    assert_eq!(turn.await, Err(AgentError::Cancelled));
    assert_eq!(waits.await, Err(AgentError::Cancelled));
    agent.read(&mut |view| {
        let withdrawn = view
            .entries()
            .any(|it| matches!(&it.body, Body::Prompt(it) if it.delivery == Delivery::Cancelled));
        assert!(withdrawn);
    });
    let error = timeout(LONG, agent.prompt("broken"))
        .await
        .unwrap()
        .is_err();

    let (modes, models) = agent.choices();
    let mode = match modes.iter().find(|it| it.contains("plan")) {
        Some(mode) => agent.set_mode(mode).await.is_ok(),
        None => false,
    };
    let model_is_set = match models.first() {
        Some(model) => agent.set_model(model).await.is_ok(),
        None => false,
    };
    assert!(agent.set_mode("no such mode").await.is_err());
    let session = agent.session_id().to_owned();
    let report = agent.shut_down().await.unwrap();
    assert!(report.remaining.is_empty(), "{report:?}");
    assert_eq!(processes(home.path()), [0; 0], "of {}", program.name);

    let loads = options(&program, home.path(), &model.url()).load(&session);
    let loaded = match timeout(LONG, Agent::connect(loads)).await.unwrap() {
        Ok(agent) => {
            let mut prompts = 0;
            agent.read(&mut |view| {
                let entries = view.entries();
                prompts = entries
                    .filter(|it| matches!(it.body, Body::Prompt(_)))
                    .count();
            });
            agent.close().await.unwrap();
            format!("{prompts} prompts")
        }
        Err(ConnectError::Unsupported(_)) => "no".to_owned(),
        Err(error) => format!("no: {error}"),
    };
    let resumes = options(&program, home.path(), &model.url()).resume(&session);
    let resumed = match timeout(LONG, Agent::connect(resumes)).await.unwrap() {
        Ok(agent) => agent.close().await.is_ok(),
        Err(_) => false,
    };
    println!(
        "| {} | {} | {output} | {diff} | {tokens} | {error} | {mode} | {model_is_set} | {loaded} | {resumed} | {:.1} s | {:?} |",
        program.name,
        report.step == CloseStep::Exited,
        started.as_secs_f64(),
        report.swept.len(),
    );
}

macro_rules! agents {
    ($($test:ident $name:literal)*) => {$(
        #[tokio::test]
        async fn $test() {
            drive(program($name)).await;
        }
    )*};
}

agents! {
    gemini_is_driven "gemini"
    qwen_is_driven "qwen"
    opencode_is_driven "opencode"
    the_claude_adapter_is_driven "claude"
}
