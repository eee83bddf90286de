//! Control requests, tools inside the host, and interrupts.

use crate::lab::{Bench, Fault, Lab, ask, bash, ensure, flows, until_idle};
use crate::support::{says, wait_for};
use agentwire::mcp::Tools;
use agentwire::protocol::mcp::{McpServerConfig, McpStdioServer};
use agentwire::protocol::permission::PermissionMode;
use agentwire::{Client, Later, Options, PermissionResult, SubmissionState, TurnOutcome};
use agentwire_testkit::{Scenario, Step};
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

flows! {
    "interrupt an idle session" => interrupt_idle,
    "interrupt while the model streams" => interrupt_streaming,
    "interrupt while a tool runs" => interrupt_tool,
    "interrupt while a permission request is pending" => interrupt_ask,
    "set_model" => set_model,
    "set_permission_mode" => set_permission_mode,
    "set_max_thinking_tokens" => set_max_thinking_tokens,
    "mcp_status" => mcp_status,
    "mcp_set_servers" => mcp_set_servers,
    "in-process tool" => in_process_tool,
    "rewind_files" => rewind_files,
    "context_usage" => context_usage,
    "settings request" => settings,
    "stop_task" => stop_task,
    "a request that no CLI knows" => unknown,
}

async fn connect(bench: &Bench) -> Result<Client, Fault> {
    Ok(Client::connect(bench.allowing()).await?)
}

async fn interrupt_idle(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let mut client = connect(&bench).await?;
    client.interrupt().await?;
    ask(&mut client, "Hi").await?.well()?;
    Ok(())
}

/// Interrupts the turn, and has another one.
async fn interrupt(
    client: &mut Client,
    submission: &mut agentwire::Submission,
) -> Result<(), Fault> {
    let interrupted = client.interrupt().outcome().await?;
    let outcome = interrupted.turn.map(|turn| turn.outcome);
    ensure!(outcome == Some(TurnOutcome::Interrupted), "{outcome:?}");
    let ended = submission.final_state().await;
    ensure!(ended == SubmissionState::Interrupted, "{ended}");
    let mut second = client.send("And?");
    wait_for(client, says("end")).await;
    let ended = second.final_state().await;
    ensure!(ended == SubmissionState::Completed, "{ended}");
    Ok(())
}

async fn interrupt_streaming(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([Step::text("Once upon "), Step::WaitMs(600_000)])
        .reply([Step::text("The end.")]);
    let bench = lab.start(scenario).await;
    let mut client = connect(&bench).await?;
    let mut submission = client.send("Tell a story");
    wait_for(&mut client, says("upon")).await;
    interrupt(&mut client, &mut submission).await
}

async fn interrupt_tool(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([bash("touch here; while :; do sleep 0.1; done")])
        .reply([Step::text("The end.")]);
    let bench = lab.start(scenario).await;
    let mut client = connect(&bench).await?;
    let mut submission = client.send("Dig");
    crate::closing::until_there(&bench.live.project().join("here")).await;
    interrupt(&mut client, &mut submission).await
}

async fn interrupt_ask(lab: Lab) -> Result<(), Fault> {
    let scenario = Scenario::default()
        .reply([bash("touch made")])
        .reply([Step::text("The end.")]);
    let bench = lab.start(scenario).await;
    let (sender, mut asks) = mpsc::unbounded_channel();
    let options = bench.options().on_permission(move |ask| {
        sender.send(ask).unwrap();
        async { Later }
    });
    let mut client = Client::connect(options).await?;
    let mut submission = client.send("Make it");
    let pending = asks.recv().await.unwrap();
    interrupt(&mut client, &mut submission).await?;
    let late = client
        .respond(&pending.request_id, PermissionResult::allow())
        .await;
    ensure!(late.is_err(), "a late answer went");
    ensure!(!bench.live.project().join("made").exists(), "the tool ran");
    Ok(())
}

async fn set_model(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let mut client = connect(&bench).await?;
    client.set_model("claude-haiku-4-5").await?;
    ask(&mut client, "Hi").await?.well()?;
    let asked = bench.live.model.asked(0).await.body.unwrap();
    ensure!(
        asked["model"]
            .as_str()
            .unwrap()
            .starts_with("claude-haiku-4-5"),
        "{}",
        asked["model"]
    );
    Ok(())
}

async fn set_permission_mode(lab: Lab) -> Result<(), Fault> {
    let write = Step::tool("Write", json!({"file_path": "made", "content": "x"}), "");
    let bench = lab
        .start(
            Scenario::default()
                .reply([write])
                .reply([Step::text("Fine.")]),
        )
        .await;
    let options = bench
        .options()
        .on_permission(|_| async { PermissionResult::deny("asked") });
    let mut client = Client::connect(options).await?;
    client
        .set_permission_mode(PermissionMode::AcceptEdits)
        .await?;
    let turn = ask(&mut client, "Write it").await?.well()?;
    ensure!(bench.live.project().join("made").exists(), "{:?}", turn.log);
    Ok(())
}

async fn set_max_thinking_tokens(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let mut client = connect(&bench).await?;
    client.set_max_thinking_tokens(Some(2000)).await?;
    ask(&mut client, "Hi").await?.well()?;
    Ok(())
}

async fn mcp_status(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let client = connect(&bench).await?;
    client.mcp_status().await?;
    Ok(())
}

async fn mcp_set_servers(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let client = connect(&bench).await?;
    let broken: McpServerConfig = McpStdioServer::new("false", [""; 0]).into();
    client.mcp_set_servers([("broken", broken)]).await?;
    let servers = client.mcp_status().await?.mcp_servers;
    ensure!(servers.iter().any(|it| it.name == "broken"), "{servers:?}");
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Add {
    a: i64,
    b: i64,
}

/// Options with a tool inside the host.
pub(crate) fn with_calc(options: Options) -> Options {
    let add = |input: Add| async move { Ok::<_, String>(input.a + input.b) };
    options.mcp_server("calc", Tools::new().read_only_tool("add", "Adds.", add))
}

async fn in_process_tool(lab: Lab) -> Result<(), Fault> {
    let call = Step::tool("mcp__calc__add", json!({"a": 40, "b": 2}), "");
    let bench = lab
        .start(
            Scenario::default()
                .reply([call])
                .reply([Step::text("Fine.")]),
        )
        .await;
    let mut client = Client::connect(with_calc(bench.allowing())).await?;
    let turn = ask(&mut client, "Add").await?.well()?;
    ensure!(turn.has("tool answered: 42"), "{:?}", turn.log);
    Ok(())
}

async fn rewind_files(lab: Lab) -> Result<(), Fault> {
    let write = Step::tool(
        "Write",
        json!({"file_path": "poem", "content": "Roses"}),
        "",
    );
    let bench = lab
        .start(
            Scenario::default()
                .reply([write])
                .reply([Step::text("Fine.")]),
        )
        .await;
    let options = bench.allowing().file_checkpointing(true);
    let mut client = Client::connect(options).await?;
    let mut submission = client.send("Write a poem");
    until_idle(&mut client).await?.well()?;
    submission.final_state().await;
    let poem = bench.live.project().join("poem");
    ensure!(poem.exists(), "nothing was written");
    let done = client.rewind_files(submission.uuid()).await?;
    ensure!(done.can_rewind && !poem.exists(), "{done:?}");
    Ok(())
}

async fn context_usage(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let mut client = connect(&bench).await?;
    ask(&mut client, "Hi").await?.well()?;
    let usage = client.context_usage().await?;
    ensure!(usage.max_tokens.to_string() != "0", "{usage:?}");
    Ok(())
}

async fn settings(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let client = connect(&bench).await?;
    client.settings().await?;
    Ok(())
}

async fn stop_task(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let client = connect(&bench).await?;
    match client.stop_task("no such task").await {
        // Some versions refuse an unknown ID.
        Ok(_) => Ok(()),
        Err(error) if error.to_string().contains("no such task") => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// It ends with an error that names the request; the session goes on.
async fn unknown(lab: Lab) -> Result<(), Fault> {
    let bench = lab.start(crate::turns::hello()).await;
    let mut client = connect(&bench).await?;
    let Err(error) = client.request_raw("make_coffee", json!({})).await else {
        return Err(Fault::Wrong("it was done".to_owned()));
    };
    ensure!(error.to_string().contains("make_coffee"), "{error}");
    ask(&mut client, "Hi").await?.well()?;
    Ok(())
}
