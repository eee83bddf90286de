use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let client = Client::connect(options.partial_messages(true)).await?;
    let mut novel = client.send("Write a novel.");
    let mut texts = novel.turn().texts();
    if let Some(text) = texts.next().await {
        println!("{}", text?);
    }
    drop(texts);

    // A handle works in every task, for example in one that waits for Ctrl-C.
    let handle = client.handle();
    let interrupted = handle.interrupt().outcome().await?;
    if let Some(turn) = interrupted.turn {
        println!("the turn: {}", turn.outcome);
    }
    println!("the message: {}", novel.final_state().await);
    Ok(())
}
