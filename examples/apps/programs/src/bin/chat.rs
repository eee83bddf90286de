//! A chat in the terminal: text as it is written, permission prompts with "yes",
//! "no" and "always", `/model NAME`; Ctrl-C interrupts the turn.

use agentwire::terminal::TerminalPrompter;
use agentwire::{Client, Error, Options};
use std::io::{Write, stdin, stdout};

fn read_line() -> Option<String> {
    print!("\n> ");
    stdout().flush().ok()?;
    stdin().lines().next()?.ok()
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let options = Options::new()
        .partial_messages(true)
        .permission_handler(TerminalPrompter::new());
    let client = Client::connect(options).await?;
    let handle = client.handle().clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            handle.interrupt();
        }
    });
    while let Some(line) = tokio::task::block_in_place(read_line) {
        if let Some(model) = line.strip_prefix("/model ") {
            client.set_model(model).await?;
            continue;
        }
        let mut texts = client.send(line).turn().texts();
        while let Some(text) = texts.next().await {
            match text {
                Ok(text) => print!("{text}"),
                Err(error) => eprintln!("{error}"),
            }
            stdout().flush().ok();
        }
    }
    Ok(())
}
