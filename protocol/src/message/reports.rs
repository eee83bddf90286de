//! Reports that come as data beside their text: what fills the context, and
//! what was used.

use super::usage::ModelUsage;
use crate::json::Number;
use crate::open::{object, open_enum};
use std::collections::BTreeMap;

object! {
    /// What fills the context, as `/context` shows it.
    #[derive(Default)]
    pub struct ContextReport {
        /// The name of the model.
        pub model: Option<String>,
        /// Tokens in use, estimated.
        pub total_tokens: Option<u64>,
        /// Tokens that there is room for.
        pub raw_max_tokens: Option<u64>,
        /// The part in use, in percent; more than 100 when it is too much.
        pub percentage: Option<Number>,
        /// By how much it is too much.
        pub over_limit: Option<OverLimit>,
        /// What it is made of.
        pub categories: Option<Vec<ContextReportCategory>>,
        /// Tools of MCP servers.
        pub mcp_tools: Option<Vec<ContextReportMcpTool>>,
        /// Files with memories.
        pub memory_files: Option<Vec<ContextReportMemoryFile>>,
        /// Sub-agents that were defined.
        pub agents: Option<Vec<ContextReportAgent>>,
        /// Skills.
        pub skills: Option<Vec<ContextReportSkill>>,
    }
}

object! {
    /// By how much a context is too full.
    #[derive(Default)]
    pub struct OverLimit {
        /// Tokens too many.
        pub tokens_over: Option<u64>,
        /// Which limit it is.
        pub kind: Option<ContextLimit>,
    }
}

open_enum! {
    /// What limits a context.
    pub enum ContextLimit {
        /// What the model can hold.
        HardLimit = "hard_limit",
        /// What the agent compacts at.
        CompactionWindow = "compaction_window",
    }
}

object! {
    /// A part of a context.
    pub struct ContextReportCategory {
        /// What it is called, for people.
        pub name: String,
        /// Its size in tokens.
        pub tokens: Option<u64>,
        /// What it is.
        pub kind: Option<ContextCategoryKind>,
    }
}

open_enum! {
    /// What a part of a context is.
    pub enum ContextCategoryKind {
        /// Taken.
        Used = "used",
        /// Free.
        Free = "free",
        /// Kept free for compacting.
        Buffer = "buffer",
        /// Not in the context, until it is needed.
        Deferred = "deferred",
    }
}

object! {
    /// What a tool of an MCP server takes of a context.
    pub struct ContextReportMcpTool {
        /// The tool, by the name that the model knows.
        pub name: String,
        /// The server.
        pub server_name: Option<String>,
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// What a file with memories takes of a context.
    pub struct ContextReportMemoryFile {
        /// The file.
        pub path: String,
        /// Whose it is, for people.
        pub kind: Option<String> = "type",
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// What the definition of a sub-agent takes of a context.
    pub struct ContextReportAgent {
        /// The sub-agent's kind.
        pub agent_type: String,
        /// Where it was defined.
        pub source: Option<String>,
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// What a skill takes of a context.
    pub struct ContextReportSkill {
        /// The skill.
        pub name: String,
        /// Where it was defined.
        pub source: Option<String>,
        /// The plugin that has it.
        pub plugin_name: Option<String>,
        /// Its size in tokens.
        pub tokens: Option<u64>,
    }
}

object! {
    /// What was used, as `/usage` shows it.
    #[derive(Default)]
    pub struct UsageReport {
        /// What the session used.
        pub session: Option<SessionUsage>,
        /// What of the plan is used up; `None` when nobody could say.
        pub rate_limits: Option<PlanUsage>,
    }
}

object! {
    /// What a session used.
    #[derive(Default)]
    pub struct SessionUsage {
        /// US dollars.
        pub total_cost_usd: Option<Number>,
        /// Milliseconds that the API took.
        pub total_api_duration_ms: Option<Number>,
        /// Milliseconds that the session took.
        pub total_duration_ms: Option<Number>,
        /// Lines that were added to files.
        pub total_lines_added: Option<u64>,
        /// Lines that were taken from files.
        pub total_lines_removed: Option<u64>,
        /// What was used, by model.
        pub model_usage: Option<BTreeMap<String, ModelUsage>>,
    }
}

object! {
    /// What of a plan is used up.
    #[derive(Default)]
    pub struct PlanUsage {
        /// The plan's limits, in the server's order; `None` when it did not
        /// name them.
        pub limits: Option<Vec<PlanLimit>>,
        /// What was used beyond the plan.
        pub extra_usage: Option<ExtraUsage>,
    }
}

object! {
    /// A limit of a plan.
    #[derive(Default)]
    pub struct PlanLimit {
        /// Which limit it is, such as `session` or `weekly_all`.
        pub kind: Option<String>,
        /// The limits that it is shown with.
        pub group: Option<String>,
        /// The part that is used, in percent.
        pub percent: Option<Number>,
        /// When it begins anew, as RFC 3339.
        pub resets_at: Option<String>,
        /// What it is for, when it is not for everything.
        pub scope: Option<LimitSubject>,
        /// How serious it is, such as `normal` or `critical`.
        pub severity: Option<String>,
        /// Whether it is the one to show where there is room for one.
        pub is_active: Option<bool>,
    }
}

object! {
    /// What a limit is for.
    #[derive(Default)]
    pub struct LimitSubject {
        /// A model.
        pub model: Option<DisplayName>,
        /// A way of using it.
        pub surface: Option<DisplayName>,
    }
}

object! {
    /// A name for people.
    #[derive(Default)]
    pub struct DisplayName {
        /// The name.
        pub display_name: Option<String>,
    }
}

object! {
    /// What was used beyond a plan. Amounts are in the currency's smallest
    /// unit.
    #[derive(Default)]
    pub struct ExtraUsage {
        /// Whether more can be used.
        pub is_enabled: Option<bool>,
        /// What may be used in a month; `None` when there is no limit.
        pub monthly_limit: Option<Number>,
        /// What was used.
        pub used_credits: Option<Number>,
        /// The part that was used.
        pub utilization: Option<Number>,
        /// The currency, such as `USD`.
        pub currency: Option<String>,
    }
}
