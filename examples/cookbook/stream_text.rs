use agentwire::{Error, Options, query};
use std::io::Write;

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options.partial_messages(true);
    let mut texts = query("Tell me a story.", options).await?.texts();
    while let Some(text) = texts.next().await {
        print!("{}", text?);
        std::io::stdout().flush().ok();
    }
    println!();
    Ok(())
}
