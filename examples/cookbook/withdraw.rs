use agentwire::protocol::message::Priority;
use agentwire::{Client, Error, Options, UserMessage};

pub async fn run(options: Options) -> Result<(), Error> {
    let mut client = Client::connect(options.partial_messages(true)).await?;
    let novel = client.send("Write a novel.");
    novel.turn().texts().next().await.transpose()?;

    let later = UserMessage::text("And then a play.").priority(Priority::Later);
    let mut play = client.send(later);
    let answer = play.cancel().await?;
    println!("withdrawn: {}", answer.cancelled);
    println!("{}", play.final_state().await);
    client.interrupt().await?;
    client.close().await;
    Ok(())
}
