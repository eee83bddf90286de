//! Token usage and costs.

use crate::json::Number;
use crate::open::{Loose, object, open_enum, union};

object! {
    /// The token usage reported by the API.
    #[derive(Default)]
    pub struct Usage {
        /// Input tokens, not cached.
        pub input_tokens: Option<u64>,
        /// Output tokens.
        pub output_tokens: Option<u64>,
        /// A breakdown of the output tokens.
        pub output_tokens_details: Option<OutputTokensDetails>,
        /// Tokens written to the cache.
        pub cache_creation_input_tokens: Option<u64>,
        /// Tokens read from the cache.
        pub cache_read_input_tokens: Option<u64>,
        /// Tokens written to the cache, by lifetime.
        pub cache_creation: Option<CacheCreation>,
        /// Calls of tools that the API runs.
        pub server_tool_use: Option<ServerToolUse>,
        /// The service tier.
        pub service_tier: Option<ServiceTier>,
        /// The speed of the model.
        pub speed: Option<ModelSpeed>,
        /// The region of inference; empty if unknown.
        pub inference_geo: Option<String>,
        /// The usage of each pass, if the API made several.
        pub iterations: Option<Vec<IterationUsage>>,
        /// The API's credit after a refusal.
        pub fallback_credit: Option<Box<Loose<FallbackCredit>>>,
    }
}

object! {
    /// A breakdown of output tokens.
    #[derive(Default)]
    pub struct OutputTokensDetails {
        /// Thinking tokens.
        pub thinking_tokens: Option<u64>,
    }
}

object! {
    /// Tokens written to the cache, by lifetime.
    #[derive(Default)]
    pub struct CacheCreation {
        /// Five minutes.
        pub ephemeral_5m_input_tokens: Option<u64>,
        /// One hour.
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

open_enum! {
    /// The service tier of a request.
    pub enum ServiceTier {
        /// Standard.
        Standard = "standard",
        /// Priority.
        Priority = "priority",
        /// Batch.
        Batch = "batch",
    }
}

open_enum! {
    /// The speed of a model.
    pub enum ModelSpeed {
        /// Standard.
        Standard = "standard",
        /// Fast.
        Fast = "fast",
    }
}

union! {
    /// The usage of one of several passes.
    pub enum IterationUsage by "type" {
        /// A response of the model.
        "message" => Message(MessageIteration),
        /// A compaction of the conversation.
        "compaction" => Compaction(CompactionIteration),
        /// A request to an advisor.
        "advisor_message" => Advisor(AdvisorIteration),
        /// A response of another model, after a refusal.
        "fallback_message" => Fallback(FallbackIteration),
    }
}

/// All passes have the same counts; not every one names its model.
macro_rules! iterations {
    ($(
        $(#$meta:tt)*
        $name:ident = $tag:literal { $( $(#$field_meta:tt)* $field:ident: $type:ty, )* }
    )*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("type" = $tag) {
                $( $(#$field_meta)* pub $field: $type, )*
                /// Input tokens, not cached.
                pub input_tokens: Option<u64>,
                /// Output tokens.
                pub output_tokens: Option<u64>,
                /// Tokens written to the cache.
                pub cache_creation_input_tokens: Option<u64>,
                /// Tokens read from the cache.
                pub cache_read_input_tokens: Option<u64>,
                /// Tokens written to the cache, by lifetime.
                pub cache_creation: Option<CacheCreation>,
            }
        }
    )*};
}

iterations! {
    /// The usage of the model in a pass.
    MessageIteration = "message" {
        /// The name of the model.
        model: Option<String>,
    }
    /// The usage of a compaction.
    CompactionIteration = "compaction" {}
    /// The usage of an advisor.
    AdvisorIteration = "advisor_message" {
        /// The advisor's model.
        model: Option<String>,
    }
    /// The usage of another model, after a refusal.
    FallbackIteration = "fallback_message" {
        /// The other model.
        model: Option<String>,
    }
}

object! {
    /// The API's credit after a refusal.
    #[derive(Default)]
    pub struct FallbackCredit {
        /// Whether it was applied.
        pub status: Option<FallbackCreditStatus>,
    }
}

union! {
    /// Whether the API's credit after a refusal was applied.
    pub enum FallbackCreditStatus by "type" {
        /// Applied: the retry costs what it would have cost as the first
        /// request.
        "redeemed" => Redeemed(FallbackCreditRedeemed),
        /// Not applied.
        "not_applied" => NotApplied(FallbackCreditNotApplied),
    }
}

object! {
    /// The credit was applied.
    #[derive(Default)]
    pub struct FallbackCreditRedeemed tags("type" = "redeemed") {}
}

object! {
    /// The credit was not applied.
    #[derive(Default)]
    pub struct FallbackCreditNotApplied tags("type" = "not_applied") {
        /// The reason.
        pub reason: Option<FallbackCreditRefusal>,
        /// The members to remove from the request in order to get the credit,
        /// with [`FallbackCreditRefusal::VariantFieldsPresent`].
        pub remove_to_redeem: Option<Vec<String>>,
    }
}

open_enum! {
    /// Why the API's credit was not applied.
    pub enum FallbackCreditRefusal {
        /// The request differs.
        BodyMismatch = "body_mismatch",
        /// The request continues after the generated text, which is not
        /// allowed.
        ContinuationExcluded = "continuation_excluded",
        /// The request would have to continue after the generated text.
        ContinuationOnly = "continuation_only",
        /// The credit has expired.
        Expired = "expired",
        /// The credit is for another model.
        InvalidTargetModel = "invalid_target_model",
        /// The credit is disabled.
        NotEnabled = "not_enabled",
        /// The price cannot be determined.
        RepriceUnavailable = "reprice_unavailable",
        /// Temporarily unavailable.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// The request has members that prevent it.
        VariantFieldsPresent = "variant_fields_present",
        /// The credit is for another organisation.
        WrongOrganization = "wrong_organization",
        /// The credit is for another platform.
        WrongPlatform = "wrong_platform",
        /// The credit is for another workspace.
        WrongWorkspace = "wrong_workspace",
    }
}

object! {
    /// The usage of a model in a session.
    #[derive(Default)]
    pub struct ModelUsage {
        /// Input tokens, not cached.
        pub input_tokens: Option<u64> = "inputTokens",
        /// Output tokens.
        pub output_tokens: Option<u64> = "outputTokens",
        /// Thinking tokens, included in the output tokens.
        pub thinking_tokens: Option<u64> = "thinkingTokens",
        /// Tokens read from the cache.
        pub cache_read_input_tokens: Option<u64> = "cacheReadInputTokens",
        /// Tokens written to the cache.
        pub cache_creation_input_tokens: Option<u64> = "cacheCreationInputTokens",
        /// Tokens written to the cache with a lifetime of five minutes.
        pub cache_creation_ephemeral_5m_input_tokens: Option<u64> = "cacheCreationEphemeral5mInputTokens",
        /// Tokens written to the cache with a lifetime of one hour.
        pub cache_creation_ephemeral_1h_input_tokens: Option<u64> = "cacheCreationEphemeral1hInputTokens",
        /// Web searches.
        pub web_search_requests: Option<u64> = "webSearchRequests",
        /// The cost in US dollars.
        pub cost_usd: Option<Number> = "costUSD",
        /// The size of the model's context window in tokens.
        pub context_window: Option<u64> = "contextWindow",
        /// The maximum number of output tokens.
        pub max_output_tokens: Option<u64> = "maxOutputTokens",
        /// The canonical name of the model, used to look up its price.
        pub canonical_model: Option<String> = "canonicalModel",
        /// The provider of the model, such as `firstParty`.
        pub provider: Option<String>,
        /// The source of the price.
        pub cost_basis: Option<CostBasis> = "costBasis",
    }
}

open_enum! {
    /// The source of a model's price.
    pub enum CostBasis {
        /// The agent's price list.
        List = "list",
        /// The organisation.
        Managed = "managed",
        /// The price is unknown.
        Other = "unknown",
    }
}
