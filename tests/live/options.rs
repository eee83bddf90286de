//! Tests of the effect of options on the real CLI.

use crate::support::{Live, until_idle, wait_for};
use agentwire::event::EndReason;
use agentwire::options::DYNAMIC_BOUNDARY;
use agentwire::protocol::agent_definition::AgentDefinition;
use agentwire::protocol::mcp::McpStdioServer;
use agentwire::protocol::message::{Init, SystemMessage};
use agentwire::protocol::permission::PermissionMode;
use agentwire::protocol::plugin::LocalPlugin;
use agentwire::schemars::JsonSchema;
use agentwire::{
    Activity, Client, Error, Event, Message, Notice, Options, PermissionResult, query,
};
use agentwire_testkit::{Scenario, Step};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;

fn hello() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")]).repeated()
}

/// Returns the `init` message of the first turn.
async fn init_of(client: &mut Client) -> Init {
    client.send("Hello?");
    wait_for(client, |event| {
        let Event::Frame(frame) = event else {
            return None;
        };
        match frame.message() {
            Message::System(SystemMessage::Init(init)) => Some(*init),
            _ => None,
        }
    })
    .await
}

/// Returns whether an untyped member reports that a setting was applied.
fn is_applied(client: &Client, member: &str) -> bool {
    let members = serde_json::to_value(client.initialized()).unwrap();
    members[member] == true
}

#[tokio::test]
async fn agents_plugins_servers_and_settings_of_the_options_are_applied() {
    let live = Live::start(hello()).await;
    let plugin = live.home.path().join("crabs");
    fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
    fs::create_dir_all(plugin.join("commands")).unwrap();
    let manifest = json!({ "name": "crabs", "version": "1.0.0", "description": "Crabs." });
    fs::write(
        plugin.join(".claude-plugin/plugin.json"),
        manifest.to_string(),
    )
    .unwrap();
    fs::write(plugin.join("commands/pinch.md"), "Pinch.").unwrap();
    let options = live
        .options()
        .agents([("reviewer", AgentDefinition::new("Reviews.", "You review."))])
        .plugins([LocalPlugin::new(plugin.to_str().unwrap())])
        .mcp_servers([("gone", McpStdioServer::new("/no/such/server", ["--secret"]))])
        .strict_mcp_config(true)
        .settings(json!({
            "model": "claude-haiku-4-5",
            "env": { "TOLD_IN_SETTINGS": "yes" },
            "permissions": { "defaultMode": "acceptEdits" },
        }))
        .managed_settings(json!({ "disableAllHooks": true }))
        .tools(["Read", "Bash"]);
    let mut client = Client::connect(options).await.unwrap();
    for member in [
        "plugins_applied",
        "mcp_servers_applied",
        "settings_applied",
        "managed_settings_applied",
    ] {
        assert!(is_applied(&client, member), "{member}");
    }
    let init = init_of(&mut client).await;
    assert_eq!(init.model.as_deref(), Some("claude-haiku-4-5"));
    assert_eq!(init.permission_mode, Some(PermissionMode::AcceptEdits));
    let init = serde_json::to_value(init).unwrap();
    let has = |list: &str, name: &str| {
        let list = init[list].as_array().unwrap();
        list.iter().any(|it| it == name || it["name"] == name)
    };
    assert!(has("agents", "reviewer"), "{init}");
    assert!(has("plugins", "crabs"), "{init}");
    assert!(has("slash_commands", "crabs:pinch"), "{init}");
    assert!(has("mcp_servers", "gone"), "{init}");
    assert!(has("tools", "Read") && has("tools", "Bash"), "{init}");
    assert!(!has("tools", "Write"), "{init}");
    client.close().await;
}

#[tokio::test]
async fn an_empty_list_of_tools_disables_all_tools() {
    let live = Live::start(hello()).await;
    let options = live.options().tools([]).strict_mcp_config(true);
    let mut client = Client::connect(options).await.unwrap();
    assert_eq!(init_of(&mut client).await.tools, Some(vec![]));
    client.close().await;
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
#[schemars(crate = "agentwire::schemars")]
struct Crab {
    name: String,
    /// Pincers included.
    legs: u32,
}

fn crab_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "legs": { "type": "integer" } },
        "required": ["name", "legs"],
    })
}

/// Returns a reply of the model with structured output, which is a tool call.
fn crabby() -> Scenario {
    Scenario::default()
        .reply([Step::tool(
            "StructuredOutput",
            json!({ "name": "Ferris", "legs": 8 }),
            "",
        )])
        .reply([Step::text("Done.")])
}

#[tokio::test]
async fn structured_output_is_read_into_a_type() {
    let live = Live::start(crabby()).await;
    let options = live.options().output_format(crab_schema());
    let answer = query("Describe a crab", options).await.unwrap();
    let result = answer.result().await.unwrap();
    let asked = live.model.asked(0).await.body.unwrap();
    let tools = asked["tools"].as_array().unwrap();
    assert!(
        tools.iter().any(|it| it["name"] == "StructuredOutput"),
        "{asked}"
    );
    let ferris = Crab {
        name: "Ferris".to_owned(),
        legs: 8,
    };
    assert_eq!(result.structured::<Crab>().unwrap(), ferris);
    assert!(result.structured::<Vec<u8>>().is_err());
}

#[tokio::test]
async fn a_type_is_a_shape_for_structured_output() {
    let live = Live::start(crabby()).await;
    let options = live.options().output_type::<Crab>();
    let answer = query("Describe a crab", options).await.unwrap();
    let result = answer.result().await.unwrap();
    let asked = live.model.asked(0).await.body.unwrap().to_string();
    assert!(asked.contains("Pincers included."), "{asked}");
    assert_eq!(result.structured::<Crab>().unwrap().name, "Ferris");
}

#[tokio::test]
async fn invalid_structured_output_is_requested_again() {
    let wrong = Step::tool("StructuredOutput", json!({ "name": 8 }), "");
    let mut scenario = crabby();
    scenario
        .replies
        .insert(0, Scenario::default().reply([wrong]).replies.remove(0));
    let live = Live::start(scenario).await;
    let options = live.options().output_format(crab_schema());
    let answer = query("Describe a crab", options).await.unwrap();
    let result = answer.result().await.unwrap();
    assert_eq!(result.structured::<Crab>().unwrap().legs, 8);
    assert_eq!(result.num_turns, Some(3));
}

#[tokio::test]
async fn an_invalid_schema_is_an_error_at_the_start() {
    let live = Live::start(hello()).await;
    let mut schema = crab_schema();
    schema["pincers"] = 2.into();
    let options = live.options().output_format(schema);
    let error = Client::connect(options).await.unwrap_err().to_string();
    assert!(error.contains("not a valid JSON Schema"), "{error}");
}

/// Runs a session of two turns. Returns its ID, and the ID of its first reply.
async fn two_turns(live: &Live) -> (String, String) {
    let mut client = Client::connect(live.options()).await.unwrap();
    let mut first = client.send("First question");
    first.turn_ended().await.unwrap();
    let mut answer = None;
    let session = loop {
        let Event::Frame(frame) = client.next().await.unwrap().unwrap() else {
            continue;
        };
        match frame.message() {
            Message::Assistant(said) => answer = said.uuid.clone(),
            Message::Result(result) => break result.session_id.clone().unwrap(),
            _ => {}
        }
    };
    client.send("Second question").turn_ended().await.unwrap();
    client.close().await;
    (session, answer.unwrap())
}

/// Runs a turn. Returns the ID of the session, and everything that the model received.
async fn ask_on(live: &Live, options: Options) -> (String, String) {
    let before = live.model.requests().len();
    let mut client = Client::connect(options).await.unwrap();
    let init = init_of(&mut client).await;
    until_idle(&mut client).await;
    client.close().await;
    let asked = &live.model.requests()[before..];
    let asked = asked.iter().filter_map(|it| it.body.as_ref());
    let told = asked.map(|body| body["messages"].to_string());
    (init.session_id.unwrap(), told.collect())
}

#[tokio::test]
async fn a_session_is_resumed_continued_forked_and_resumed_at_a_message() {
    let live = Live::start(hello()).await;
    let (session, answer) = two_turns(&live).await;

    let cut = live.options().resume(&session).fork_session(true);
    let (id, told) = ask_on(&live, cut.resume_at(&answer)).await;
    assert_ne!(id, session);
    assert!(told.contains("First question") && !told.contains("Second question"));

    let own = "22222222-2222-4222-8222-222222222222";
    let fork = live.options().resume(&session).fork_session(true);
    let (id, told) = ask_on(&live, fork.session_id(own)).await;
    assert_eq!(id, own);
    assert!(told.contains("First question") && told.contains("Second question"));

    let (id, told) = ask_on(&live, live.options().resume(&session)).await;
    assert_eq!(id, session);
    assert!(told.contains("First question") && told.contains("Second question"));

    let (id, told) = ask_on(&live, live.options().continue_latest(true)).await;
    assert_eq!(id, session);
    assert!(told.contains("Second question"));
}

#[tokio::test]
async fn a_session_that_is_not_kept_cannot_be_resumed() {
    let live = Live::start(hello()).await;
    let options = live.options().persist_session(false);
    let (session, _) = ask_on(&live, options).await;
    for id in [&*session, "no \"title\" of a session"] {
        for fork in [false, true] {
            let options = live.options().resume(id).fork_session(fork);
            is_missing(options, id).await;
        }
    }
}

#[tokio::test]
async fn a_transcript_that_does_not_exist_cannot_be_resumed() {
    let live = Live::start(hello()).await;
    let file = live.home.path().join("none.jsonl");
    let file = file.to_str().unwrap();
    is_missing(live.options().resume(file), file).await;
}

/// Asserts that connecting fails because no such session exists.
async fn is_missing(options: Options, id: &str) {
    match Client::connect(options).await {
        Err(Error::NoSuchSession {
            session_id,
            message,
        }) => {
            assert_eq!(session_id, id);
            assert!(!message.is_empty());
        }
        // On a slow machine, 2.0.77 responds to `initialize` before it looks for the session.
        Ok(mut client) => loop {
            match client.next().await.expect("an error before the end") {
                Ok(_) => {}
                Err(Error::Ended(end)) => {
                    assert_eq!(end.reason, EndReason::ExitedBeforeFirstTurn);
                    break;
                }
                Err(error) => panic!("{error}"),
            }
        },
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn unusual_values_are_passed_intact() {
    let live = Live::start(hello()).await;
    let odd = "--version\n\"quotes\" 'and' $HOME `id` \\ \u{1f980} é";
    let long = "x".repeat(200 * 1024);
    let options = live
        .options()
        .system_prompt_blocks([odd, DYNAMIC_BOUNDARY, &long])
        .title("--help")
        .agents([("--odd", AgentDefinition::new(odd, &long))])
        .additional_directories([live.home.path().join("--bare\nx")])
        .model("--dangerously-skip-permissions");
    let mut client = Client::connect(options).await.unwrap();
    let init = init_of(&mut client).await;
    assert_eq!(
        init.model.as_deref(),
        Some("--dangerously-skip-permissions")
    );
    until_idle(&mut client).await;
    let asked = live.model.asked(0).await.body.unwrap();
    let system = asked["system"].as_array().unwrap();
    let system: String = system.iter().filter_map(|it| it["text"].as_str()).collect();
    assert!(system.contains(odd), "{system:.2000}");
    assert!(system.contains(&long));
    assert!(!system.contains(DYNAMIC_BOUNDARY));
    client.close().await;
}

#[tokio::test]
async fn verbatim_prompts_are_not_expanded() {
    let live = Live::start(hello()).await;
    let options = live.options().verbatim_prompts(true);
    let answer = query("/clear", options).await.unwrap();
    answer.result().await.unwrap();
    let asked = live.model.asked(0).await.body.unwrap();
    assert!(asked["messages"].to_string().contains("/clear"), "{asked}");
}

#[tokio::test]
async fn options_without_effect_are_reported_at_the_start() {
    let scenario = Scenario::default()
        .reply([Step::tool("Bash", json!({ "command": "touch made" }), "")])
        .reply([Step::text("Done.")]);
    let live = Live::start(scenario).await;
    let options = live
        .options()
        .on_permission(|_| async { PermissionResult::deny("No.") })
        .allowed_tools(["Bash"]);
    let mut client = Client::connect(options).await.unwrap();
    let Some(Ok(Event::Notice(Notice::IgnoredOption(it)))) = client.next().await else {
        panic!("nothing is told")
    };
    assert_eq!(it.by, "--allowedTools=Bash");
    client.send("Make it").turn_ended().await.unwrap();
    assert!(live.project().join("made").exists());
    client.close().await;
}

#[tokio::test]
async fn the_cli_refuses_what_this_library_refuses() {
    let id = "11111111-1111-4111-8111-111111111111";
    let live = Live::start(hello()).await;
    for flags in [
        // The CLI accepts the combinations that this library accepts.
        &[][..],
        &[("--session-id", "x")],
        &[("--session-id", id), ("--resume", id)],
        &[("--resume-session-at", id)],
        &[("--resume-drops-turn", id)],
        &[("--max-budget-usd", "0")],
    ] {
        let set = |options: Options| {
            flags.iter().fold(options, |options, (flag, value)| {
                options.flag_value(*flag, *value)
            })
        };
        let ours = Client::connect(set(live.options())).await;
        let is_fine = flags.is_empty();
        let is_refused = matches!(ours, Err(Error::Option { .. }));
        assert_eq!(is_refused, !is_fine, "{flags:?}");
        let mut cli = tokio::process::Command::new(crate::support::live_cli());
        let run = cli
            .args(Options::new().arguments().unwrap())
            .args(flags.iter().map(|(flag, value)| format!("{flag}={value}")))
            .env_clear()
            .envs(live.environment())
            .current_dir(live.project())
            .stdin(std::process::Stdio::null())
            .output()
            .await
            .unwrap();
        assert_eq!(run.status.success(), is_fine, "{flags:?}");
    }
}

#[tokio::test]
async fn a_model_that_the_agent_replaces_is_noticed() {
    let noticed = async |model: &str| {
        let live = Live::start(hello()).await;
        let options = live.options().model(model);
        let options = options.permission_mode(PermissionMode::Plan);
        let mut client = Client::connect(options).await.unwrap();
        client.send("Hello?");
        let mut notices = vec![];
        wait_for(&mut client, |event| match event {
            Event::Notice(Notice::NotAsConfigured { option, .. }) => {
                notices.push(*option);
                None
            }
            Event::Activity(Activity::Idle) => Some(()),
            _ => None,
        })
        .await;
        client.close().await;
        notices
    };
    // This model is no longer available.
    assert_eq!(noticed("claude-opus-4-20250514").await, ["model"]);
    for model in ["opus", "sonnet[1m]", "claude-sonnet-4-5", "gateway/model"] {
        assert_eq!(noticed(model).await, [""; 0], "{model}");
    }
}
