//! Requests about the agent and its usage.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::control::{
    BinaryVersion, ContextUsage, GetBinaryVersion, GetContextUsage, GetHooksListing, GetPlan,
    GetSessionCost, GetStatus, GetUsage, GetUsageAnswer, HooksListing, ListModels,
    ListModelsAnswer, PlanReport, SessionCost, StatusReport,
};

/// # The agent and its usage
impl Handle {
    /// Returns the capabilities that the agent has declared so far, beyond the
    /// features of the oldest version. Some are in its response to
    /// `initialize`, the rest at the start of its first turn.
    #[must_use]
    pub fn capabilities(&self) -> Vec<String> {
        self.link().declared().capabilities()
    }

    /// Returns what fills the model's context, based on the last response and
    /// the agent's estimates. It makes no API calls.
    #[doc(alias = "getContextUsage")]
    #[doc(alias = "get_context_usage")]
    pub fn context_usage(&self) -> ResponseFuture<ContextUsage> {
        self.request(&GetContextUsage::summary())
    }

    /// Returns what fills the model's context, counted by the API. CLI 2.1.329
    /// makes 26 API calls for that.
    #[doc(alias = "get_context_usage")]
    pub fn context_usage_counted(&self) -> ResponseFuture<ContextUsage> {
        self.request(&GetContextUsage::default())
    }

    /// Returns what the session has used, and how much of the plan's limits is
    /// used. The agent reads its transcripts for that; with
    /// [`GetUsage::skip_behaviors`] it does not.
    #[doc(alias = "get_usage")]
    #[doc(alias = "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET")]
    pub fn usage(&self) -> ResponseFuture<GetUsageAnswer> {
        self.request(&GetUsage::default())
    }

    /// Returns the cost of the session, as text.
    #[doc(alias = "get_session_cost")]
    pub fn session_cost(&self) -> ResponseFuture<SessionCost> {
        self.request(&GetSessionCost::default())
    }

    /// Returns the configuration of the agent, as text.
    ///
    /// Not in the type declarations of the official SDK; CLI 2.1.329 supports it.
    #[doc(alias = "get_status")]
    pub fn status_report(&self) -> ResponseFuture<StatusReport> {
        self.request(&GetStatus::default())
    }

    /// Returns the hooks of the session, including those of settings and
    /// plugins.
    #[doc(alias = "get_hooks_listing")]
    pub fn hooks_listing(&self) -> ResponseFuture<HooksListing> {
        self.request(&GetHooksListing::default())
    }

    /// Returns the plan that the model made in plan mode.
    ///
    /// Not in the type declarations of the official SDK; CLI 2.1.329 supports it.
    #[doc(alias = "get_plan")]
    pub fn plan(&self) -> ResponseFuture<PlanReport> {
        self.request(&GetPlan::default())
    }

    /// Returns the agent's version.
    #[doc(alias = "get_binary_version")]
    pub fn binary_version(&self) -> ResponseFuture<BinaryVersion> {
        self.request(&GetBinaryVersion::default())
    }

    /// Returns the models that are available now.
    /// [`Client::models`](crate::Client::models) returns those at the start.
    pub fn list_models(&self) -> ResponseFuture<ListModelsAnswer> {
        self.request(&ListModels::default())
    }
}
