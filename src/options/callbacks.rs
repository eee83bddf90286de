//! Options that set callbacks.

use super::Options;
use crate::callback::{
    DialogRequest, ElicitationRequest, Handler, IntoResponse, Request, Response, Shared,
};
use crate::hook::Hook;
use crate::permission::{PermissionRequest, PlanRequest, Policy, QuestionRequest, SharedPolicy};
use agentwire_protocol::dialog::UserDialogResult;
use agentwire_protocol::mcp::McpElicitationResult;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use std::future::Future;

/// Callbacks for the agent's requests. Each call runs in its own task. Many
/// calls can run at once.
impl Options {
    /// Sets the callback that decides on permission requests: tool calls that
    /// the CLI's rules do not decide. Without it, every permission request is
    /// denied, with a
    /// [`Notice::NoPermissionCallback`](crate::Notice::NoPermissionCallback).
    ///
    /// # When it is called
    ///
    /// As measured on the real CLI, for each tool call the hook `PreToolUse` is
    /// called first. It can deny the call; then nothing else is called. Then:
    ///
    /// | tool call | called |
    /// |---|---|
    /// | a hook, [`allowed_tools`](Self::allowed_tools) or the permission mode allows it | not this callback |
    /// | it has no effects, such as `ls` or reading a file of the project | not this callback |
    /// | [`disallowed_tools`](Self::disallowed_tools), the mode `dontAsk` or, in plan mode, a classifier denies it; a hook cannot allow it | not this callback; the agent sends `permission_denied` |
    /// | a hook returns `ask` | this callback, whatever the rules and the mode allow |
    /// | a question or a plan of the model | [`on_question`](Self::on_question) or [`on_plan`](Self::on_plan), in every mode and whatever a hook allows; without any callback, the model does not have these tools |
    /// | any other | this callback |
    ///
    /// Shell commands in the text of skills and slash commands are not tool calls: only the hook
    /// `PreSkillShellCommand` is called for them. The guide's page on
    /// [security](crate::guide::security) lists everything else that runs without a request.
    ///
    /// The hook `PermissionRequest` is called at the same time as this callback, and the first
    /// decision counts. If the tool ran, `PostToolUse` or `PostToolUseFailure` follows.
    ///
    /// # What it returns
    ///
    /// The callback returns a [`PermissionResult`], a `Result` of one, or
    /// [`Later`](crate::Later). If it panics or returns an error, the call is
    /// denied. There is no timeout: the agent waits for the decision.
    #[doc(alias = "canUseTool")]
    #[doc(alias = "can_use_tool")]
    pub fn on_permission<F, D>(self, callback: F) -> Self
    where
        F: Fn(PermissionRequest) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoResponse<PermissionResult>,
    {
        self.permission_handler(callback)
    }

    /// Sets a policy that decides on permission requests before the permission callback or the
    /// stream ([`Options::requests_in_stream`]) gets those that it leaves open. Without both, these
    /// are denied. [`Options::rules`] decide before it; a request that they must ask about, it can
    /// only deny.
    ///
    /// The session calls it between two messages, so it must not block. If it panics, the request
    /// is denied, and a [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) reports it.
    ///
    /// ```
    /// use agentwire::Options;
    /// use agentwire::permission::ReadOnly;
    ///
    /// let options = Options::new().permission_policy(ReadOnly).requests_in_stream(true);
    /// # drop(options);
    /// ```
    pub fn permission_policy(mut self, policy: impl Policy) -> Self {
        self.callbacks.policy = Some(SharedPolicy::new(policy));
        self
    }

    /// Sets an [`Options::on_permission`] callback that implements [`Handler`].
    pub fn permission_handler(mut self, handler: impl Handler<CanUseTool>) -> Self {
        self.callbacks.permission = Some(Shared::new(handler));
        self
    }

    /// Sets whether requests of the agent without a callback are delivered in the streams of the
    /// session, as [`Event::Request`](crate::Event::Request), in order with its messages:
    /// permission requests, questions, plans and elicitations. A user interface can then show a
    /// request after the text that led to it. Default: `false`.
    ///
    /// A request is in the [`Client`](crate::Client)'s own stream, in each
    /// [`Subscription`](crate::Subscription), and in the [`Turn`](crate::Turn) of the messages that
    /// its turn has picked up. The first response counts, and all of these streams then deliver
    /// [`Event::RequestAnswered`](crate::Event::RequestAnswered).
    ///
    /// A request is denied, with a [`Notice::CallbackFailed`](crate::Notice::CallbackFailed), if no
    /// stream delivers it: all of them were dropped, discarded it beyond
    /// [`Options::unread_hard_limit`], or skip requests, as
    /// [`Messages`](crate::Messages), [`TextStream`](crate::TextStream) and
    /// [`prompt`](crate::prompt()) do. The agent waits for a request that was delivered.
    ///
    /// [`Options::rules`] and [`Options::permission_policy`] decide first: only what they leave
    /// open is in the streams.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), agentwire::Error> {
    /// use agentwire::event::RequestKind;
    /// use agentwire::{Client, Event, Options, PermissionResult};
    ///
    /// let mut client = Client::connect(Options::new().requests_in_stream(true)).await?;
    /// client.send("Clean up this directory.");
    /// while let Some(event) = client.next().await {
    ///     if let Event::Request(pending) = event? {
    ///         if let RequestKind::Permission(request) = &pending.request {
    ///             println!("{} {}", request.tool_name, request.input);
    ///             client.respond(&pending.request_id, PermissionResult::allow()).await?;
    ///         }
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn requests_in_stream(mut self, on: bool) -> Self {
        self.callbacks.in_stream = on;
        self
    }

    /// Sets the callback for the model's questions to the user (tool `AskUserQuestion`). Default:
    /// the permission callback.
    pub fn on_question<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(QuestionRequest) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoResponse<PermissionResult>,
    {
        self.callbacks.question = Some(typed(QuestionRequest::read, callback));
        self
    }

    /// Sets the callback that decides on the model's plans (tool `ExitPlanMode`). Default: the
    /// permission callback.
    pub fn on_plan<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(PlanRequest) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoResponse<PermissionResult>,
    {
        self.callbacks.plan = Some(typed(PlanRequest::read, callback));
        self
    }

    /// Adds a hook.
    #[doc(alias = "hooks")]
    pub fn hook(mut self, hook: Hook) -> Self {
        self.callbacks.hooks.add(hook);
        self
    }

    /// Sets the callback for an MCP server's request for input from the user, if no hook responds.
    /// Without it, or if it fails, the request is declined.
    pub fn on_elicitation<F, D>(mut self, callback: F) -> Self
    where
        F: Fn(ElicitationRequest) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoResponse<McpElicitationResult>,
    {
        self.callbacks.elicitation = Some(Shared::new(callback));
        self
    }

    /// Sets the callback that shows dialogs of one kind. The kind is declared to the agent, which
    /// only sends declared kinds. A dialog of a kind that another host of the session declared gets
    /// no response, and is reported as a [`Notice::NotSupported`](crate::Notice::NotSupported). If
    /// the callback fails, the dialog counts as dismissed.
    #[doc(alias = "onUserDialog")]
    #[doc(alias = "supportedDialogKinds")]
    pub fn on_dialog<F, D>(mut self, kind: impl Into<String>, callback: F) -> Self
    where
        F: Fn(DialogRequest) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoResponse<UserDialogResult>,
    {
        let dialogs = &mut self.callbacks.dialogs;
        dialogs.insert(kind.into(), Shared::new(callback));
        self
    }
}

/// Wraps a callback for a special kind of permission request.
fn typed<T, F, D>(
    read: fn(PermissionRequest) -> Result<T, String>,
    callback: F,
) -> Shared<CanUseTool>
where
    T: 'static,
    F: Fn(T) -> D + Send + Sync + 'static,
    D: Future + Send + 'static,
    D::Output: IntoResponse<PermissionResult>,
{
    Shared::new(move |ask: Request<CanUseTool>| {
        let answer = read(ask).map(&callback);
        async move {
            match answer {
                Ok(answer) => answer.await.into_response(),
                Err(why) => Response::Failed(why),
            }
        }
    })
}
