//! The callbacks of a session.

use super::ask::{QUESTION_TOOL, Shared};
use super::hook::Registry;
use super::permission::PLAN_TOOL;
use agentwire_protocol::control::Initialize;
use agentwire_protocol::dialog::RequestUserDialog;
use agentwire_protocol::mcp::McpElicitation;
use agentwire_protocol::permission::CanUseTool;
use std::collections::BTreeMap;

/// The callbacks of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) permission: Option<Shared<CanUseTool>>,
    pub(crate) question: Option<Shared<CanUseTool>>,
    pub(crate) plan: Option<Shared<CanUseTool>>,
    pub(crate) elicitation: Option<Shared<McpElicitation>>,
    pub(crate) dialogs: BTreeMap<String, Shared<RequestUserDialog>>,
    pub(crate) hooks: Registry,
}

impl Callbacks {
    /// Who decides about a tool.
    pub(crate) fn permission(&self, tool_name: &str) -> Option<&Shared<CanUseTool>> {
        match tool_name {
            QUESTION_TOOL => self.question.as_ref(),
            PLAN_TOOL => self.plan.as_ref(),
            _ => None,
        }
        .or(self.permission.as_ref())
    }

    /// Whether there is a callback for anything.
    pub(crate) fn answer_something(&self) -> bool {
        self.decide_about_tools()
            || self.elicitation.is_some()
            || !self.dialogs.is_empty()
            || !self.hooks.is_empty()
    }

    /// Whether the agent is to ask about tools.
    pub(crate) fn decide_about_tools(&self) -> bool {
        self.permission.is_some() || self.question.is_some() || self.plan.is_some()
    }

    /// Who shows a kind of dialog.
    pub(crate) fn dialog(&self, kind: &str) -> Option<&Shared<RequestUserDialog>> {
        self.dialogs.get(kind)
    }

    /// Tells the agent of what has to be declared.
    pub(crate) fn introduce(&self, initialize: &mut Initialize) {
        self.hooks.register(&mut initialize.hooks);
        if !self.dialogs.is_empty() {
            let kinds = initialize.supported_dialog_kinds.get_or_insert_default();
            kinds.extend(self.dialogs.keys().cloned());
        }
    }
}
