//! Reports that accompany text output: context usage and usage.

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
        /// The fraction in use, in percent; over 100 if the limit is exceeded.
        pub percentage: Option<Number>,
        /// By how much the limit is exceeded.
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
    /// By how much a context exceeds its limit.
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
        /// Its size in tokens.
        pub tokens: Option<u64>,
        /// The kind of category.
        pub kind: Option<ContextCategoryKind>,
    }
}

open_enum! {
    /// The kind of a category of a context.
    pub enum ContextCategoryKind {
        /// Taken.
        Used = "used",
        /// Free.
        Free = "free",
        /// Reserved for compaction.
        Buffer = "buffer",
        /// Loaded on demand only.
        Deferred = "deferred",
    }
}

object! {
    /// The context usage of an MCP tool.
    pub struct ContextReportMcpTool {
        /// The tool, by the name that the model uses.
        pub name: String,
        /// The server.
        pub server_name: Option<String>,
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The context usage of a memory file.
    pub struct ContextReportMemoryFile {
        /// The file.
        pub path: String,
        /// The scope, for display.
        pub kind: Option<String> = "type",
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The context usage of a sub-agent's definition.
    pub struct ContextReportAgent {
        /// The sub-agent's kind.
        pub agent_type: String,
        /// The source of the definition.
        pub source: Option<String>,
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The context usage of a skill.
    pub struct ContextReportSkill {
        /// The skill.
        pub name: String,
        /// The source of the definition.
        pub source: Option<String>,
        /// The plugin that provides it.
        pub plugin_name: Option<String>,
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// The usage, as shown by `/usage`.
    #[derive(Default)]
    pub struct UsageReport {
        /// The usage of the session.
        pub session: Option<SessionUsage>,
        /// The usage of the plan; `None` if unknown.
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
        /// The plan's limits, in the server's order; `None` if the server did
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
        /// The group under which it is displayed.
        pub group: Option<String>,
        /// The fraction used, in percent.
        pub percent: Option<Number>,
        /// When it resets, as RFC 3339.
        pub resets_at: Option<String>,
        /// The scope of the limit; unset if it applies to everything.
        pub scope: Option<LimitSubject>,
        /// The severity, such as `normal` or `critical`.
        pub severity: Option<String>,
        /// Whether it is the one to display if there is space for one only.
        pub is_active: Option<bool>,
    }
}

object! {
    /// The scope of a limit.
    #[derive(Default)]
    pub struct LimitSubject {
        /// A model.
        pub model: Option<DisplayName>,
        /// A product surface.
        pub surface: Option<DisplayName>,
    }
}

object! {
    /// A display name.
    #[derive(Default)]
    pub struct DisplayName {
        /// The name.
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
        /// The monthly limit; `None` if there is none.
        pub monthly_limit: Option<Number>,
        /// The amount used.
        pub used_credits: Option<Number>,
        /// The fraction used.
        pub utilization: Option<Number>,
        /// The currency, such as `USD`.
        pub currency: Option<String>,
    }
}
