use agentwire::{Error, Options, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let result = prompt("Hello", options.model("no-such-model")).await?;
    println!("failed: {}", result.is_error);
    println!("HTTP status: {:?}", result.api_error_status);
    match result.error_for_result() {
        Ok(result) => println!("{}", result.text()),
        Err(failed) => println!("{failed}"),
    }
    Ok(())
}
