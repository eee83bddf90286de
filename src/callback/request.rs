//! Requests of the agent, their handlers and their responses.

use crate::command::RequestNumber;
use crate::event::RequestSummary;
use crate::handle::Handle;
use crate::process::CliVersion;
use agentwire_protocol::Json;
use agentwire_protocol::dialog::{RequestUserDialog, UserDialogResult};
use agentwire_protocol::hook::{HookCallback, HookOutput, PreToolUseOutput, SpecificOutput};
use agentwire_protocol::mcp::{McpElicitation, McpElicitationResult};
use agentwire_protocol::permission::{Allow, CanUseTool, Deny, PermissionResult};
use serde::Serialize;
use std::fmt::{self, Display};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A request of the agent to the host, passed to a callback.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request<R> {
    /// The request.
    pub request: R,
    /// The request ID. After the callback has returned [`Later`], respond with this ID
    /// ([`Handle::respond`]).
    pub request_id: Box<str>,
    /// Cancelled once the agent no longer waits for the response: it withdrew the request, the
    /// request was answered elsewhere, or the session has ended. A later response is discarded.
    pub cancelled: CancellationToken,
    /// The session. A callback may call every control method.
    pub session: Handle,
    pub(crate) number: RequestNumber,
}

/// A request of an MCP server for input from the user. The response is an
/// [`McpElicitationResult`].
pub type ElicitationRequest = Request<McpElicitation>;

/// A request to show a dialog. The response is a [`UserDialogResult`].
pub type DialogRequest = Request<RequestUserDialog>;

/// The return value of a callback.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Response<A> {
    /// The response.
    Now(A),
    /// The response follows, by a [`Responder`](crate::callback::Responder) or by
    /// [`Handle::respond`]. The agent waits.
    Later,
    /// The callback failed with this reason. The request is denied, and a
    /// [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) reports it.
    Failed(String),
}

/// Returned by a callback whose response follows later: converts to
/// [`Response::Later`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Later;

impl<A: CallbackResponse> From<Later> for Response<A> {
    fn from(_: Later) -> Self {
        Self::Later
    }
}

impl<A: CallbackResponse> From<A> for Response<A> {
    fn from(answer: A) -> Self {
        Self::Now(answer)
    }
}

impl<A: CallbackResponse, E: Display> From<Result<A, E>> for Response<A> {
    fn from(result: Result<A, E>) -> Self {
        match result {
            Ok(answer) => Self::Now(answer),
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

impl From<Allow> for Response<PermissionResult> {
    fn from(allow: Allow) -> Self {
        Self::Now(allow.into())
    }
}

impl From<Deny> for Response<PermissionResult> {
    fn from(deny: Deny) -> Self {
        Self::Now(deny.into())
    }
}

/// The output of a callback: a response, a `Result` of one, [`Later`], or a [`Response`].
#[diagnostic::on_unimplemented(
    message = "a callback cannot return `{Self}` where a `{A}` is expected",
    note = "return a `{A}`, a `Result` of one, or `agentwire::Later`",
    note = "a permission callback returns `PermissionResult::allow()` or `PermissionResult::deny(\"why\")`"
)]
pub trait IntoResponse<A> {
    /// Converts it to a response.
    fn into_response(self) -> Response<A>;
}

#[diagnostic::do_not_recommend]
impl<A, T: Into<Response<A>>> IntoResponse<A> for T {
    fn into_response(self) -> Response<A> {
        self.into()
    }
}

/// The future that a handler returns.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Responds to one kind of request of the agent.
///
/// It is implemented for every closure `Fn(Request<R>) -> impl Future` whose output is a
/// response, a `Result` of one, or a [`Response`]. Each call runs in its own task; many may run
/// at once. If it panics, the request is denied. agentwire sets no timeout; the agent may.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle requests of the type `{R}`",
    note = "use an async closure such as `|ask| async move {{ PermissionResult::allow() }}`, \
            or implement `agentwire::callback::Handler`",
    note = "a `permission::Policy` is a handler with `.or_deny(\"why\")` or `.or_ask(handler)`"
)]
pub trait Handler<R: CallbackRequest>: Send + Sync + 'static {
    /// Responds to a request.
    fn handle(&self, ask: Request<R>) -> BoxFuture<Response<R::Response>>;
}

impl<R, F, D> Handler<R> for F
where
    R: CallbackRequest,
    F: Fn(Request<R>) -> D + Send + Sync + 'static,
    D: Future + Send + 'static,
    D::Output: IntoResponse<R::Response>,
{
    fn handle(&self, ask: Request<R>) -> BoxFuture<Response<R::Response>> {
        let answer = self(ask);
        Box::pin(async move { answer.await.into_response() })
    }
}

/// A handler that is `Clone` and `Debug`.
pub(crate) struct Shared<R>(Arc<dyn Handler<R>>);

impl<R: CallbackRequest> Shared<R> {
    pub(crate) fn new(handler: impl Handler<R>) -> Self {
        Self(Arc::new(handler))
    }

    pub(crate) fn handle(&self, ask: Request<R>) -> BoxFuture<Response<R::Response>> {
        self.0.handle(ask)
    }
}

impl<R> Clone for Shared<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R> fmt::Debug for Shared<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}

/// A request of the agent for callbacks. Only implemented for requests of the protocol.
pub trait CallbackRequest: Send + sealed::Sealed + 'static {
    /// The type of the response.
    type Response: CallbackResponse;

    /// Returns the part of the request that the response must repeat.
    #[doc(hidden)]
    fn to_repeat(&self) -> Option<Json> {
        None
    }
}

/// The response to a request of the agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a response to a request of the agent",
    note = "respond with a `PermissionResult`, a `HookOutput`, a `McpElicitationResult` or a \
            `UserDialogResult`"
)]
pub trait CallbackResponse: Serialize + Send + sealed::Sealed + 'static {
    /// Returns whether this type of response fits the request.
    fn fits(asked: &RequestSummary) -> bool;

    /// Returns an error if the agent would misinterpret this response to the request.
    #[doc(hidden)]
    fn check(&self, _: &RequestSummary) -> Result<(), String> {
        Ok(())
    }

    /// Adds this part of the request to the response.
    #[doc(hidden)]
    fn repeat(&mut self, _: &Json) {}

    /// Makes the response safe for a CLI of this version. `None` is a CLI that has not reported its
    /// version before its first turn ends, such as one older than 2.0.77.
    #[doc(hidden)]
    fn fit(&mut self, _: Option<CliVersion>) {}
}

mod sealed {
    pub trait Sealed {}
}

/// The tool with which the model asks the user questions.
pub(crate) const QUESTION_TOOL: &str = "AskUserQuestion";

/// Implements the response type and the kind of a request.
macro_rules! answered {
    ($($request:ty => $answer:ty; if $asked:pat,)*) => {$(
        impl sealed::Sealed for $request {}

        impl CallbackRequest for $request {
            type Response = $answer;
        }

        impl sealed::Sealed for $answer {}

        impl CallbackResponse for $answer {
            fn fits(asked: &RequestSummary) -> bool {
                matches!(asked, $asked)
            }
        }
    )*};
}

impl sealed::Sealed for CanUseTool {}

impl CallbackRequest for CanUseTool {
    type Response = PermissionResult;

    /// Returns the tool's input. Without answers, a question's input would mean that the user
    /// answered nothing.
    fn to_repeat(&self) -> Option<Json> {
        let is_object = self.input.get().starts_with('{');
        (is_object && self.tool_name != QUESTION_TOOL).then(|| self.input.clone())
    }
}

impl sealed::Sealed for PermissionResult {}

impl CallbackResponse for PermissionResult {
    fn fits(asked: &RequestSummary) -> bool {
        matches!(asked, RequestSummary::Permission { .. })
    }

    /// The agent only accepts answers together with the questions.
    fn check(&self, asked: &RequestSummary) -> Result<(), String> {
        let Self::Allow(allow) = self else {
            return Ok(());
        };
        let lacks_questions =
            |input: &Json| !(input.member("questions")).is_some_and(|it| it.get().starts_with('['));
        match (asked, &allow.updated_input) {
            (RequestSummary::Permission { tool_name }, Some(input))
                if tool_name == QUESTION_TOOL && lacks_questions(input) =>
            {
                Err(format!(
                    "the input of `{QUESTION_TOOL}` lacks `questions`: copy them from the \
                     request, or use `Options::on_question`"
                ))
            }
            _ => Ok(()),
        }
    }

    /// CLIs up to 2.1.197 deny the tool if an allow has no input.
    fn repeat(&mut self, input: &Json) {
        if let Self::Allow(allow) = self {
            allow.updated_input.get_or_insert_with(|| input.clone());
        }
    }
}

impl sealed::Sealed for HookCallback {}

impl CallbackRequest for HookCallback {
    type Response = HookOutput;
}

impl sealed::Sealed for HookOutput {}

impl CallbackResponse for HookOutput {
    fn fits(asked: &RequestSummary) -> bool {
        matches!(asked, RequestSummary::Hook { .. })
    }

    /// An old CLI would run the tool with the original input.
    fn fit(&mut self, version: Option<CliVersion>) {
        let is_old = version.is_none_or(|it| it < CHANGES_INPUTS);
        if is_old
            && let Self::Sync(output) = &self
            && let Some(SpecificOutput::PreToolUse(output)) = &output.specific
            && output.updated_input.is_some()
        {
            *self = PreToolUseOutput::deny(
                "The host changed the input of this call, which this CLI version does not support.",
            )
            .into();
        }
    }
}

/// The first version known to run a tool with an input changed by a hook.
const CHANGES_INPUTS: CliVersion = CliVersion::new(2, 0, 77);

answered! {
    McpElicitation => McpElicitationResult; if RequestSummary::Elicitation { .. },
    RequestUserDialog => UserDialogResult; if RequestSummary::Dialog { .. },
}
