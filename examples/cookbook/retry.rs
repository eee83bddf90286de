use agentwire::{Client, Error, Options};
use std::time::Duration;

pub async fn run(options: Options) -> Result<(), Error> {
    // By default the CLI retries ten times before it reports the error.
    let options = options.env("CLAUDE_CODE_MAX_RETRIES", "0");
    let client = Client::connect(options).await?;
    let mut pause = Duration::from_millis(10);
    let result = loop {
        let result = client.prompt("Hello").await?;
        if !result.is_retryable() || pause > Duration::from_secs(60) {
            break result;
        }
        let status = result.api_error_status.unwrap_or_default();
        println!("HTTP {status}: again in {pause:?}");
        tokio::time::sleep(pause).await;
        pause *= 2;
    };
    println!("{}", result.error_for_result()?.text());
    Ok(())
}
