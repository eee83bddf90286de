//! Return types of hooks.

use crate::callback::Response;
use agentwire_protocol::hook::*;
use std::fmt::Display;

/// A return type of hooks for the event `E`.
///
/// It is implemented for the output type of the event; for [`HookOutput`],
/// [`SyncOutput`] and [`AsyncOutput`] with every event; for `()`, which lets
/// the agent continue; and for `Option` and `Result` of all these. `None` lets
/// the agent continue. An error is a failure of the hook.
#[diagnostic::on_unimplemented(
    message = "a hook for `{E}` cannot return `{Self}`",
    note = "return the output type of the event (for `PreToolUse`, `PreToolUseOutput::deny(\"why\")`), \
            a `HookOutput`, `()`, or an `Option` or `Result` of these"
)]
pub trait IntoHookOutput<E> {
    /// Converts it to a response.
    fn into_reply(self) -> Response<HookOutput>;
}

impl<E> IntoHookOutput<E> for () {
    fn into_reply(self) -> Response<HookOutput> {
        Response::Now(HookOutput::proceed())
    }
}

impl<E, A: IntoHookOutput<E>> IntoHookOutput<E> for Option<A> {
    fn into_reply(self) -> Response<HookOutput> {
        match self {
            Some(answer) => answer.into_reply(),
            None => Response::Now(HookOutput::proceed()),
        }
    }
}

impl<E, A: IntoHookOutput<E>, F: Display> IntoHookOutput<E> for Result<A, F> {
    fn into_reply(self) -> Response<HookOutput> {
        match self {
            Ok(answer) => answer.into_reply(),
            Err(error) => Response::Failed(error.to_string()),
        }
    }
}

/// Outputs for every event.
macro_rules! of_every_event {
    ($($output:ty),*) => {$(
        impl<E> IntoHookOutput<E> for $output {
            fn into_reply(self) -> Response<HookOutput> {
                Response::Now(self.into())
            }
        }
    )*};
}

of_every_event!(HookOutput, SyncOutput, AsyncOutput);

/// Outputs for a single event.
macro_rules! of_one_event {
    ($($event:ty => $output:ty,)*) => {$(
        impl IntoHookOutput<$event> for $output {
            fn into_reply(self) -> Response<HookOutput> {
                Response::Now(self.into())
            }
        }
    )*};
}

of_one_event! {
    CwdChanged => CwdChangedOutput,
    Elicitation => ElicitationOutput,
    ElicitationResult => ElicitationResultOutput,
    FileChanged => FileChangedOutput,
    MessageDisplay => MessageDisplayOutput,
    Notification => NotificationOutput,
    PermissionDenied => PermissionDeniedOutput,
    PermissionRequest => PermissionRequestOutput,
    PostModelSwitch => PostModelSwitchOutput,
    PostToolBatch => PostToolBatchOutput,
    PostToolUse => PostToolUseOutput,
    PostToolUseFailure => PostToolUseFailureOutput,
    PreModelSwitch => PreModelSwitchOutput,
    PreSkillShellCommand => PreSkillShellCommandOutput,
    PreToolUse => PreToolUseOutput,
    SessionStart => SessionStartOutput,
    Setup => SetupOutput,
    Stop => StopOutput,
    SubagentStart => SubagentStartOutput,
    SubagentStop => SubagentStopOutput,
    UserPromptExpansion => UserPromptExpansionOutput,
    UserPromptSubmit => UserPromptSubmitOutput,
    WorktreeCreate => WorktreeCreateOutput,
}
