use agentwire::protocol::content::{ContentBlock, ImageBlock, Source};
use agentwire::{Options, UserMessage, prompt};
use std::error::Error;

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    // For a file: `.with(agentwire::attach("chart.png").await?)`.
    let message = UserMessage::text("Does the chart show what the notes say?")
        .with(ImageBlock::new(Source::url("https://example.com/chart.png")))
        .with(ContentBlock::attachment("notes.md", "# Crabs\nMany.\n")?);
    println!("{} blocks", message.blocks().len());
    println!("{}", prompt(message, options).await?.text());
    Ok(())
}
