//! Reports that accompany text output: context usage and costs.

use super::usage::ModelUsage;
use crate::json::Number;
use crate::open::{object, open_enum};
use std::collections::BTreeMap;

object! {
    /// The context usage, as shown by `/context`.
    #[derive(Default)]
    pub struct ContextReport {
        /// The name of the model.
        pub model: Option<String>,
        /// The estimated number of tokens in use.
        pub total_tokens: Option<u64>,
        /// The number of tokens available.
        pub raw_max_tokens: Option<u64>,
        /// The percentage in use. Over 100 if the limit is exceeded.
        pub percentage: Option<Number>,
        /// The excess over the limit, if the limit is exceeded.
        pub over_limit: Option<OverLimit>,
        /// The usage by category.
        pub categories: Option<Vec<ContextReportCategory>>,
        /// Tools of MCP servers.
        pub mcp_tools: Option<Vec<ContextReportMcpTool>>,
        /// The instruction and memory files.
        pub memory_files: Option<Vec<ContextReportMemoryFile>>,
        /// The defined sub-agents.
        pub agents: Option<Vec<ContextReportAgent>>,
        /// Skills.
        pub skills: Option<Vec<ContextReportSkill>>,
    }
}

object! {
    /// The excess of a context over its limit.
    #[derive(Default)]
    pub struct OverLimit {
        /// The number of excess tokens.
        pub tokens_over: Option<u64>,
        /// The limit that is exceeded.
        pub kind: Option<ContextLimit>,
    }
}

open_enum! {
    /// A limit of a context.
    pub enum ContextLimit {
        /// The context window of the model.
        HardLimit = "hard_limit",
        /// The threshold for compaction.
        CompactionWindow = "compaction_window",
    }
}

object! {
    /// A category of a context.
    pub struct ContextReportCategory {
        /// The display name.
        pub name: String,
        /// The size of the category in tokens.
        pub tokens: Option<u64>,
        /// The kind of category.
        pub kind: Option<ContextCategoryKind>,
    }
}

open_enum! {
    /// The kind of a category of a context.
    pub enum ContextCategoryKind {
        /// The category is part of the context.
        Used = "used",
        /// The category is free space.
        Free = "free",
        /// The category is reserved for compaction.
        Buffer = "buffer",
        /// The category is only loaded on demand.
        Deferred = "deferred",
    }
}

object! {
    /// The context usage of an MCP tool.
    pub struct ContextReportMcpTool {
        /// The name of the tool, as the model uses it.
        pub name: String,
        /// The name of the server.
        pub server_name: Option<String>,
        /// The size of the tool's definition in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The context usage of a memory file.
    pub struct ContextReportMemoryFile {
        /// The path of the file.
        pub path: String,
        /// The scope of the file, for display.
        pub kind: Option<String> = "type",
        /// The size of the file in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The context usage of a sub-agent's definition.
    pub struct ContextReportAgent {
        /// The kind of the sub-agent.
        pub agent_type: String,
        /// The source of the definition.
        pub source: Option<String>,
        /// The size of the definition in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The context usage of a skill.
    pub struct ContextReportSkill {
        /// The name of the skill.
        pub name: String,
        /// The source of the definition.
        pub source: Option<String>,
        /// The plugin that provides the skill.
        pub plugin_name: Option<String>,
        /// The size of the skill's description in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The usage, as shown by `/usage`.
    #[derive(Default)]
    pub struct UsageReport {
        /// The usage of the session.
        pub session: Option<SessionUsage>,
        /// The usage of the plan. `None` if unknown.
        pub rate_limits: Option<PlanUsage>,
    }
}

object! {
    /// The usage of a session.
    #[derive(Default)]
    pub struct SessionUsage {
        /// The cost in US dollars.
        pub total_cost_usd: Option<Number>,
        /// The time spent in API requests, in milliseconds.
        pub total_api_duration_ms: Option<Number>,
        /// The duration of the session, in milliseconds.
        pub total_duration_ms: Option<Number>,
        /// Lines added to files.
        pub total_lines_added: Option<u64>,
        /// Lines removed from files.
        pub total_lines_removed: Option<u64>,
        /// The usage by model.
        pub model_usage: Option<BTreeMap<String, ModelUsage>>,
    }
}

object! {
    /// The usage of a plan.
    #[derive(Default)]
    pub struct PlanUsage {
        /// The plan's limits, in the server's order. `None` if the server did
        /// not send them.
        pub limits: Option<Vec<PlanLimit>>,
        /// The overage usage.
        pub extra_usage: Option<ExtraUsage>,
    }
}

object! {
    /// A limit of a plan.
    #[derive(Default)]
    pub struct PlanLimit {
        /// The kind of limit, such as `session` or `weekly_all`.
        pub kind: Option<String>,
        /// The group under which the limit is displayed.
        pub group: Option<String>,
        /// The percentage of the limit that is used.
        pub percent: Option<Number>,
        /// The time when the limit resets, as RFC 3339.
        pub resets_at: Option<String>,
        /// The scope of the limit. `None` if the limit applies to everything.
        pub scope: Option<LimitSubject>,
        /// The severity of the usage, such as `normal` or `critical`.
        pub severity: Option<String>,
        /// Whether to display this limit if there is space for only one.
        pub is_active: Option<bool>,
    }
}

object! {
    /// The scope of a limit.
    #[derive(Default)]
    pub struct LimitSubject {
        /// The model to which the limit applies.
        pub model: Option<DisplayName>,
        /// The product surface to which the limit applies.
        pub surface: Option<DisplayName>,
    }
}

object! {
    /// A display name.
    #[derive(Default)]
    pub struct DisplayName {
        /// The name for display.
        pub display_name: Option<String>,
    }
}

object! {
    /// The overage usage of a plan. Amounts are in the smallest unit of the
    /// currency.
    #[derive(Default)]
    pub struct ExtraUsage {
        /// Whether overage is enabled.
        pub is_enabled: Option<bool>,
        /// The monthly limit. `None` if there is none.
        pub monthly_limit: Option<Number>,
        /// The amount used.
        pub used_credits: Option<Number>,
        /// The fraction of the limit that is used.
        pub utilization: Option<Number>,
        /// The currency, such as `USD`.
        pub currency: Option<String>,
    }
}
