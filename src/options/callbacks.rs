//! Who answers what the agent asks.

use super::Options;
use crate::callback::{
    Ask, DialogAsk, ElicitationAsk, Handler, Hook, PermissionAsk, PlanAsk, QuestionAsk, Reply,
    Shared,
};
use agentwire_protocol::dialog::UserDialogResult;
use agentwire_protocol::mcp::McpElicitationResult;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use std::future::Future;

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
