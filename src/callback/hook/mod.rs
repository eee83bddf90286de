//! Hooks: closures that are told what the agent does, and may change it.

mod answer;
mod registry;

pub use answer::HookAnswer;
pub(crate) use registry::Registry;

use crate::callback::{Ask, Reply, Shared};
use crate::handle::Handle;
use agentwire_protocol::hook::{
    HookCallback, HookContext, HookEvent, HookKind, HookMatcher, HookOutput, OnFailure, TypedEvent,
};
use agentwire_protocol::json::Number;
use std::future::Future;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A hook: a closure, and when the agent is to call it.
///
/// The closure's argument says which event it is for. What it may answer is
/// what [`HookAnswer`] is implemented for: the output type of that event, what
/// every hook may say ([`HookOutput`]), nothing at all, or a `Result` of that.
///
/// ```
/// use agentwire::{Hook, HookCall, Options};
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
/// Each call runs in a task of its own. One that panics or returns an error
/// does not hold the agent up, unless the hook is a [gate](Hook::gate).
#[derive(Debug, Clone)]
#[must_use]
pub struct Hook {
    pub(crate) kind: HookKind,
    pub(crate) handler: Shared<HookCallback>,
    matcher: Option<String>,
    timeout: Option<Duration>,
    pub(crate) is_gate: bool,
}

/// What a hook is told.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookCall<E> {
    /// What happens.
    pub event: E,
    /// Where it happens.
    pub context: HookContext,
    /// The tool call that it is about; an id of the agent's, where it is about
    /// none.
    pub tool_use_id: Option<String>,
    /// The id under which the agent asks.
    pub request_id: Box<str>,
    /// Cancelled when the agent does not wait for the answer any more: when
    /// the hook's time is up, or the turn is interrupted.
    pub cancelled: CancellationToken,
    /// The session. Every control method may be called from inside the hook.
    pub session: Handle,
}

impl Hook {
    /// A hook of the event that the closure takes.
    pub fn new<E, F, D>(closure: F) -> Self
    where
        E: TypedEvent + Send + 'static,
        F: Fn(HookCall<E>) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: HookAnswer<E>,
    {
        Self::with(E::KIND, closure, |event| {
            let tag = event.tag();
            E::of(event).ok_or_else(|| {
                let told_of = tag.unwrap_or_else(|| "nothing".to_owned());
                format!("it was told of `{told_of}` and is for `{}`", E::KIND)
            })
        })
    }

    /// A hook of an event by its name: one that this version does not know, or
    /// one closure for many events.
    pub fn named<F, D>(event: impl Into<HookKind>, closure: F) -> Self
    where
        F: Fn(HookCall<HookEvent>) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: HookAnswer<HookEvent>,
    {
        Self::with(event.into(), closure, Ok)
    }

    fn with<E, F, D>(kind: HookKind, closure: F, read: fn(HookEvent) -> Result<E, String>) -> Self
    where
        E: 'static,
        F: Fn(HookCall<E>) -> D + Send + Sync + 'static,
        D: Future + Send + 'static,
        D::Output: HookAnswer<E>,
    {
        let handler = move |ask: Ask<HookCallback>| {
            let answer = HookCall::read(ask, read).map(&closure);
            async move {
                match answer {
                    Ok(answer) => answer.await.into_reply(),
                    Err(why) => Reply::<HookOutput>::Failed(why),
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

    /// What the event has to be about: a tool's name or several (`Edit|Write`),
    /// a source, or the like, or a regular expression for that. About anything,
    /// if not set.
    pub fn matcher(mut self, pattern: impl Into<String>) -> Self {
        self.matcher = Some(pattern.into());
        self
    }

    /// How long the agent waits for the answer; as long as it does of itself, if
    /// not set. Then it cancels the call ([`HookCall::cancelled`]). The agent
    /// counts in seconds.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Makes it a gate: when it fails (it panics, returns an error, or takes
    /// too long), the agent does not do what the event is about. An agent that
    /// is left to itself goes ahead then.
    ///
    /// A session that cannot be sure of it does not start: connecting fails
    /// with [`Error::NotApplied`](crate::Error::NotApplied) when the
    /// CLI did not take the hooks. One that does not know of gates does not
    /// guard against a gate that takes too long
    /// ([`InitializeAnswer::hook_on_failure_supported`]).
    ///
    /// Of `PermissionRequest` the agent asks at the same time as it asks the
    /// permission callback, and takes the answer that comes first.
    ///
    /// Of no effect for `Stop`, `SubagentStop`, `TaskCompleted` and
    /// `TeammateIdle`, where to refuse means to go on, for ever, and for events
    /// that only tell of something.
    ///
    /// [`InitializeAnswer::hook_on_failure_supported`]: agentwire_protocol::control::InitializeAnswer::hook_on_failure_supported
    pub fn gate(mut self) -> Self {
        self.is_gate = true;
        self
    }

    /// How the agent is told of it, with the closures that are called then.
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
        ask: Ask<HookCallback>,
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

/// Whole seconds where they are whole.
fn seconds(time: Duration) -> Number {
    if time.subsec_nanos() == 0 {
        Number::from(time.as_secs())
    } else {
        Number::from(time.as_secs_f64())
    }
}
