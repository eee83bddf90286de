use agentwire::{Client, Error, Message, Options, Turn};

pub async fn run(options: Options) -> Result<(), Error> {
    let client = Client::connect(options.model("claude-haiku-4-5")).await?;
    let quick = client.send("A quick one.").turn();
    println!("quick: {}", model_of(quick).await?);
    client.set_model("claude-opus-5-5");
    let hard = client.send("A hard one.").turn();
    println!("hard: {}", model_of(hard).await?);
    Ok(())
}

async fn model_of(turn: Turn) -> Result<String, Error> {
    let mut messages = turn.messages();
    while let Some(message) = messages.next().await {
        if let Message::Assistant(said) = message? {
            return Ok(said.message.model.unwrap_or_default());
        }
    }
    Ok("no message".to_owned())
}
