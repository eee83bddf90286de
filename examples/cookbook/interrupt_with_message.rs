use agentwire::protocol::message::Priority;
use agentwire::{Client, Error, Options, UserMessage};

pub async fn run(options: Options) -> Result<(), Error> {
    let client = Client::connect(options.partial_messages(true)).await?;
    let mut novel = client.send("Write a novel.");
    novel.turn().texts().next().await.transpose()?;

    let urgent = UserMessage::text("Stop! A poem, please.").priority(Priority::Now);
    let result = client.prompt(urgent).await?;
    println!("the novel: {}", novel.turn_ended().await?.outcome);
    println!("{}", result.text());
    Ok(())
}
