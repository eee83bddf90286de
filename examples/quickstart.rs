//! A complete session: a streamed response, a permission request, a tool
//! result.
//!
//! ```text
//! cargo run --example quickstart
//! ```
//!
//! runs with the fake agent and requires no set-up. With a prompt as its argument,
//! it runs with the real CLI:
//!
//! ```text
//! cargo run --example quickstart -- "What is in this directory?"
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::protocol::content::{Content, ContentBlock};
use agentwire::{Error, Event, Message, Options, PermissionResult, query};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;
use std::io::Write;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent: it starts itself again, with a script
    // in the environment. Cargo builds no other binary for an example.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    match std::env::args().nth(1) {
        Some(prompt) => converse(&prompt, Options::new()).await?,
        None => {
            let options = Options::new()
                .cli(std::env::current_exe()?)
                .env(fake_agent::SCRIPT, script().to_json());
            converse("Who is there?", options).await?;
            println!("\nThat was the fake agent. With the real one, if you have it:");
            println!("    cargo run --example quickstart -- \"What is in this directory?\"");
        }
    }
    Ok(())
}

async fn converse(prompt: &str, options: Options) -> Result<(), Error> {
    println!("> {prompt}");
    let options = options
        .partial_messages(true)
        .on_permission(|ask| async move {
            println!(
                "[asked]  may {} run with {}? yes",
                ask.request.tool_name, ask.request.input
            );
            PermissionResult::allow()
        });

    let mut answer = query(prompt, options).await?;
    while let Some(event) = answer.next().await {
        let Event::Frame(frame) = event? else {
            continue;
        };
        let message = frame.message();
        if let Some(text) = message.text_delta() {
            print!("{text}");
            std::io::stdout().flush().ok();
        }
        match &message {
            Message::Assistant(said) => {
                if matches!(said.message.content[..], [ContentBlock::Text(_)]) {
                    println!();
                }
            }
            Message::User(user) => {
                for result in user.tool_results() {
                    let text = result.content.as_ref().map(Content::text);
                    println!("[tool]   {}", text.unwrap_or_default());
                }
            }
            Message::Result(result) => match result.error_text() {
                None => println!("[done]"),
                Some(error) => println!("[failed] {error}"),
            },
            _ => {}
        }
    }
    Ok(())
}

/// The script of the fake agent.
fn script() -> Scenario {
    let pause = Duration::from_millis(60);
    Scenario::default()
        .reply([
            Step::chunks(["Let me ", "see ", "who ", "is ", "logged ", "in."], pause),
            Step::WaitMs(60),
            Step::tool("Bash", json!({ "command": "whoami" }), "ferris"),
        ])
        .reply([Step::chunks(
            [
                "It ", "is ", "ferris, ", "as ", "far ", "as ", "I ", "can ", "tell.",
            ],
            pause,
        )])
}
