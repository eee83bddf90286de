//! Requests for the cost of a session and the usage of the plan's limits.

use super::request::host_requests;
use crate::json::Number;
use crate::message::{ExtraUsage, SessionUsage};
use crate::open::{object, open_enum};

host_requests! {
    GetSessionCost = "get_session_cost" => SessionCost,
    GetUsage = "get_usage" => GetUsageAnswer,
}

object! {
    /// Requests the cost of the session, as text for display.
    #[derive(Default)]
    pub struct GetSessionCost tags("subtype" = "get_session_cost") {}
}

object! {
    /// The cost of the session, as text for display.
    pub struct SessionCost {
        /// The text, of several lines.
        pub text: String,
    }
}

object! {
    /// Requests the usage of the session and of the plan's limits.
    #[derive(Default)]
    pub struct GetUsage tags("subtype" = "get_usage") {
        /// Whether to omit `behaviors`, which requires reading many
        /// transcripts.
        pub skip_behaviors: Option<bool>,
    }
}

object! {
    /// The usage of the session and of the plan's limits.
    pub struct GetUsageAnswer {
        /// The usage of the session.
        pub session: SessionUsage,
        /// The plan, such as `pro` or `max`. `None` for an API key.
        pub subscription_type: Option<String>,
        /// Whether the plan has limits that can be queried.
        pub rate_limits_available: Option<bool>,
        /// The limits of the plan. `None` if they are unknown.
        pub rate_limits: Option<PlanLimits>,
        /// The contributions to the usage, according to the transcripts on this
        /// machine. `None` if they were not read.
        pub behaviors: Option<UsageBehaviors>,
    }
}

object! {
    /// The limits of a plan and their usage.
    #[derive(Default)]
    pub struct PlanLimits {
        /// The limit for five hours.
        pub five_hour: Option<PlanWindow>,
        /// The limit for a week.
        pub seven_day: Option<PlanWindow>,
        /// The limit for a week of OAuth applications.
        pub seven_day_oauth_apps: Option<PlanWindow>,
        /// The limit for a week of Opus.
        pub seven_day_opus: Option<PlanWindow>,
        /// The limit for a week of Sonnet.
        pub seven_day_sonnet: Option<PlanWindow>,
        /// The limits for a week of other models. `None` if unknown.
        pub model_scoped: Option<Vec<ModelPlanLimit>>,
        /// The usage beyond the plan's limits.
        pub extra_usage: Option<ExtraUsage>,
    }
}

object! {
    /// The usage of a limit.
    #[derive(Default)]
    pub struct PlanWindow {
        /// The percentage used, from 0 to 100. `None` if unknown.
        pub utilization: Option<Number>,
        /// The time when the limit resets, as ISO 8601.
        pub resets_at: Option<String>,
    }
}

object! {
    /// The usage of a model's limit.
    pub struct ModelPlanLimit {
        /// The display name of the model.
        pub display_name: String,
        /// The percentage used, from 0 to 100. `None` if unknown.
        pub utilization: Option<Number>,
        /// The time when the limit resets, as ISO 8601.
        pub resets_at: Option<String>,
    }
}

object! {
    /// The contributions to the usage.
    #[derive(Default)]
    pub struct UsageBehaviors {
        /// The contributions in the last 24 hours.
        pub day: Option<UsagePeriod>,
        /// The contributions in the last 7 days.
        pub week: Option<UsagePeriod>,
    }
}

object! {
    /// The contributions to the usage in a period. The shares overlap and do
    /// not add up to 100.
    #[derive(Default)]
    pub struct UsagePeriod {
        /// The number of API requests.
        pub request_count: Option<u64>,
        /// The number of sessions.
        pub session_count: Option<u64>,
        /// Expensive behaviors.
        pub behaviors: Option<Vec<UsageBehavior>>,
        /// Recommendations, the largest share first.
        pub recommendations: Option<Vec<UsageRecommendation>>,
        /// A way to apply some of the recommendations at once.
        pub fix: Option<UsageFix>,
        /// The shares of sub-agents.
        pub agents: Option<Vec<UsageShare>>,
        /// The shares of skills.
        pub skills: Option<Vec<UsageShare>>,
        /// The shares of plugins.
        pub plugins: Option<Vec<UsageShare>>,
        /// The shares of MCP servers.
        pub mcp_servers: Option<Vec<UsageShare>>,
    }
}

object! {
    /// A behavior that makes sessions expensive, with its share.
    pub struct UsageBehavior {
        /// The behavior.
        pub key: UsageBehaviorKey,
        /// The share of the behavior, from 0 to 100.
        pub pct: Number,
        /// The number of requests that showed the behavior.
        pub count: Option<u64>,
    }
}

open_enum! {
    /// A behavior that makes sessions expensive.
    pub enum UsageBehaviorKey {
        /// Prompts that were not in the cache.
        CacheMiss = "cache_miss",
        /// Long conversations.
        LongContext = "long_context",
        /// Many sub-agents.
        SubagentHeavy = "subagent_heavy",
        /// Many parallel sessions or requests.
        HighParallel = "high_parallel",
        /// Scheduled prompts.
        Cron = "cron",
        /// The maximum effort level.
        MaxEffort = "max_effort",
        /// Workflows of several agents.
        Workflow = "workflow",
        /// A large constant part of the context.
        AlwaysOnContext = "always_on_context",
        /// Large tool results.
        LargeToolResults = "large_tool_results",
    }
}

object! {
    /// A recommendation.
    pub struct UsageRecommendation {
        /// The subject of the recommendation: a behavior, or `agent`, `skill`,
        /// `plugin` or `mcp_server`.
        pub key: String,
        /// The share of the subject, from 0 to 100.
        pub pct: Option<Number>,
        /// The recommendation.
        pub title: String,
        /// The reason, or the command to run.
        pub detail: Option<String>,
    }
}

object! {
    /// A way to apply several recommendations at once.
    #[derive(Default)]
    pub struct UsageFix {
        /// The recommendations, by `key`.
        pub keys: Option<Vec<String>>,
        /// User messages to send in this order, with the priority `later`. The
        /// final prompt is sent with `client_composed`.
        pub messages: Option<Vec<String>>,
    }
}

object! {
    /// A share of the usage.
    pub struct UsageShare {
        /// The name of the sub-agent, skill, plugin or server.
        pub name: String,
        /// The share, from 0 to 100.
        pub pct: Number,
    }
}
