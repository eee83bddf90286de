use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    let one = Client::connect(options.clone()).await?;
    let other = Client::connect(options).await?;

    // In a handler of SIGTERM, and before `std::process::exit`:
    let reports = tokio::task::spawn_blocking(agentwire::close_all).await;
    for report in reports.unwrap_or_default() {
        println!("{:?}, left: {}", report.step, report.remaining.len());
    }
    drop((one, other));
    Ok(())
}
