//! What only the hooks of one event can answer.

mod tool;

pub use tool::{
    PermissionDeniedOutput, PermissionRequestAllow, PermissionRequestDecision,
    PermissionRequestDeny, PermissionRequestOutput, PostToolUseOutput, PreToolUseOutput,
    ToolDecision,
};

use crate::json::Json;
use crate::mcp::ElicitationAction;
use crate::open::{object, union};
use crate::permission::{PermissionBehavior, unless_null};

/// Calls a macro with what the hooks of each event can answer.
macro_rules! every_specific_output {
    ($call:ident) => {
        $call! {
            /// May the tool run, and with which input?
            PreToolUse = "PreToolUse": PreToolUseOutput,
            /// What came of a tool.
            PostToolUse = "PostToolUse": PostToolUseOutput,
            /// More about a tool's failure.
            PostToolUseFailure = "PostToolUseFailure": PostToolUseFailureOutput,
            /// More about several tools.
            PostToolBatch = "PostToolBatch": PostToolBatchOutput,
            /// May the tool run?
            PermissionRequest = "PermissionRequest": PermissionRequestOutput,
            /// May the model try again?
            PermissionDenied = "PermissionDenied": PermissionDeniedOutput,
            /// More about a notification.
            Notification = "Notification": NotificationOutput,
            /// More about a prompt.
            UserPromptSubmit = "UserPromptSubmit": UserPromptSubmitOutput,
            /// More about a command.
            UserPromptExpansion = "UserPromptExpansion": UserPromptExpansionOutput,
            /// How a session begins.
            SessionStart = "SessionStart": SessionStartOutput,
            /// More about the set-up.
            Setup = "Setup": SetupOutput,
            /// May the model be changed?
            PreModelSwitch = "PreModelSwitch": PreModelSwitchOutput,
            /// More about a change of the model.
            PostModelSwitch = "PostModelSwitch": PostModelSwitchOutput,
            /// More about a turn that is over.
            Stop = "Stop": StopOutput,
            /// More for a sub-agent that begins.
            SubagentStart = "SubagentStart": SubagentStartOutput,
            /// More for a sub-agent that is done.
            SubagentStop = "SubagentStop": SubagentStopOutput,
            /// The answer to an MCP server.
            Elicitation = "Elicitation": ElicitationOutput,
            /// Another answer to an MCP server.
            ElicitationResult = "ElicitationResult": ElicitationResultOutput,
            /// What to watch.
            CwdChanged = "CwdChanged": CwdChangedOutput,
            /// What to watch.
            FileChanged = "FileChanged": FileChangedOutput,
            /// Where the worktree is.
            WorktreeCreate = "WorktreeCreate": WorktreeCreateOutput,
            /// What is shown.
            MessageDisplay = "MessageDisplay": MessageDisplayOutput,
        }
    };
}
pub(super) use every_specific_output;

/// The union of these.
macro_rules! specific_outputs {
    ($( $(#[$meta:meta])* $event:ident = $value:literal: $name:ident, )*) => {
        union! {
            /// What only the hooks of one event can answer.
            pub enum SpecificOutput by "hookEventName" {
                $( $(#[$meta])* $value => $event($name), )*
            }
        }
    };
}

every_specific_output!(specific_outputs);

object! {
    /// More about a prompt.
    #[derive(Default)]
    pub struct UserPromptSubmitOutput tags("hookEventName" = "UserPromptSubmit") {
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
        /// The session's title from now on.
        pub session_title: Option<String> = "sessionTitle",
        /// Whether a prompt that is blocked is not repeated to the user.
        pub suppress_original_prompt: Option<bool> = "suppressOriginalPrompt",
    }
}

object! {
    /// More about a command that was turned into a prompt.
    #[derive(Default)]
    pub struct UserPromptExpansionOutput tags("hookEventName" = "UserPromptExpansion") {
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
        /// Whether a prompt that is blocked is not repeated to the user.
        pub suppress_original_prompt: Option<bool> = "suppressOriginalPrompt",
    }
}

object! {
    /// How a session begins.
    #[derive(Default)]
    pub struct SessionStartOutput tags("hookEventName" = "SessionStart") {
        /// Something for the model to read.
        pub additional_context: Option<String> = "additionalContext",
        /// The first prompt.
        pub initial_user_message: Option<String> = "initialUserMessage",
        /// The session's title.
        pub session_title: Option<String> = "sessionTitle",
        /// Paths whose changes are told to the hooks of `FileChanged`.
        pub watch_paths: Option<Vec<String>> = "watchPaths",
        /// Whether skills and commands are looked for once more, because the
        /// hook may have added some.
        pub reload_skills: Option<bool> = "reloadSkills",
    }
}

object! {
    /// May the model be changed?
    #[derive(Default)]
    pub struct PreModelSwitchOutput tags("hookEventName" = "PreModelSwitch") {
        /// Whether it may. `ask` is a no where there is nobody to ask.
        pub permission_decision: Option<PermissionBehavior> = "permissionDecision",
        /// Why.
        pub permission_decision_reason: Option<String> = "permissionDecisionReason",
    }
}

/// Many events let a hook add something for the model, and nothing else.
macro_rules! context_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// Something for the model to read.
                pub additional_context: Option<String> = "additionalContext",
            }
        }
    )*};
}

context_output! {
    /// More about a tool's failure.
    PostToolUseFailureOutput = "PostToolUseFailure",
    /// More about tools that the model called at once.
    PostToolBatchOutput = "PostToolBatch",
    /// More about a notification.
    NotificationOutput = "Notification",
    /// More about the set-up.
    SetupOutput = "Setup",
    /// More about a change of the model, with the next prompt.
    PostModelSwitchOutput = "PostModelSwitch",
    /// More about a turn that is over: the model goes on with it.
    StopOutput = "Stop",
    /// More for a sub-agent that begins.
    SubagentStartOutput = "SubagentStart",
    /// More for a sub-agent that is done: it goes on with it.
    SubagentStopOutput = "SubagentStop",
}

/// What is answered to an MCP server, before and after the user was asked.
macro_rules! elicitation_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// What the server is told: `accept`, `decline` or `cancel`.
                pub action: Option<ElicitationAction>,
                /// What was filled in.
                pub content: Option<Json>,
            }
        }

        impl $name {
            /// The server is told that this was filled in, an object.
            pub fn accept(content: impl Into<Json>) -> Self {
                Self {
                    action: Some(ElicitationAction::Accept),
                    content: unless_null(content),
                    ..Self::default()
                }
            }

            /// The server is told that the user refused.
            #[must_use]
            pub fn decline() -> Self {
                Self {
                    action: Some(ElicitationAction::Decline),
                    ..Self::default()
                }
            }

            /// The server is told that the user turned away.
            #[must_use]
            pub fn cancel() -> Self {
                Self {
                    action: Some(ElicitationAction::Cancel),
                    ..Self::default()
                }
            }
        }
    )*};
}

elicitation_output! {
    /// The answer to an MCP server: the user is not asked.
    ElicitationOutput = "Elicitation",
    /// Another answer to an MCP server than the user's.
    ElicitationResultOutput = "ElicitationResult",
}

/// Two events let a hook say what to watch.
macro_rules! watch_output {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hookEventName" = $tag) {
                /// Paths whose changes are told to the hooks of `FileChanged`.
                pub watch_paths: Option<Vec<String>> = "watchPaths",
            }
        }

        impl $name {
            /// Changes of these paths are told to the hooks of `FileChanged`.
            pub fn watch<P: Into<String>>(paths: impl IntoIterator<Item = P>) -> Self {
                Self {
                    watch_paths: Some(paths.into_iter().map(Into::into).collect()),
                    ..Self::default()
                }
            }
        }
    )*};
}

watch_output! {
    /// What to watch in the new working directory.
    CwdChangedOutput = "CwdChanged",
    /// What to watch after a file was changed.
    FileChangedOutput = "FileChanged",
}

object! {
    /// Where the worktree is.
    pub struct WorktreeCreateOutput tags("hookEventName" = "WorktreeCreate") {
        /// Its directory, absolute.
        pub worktree_path: String = "worktreePath",
    }
}

object! {
    /// What is shown. What the model said stays as it is.
    #[derive(Default)]
    pub struct MessageDisplayOutput tags("hookEventName" = "MessageDisplay") {
        /// The text in place of the piece.
        pub display_content: Option<String> = "displayContent",
    }
}

/// Most events let a hook add something for the model.
macro_rules! add_context {
    ($($name:ident,)*) => {$(
        impl $name {
            /// Sets something for the model to read.
            #[must_use]
            pub fn additional_context(mut self, context: impl Into<String>) -> Self {
                self.additional_context = Some(context.into());
                self
            }
        }
    )*};
}

add_context! {
    PreToolUseOutput,
    PostToolUseOutput,
    PostToolUseFailureOutput,
    PostToolBatchOutput,
    NotificationOutput,
    UserPromptSubmitOutput,
    UserPromptExpansionOutput,
    SessionStartOutput,
    SetupOutput,
    PostModelSwitchOutput,
    StopOutput,
    SubagentStartOutput,
    SubagentStopOutput,
}

impl UserPromptSubmitOutput {
    /// Sets the session's title.
    #[must_use]
    pub fn session_title(mut self, title: impl Into<String>) -> Self {
        self.session_title = Some(title.into());
        self
    }
}

impl SessionStartOutput {
    /// Sets the first prompt.
    #[must_use]
    pub fn initial_user_message(mut self, prompt: impl Into<String>) -> Self {
        self.initial_user_message = Some(prompt.into());
        self
    }

    /// Sets the session's title.
    #[must_use]
    pub fn session_title(mut self, title: impl Into<String>) -> Self {
        self.session_title = Some(title.into());
        self
    }

    /// Sets the paths whose changes are told to the hooks of `FileChanged`.
    #[must_use]
    pub fn watch_paths<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.watch_paths = Some(paths.into_iter().map(Into::into).collect());
        self
    }
}

impl PreModelSwitchOutput {
    /// The model may be changed.
    #[must_use]
    pub fn allow() -> Self {
        Self {
            permission_decision: Some(PermissionBehavior::Allow),
            ..Self::default()
        }
    }

    /// The model may not be changed, and this is why.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            permission_decision: Some(PermissionBehavior::Deny),
            permission_decision_reason: Some(reason.into()),
            ..Self::default()
        }
    }
}

impl WorktreeCreateOutput {
    /// The worktree is in this directory, an absolute path.
    pub fn at(worktree_path: impl Into<String>) -> Self {
        Self {
            worktree_path: worktree_path.into(),
            extra: Default::default(),
        }
    }
}

impl MessageDisplayOutput {
    /// This is shown in place of the piece.
    pub fn show(display_content: impl Into<String>) -> Self {
        Self {
            display_content: Some(display_content.into()),
            ..Self::default()
        }
    }
}
