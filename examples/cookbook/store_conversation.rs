// Requires the feature `conversation`.
use agentwire::protocol::conversation::{Assembler, Conversation};
use agentwire::{Options, UserMessage, query};
use std::error::Error;

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let mut assembler = Assembler::default();
    let prompt = UserMessage::text("Write a poem.");
    assembler.push(&prompt.clone().into());
    let mut messages = query(prompt, options).await?.messages();
    while let Some(message) = messages.next().await {
        assembler.push(&message?);
    }
    let stored = serde_json::to_string(assembler.conversation())?;

    let conversation: Conversation = serde_json::from_str(&stored)?;
    for entry in conversation.entries.iter().filter_map(|it| it.reply()) {
        println!("{}: {} blocks", entry.state, entry.blocks.len());
    }
    Ok(())
}
