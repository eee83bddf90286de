use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let mut client = Client::connect(options).await?;
    for question in ["My name is Ferris.", "What is my name?"] {
        let result = client.prompt(question).await?.error_for_result()?;
        println!("{}", result.text());
    }
    client.close().await;
    Ok(())
}
