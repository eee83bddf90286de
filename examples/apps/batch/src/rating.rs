//! The prompt and the type of the output. Start here: replace both.

use agentwire::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

/// The rating of a review. The model sees these comments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    pub sentiment: Sentiment,
    /// From 0, very bad, to 1, very good.
    pub score: f64,
    /// One sentence.
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sentiment {
    Positive,
    Neutral,
    Negative,
}

pub fn prompt(review: &str) -> String {
    format!("Rate this product review:\n\n{review}")
}
