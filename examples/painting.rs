//! Rendering for a user interface: streamed text, tool inputs before they are
//! complete, and the conversation stored as JSON.
//!
//! ```text
//! cargo run --example painting --features conversation
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::protocol::content::ContentBlock;
use agentwire::protocol::conversation::{Assembler, Change, Conversation, Place};
use agentwire::{Activity, Client, Event, Options, PermissionResult, UserMessage};
use agentwire_testkit::{Scenario, Step, fake_agent};
use std::io::Write;

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
        .on_permission(|_| async { PermissionResult::allow() });

    let mut client = Client::connect(options).await?;
    let mut assembler = Assembler::default();

    // The user's message is displayed at once, without an echo from the agent.
    let prompt = UserMessage::text("Write a poem about crabs.");
    assembler.push(&prompt.clone().into());
    client.send(prompt);

    while let Some(event) = client.next().await {
        match event? {
            Event::Frame(frame) => {
                let message = frame.message();
                if let Some(change) = assembler.push(&message) {
                    paint(change, &mut assembler)?;
                }
            }
            Event::Activity(Activity::Idle) => break,
            _ => {}
        }
    }
    client.close().await;

    // A window that opens later reads the stored conversation and continues from
    // there.
    let kept = serde_json::to_string(assembler.conversation())?;
    let conversation: Conversation = serde_json::from_str(&kept)?;
    println!("\n{} bytes of JSON hold:", kept.len());
    for entry in &conversation.entries {
        match entry.reply() {
            Some(reply) => println!("  a reply, {}, {} blocks", reply.state, reply.blocks.len()),
            None => println!("  {}", entry.tag().unwrap_or_default()),
        }
    }
    Ok(())
}

fn paint(change: Change<'_>, assembler: &mut Assembler) -> std::io::Result<()> {
    match change {
        Change::Thinking { thinking, .. } => print!("{thinking}"),
        Change::Text { text, .. } => print!("{text}"),
        // In a partial input, strings may be truncated and the last members may be
        // missing.
        Change::ToolInput { at, block, .. } => {
            let Place { thread, entry } = at;
            let reply = assembler.conversation().thread(thread)[entry].reply();
            if let Some(ContentBlock::ToolUse(call)) = reply.and_then(|it| it.content().get(block))
            {
                println!("  {} {}", call.name, call.input);
            }
        }
        Change::Added(_) => println!(),
        _ => {}
    }
    std::io::stdout().flush()
}

/// The script of the fake agent.
fn script() -> Scenario {
    let poem = serde_json::json!({"file_path": "poem.txt", "content": "Sideways, sideways.\n"});
    Scenario::default()
        .reply([
            Step::thinking("What rhymes with crab?"),
            Step::text("I will write it down."),
            Step::tool("Write", poem, "written"),
        ])
        .reply([Step::text("It is in poem.txt.")])
}
