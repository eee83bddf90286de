// Requires the feature `schema`.
use agentwire::schemars::{self, JsonSchema};
use agentwire::{Error, Options, prompt};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Rating {
    label: String,
    /// From 0 to 1.
    score: f64,
}

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options.output_type::<Rating>();
    let result = prompt("Rate: a fine crab.", options).await?;
    let rating: Rating = result.error_for_result()?.structured()?;
    println!("{}: {}", rating.label, rating.score);
    Ok(())
}
