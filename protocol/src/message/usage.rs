//! Tokens and costs.

use crate::json::Number;
use crate::open::{Loose, object, open_enum, union};

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
        pub service_tier: Option<ServiceTier>,
        /// How fast the model ran.
        pub speed: Option<ModelSpeed>,
        /// Where in the world it ran; empty when that is not known.
        pub inference_geo: Option<String>,
        /// The same for each pass, when the API made several.
        pub iterations: Option<Vec<IterationUsage>>,
        /// What the API gives back after a refusal.
        pub fallback_credit: Option<Box<Loose<FallbackCredit>>>,
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

open_enum! {
    /// How soon the API takes a request up.
    pub enum ServiceTier {
        /// As everybody's.
        Standard = "standard",
        /// Before others.
        Priority = "priority",
        /// When there is time.
        Batch = "batch",
    }
}

open_enum! {
    /// How fast a model ran.
    pub enum ModelSpeed {
        /// As usual.
        Standard = "standard",
        /// Faster.
        Fast = "fast",
    }
}

union! {
    /// What the API used in one of several passes.
    pub enum IterationUsage by "type" {
        /// The model answered.
        "message" => Message(MessageIteration),
        /// The conversation was compacted.
        "compaction" => Compaction(CompactionIteration),
        /// An advisor was asked.
        "advisor_message" => Advisor(AdvisorIteration),
        /// Another model answered, after a refusal.
        "fallback_message" => Fallback(FallbackIteration),
    }
}

/// What was used in a pass is counted alike; not every pass names its model.
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
                /// Tokens read and not cached.
                pub input_tokens: Option<u64>,
                /// Tokens written.
                pub output_tokens: Option<u64>,
                /// Tokens put into the cache.
                pub cache_creation_input_tokens: Option<u64>,
                /// Tokens read from the cache.
                pub cache_read_input_tokens: Option<u64>,
                /// Tokens put into the cache, by how long they stay.
                pub cache_creation: Option<CacheCreation>,
            }
        }
    )*};
}

iterations! {
    /// What the model used in a pass.
    MessageIteration = "message" {
        /// The name of the model.
        model: Option<String>,
    }
    /// What compacting the conversation used.
    CompactionIteration = "compaction" {}
    /// What an advisor used.
    AdvisorIteration = "advisor_message" {
        /// The advisor's model.
        model: Option<String>,
    }
    /// What another model used, after a refusal.
    FallbackIteration = "fallback_message" {
        /// The other model.
        model: Option<String>,
    }
}

object! {
    /// What the API gives back after a refusal.
    #[derive(Default)]
    pub struct FallbackCredit {
        /// Whether it did.
        pub status: Option<FallbackCreditStatus>,
    }
}

union! {
    /// Whether the API gave something back after a refusal.
    pub enum FallbackCreditStatus by "type" {
        /// It did: the second try costs what it would have cost as the first.
        "redeemed" => Redeemed(FallbackCreditRedeemed),
        /// It did not.
        "not_applied" => NotApplied(FallbackCreditNotApplied),
    }
}

object! {
    /// The API gave something back.
    #[derive(Default)]
    pub struct FallbackCreditRedeemed tags("type" = "redeemed") {}
}

object! {
    /// The API gave nothing back.
    #[derive(Default)]
    pub struct FallbackCreditNotApplied tags("type" = "not_applied") {
        /// Why.
        pub reason: Option<FallbackCreditRefusal>,
        /// What to leave out of the request for it to be given, with
        /// [`FallbackCreditRefusal::VariantFieldsPresent`].
        pub remove_to_redeem: Option<Vec<String>>,
    }
}

open_enum! {
    /// Why the API gave nothing back.
    pub enum FallbackCreditRefusal {
        /// The request is another one.
        BodyMismatch = "body_mismatch",
        /// The request goes on behind what was said, and may not.
        ContinuationExcluded = "continuation_excluded",
        /// The request would have to go on behind what was said.
        ContinuationOnly = "continuation_only",
        /// It is too late.
        Expired = "expired",
        /// It is for another model.
        InvalidTargetModel = "invalid_target_model",
        /// It is switched off.
        NotEnabled = "not_enabled",
        /// The price cannot be worked out.
        RepriceUnavailable = "reprice_unavailable",
        /// It does not work at the moment.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// The request has members that stand in its way.
        VariantFieldsPresent = "variant_fields_present",
        /// It is for another organisation.
        WrongOrganization = "wrong_organization",
        /// It is for another platform.
        WrongPlatform = "wrong_platform",
        /// It is for another workspace.
        WrongWorkspace = "wrong_workspace",
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
