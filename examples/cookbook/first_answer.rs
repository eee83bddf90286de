use agentwire::{Error, Options, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let result = prompt("What is 2 + 2?", options).await?;
    println!("{}", result.error_for_result()?.text());
    Ok(())
}
