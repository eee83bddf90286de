//! The answer to one prompt.

use agentwire::{Error, Options, prompt};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let result = prompt("What day is it?", Options::new())
        .await?
        .error_for_result()?;
    println!("{}", result.text());
    Ok(())
}
