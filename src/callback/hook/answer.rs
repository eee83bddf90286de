//! Return types of hooks.

use crate::callback::Reply;
use agentwire_protocol::hook::*;
use std::fmt::Display;

/// A return type of hooks for the event `E`.
///
/// It is implemented for the output type of the event; for [`HookOutput`],
/// [`SyncOutput`] and [`AsyncOutput`] with every event; for `()`, which lets
/// the agent continue; and for `Option` and `Result` of all these. `None` lets
/// the agent continue. An error is a failure of the hook.
pub trait HookAnswer<E> {
    /// Converts it to the response that is sent.
    fn into_reply(self) -> Reply<HookOutput>;
}

impl<E> HookAnswer<E> for () {
    fn into_reply(self) -> Reply<HookOutput> {
        Reply::Now(HookOutput::proceed())
    }
}

impl<E, A: HookAnswer<E>> HookAnswer<E> for Option<A> {
    fn into_reply(self) -> Reply<HookOutput> {
        match self {
            Some(answer) => answer.into_reply(),
            None => Reply::Now(HookOutput::proceed()),
        }
    }
}

impl<E, A: HookAnswer<E>, F: Display> HookAnswer<E> for Result<A, F> {
    fn into_reply(self) -> Reply<HookOutput> {
        match self {
            Ok(answer) => answer.into_reply(),
            Err(error) => Reply::Failed(error.to_string()),
        }
    }
}

/// Outputs for every event.
macro_rules! of_every_event {
    ($($output:ty),*) => {$(
        impl<E> HookAnswer<E> for $output {
            fn into_reply(self) -> Reply<HookOutput> {
                Reply::Now(self.into())
            }
        }
    )*};
}

of_every_event!(HookOutput, SyncOutput, AsyncOutput);

/// Outputs for a single event.
macro_rules! of_one_event {
    ($($event:ty => $output:ty,)*) => {$(
        impl HookAnswer<$event> for $output {
            fn into_reply(self) -> Reply<HookOutput> {
                Reply::Now(self.into())
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
