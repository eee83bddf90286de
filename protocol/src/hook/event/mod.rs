//! What a hook is told of, a file for a family of events.

mod session;
mod tool;
mod turn;
mod workspace;

pub use session::{
    ModelSwitchSource, PostCompact, PostModelSwitch, PreCompact, PreModelSwitch, PriceSource,
    SessionEnd, SessionEndReason, SessionStart, SessionStartSource, Setup, SetupTrigger,
};
pub use tool::{
    BatchToolCall, Elicitation, ElicitationResult, PermissionDenied, PermissionRequest,
    PostToolBatch, PostToolUse, PostToolUseFailure, PreToolUse,
};
pub use turn::{
    BackgroundTaskSummary, ExpansionKind, MessageDisplay, Notification, PromptSource,
    SessionCronSummary, Stop, StopFailure, SubagentStart, SubagentStop, TaskCompleted, TaskCreated,
    TeammateIdle, UserPromptExpansion, UserPromptSubmit,
};
pub use workspace::{
    ConfigChange, ConfigSource, CwdChanged, DirectoryAdded, DirectorySource, FileChange,
    FileChanged, InstructionsLoaded, LoadReason, MemoryKind, WorktreeCreate, WorktreeRemove,
};

use crate::open::{open_enum, union};

/// The events, once for their names and once for their types.
macro_rules! events {
    ($( $(#[$meta:meta])* $name:ident = $value:literal, )*) => {
        open_enum! {
            /// The name of an event.
            #[derive(PartialOrd, Ord)]
            pub enum HookKind {
                $( $(#[$meta])* $name = $value, )*
            }
        }

        impl HookKind {
            /// All events that this version knows.
            pub const ALL: &[Self] = &[$( Self::$name, )*];
        }

        union! {
            /// Something that a hook is told of.
            pub enum HookEvent by "hook_event_name" {
                $( $(#[$meta])* $value => $name($name), )*
            }
        }

        $(
            impl TypedEvent for $name {
                const KIND: HookKind = HookKind::$name;

                fn of(event: HookEvent) -> Option<Self> {
                    match event {
                        HookEvent::$name(event) => Some(event),
                        _ => None,
                    }
                }
            }
        )*
    };
}

/// An event that has a type of its own, for hooks of that event alone.
pub trait TypedEvent: Sized {
    /// The name of the event.
    const KIND: HookKind;

    /// Takes it out of what a hook is told; `None` when that is another event.
    fn of(event: HookEvent) -> Option<Self>;
}

events! {
    /// A tool is about to run.
    PreToolUse = "PreToolUse",
    /// A tool has run.
    PostToolUse = "PostToolUse",
    /// A tool has failed.
    PostToolUseFailure = "PostToolUseFailure",
    /// All tools that the model called at once are done.
    PostToolBatch = "PostToolBatch",
    /// The agent wants somebody to look.
    Notification = "Notification",
    /// A prompt was handed in.
    UserPromptSubmit = "UserPromptSubmit",
    /// A command was turned into a prompt.
    UserPromptExpansion = "UserPromptExpansion",
    /// A session begins.
    SessionStart = "SessionStart",
    /// A session ends.
    SessionEnd = "SessionEnd",
    /// The model is done with a turn.
    Stop = "Stop",
    /// A turn ended because the model could not answer.
    StopFailure = "StopFailure",
    /// A sub-agent begins.
    SubagentStart = "SubagentStart",
    /// A sub-agent is done.
    SubagentStop = "SubagentStop",
    /// The conversation is about to be compacted.
    PreCompact = "PreCompact",
    /// The conversation was compacted.
    PostCompact = "PostCompact",
    /// The model is about to be changed.
    PreModelSwitch = "PreModelSwitch",
    /// The model was changed.
    PostModelSwitch = "PostModelSwitch",
    /// Somebody is asked whether a tool may run.
    PermissionRequest = "PermissionRequest",
    /// A tool was not allowed to run.
    PermissionDenied = "PermissionDenied",
    /// The agent sets itself up.
    Setup = "Setup",
    /// A teammate has nothing to do.
    TeammateIdle = "TeammateIdle",
    /// A task is put on the list.
    TaskCreated = "TaskCreated",
    /// A task is ticked off.
    TaskCompleted = "TaskCompleted",
    /// An MCP server wants to know something from the user.
    Elicitation = "Elicitation",
    /// The user has answered an MCP server.
    ElicitationResult = "ElicitationResult",
    /// Settings were changed.
    ConfigChange = "ConfigChange",
    /// A worktree is wanted.
    WorktreeCreate = "WorktreeCreate",
    /// A worktree is to go.
    WorktreeRemove = "WorktreeRemove",
    /// A file with instructions was read.
    InstructionsLoaded = "InstructionsLoaded",
    /// The working directory was changed.
    CwdChanged = "CwdChanged",
    /// A watched file was changed.
    FileChanged = "FileChanged",
    /// The agent was given one more directory.
    DirectoryAdded = "DirectoryAdded",
    /// Some of the model's text is about to be shown.
    MessageDisplay = "MessageDisplay",
}
