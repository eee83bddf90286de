use agentwire::control::StopPolicy;
use agentwire::{Client, Error, Options};
use std::time::Duration;
use tokio::time::timeout;

pub async fn run(options: Options) -> Result<(), Error> {
    let client = Client::connect(options).await?;
    let answer = client.prompt("Count to a million.");
    match timeout(Duration::from_secs(5), answer).await {
        Ok(result) => println!("{}", result?.text()),
        Err(_) => println!("{}", client.stop(StopPolicy::default()).await?),
    }
    let result = client.prompt("Are you still there?").await?;
    println!("{}", result.text());
    Ok(())
}
