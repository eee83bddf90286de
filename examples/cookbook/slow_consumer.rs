use agentwire::options::Backpressure;
use agentwire::{Client, Error, Event, Notice, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options
        .unread_limit(64 * 1024)
        .backpressure(Backpressure::DropOldest);
    let mut client = Client::connect(options).await?;
    client.prompt("Write a lot.").await?;
    for stream in client.unread().await?.streams {
        println!("unread, at most 64 KiB: {}", stream.bytes <= 64 * 1024);
    }
    if let Some(Event::Notice(Notice::Lagged { events, .. })) = client.next().await.transpose()? {
        println!("events were dropped: {}", events > 0);
    }
    Ok(())
}
