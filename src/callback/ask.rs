//! What the agent asks, who answers, and with what.

use crate::command::AskNumber;
use crate::event::Asked;
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

/// Something that the agent asks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ask<R> {
    /// What it asks.
    pub request: R,
    /// The id under which it asks. Whoever has it can answer
    /// ([`Handle::answer`]), when the callback said [`Later`].
    pub request_id: Box<str>,
    /// Cancelled when the agent does not wait for an answer any more: it took
    /// the ask back, somebody else has answered, or the session is over. A later
    /// answer is dropped.
    pub cancelled: CancellationToken,
    /// The session. Every control method may be called from inside the
    /// callback.
    pub session: Handle,
    pub(crate) number: AskNumber,
}

/// May a tool run? Answered with a [`PermissionResult`].
pub type PermissionAsk = Ask<CanUseTool>;

/// An MCP server wants something from the user. Answered with an
/// [`McpElicitationResult`].
pub type ElicitationAsk = Ask<McpElicitation>;

/// A dialog is to be shown. Answered with a [`UserDialogResult`].
pub type DialogAsk = Ask<RequestUserDialog>;

/// What a callback says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reply<A> {
    /// The answer.
    Now(A),
    /// The answer comes later: by a [`Responder`](crate::Responder) that the callback took, or by
    /// [`Handle::answer`]. The agent waits.
    Later,
    /// There is none, for this reason. The agent is denied what it asked for,
    /// and a [`Notice::CallbackFailed`](crate::Notice::CallbackFailed) says so.
    Failed(String),
}

/// What a callback says whose answer comes later: [`Reply::Later`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Later;

impl<A: AskAnswer> From<Later> for Reply<A> {
    fn from(_: Later) -> Self {
        Self::Later
    }
}

impl<A: AskAnswer> From<A> for Reply<A> {
    fn from(answer: A) -> Self {
        Self::Now(answer)
    }
}

impl<A: AskAnswer, E: Display> From<Result<A, E>> for Reply<A> {
    fn from(result: Result<A, E>) -> Self {
        match result {
            Ok(answer) => Self::Now(answer),
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

impl From<Allow> for Reply<PermissionResult> {
    fn from(allow: Allow) -> Self {
        Self::Now(allow.into())
    }
}

impl From<Deny> for Reply<PermissionResult> {
    fn from(deny: Deny) -> Self {
        Self::Now(deny.into())
    }
}

/// A future that a handler gives.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Answers what the agent asks.
///
/// Every closure `Fn(Ask<R>) -> impl Future` whose future gives an answer, a
/// `Result` of one, or a [`Reply`], is one. Each call runs in a task of its own,
/// and many may run at once. One that panics denies. There is no deadline of
/// ours: the agent waits for as long as it likes.
pub trait Handler<R: Askable>: Send + Sync + 'static {
    /// Answers.
    fn handle(&self, ask: Ask<R>) -> BoxFuture<Reply<R::Answer>>;
}

impl<R, F, D> Handler<R> for F
where
    R: Askable,
    F: Fn(Ask<R>) -> D + Send + Sync + 'static,
    D: Future + Send + 'static,
    D::Output: Into<Reply<R::Answer>>,
{
    fn handle(&self, ask: Ask<R>) -> BoxFuture<Reply<R::Answer>> {
        let answer = self(ask);
        Box::pin(async move { answer.await.into() })
    }
}

/// A handler that can be shared and shown.
pub(crate) struct Shared<R>(Arc<dyn Handler<R>>);

impl<R: Askable> Shared<R> {
    pub(crate) fn new(handler: impl Handler<R>) -> Self {
        Self(Arc::new(handler))
    }

    pub(crate) fn handle(&self, ask: Ask<R>) -> BoxFuture<Reply<R::Answer>> {
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

/// A request of the agent's that a callback answers. Only the requests of the
/// protocol are.
pub trait Askable: Send + sealed::Sealed + 'static {
    /// What it is answered with.
    type Answer: AskAnswer;

    /// The part of the request that its answer has to repeat.
    #[doc(hidden)]
    fn to_repeat(&self) -> Option<Json> {
        None
    }
}

/// What a request of the agent's is answered with.
pub trait AskAnswer: Serialize + Send + sealed::Sealed + 'static {
    /// Whether it answers this.
    fn fits(asked: &Asked) -> bool;

    /// Finds what the agent would not understand in an answer to this.
    #[doc(hidden)]
    fn check(&self, _: &Asked) -> Result<(), String> {
        Ok(())
    }

    /// Repeats this part of the request.
    #[doc(hidden)]
    fn repeat(&mut self, _: &Json) {}

    /// Makes it safe for a CLI of this version; `None` for one that has not
    /// said its version when a turn runs, as older ones than 2.0.77.
    #[doc(hidden)]
    fn fit(&mut self, _: Option<CliVersion>) {}
}

mod sealed {
    pub trait Sealed {}
}

/// The tool by which the model asks the user.
pub(crate) const QUESTION_TOOL: &str = "AskUserQuestion";

/// Which request is answered with what, and what is asked by it.
macro_rules! answered {
    ($($request:ty => $answer:ty; if $asked:pat,)*) => {$(
        impl sealed::Sealed for $request {}

        impl Askable for $request {
            type Answer = $answer;
        }

        impl sealed::Sealed for $answer {}

        impl AskAnswer for $answer {
            fn fits(asked: &Asked) -> bool {
                matches!(asked, $asked)
            }
        }
    )*};
}

impl sealed::Sealed for CanUseTool {}

impl Askable for CanUseTool {
    type Answer = PermissionResult;

    /// The input of the tool. A question's input without answers would read as
    /// if the user had answered nothing.
    fn to_repeat(&self) -> Option<Json> {
        let is_object = self.input.get().starts_with('{');
        (is_object && self.tool_name != QUESTION_TOOL).then(|| self.input.clone())
    }
}

impl sealed::Sealed for PermissionResult {}

impl AskAnswer for PermissionResult {
    fn fits(asked: &Asked) -> bool {
        matches!(asked, Asked::Permission { .. })
    }

    /// The agent takes the answers to its questions only beside these.
    fn check(&self, asked: &Asked) -> Result<(), String> {
        let Self::Allow(allow) = self else {
            return Ok(());
        };
        let lacks_questions =
            |input: &Json| !(input.member("questions")).is_some_and(|it| it.get().starts_with('['));
        match (asked, &allow.updated_input) {
            (Asked::Permission { tool_name }, Some(input))
                if tool_name == QUESTION_TOOL && lacks_questions(input) =>
            {
                Err(format!(
                    "the input of `{QUESTION_TOOL}` lacks `questions`: repeat those of the \
                     request beside `answers`, or answer by `Options::on_question`"
                ))
            }
            _ => Ok(()),
        }
    }

    /// CLIs up to 2.1.197 deny the tool when an allow has no input.
    fn repeat(&mut self, input: &Json) {
        if let Self::Allow(allow) = self {
            allow.updated_input.get_or_insert_with(|| input.clone());
        }
    }
}

impl sealed::Sealed for HookCallback {}

impl Askable for HookCallback {
    type Answer = HookOutput;
}

impl sealed::Sealed for HookOutput {}

impl AskAnswer for HookOutput {
    fn fits(asked: &Asked) -> bool {
        matches!(asked, Asked::Hook { .. })
    }

    /// An old CLI would run the tool with the input that it had.
    fn fit(&mut self, version: Option<CliVersion>) {
        let is_old = version.is_none_or(|it| it < CHANGES_INPUTS);
        if is_old
            && let Self::Sync(output) = &self
            && let Some(SpecificOutput::PreToolUse(output)) = &output.specific
            && output.updated_input.is_some()
        {
            *self = PreToolUseOutput::deny(
                "The host wanted to run the tool with another input, which this CLI ignores.",
            )
            .into();
        }
    }
}

/// The first version that is known to run a tool with the input that a hook has
/// changed.
const CHANGES_INPUTS: CliVersion = CliVersion::new(2, 0, 77);

answered! {
    McpElicitation => McpElicitationResult; if Asked::Elicitation { .. },
    RequestUserDialog => UserDialogResult; if Asked::Dialog { .. },
}
