//! Rates 200 texts, eight at a time, with structured output, retries and the cost.

use agentwire::schemars::{self, JsonSchema};
use agentwire::{Error, Options, prompt};
use futures::{StreamExt, stream};
use serde::Deserialize;
use std::time::Duration;

#[derive(Debug, Deserialize, JsonSchema)]
struct Rating {
    label: String,
    score: f64,
}

async fn rate(number: usize) -> Result<(Rating, f64), Error> {
    let options = Options::new().output_type::<Rating>();
    let mut tries = 0;
    loop {
        tries += 1;
        let result = prompt(format!("Rate review {number}."), options.clone()).await?;
        if result.is_retryable() && tries < 3 {
            tokio::time::sleep(Duration::from_secs(tries)).await;
            continue;
        }
        let cost = result.cost_usd().unwrap_or(0.0);
        return Ok((result.error_for_result()?.structured()?, cost));
    }
}

#[tokio::main]
async fn main() {
    let (mut good, mut cost) = (0, 0.0);
    let mut ratings = stream::iter(1..=200).map(rate).buffer_unordered(8);
    while let Some(rating) = ratings.next().await {
        match rating {
            Ok((rating, usd)) => {
                println!("{} {}", rating.label, rating.score);
                good += 1;
                cost += usd;
            }
            Err(error) => eprintln!("{error}"),
        }
    }
    println!("{good} of 200, {cost:.4} USD");
}
