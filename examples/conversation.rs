//! A conversation of several turns: messages sent while the agent works, control
//! requests, and a clean shutdown with its report.
//!
//! ```text
//! cargo run --example conversation
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::{Activity, Client, Error, Event, Message, Options};
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, script().to_json());

    let mut client = Client::connect(options).await?;
    if let Some(pid) = client.pid() {
        println!("connected to process {pid}");
    }

    client.send("Tell me a story.");
    read_turn(&mut client).await?;

    // Requests are sent in call order: the first of these messages runs on the
    // old model, the second on the new one.
    client.send("Once more.");
    client.set_model("another-model");
    client.send("And with another model?");
    read_turn(&mut client).await?;

    // A handle can be used anywhere. Here it interrupts a turn from another task.
    let handle = client.handle();
    client.send("A long one, please.");
    let interruption = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        handle.interrupt().await
    });
    read_turn(&mut client).await?;
    let receipt = interruption.await??;
    println!(
        "interrupted; {} messages were queued",
        receipt.still_queued.map_or(0, |all| all.len())
    );

    let report = client.close().await;
    println!(
        "closed in {:?}: {:?}, nothing left: {}",
        report.took,
        report.step,
        report.remaining.is_empty()
    );
    Ok(())
}

/// Prints messages until the session is idle.
async fn read_turn(client: &mut Client) -> Result<(), Error> {
    while let Some(event) = client.next().await {
        match event? {
            Event::Frame(frame) => match frame.message() {
                Message::Assistant(said) => {
                    let model = said.message.model.unwrap_or_default();
                    for text in said
                        .message
                        .content
                        .iter()
                        .filter_map(|block| block.as_text())
                    {
                        println!("[{model}] {text}");
                    }
                }
                Message::Result(result) => println!("[{}]", result.subtype),
                _ => {}
            },
            Event::Activity(Activity::Idle) => break,
            _ => {}
        }
    }
    Ok(())
}

/// The script of the fake agent.
fn script() -> Scenario {
    Scenario::default()
        .reply([Step::text("There was a crab.")])
        .reply([Step::text("There was a crab again.")])
        .reply([Step::text("There was another crab.")])
        .reply([
            Step::text("There were so many crabs that "),
            Step::WaitMs(60_000),
        ])
}
