//! Tokens and costs.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// Tokens that the API counted.
    #[derive(Default)]
    pub struct Usage {
        /// Tokens read and not cached.
        pub input_tokens: Option<u64>,
        /// Tokens written.
        pub output_tokens: Option<u64>,
        /// What the tokens written were.
        pub output_tokens_details: Option<OutputTokensDetails>,
        /// Tokens put into the cache.
        pub cache_creation_input_tokens: Option<u64>,
        /// Tokens read from the cache.
        pub cache_read_input_tokens: Option<u64>,
        /// Tokens put into the cache, by how long they stay.
        pub cache_creation: Option<CacheCreation>,
        /// Calls of tools that the API runs.
        pub server_tool_use: Option<ServerToolUse>,
        /// The service tier.
        pub service_tier: Option<String>,
        /// How fast the model ran, such as `standard`.
        pub speed: Option<String>,
        /// Where in the world it ran; empty when that is not known.
        pub inference_geo: Option<String>,
        /// The same for each pass, when the API made several.
        pub iterations: Option<Vec<Json>>,
        /// What the API gives back after a refusal.
        pub fallback_credit: Option<Json>,
    }
}

object! {
    /// What the tokens were that a model wrote.
    #[derive(Default)]
    pub struct OutputTokensDetails {
        /// Tokens of thinking.
        pub thinking_tokens: Option<u64>,
    }
}

object! {
    /// Tokens put into the cache, by how long they stay.
    #[derive(Default)]
    pub struct CacheCreation {
        /// For five minutes.
        pub ephemeral_5m_input_tokens: Option<u64>,
        /// For an hour.
        pub ephemeral_1h_input_tokens: Option<u64>,
    }
}

object! {
    /// Calls of tools that the API runs.
    #[derive(Default)]
    pub struct ServerToolUse {
        /// Web searches.
        pub web_search_requests: Option<u64>,
        /// Pages fetched.
        pub web_fetch_requests: Option<u64>,
    }
}

object! {
    /// What a model used in a session.
    #[derive(Default)]
    pub struct ModelUsage {
        /// Tokens read and not cached.
        pub input_tokens: Option<u64> = "inputTokens",
        /// Tokens written.
        pub output_tokens: Option<u64> = "outputTokens",
        /// Those of the tokens written that were thinking.
        pub thinking_tokens: Option<u64> = "thinkingTokens",
        /// Tokens read from the cache.
        pub cache_read_input_tokens: Option<u64> = "cacheReadInputTokens",
        /// Tokens put into the cache.
        pub cache_creation_input_tokens: Option<u64> = "cacheCreationInputTokens",
        /// Those that stay in the cache for five minutes.
        pub cache_creation_ephemeral_5m_input_tokens: Option<u64> = "cacheCreationEphemeral5mInputTokens",
        /// Those that stay in the cache for an hour.
        pub cache_creation_ephemeral_1h_input_tokens: Option<u64> = "cacheCreationEphemeral1hInputTokens",
        /// Web searches.
        pub web_search_requests: Option<u64> = "webSearchRequests",
        /// US dollars.
        pub cost_usd: Option<Number> = "costUSD",
        /// Tokens that the model can hold.
        pub context_window: Option<u64> = "contextWindow",
        /// Tokens that it can write.
        pub max_output_tokens: Option<u64> = "maxOutputTokens",
        /// The model's own name, by which its price was found.
        pub canonical_model: Option<String> = "canonicalModel",
        /// Who runs the model, such as `firstParty`.
        pub provider: Option<String>,
        /// Where its price comes from.
        pub cost_basis: Option<CostBasis> = "costBasis",
    }
}

open_enum! {
    /// Where a model's price comes from.
    pub enum CostBasis {
        /// From the agent's own list.
        List = "list",
        /// From the organisation.
        Managed = "managed",
        /// Nobody knows the price.
        Other = "unknown",
    }
}
