//! Token usage and costs.

use crate::json::Number;
use crate::open::{Loose, object, open_enum, union};

object! {
    /// The token usage reported by the API.
    #[derive(Default)]
    pub struct Usage {
        /// The number of input tokens that were not cached.
        pub input_tokens: Option<u64>,
        /// The number of output tokens.
        pub output_tokens: Option<u64>,
        /// A breakdown of the output tokens.
        pub output_tokens_details: Option<OutputTokensDetails>,
        /// The number of tokens written to the cache.
        pub cache_creation_input_tokens: Option<u64>,
        /// The number of tokens read from the cache.
        pub cache_read_input_tokens: Option<u64>,
        /// The number of tokens written to the cache, by lifetime.
        pub cache_creation: Option<CacheCreation>,
        /// The number of calls of tools that the API runs.
        pub server_tool_use: Option<ServerToolUse>,
        /// The service tier.
        pub service_tier: Option<ServiceTier>,
        /// The speed of the model.
        pub speed: Option<ModelSpeed>,
        /// The region of inference. Empty if unknown.
        pub inference_geo: Option<String>,
        /// The usage of each pass, if the API made several.
        pub iterations: Option<Vec<IterationUsage>>,
        /// The API's credit for a retry after a refusal.
        pub fallback_credit: Option<Box<Loose<FallbackCredit>>>,
    }
}

object! {
    /// A breakdown of output tokens.
    #[derive(Default)]
    pub struct OutputTokensDetails {
        /// The number of thinking tokens.
        pub thinking_tokens: Option<u64>,
    }
}

object! {
    /// The number of tokens written to the cache, by lifetime.
    #[derive(Default)]
    pub struct CacheCreation {
        /// The number of tokens with a lifetime of five minutes.
        pub ephemeral_5m_input_tokens: Option<u64>,
        /// The number of tokens with a lifetime of one hour.
        pub ephemeral_1h_input_tokens: Option<u64>,
    }
}

object! {
    /// The number of calls of tools that the API runs.
    #[derive(Default)]
    pub struct ServerToolUse {
        /// The number of web searches.
        pub web_search_requests: Option<u64>,
        /// The number of fetched pages.
        pub web_fetch_requests: Option<u64>,
    }
}

open_enum! {
    /// The service tier of a request.
    pub enum ServiceTier {
        /// The standard tier.
        Standard = "standard",
        /// The priority tier.
        Priority = "priority",
        /// The batch tier.
        Batch = "batch",
    }
}

open_enum! {
    /// The speed of a model.
    pub enum ModelSpeed {
        /// The standard speed.
        Standard = "standard",
        /// The fast speed.
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

/// Declares the passes, which have the same counts. Not every pass names its
/// model.
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
                /// The number of input tokens that were not cached.
                pub input_tokens: Option<u64>,
                /// The number of output tokens.
                pub output_tokens: Option<u64>,
                /// The number of tokens written to the cache.
                pub cache_creation_input_tokens: Option<u64>,
                /// The number of tokens read from the cache.
                pub cache_read_input_tokens: Option<u64>,
                /// The number of tokens written to the cache, by lifetime.
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
    /// The API's credit after a refusal: a retry on another model costs what it
    /// would have cost as the first request.
    #[derive(Default)]
    pub struct FallbackCredit {
        /// Whether the credit was applied.
        pub status: Option<FallbackCreditStatus>,
    }
}

union! {
    /// Whether the API's credit for a retry after a refusal was applied.
    pub enum FallbackCreditStatus by "type" {
        /// The credit was applied.
        "redeemed" => Redeemed(FallbackCreditRedeemed),
        /// The credit was not applied.
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
        /// The members to remove from the request to get the credit, with
        /// [`FallbackCreditRefusal::VariantFieldsPresent`].
        pub remove_to_redeem: Option<Vec<String>>,
    }
}

open_enum! {
    /// The reason why the API's credit was not applied.
    pub enum FallbackCreditRefusal {
        /// The request differs from the refused one.
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
        /// The credit is temporarily unavailable.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// The request has members that prevent the credit.
        VariantFieldsPresent = "variant_fields_present",
        /// The credit is for another organization.
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
        /// The number of input tokens that were not cached.
        pub input_tokens: Option<u64> = "inputTokens",
        /// The number of output tokens.
        pub output_tokens: Option<u64> = "outputTokens",
        /// The number of thinking tokens, which are included in the output
        /// tokens.
        pub thinking_tokens: Option<u64> = "thinkingTokens",
        /// The number of tokens read from the cache.
        pub cache_read_input_tokens: Option<u64> = "cacheReadInputTokens",
        /// The number of tokens written to the cache.
        pub cache_creation_input_tokens: Option<u64> = "cacheCreationInputTokens",
        /// The number of tokens written to the cache with a lifetime of five
        /// minutes.
        pub cache_creation_ephemeral_5m_input_tokens: Option<u64> = "cacheCreationEphemeral5mInputTokens",
        /// The number of tokens written to the cache with a lifetime of one
        /// hour.
        pub cache_creation_ephemeral_1h_input_tokens: Option<u64> = "cacheCreationEphemeral1hInputTokens",
        /// The number of web searches.
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
        /// The organization's price.
        Managed = "managed",
        /// The price is unknown.
        Other = "unknown",
    }
}
