//! Sends a prompt, and retries it while the API is overloaded.

use crate::rating::{Rating, prompt};
use agentwire::Options;
use std::error::Error;
use std::time::Duration;

/// The number of attempts, and the delay between them.
#[derive(Debug, Clone, Copy)]
pub struct Retry {
    pub tries: u32,
    /// The delay after the first failure. It doubles with each further failure.
    pub delay: Duration,
}

/// The outcome of a prompt, and its cost.
pub struct Outcome {
    pub rating: Result<Rating, String>,
    pub cost_usd: f64,
    pub tries: u32,
}

/// The longest delay.
const MAXIMUM: Duration = Duration::from_secs(60);

/// Rates a review. Retries if the API was overloaded, limited the rate or could not be
/// reached, after the CLI's own retries.
pub async fn rate(review: &str, options: &Options, retry: Retry) -> Outcome {
    let mut cost_usd = 0.0;
    let mut tries = 0;
    let rating = loop {
        tries += 1;
        let result = match agentwire::prompt(prompt(review), options.clone()).await {
            Ok(result) => result,
            Err(error) => break Err(error.to_string()),
        };
        cost_usd += result.cost_usd().unwrap_or_default();
        if result.is_retryable() && tries < retry.tries {
            tokio::time::sleep(retry.delay_after(tries)).await;
            continue;
        }
        break result
            .error_for_result()
            .map_err(|error| Box::new(error) as Box<dyn Error>)
            .and_then(|result| Ok(result.structured()?))
            .map_err(|error| error.to_string());
    };
    Outcome {
        rating,
        cost_usd,
        tries,
    }
}

impl Retry {
    /// Returns the delay after this number of failures.
    fn delay_after(self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures - 1);
        self.delay.saturating_mul(factor).min(MAXIMUM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_a_minute() {
        let retry = Retry {
            tries: 99,
            delay: Duration::from_secs(2),
        };
        let delays = [1, 2, 3, 6, 40].map(|failures| retry.delay_after(failures).as_secs());
        assert_eq!(delays, [2, 4, 8, 60, 60]);
    }
}
