use agentwire::{Error, Event, Message, Options, query};

pub async fn run(options: Options) -> Result<(), Error> {
    let mut answer = query("Hello", options).await?;
    while let Some(event) = answer.next().await {
        if let Event::Frame(frame) = event?
            && let Message::Unknown(_) = frame.message()
        {
            println!("{}: {:?}", frame.kind(), frame.member("cups"));
        }
    }
    Ok(())
}
