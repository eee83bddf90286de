//! Images, PDFs and texts in a prompt: attaching files, building blocks by hand,
//! and files that cannot be attached.
//!
//! ```text
//! cargo run --example attachments
//! ```
//!
//! runs with the fake agent and requires no set-up. With paths as its arguments,
//! it asks the real CLI about those files:
//!
//! ```text
//! cargo run --example attachments -- README.md
//! ```

#![allow(clippy::print_stdout, reason = "it is what an example does")]

use agentwire::protocol::content::{ContentBlock, DocumentBlock, ImageBlock, Source};
use agentwire::{Error, Options, UserMessage, attach, query};
use agentwire_testkit::{Scenario, Step, fake_agent};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This program is its own fake agent; see `quickstart`.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let files: Vec<String> = std::env::args().skip(1).collect();
    if !files.is_empty() {
        let mut prompt = UserMessage::text("What is in these files?");
        for file in files {
            prompt = prompt.with(attach(file).await?);
        }
        return Ok(ask(prompt, Options::new()).await?);
    }

    let options = Options::new()
        .cli(std::env::current_exe()?)
        .env(fake_agent::SCRIPT, script().to_json());

    // The kind of block depends on the bytes of the file. This file is a text.
    let prompt = UserMessage::text("Does the chart show what the notes say?")
        .with(attach(concat!(env!("CARGO_MANIFEST_DIR"), "/", file!())).await?)
        // Bytes in memory are attached in the same way.
        .with(ContentBlock::attachment("notes.md", "# Crabs\nMany.\n")?)
        // Build blocks by hand: an image that the API fetches, and a document that the
        // model may cite.
        .with(ImageBlock::new(Source::url(
            "https://example.com/chart.png",
        )))
        .with(
            DocumentBlock::new(Source::text("There are 7,000 species."))
                .title("A book about crabs")
                .context("Printed in 1998.")
                .cited(),
        );
    for block in &*prompt.blocks() {
        println!("{}", describe(block));
    }

    // The API does not accept archives. The error says what to do instead.
    if let Err(error) = ContentBlock::attachment("crabs.zip", b"PK\x05\x06\0\0") {
        println!("[no]       {error}");
    }
    Ok(ask(prompt, options).await?)
}

async fn ask(prompt: UserMessage, options: Options) -> Result<(), Error> {
    let result = query(prompt, options).await?.result().await?;
    println!("{}", result.result.unwrap_or_default());
    Ok(())
}

fn describe(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Image(image) => match &image.source {
            Source::Url(source) => format!("[image]    {}", source.url),
            _ => "[image]    in the prompt".to_owned(),
        },
        ContentBlock::Document(document) => format!(
            "[document] {}",
            document.title.as_deref().unwrap_or("without a title")
        ),
        block => format!("[text]     {}", block.as_text().unwrap_or_default()),
    }
}

/// The script of the fake agent.
fn script() -> Scenario {
    Scenario::default().reply([Step::text("It shows as many crabs as the notes do.")])
}
