//! Requests for what a session has cost, and how much of the plan's limits is
//! used up.

use super::request::host_requests;
use crate::json::Number;
use crate::message::{ExtraUsage, SessionUsage};
use crate::open::{object, open_enum};

host_requests! {
    GetSessionCost = "get_session_cost" => SessionCost,
    GetUsage = "get_usage" => GetUsageAnswer,
}

object! {
    /// Asks what the session has cost, for people.
    #[derive(Default)]
    pub struct GetSessionCost tags("subtype" = "get_session_cost") {}
}

object! {
    /// What the session has cost, for people.
    pub struct SessionCost {
        /// Several lines.
        pub text: String,
    }
}

object! {
    /// Asks what the session has used, and how it stands with the plan's
    /// limits.
    #[derive(Default)]
    pub struct GetUsage tags("subtype" = "get_usage") {
        /// Whether to leave out `behaviors`, for which many transcripts are
        /// read.
        pub skip_behaviors: Option<bool>,
    }
}

object! {
    /// What the session has used, and how it stands with the plan's limits.
    pub struct GetUsageAnswer {
        /// What the session has used.
        pub session: SessionUsage,
        /// The plan, such as `pro` or `max`; `null` for an API key.
        pub subscription_type: Option<String>,
        /// Whether the plan has limits that can be known.
        pub rate_limits_available: Option<bool>,
        /// Those limits; `null`, when they are not known.
        pub rate_limits: Option<PlanLimits>,
        /// What used them up, by what transcripts on this machine say;
        /// `null`, when they were not read.
        pub behaviors: Option<UsageBehaviors>,
    }
}

object! {
    /// The limits of a plan, and how much of them is used up.
    #[derive(Default)]
    pub struct PlanLimits {
        /// In five hours.
        pub five_hour: Option<PlanWindow>,
        /// In a week.
        pub seven_day: Option<PlanWindow>,
        /// In a week, by applications that the account let in.
        pub seven_day_oauth_apps: Option<PlanWindow>,
        /// In a week, by Opus.
        pub seven_day_opus: Option<PlanWindow>,
        /// In a week, by Sonnet.
        pub seven_day_sonnet: Option<PlanWindow>,
        /// In a week, by other models. Absent when nothing is known.
        pub model_scoped: Option<Vec<ModelPlanLimit>>,
        /// What is paid for beyond the plan.
        pub extra_usage: Option<ExtraUsage>,
    }
}

object! {
    /// How much of a limit is used up.
    #[derive(Default)]
    pub struct PlanWindow {
        /// How much, from 0 to 100; `null`, when it is not known.
        pub utilization: Option<Number>,
        /// When it begins anew, as ISO 8601.
        pub resets_at: Option<String>,
    }
}

object! {
    /// How much of a model's limit is used up.
    pub struct ModelPlanLimit {
        /// The model, as people are to read it.
        pub display_name: String,
        /// How much, from 0 to 100; `null`, when it is not known.
        pub utilization: Option<Number>,
        /// When it begins anew, as ISO 8601.
        pub resets_at: Option<String>,
    }
}

object! {
    /// What used up the limits.
    #[derive(Default)]
    pub struct UsageBehaviors {
        /// In the last 24 hours.
        pub day: Option<UsagePeriod>,
        /// In the last 7 days.
        pub week: Option<UsagePeriod>,
    }
}

object! {
    /// What used up the limits in a while. The shares overlap: they do not
    /// add up to 100.
    #[derive(Default)]
    pub struct UsagePeriod {
        /// How many times the API was asked.
        pub request_count: Option<u64>,
        /// How many sessions there were.
        pub session_count: Option<u64>,
        /// Habits that cost much.
        pub behaviors: Option<Vec<UsageBehavior>>,
        /// What to do about it, the largest share first.
        pub recommendations: Option<Vec<UsageRecommendation>>,
        /// How to do some of it at once.
        pub fix: Option<UsageFix>,
        /// Sub-agents and their shares.
        pub agents: Option<Vec<UsageShare>>,
        /// Skills and their shares.
        pub skills: Option<Vec<UsageShare>>,
        /// Plugins and their shares.
        pub plugins: Option<Vec<UsageShare>>,
        /// MCP servers and their shares.
        pub mcp_servers: Option<Vec<UsageShare>>,
    }
}

object! {
    /// A habit that costs much.
    pub struct UsageBehavior {
        /// The habit.
        pub key: UsageBehaviorKey,
        /// Its share, from 0 to 100.
        pub pct: Number,
        /// How many requests showed it.
        pub count: Option<u64>,
    }
}

open_enum! {
    /// A habit that costs much.
    pub enum UsageBehaviorKey {
        /// Prompts that were not in the cache.
        CacheMiss = "cache_miss",
        /// Long conversations.
        LongContext = "long_context",
        /// Many sub-agents.
        SubagentHeavy = "subagent_heavy",
        /// Much at the same time.
        HighParallel = "high_parallel",
        /// Prompts by the clock.
        Cron = "cron",
        /// The highest effort.
        MaxEffort = "max_effort",
        /// Workflows.
        Workflow = "workflow",
        /// Much that is always in the context.
        AlwaysOnContext = "always_on_context",
        /// Tools that answer at length.
        LargeToolResults = "large_tool_results",
    }
}

object! {
    /// Something to do about it.
    pub struct UsageRecommendation {
        /// What it is about: a habit, or `agent`, `skill`, `plugin` or
        /// `mcp_server`.
        pub key: String,
        /// The share that it is about, from 0 to 100.
        pub pct: Option<Number>,
        /// What to do.
        pub title: String,
        /// Why, or the command for it.
        pub detail: Option<String>,
    }
}

object! {
    /// How to follow several recommendations at once.
    #[derive(Default)]
    pub struct UsageFix {
        /// Which, by `key`.
        pub keys: Option<Vec<String>>,
        /// User messages to send, in this order and as `later`; the prompt at
        /// the end as `client_composed`.
        pub messages: Option<Vec<String>>,
    }
}

object! {
    /// What share of the use something has.
    pub struct UsageShare {
        /// Its name.
        pub name: String,
        /// Its share, from 0 to 100.
        pub pct: Number,
    }
}

impl GetUsage {
    /// Without `behaviors`, which is quicker.
    #[must_use]
    pub fn without_behaviors() -> Self {
        Self {
            skip_behaviors: Some(true),
            ..Self::default()
        }
    }
}
