use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let mut client = Client::connect(options).await?;
    client.prompt("Hello").await?;
    let report = client.close().await;
    println!("{:?}, {:?}", report.step, report.exit.and_then(|it| it.code()));
    println!("processes left: {}", report.remaining.len());
    Ok(())
}
