//! What the closures of hooks may answer.

use crate::callback::Reply;
use agentwire_protocol::hook::*;
use std::fmt::Display;

/// What the closure of a hook of the event `E` may answer.
///
/// It is implemented for the output type of that event, and for every event
/// for [`HookOutput`], [`SyncOutput`] and [`AsyncOutput`], for `()` (the agent
/// goes ahead), and for `Option` and `Result` of all of them: `None` lets the
/// agent go ahead, an error is a failure of the hook.
pub trait HookAnswer<E> {
    /// The answer as it is sent.
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

/// What hooks of every event may answer.
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

/// What hooks of one event alone may answer.
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
