use agentwire::{Client, Error, Event, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let mut client = Client::connect(options).await?;
    let mut log = client.subscribe();
    let logger = tokio::spawn(async move {
        let mut results = 0;
        while let Some(Ok(event)) = log.next().await {
            results += usize::from(matches!(&event, Event::Frame(it) if it.kind() == "result"));
        }
        results
    });
    let mut texts = client.send("Tell me a story.").turn().texts();
    while let Some(text) = texts.next().await {
        println!("{}", text?);
    }
    client.close().await;
    println!("results in the log: {}", logger.await.unwrap_or_default());
    Ok(())
}
