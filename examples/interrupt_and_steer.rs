//! Controlling turns: interrupting a turn, replacing it with a message that does
//! not wait, and redirecting it by denying a tool call with a reason.
//!
//! ```text
//! cargo run --example interrupt_and_steer
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::protocol::message::Priority;
use agentwire::{Client, Error, Event, Options, PermissionResult, UserMessage};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, script().to_json())
        .partial_messages(true)
        .on_permission(|ask| async move {
            println!("  [asked]  {}", ask.request.input);
            match ask.request.input.to_string().contains("make") {
                true => PermissionResult::deny("There is no make here. Use cargo."),
                false => PermissionResult::allow(),
            }
        });
    let mut client = Client::connect(options).await?;

    println!("An interrupt ends the turn, and nothing else:");
    let mut novel = client.send("Write a novel.");
    until_it_writes(&mut client).await?;
    let interrupted = client.interrupt().outcome().await?;
    if let Some(turn) = interrupted.turn {
        println!("  the turn: {}", turn.outcome);
    }
    println!("  the novel: {:?}", novel.final_state().await);

    println!("A message that does not wait ends it as well, and runs next:");
    let mut story = client.send("Then a story.");
    until_it_writes(&mut client).await?;
    let mut poem = UserMessage::text("Stop! A poem.");
    poem.priority = Some(Priority::Now);
    let mut poem = client.send(poem);
    for (name, submission) in [("story", &mut story), ("poem", &mut poem)] {
        if let Ok(end) = submission.turn_ended().await {
            println!("  the {name}: {}", end.outcome);
        }
    }

    println!("A denial steers: the model reads why.");
    let model = client.set_model("a-better-model").await?.model;
    println!("  [model]  {}", model.unwrap_or_default());
    let mut build = client.send("Build it.");
    if let Ok(end) = build.turn_ended().await {
        println!("  the build: {}", end.outcome);
    }
    client.close().await;
    Ok(())
}

async fn until_it_writes(client: &mut Client) -> Result<(), Error> {
    while let Some(event) = client.next().await {
        if let Event::Frame(frame) = event?
            && frame.message().text_delta().is_some()
        {
            break;
        }
    }
    Ok(())
}

/// The script of the fake agent.
fn script() -> Scenario {
    Scenario::default()
        .reply([Step::text("It was a dark and "), Step::WaitMs(60_000)])
        .reply([Step::text("Once upon a time "), Step::WaitMs(60_000)])
        .reply([Step::text("Roses are red.")])
        .reply([Step::tool("Bash", json!({ "command": "make" }), "not run")])
        .reply([Step::tool(
            "Bash",
            json!({ "command": "cargo build" }),
            "Finished",
        )])
        .reply([Step::text("It is built.")])
}
