//! The callbacks of a session.

use super::request::{QUESTION_TOOL, Shared};
use crate::hook::Registry;
use crate::permission::{Decision, PLAN_TOOL, Policy, Rules, SharedPolicy};
use agentwire_protocol::control::Initialize;
use agentwire_protocol::dialog::RequestUserDialog;
use agentwire_protocol::mcp::McpElicitation;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use agentwire_protocol::sorted::SortedMap;
use std::sync::Arc;

/// The callbacks of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) permission: Option<Shared<CanUseTool>>,
    /// Rules that decide before the permission callback.
    pub(crate) rules: Option<Arc<Rules>>,
    /// A policy that decides after the rules and before the permission callback.
    pub(crate) policy: Option<SharedPolicy>,
    pub(crate) question: Option<Shared<CanUseTool>>,
    pub(crate) plan: Option<Shared<CanUseTool>>,
    pub(crate) elicitation: Option<Shared<McpElicitation>>,
    pub(crate) dialogs: SortedMap<String, Shared<RequestUserDialog>>,
    pub(crate) hooks: Registry,
    /// Whether requests without a callback are delivered to the streams.
    pub(crate) in_stream: bool,
}

impl Callbacks {
    /// Returns the callback that decides about a tool.
    pub(crate) fn permission(&self, tool_name: &str) -> Option<&Shared<CanUseTool>> {
        match tool_name {
            QUESTION_TOOL => self.question.as_ref(),
            PLAN_TOOL => self.plan.as_ref(),
            _ => None,
        }
        .or(self.permission.as_ref())
    }

    /// Returns the decision of the rules and the policy about a tool call, if there is one.
    pub(crate) fn decide(&self, request: &CanUseTool) -> Option<PermissionResult> {
        let rules = self.rules.as_ref().map(|it| it.decide(request));
        let must_ask = match rules {
            Some(Decision::Decided(result)) => return Some(result),
            rules => rules == Some(Decision::MustAsk),
        };
        match self.policy.as_ref()?.decide(request) {
            Decision::Decided(PermissionResult::Allow(_)) if must_ask => None,
            Decision::Decided(result) => Some(result),
            Decision::MustAsk | Decision::None => None,
        }
    }

    /// Returns whether there is any callback.
    pub(crate) fn are_set(&self) -> bool {
        self.decide_about_tools()
            || self.elicitation.is_some()
            || !self.dialogs.is_empty()
            || !self.hooks.is_empty()
    }

    /// Returns whether the agent should send permission requests.
    pub(crate) fn decide_about_tools(&self) -> bool {
        self.permission.is_some()
            || self.rules.is_some()
            || self.policy.is_some()
            || self.question.is_some()
            || self.plan.is_some()
            || self.in_stream
    }

    /// Returns the callback for a kind of dialog.
    pub(crate) fn dialog(&self, kind: &str) -> Option<&Shared<RequestUserDialog>> {
        self.dialogs.get(kind)
    }

    /// Adds the declarations of the callbacks to `initialize`.
    pub(crate) fn declare_in(&self, initialize: &mut Initialize) {
        self.hooks.register(&mut initialize.hooks);
        if !self.dialogs.is_empty() {
            let kinds = initialize.supported_dialog_kinds.get_or_insert_default();
            kinds.extend(self.dialogs.keys().cloned());
        }
    }
}
