use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let client = Client::connect(options).await?;
    client.prompt("Hello").await?;
    let context = client.context_usage().await?;
    println!("of {} tokens, some are used: {}", context.max_tokens, context.total_tokens > 0);
    Ok(())
}
