//! Hook events, in a module for each family.

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
    PostToolBatch, PostToolUse, PostToolUseFailure, PreSkillShellCommand, PreToolUse, SkillInvoker,
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

/// Declares the events, so that one list has their names and their types.
macro_rules! events {
    ($( $(#[$meta:meta])* $name:ident = $value:literal, )*) => {
        open_enum! {
            /// The name of a hook event.
            #[derive(PartialOrd, Ord)]
            pub enum HookKind {
                $( $(#[$meta])* $name = $value, )*
            }
        }

        impl HookKind {
            /// All events that this version supports.
            pub const ALL: &[Self] = &[$( Self::$name, )*];
        }

        union! {
            /// A hook event with its data.
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

/// An event with its own type, for hooks of that event only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type of a hook event",
    note = "the types of events, such as `PreToolUse`, are in `agentwire::protocol::hook`; \
            `Hook::named` takes events without a type"
)]
pub trait TypedEvent: Sized {
    /// The name of the event.
    const KIND: HookKind;

    /// Extracts this event. Returns `None` if `event` is another one.
    fn of(event: HookEvent) -> Option<Self>;
}

events! {
    /// A tool is about to run.
    PreToolUse = "PreToolUse",
    /// A tool has run.
    PostToolUse = "PostToolUse",
    /// A tool has failed.
    PostToolUseFailure = "PostToolUseFailure",
    /// All tool calls that the model made in parallel are done.
    PostToolBatch = "PostToolBatch",
    /// The agent wants the user's attention.
    Notification = "Notification",
    /// A prompt was submitted.
    UserPromptSubmit = "UserPromptSubmit",
    /// A command was expanded into a prompt.
    UserPromptExpansion = "UserPromptExpansion",
    /// A session starts.
    SessionStart = "SessionStart",
    /// A session ends.
    SessionEnd = "SessionEnd",
    /// The model has finished a turn.
    Stop = "Stop",
    /// A turn ended because the model request failed.
    StopFailure = "StopFailure",
    /// A sub-agent starts.
    SubagentStart = "SubagentStart",
    /// A sub-agent has finished.
    SubagentStop = "SubagentStop",
    /// The conversation is about to be compacted.
    PreCompact = "PreCompact",
    /// The conversation was compacted.
    PostCompact = "PostCompact",
    /// The model is about to change.
    PreModelSwitch = "PreModelSwitch",
    /// The model has changed.
    PostModelSwitch = "PostModelSwitch",
    /// A permission is requested from the user.
    PermissionRequest = "PermissionRequest",
    /// A tool call was denied.
    PermissionDenied = "PermissionDenied",
    /// The agent runs its setup.
    Setup = "Setup",
    /// A teammate is idle.
    TeammateIdle = "TeammateIdle",
    /// A task was added to the list.
    TaskCreated = "TaskCreated",
    /// A task was completed.
    TaskCompleted = "TaskCompleted",
    /// An MCP server requests input from the user.
    Elicitation = "Elicitation",
    /// The user has responded to an MCP server.
    ElicitationResult = "ElicitationResult",
    /// Settings have changed.
    ConfigChange = "ConfigChange",
    /// A worktree is to be created.
    WorktreeCreate = "WorktreeCreate",
    /// A worktree is to be removed.
    WorktreeRemove = "WorktreeRemove",
    /// An instruction file was loaded.
    InstructionsLoaded = "InstructionsLoaded",
    /// The working directory has changed.
    CwdChanged = "CwdChanged",
    /// A watched file has changed.
    FileChanged = "FileChanged",
    /// A working directory was added.
    DirectoryAdded = "DirectoryAdded",
    /// Text of the model is about to be displayed.
    MessageDisplay = "MessageDisplay",
    /// A shell command in the text of a skill or slash command is about to run.
    PreSkillShellCommand = "PreSkillShellCommand",
}
