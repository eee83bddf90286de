//! Hooks: closures that observe and may change the agent's actions.

mod output;
mod registry;

pub use output::IntoHookOutput;
pub(crate) use registry::Registry;

use crate::callback::{Request, Response, Shared};
use crate::handle::Handle;
use crate::permission::{Decision, Policy};
use agentwire_protocol::hook::{
    HookCallback, HookContext, HookEvent, HookKind, HookMatcher, HookOutput, OnFailure, PreToolUse,
    PreToolUseOutput, TypedEvent,
};
use agentwire_protocol::json::Number;
use agentwire_protocol::permission::{CanUseTool, PermissionResult};
use std::future::{Future, ready};
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The tool with which the model returns structured output.
const STRUCTURED_OUTPUT: &str = "StructuredOutput";

/// A hook: a closure, and the events for which the agent calls it.
///
/// The type of the closure's argument selects the event. It may return anything
/// that implements [`IntoHookOutput`] for the event: the output type of the event,
/// a [`HookOutput`], `()`, or an `Option` or `Result` of these.
///
/// ```
/// use agentwire::hook::HookCall;
/// use agentwire::{Hook, Options};
/// use agentwire::protocol::hook::{PreToolUse, PreToolUseOutput, Stop};
///
/// let no_force = Hook::new(|call: HookCall<PreToolUse>| async move {
///     let command = call.event.tool_input.to_string();
///     command
///         .contains("--force")
///         .then(|| PreToolUseOutput::deny("Not by force."))
/// });
/// let options = Options::new()
///     .hook(no_force.matcher("Bash").gate())
///     .hook(Hook::new(|call: HookCall<Stop>| async move {
///         println!("done in {:?}", call.context.cwd);
///     }));
/// # drop(options);
/// ```
///
/// Each call runs in its own task. If it panics or returns an error, the agent
/// continues as if there were no hook, unless the hook is a [gate](Hook::gate).
#[derive(Debug, Clone)]
#[must_use]
pub struct Hook {
    pub(crate) kind: HookKind,
    pub(crate) handler: Shared<HookCallback>,
    matcher: Option<String>,
    timeout: Option<Duration>,
    pub(crate) is_gate: bool,
}

/// The argument of a hook.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookCall<E> {
    /// The event.
    pub event: E,
    /// The session and the directory in which it occurs.
    pub context: HookContext,
    /// The ID of the tool call. For events without a tool call, an ID that the
    /// agent chose.
    pub tool_use_id: Option<String>,
    /// The request ID.
    pub request_id: Box<str>,
    /// Cancelled once the agent no longer waits for the response: the hook has
    /// timed out, or the turn was interrupted.
    pub cancelled: CancellationToken,
    /// The session. A hook may call every control method.
    pub session: Handle,
}

impl Hook {
    /// Creates a hook for the event of the closure's argument.
    pub fn new<E, F, D>(closure: F) -> Self
    where
        E: TypedEvent + Send + 'static,
        F: Fn(HookCall<E>) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoHookOutput<E>,
    {
        Self::with(E::KIND, closure, |event| {
            let tag = event.tag();
            E::of(event).ok_or_else(|| {
                let reported = tag.unwrap_or_else(|| "nothing".to_owned());
                format!("expected the event `{}`, got `{reported}`", E::KIND)
            })
        })
    }

    /// Creates a [gate](Hook::gate) that denies every tool call that a policy denies, also calls
    /// for which the agent sends no permission request, such as reading a file of the project. For
    /// calls that the policy allows, the agent decides as without the policy.
    ///
    /// The tool `StructuredOutput`, with which the model returns
    /// [structured output](crate::Options::output_format), is not denied.
    ///
    /// ```
    /// use agentwire::permission::{Policy, Within};
    /// use agentwire::{Hook, Options};
    ///
    /// let only_read = Within::new("src")?.read_only().or_deny("Only read files in src.");
    /// let options = Options::new()
    ///     .hook(Hook::policy(only_read.clone()))
    ///     .permission_policy(only_read);
    /// # drop(options);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn policy(policy: impl Policy) -> Self {
        Self::new(move |call: HookCall<PreToolUse>| {
            let HookCall { event, context, .. } = call;
            let mut denied = None;
            if event.tool_name != STRUCTURED_OUTPUT {
                let request = CanUseTool::new(event.tool_name, event.tool_input);
                let decision = match &context.cwd {
                    Some(cwd) => policy.decide_in(&request, Path::new(cwd)),
                    None => policy.decide(&request),
                };
                if let Decision::Decided(PermissionResult::Deny(deny)) = decision {
                    denied = Some(PreToolUseOutput::deny(deny.message));
                }
            }
            ready(denied)
        })
        .gate()
    }

    /// Creates a hook for an event by its name: for events that this version
    /// does not support, or to use one closure for many events.
    pub fn named<F, D>(event: impl Into<HookKind>, closure: F) -> Self
    where
        F: Fn(HookCall<HookEvent>) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoHookOutput<HookEvent>,
    {
        Self::with(event.into(), closure, Ok)
    }

    fn with<E, F, D>(kind: HookKind, closure: F, read: fn(HookEvent) -> Result<E, String>) -> Self
    where
        E: 'static,
        F: Fn(HookCall<E>) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: IntoHookOutput<E>,
    {
        let handler = move |ask: Request<HookCallback>| {
            let answer = HookCall::read(ask, read).map(&closure);
            async move {
                match answer {
                    Ok(answer) => answer.await.into_reply(),
                    Err(why) => Response::<HookOutput>::Failed(why),
                }
            }
        };
        Self {
            kind,
            handler: Shared::new(handler),
            matcher: None,
            timeout: None,
            is_gate: false,
        }
    }

    /// Restricts the hook to events with a matching subject: one or several names of tools
    /// (`Edit|Write`), a source or similar, or a regular expression. Default: all events of its
    /// kind.
    pub fn matcher(mut self, pattern: impl Into<String>) -> Self {
        self.matcher = Some(pattern.into());
        self
    }

    /// Sets how long the agent waits for the response before it cancels the call
    /// ([`HookCall::cancelled`]). The agent's unit is seconds. Default: the agent's own.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Makes the hook a gate: if it panics, returns an error or times out, the
    /// agent does not perform the action. Without this, the agent continues in
    /// these cases.
    ///
    /// A session that cannot rely on its gates does not start: connecting fails
    /// with [`Error::NotApplied`](crate::Error::NotApplied) if the CLI did not
    /// register the hooks. A CLI without support for gates continues when a
    /// gate times out ([`InitializeAnswer::hook_on_failure_supported`]).
    ///
    /// For `PermissionRequest`, the agent calls the hook and the permission
    /// callback at the same time, and uses the first response.
    ///
    /// Has no effect on `Stop`, `SubagentStop`, `TaskCompleted` and `TeammateIdle`, where a refusal
    /// would make the agent continue forever, and on events that are notifications.
    ///
    /// [`InitializeAnswer::hook_on_failure_supported`]: agentwire_protocol::control::InitializeAnswer::hook_on_failure_supported
    pub fn gate(mut self) -> Self {
        self.is_gate = true;
        self
    }

    /// Returns the registration of the hook for `initialize`, with the IDs of its closures.
    fn registration(&self, ids: Vec<String>) -> HookMatcher {
        let mut registration = HookMatcher::new(ids);
        registration.matcher.clone_from(&self.matcher);
        registration.timeout = self.timeout.map(seconds);
        registration.on_failure = self.is_gate.then_some(OnFailure::Block);
        registration
    }
}

impl<E> HookCall<E> {
    fn read(
        ask: Request<HookCallback>,
        read: fn(HookEvent) -> Result<E, String>,
    ) -> Result<Self, String> {
        let HookCallback {
            input, tool_use_id, ..
        } = ask.request;
        Ok(Self {
            event: read(input.event)?,
            context: input.context,
            tool_use_id,
            request_id: ask.request_id,
            cancelled: ask.cancelled,
            session: ask.session,
        })
    }
}

/// Returns an integer if the time is whole seconds.
fn seconds(time: Duration) -> Number {
    if time.subsec_nanos() == 0 {
        Number::from(time.as_secs())
    } else {
        Number::from(time.as_secs_f64())
    }
}
