use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let client = Client::connect(options).await?;
    let mut first = client.send("One thing.");
    let mut second = client.send("Another thing.");

    for submission in [&mut first, &mut second] {
        let end = submission.turn_ended().await?;
        println!("{} by turn {}", submission.final_state().await, end.turn);
    }
    Ok(())
}
