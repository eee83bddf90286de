//! The callbacks of a session, and how they are set.

use super::{Ask, DialogAsk, ElicitationAsk, Handler, PermissionAsk, Reply, Shared};
use crate::hook::{Hook, Registry};
use crate::options::Options;
use crate::permission::{PLAN_TOOL, PlanAsk, QUESTION_TOOL, QuestionAsk};
use agentwire_protocol::control::Initialize;
use agentwire_protocol::dialog::{RequestUserDialog, UserDialogResult};
use agentwire_protocol::mcp::{McpElicitation, McpElicitationResult};
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use std::collections::BTreeMap;
use std::future::Future;

/// The callbacks of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callbacks {
    permission: Option<Shared<CanUseTool>>,
    question: Option<Shared<CanUseTool>>,
    plan: Option<Shared<CanUseTool>>,
    pub(crate) elicitation: Option<Shared<McpElicitation>>,
    dialogs: BTreeMap<String, Shared<RequestUserDialog>>,
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

/// Callbacks: what the agent asks, and who answers. Each call runs in a task of
/// its own; many may run at once.
impl Options {
    /// Who decides whether tools may run, where the CLI's rules do not.
    /// Without it whatever would be asked is denied.
    ///
    /// The callback answers with a [`PermissionResult`], a `Result` of one, or
    /// [`Later`](crate::Later). One that panics or fails denies. There is no
    /// deadline: the agent waits.
    pub fn on_permission<F, D>(self, callback: F) -> Self
    where
        F: Fn(PermissionAsk) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: Into<Reply<PermissionResult>>,
    {
        self.permission_handler(callback)
    }

    /// [`Options::on_permission`] for a type of one's own.
    pub fn permission_handler(mut self, handler: impl Handler<CanUseTool>) -> Self {
        self.callbacks.permission = Some(Shared::new(handler));
        self
    }

    /// Who answers what the model asks the user, by its tool
    /// `AskUserQuestion`. Without it the permission callback is asked.
    pub fn on_question<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(QuestionAsk) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: Into<Reply<PermissionResult>>,
    {
        self.callbacks.question = Some(typed(QuestionAsk::read, callback));
        self
    }

    /// Who decides about the model's plans, which come by its tool
    /// `ExitPlanMode`. Without it the permission callback is asked.
    pub fn on_plan<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(PlanAsk) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: Into<Reply<PermissionResult>>,
    {
        self.callbacks.plan = Some(typed(PlanAsk::read, callback));
        self
    }

    /// Adds a hook.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.callbacks.hooks.add(hook);
        self
    }

    /// Who answers when an MCP server wants something from the user, where no
    /// hook did. Without it, and when it fails, it is declined.
    pub fn on_elicitation<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(ElicitationAsk) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: Into<Reply<McpElicitationResult>>,
    {
        self.callbacks.elicitation = Some(Shared::new(callback));
        self
    }

    /// Who shows dialogs of this kind, which is declared to the agent: it sends
    /// no others. Those that another host of the session declared are left
    /// unanswered, with a
    /// [`Notice::NotSupported`](crate::Notice::NotSupported). One whose
    /// callback fails counts as dismissed.
    pub fn on_dialog<F, D>(mut self, kind: impl Into<String>, callback: F) -> Self
    where
        F: Fn(DialogAsk) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: Into<Reply<UserDialogResult>>,
    {
        let dialogs = &mut self.callbacks.dialogs;
        dialogs.insert(kind.into(), Shared::new(callback));
        self
    }
}

/// A callback for permission asks that are something more special.
fn typed<T, F, D>(read: fn(PermissionAsk) -> Result<T, String>, callback: F) -> Shared<CanUseTool>
where
    T: 'static,
    F: Fn(T) -> D + Send + Sync + 'static,
    D: Future + Send + 'static,
    D::Output: Into<Reply<PermissionResult>>,
{
    Shared::new(move |ask: Ask<CanUseTool>| {
        let answer = read(ask).map(&callback);
        async move {
            match answer {
                Ok(answer) => answer.await.into(),
                Err(why) => Reply::Failed(why),
            }
        }
    })
}
