use agentwire::{Client, Error, Options};
use serde_json::json;

pub async fn run(options: Options) -> Result<(), Error> {
    let client = Client::connect(options).await?;
    match client.request_raw("make_coffee", json!({ "cups": 2 })).await {
        Ok(answer) => println!("{answer}"),
        Err(Error::NotSupported { subtype, .. }) => println!("no {subtype} here"),
        Err(error) => return Err(error),
    }
    Ok(())
}
