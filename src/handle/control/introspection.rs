//! Requests for what the agent is, has and uses.

use crate::handle::{Handle, Pending};
use agentwire_protocol::control::{
    BinaryVersion, ContextUsage, GetBinaryVersion, GetContextUsage, GetHooksListing, GetPlan,
    GetSessionCost, GetStatus, GetUsage, GetUsageAnswer, HooksListing, ListModels,
    ListModelsAnswer, PlanReport, SessionCost, StatusReport,
};

/// # What the agent is, has and uses
impl Handle {
    /// What the agent has declared so far that it can do beyond the oldest
    /// one. Its answer to `initialize` has some of it, and the beginning of
    /// its first turn the rest.
    #[must_use]
    pub fn capabilities(&self) -> Vec<String> {
        self.link().declared().capabilities()
    }

    /// Asks what fills the model's context, as the last answer and the agent's
    /// estimates have it. It costs nothing.
    #[doc(alias = "getContextUsage")]
    #[doc(alias = "get_context_usage")]
    pub fn context_usage(&self) -> Pending<ContextUsage> {
        self.request(&GetContextUsage::summary())
    }

    /// Asks what fills the model's context, and has the API count it. CLI
    /// 2.1.329 asked the API 26 times for that.
    #[doc(alias = "get_context_usage")]
    pub fn context_usage_counted(&self) -> Pending<ContextUsage> {
        self.request(&GetContextUsage::default())
    }

    /// Asks what the session has used, and how much of the plan's limits is
    /// used up. The agent reads its transcripts for that;
    /// [`GetUsage::without_behaviors`] does not.
    #[doc(alias = "get_usage")]
    #[doc(alias = "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET")]
    pub fn usage(&self) -> Pending<GetUsageAnswer> {
        self.request(&GetUsage::default())
    }

    /// Asks what the session has cost, in words.
    #[doc(alias = "get_session_cost")]
    pub fn session_cost(&self) -> Pending<SessionCost> {
        self.request(&GetSessionCost::default())
    }

    /// Asks how the agent is set up, in words.
    ///
    /// No declaration has it; CLI 2.1.329 does.
    #[doc(alias = "get_status")]
    pub fn status_report(&self) -> Pending<StatusReport> {
        self.request(&GetStatus::default())
    }

    /// Asks for the hooks of the session, those of settings and plugins among
    /// them.
    #[doc(alias = "get_hooks_listing")]
    pub fn hooks_listing(&self) -> Pending<HooksListing> {
        self.request(&GetHooksListing::default())
    }

    /// Asks for the plan that the model made in plan mode.
    ///
    /// No declaration has it; CLI 2.1.329 does.
    #[doc(alias = "get_plan")]
    pub fn plan(&self) -> Pending<PlanReport> {
        self.request(&GetPlan::default())
    }

    /// Asks for the agent's version.
    #[doc(alias = "get_binary_version")]
    pub fn binary_version(&self) -> Pending<BinaryVersion> {
        self.request(&GetBinaryVersion::default())
    }

    /// Asks for the models that there are now. [`Client::models`](crate::Client::models) has those
    /// that there were at the start.
    pub fn list_models(&self) -> Pending<ListModelsAnswer> {
        self.request(&ListModels::default())
    }
}
